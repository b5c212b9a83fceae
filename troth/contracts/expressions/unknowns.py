"""Times that are known only within an interval, and conditions over things that nobody has seen yet.

Three-valued logic needs no second evaluator: a condition is run once for each answer to "is this unknown thing true?".
When all runs agree, it is decided; when they differ, or there are too many, it is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias, final

from troth.contracts.values import ABSENT, Unknown, Value

__all__ = ["MAX_RUNS", "Closure", "Forks", "Instant", "Names", "decide", "identical", "resolve", "truth"]

Closure: TypeAlias = Callable[["Names"], Value]
"""A compiled expression: it may give an Unknown, and raises ExpressionError."""


class Names(Protocol):
    """The part of a Scope that expressions need."""

    def get(self, name: str) -> Value:
        """The value of a name; ABSENT when it has none."""
        ...

    def ask(self, unknown: Unknown) -> bool:
        """Is this unknown thing true?"""
        ...

    def row(self, collection: str, key: Value) -> Value:
        """``state.C(key)``."""
        ...

    def deleted(self, collection: str, key: Value) -> Value:
        """``state.C.deleted(key)``."""
        ...

    def now(self) -> Value:
        """An Instant or an Interval."""
        ...


MAX_RUNS: Final = 32
"""More runs than this, and the condition is undecided."""


@final
@dataclass(slots=True, unsafe_hash=True)
class Instant:
    """A time (or a difference of times) between ``lo`` and ``hi``, in Unix seconds; a point when both are equal.

    Not frozen, for the speed of the simulator; nothing changes one once it is made.

    On a simulator ``now`` is a point; on a sandbox it is the interval in which the provider handled the request.
    """

    lo: float
    hi: float

    @property
    def exact(self) -> bool:
        """Is it a point?"""
        return self.lo == self.hi

    def __add__(self, seconds: float) -> Instant:
        return Instant(self.lo + seconds, self.hi + seconds)

    __radd__ = __add__

    def __sub__(self, other: float | Instant) -> Instant:
        if isinstance(other, Instant):
            return Instant(self.lo - other.hi, self.hi - other.lo)
        return Instant(self.lo - other, self.hi - other)

    def __rsub__(self, seconds: float) -> Instant:
        return Instant(seconds - self.hi, seconds - self.lo)

    def __repr__(self) -> str:
        return f"instant({self.lo:.3f})" if self.exact else f"instant({self.lo:.3f}..{self.hi:.3f})"


@final
class Forks:
    """A scope that answers ``ask`` itself, one way in each run, and hands everything else to ``inner``.

    Within one run the same label gets the same answer. ``advance`` goes on to the next combination of answers, depth
    first, and says whether there is one.
    """

    __slots__ = ("answers", "deleted", "get", "now", "row", "script")

    def __init__(self, inner: Names) -> None:
        # Bound methods of the inner scope: a look-up costs no extra call.
        self.get = inner.get
        self.row = inner.row
        self.deleted = inner.deleted
        self.now = inner.now
        self.script: dict[str, bool] = {}
        self.answers: dict[str, bool] = {}
        """What was asked in this run, in order, and what was said."""

    def ask(self, unknown: Unknown) -> bool:
        """The answer of this run; a new question is first answered with yes."""
        answer = self.answers[unknown.label] = self.script.get(unknown.label, True)
        return answer

    def advance(self) -> bool:
        """Prepare the next run: the last yes becomes a no, what was asked after it is forgotten."""
        asked = list(self.answers.items())
        while asked:
            label, answer = asked.pop()
            if answer:
                self.script = dict(asked)
                self.script[label] = False
                self.answers = {}
                return True
        return False


def truth(value: Value, scope: Names) -> bool:
    """Is ``value`` true? An unknown one is asked of the scope."""
    return scope.ask(value) if value.__class__ is Unknown else bool(value)


def decide(run: Closure, scope: Names) -> bool | None:
    """Is the condition true whatever the unknown things are (True), false (False), or does it depend on them (None)?"""
    forks = Forks(scope)
    first = truth(run(forks), forks)
    runs = 1
    while forks.advance():
        if runs == MAX_RUNS or truth(run(forks), forks) is not first:
            return None
        runs += 1
    return first


def resolve(run: Closure, scope: Names, source: str) -> Value:
    """The value, if it is the same whatever the unknown things are; else an Unknown named after ``source``."""
    forks = Forks(scope)
    first = run(forks)
    asked = list(forks.answers)
    runs = 1
    while forks.advance():
        if runs == MAX_RUNS or not identical(run(forks), first):
            return Unknown(f"{source} (depends on {', '.join(asked)})")
        runs += 1
    return first


def identical(a: Value, b: Value) -> bool:
    """The same value, of the same type (1 and 1.0 are not), through and through; unknown things by their labels.

    False for values that are nested too deep to tell.
    """
    try:
        return _identical(a, b)
    except RecursionError:
        return False


def _identical(a: Value, b: Value) -> bool:
    if a is b:
        return True
    if a.__class__ is not b.__class__ or a is ABSENT:
        return False
    if isinstance(a, Unknown):
        return a.label == b.label if isinstance(b, Unknown) else False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_identical(value, b[key]) for key, value in a.items())
    if isinstance(a, list):
        return len(a) == len(b) and all(map(_identical, a, b))
    return bool(a == b)
