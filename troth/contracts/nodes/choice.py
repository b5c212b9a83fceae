"""Nodes that choose: ``$nullable``, ``$optional``, ``$any_of``, ``$if``, ``$case``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from troth.contracts.matcher import Origin, Scope
from troth.contracts.nodes.base import BAD, NOTHING, Node, Reading
from troth.contracts.nodes.speech import Express, Speech
from troth.contracts.record import Record
from troth.contracts.values import ABSENT, Json, Unknown, Value

if TYPE_CHECKING:
    from troth.contracts.expressions.expression import Expression

__all__ = ["AnyOf", "Branches", "Nullable", "OptionalNode"]


class Nullable(Node):
    """``$nullable``: the inner matcher, or null. ``is``, ``from`` and ``default`` belong to this node."""

    __slots__ = ("ends", "inner")
    name = "nullable"

    def __init__(self, origin: Origin, inner: Node) -> None:
        super().__init__(origin)
        self.inner = inner
        self.ends = False
        """Would its sample contain the type in which it stands? Then samples show null."""

    @property
    def opaque(self) -> bool:  # type: ignore[override]
        return self.inner.opaque

    @property
    def identity(self) -> bool:  # type: ignore[override]
        return self.inner.identity

    @property
    def changing(self) -> str:
        return self.changes if self.changes != "never" else self.inner.changing

    def holds(self, known: Value) -> bool:
        return self.inner.holds(known)

    def children(self) -> tuple[Node, ...]:
        return (self.inner,)

    def generate(self, scope: Scope, here: str) -> Json:
        return None if self.ends else self.inner.make(scope, here)

    def absence(self, scope: Scope) -> bool:
        return self.inner.absence(scope)

    def speech(self, otherwise: Speech) -> Speech:
        speech = super().speech(otherwise)
        if self.is_ is not None or not self.sources or not self.inner.sources:
            return speech

        def say(scope: Scope, here: str) -> Json:
            value, _ = self.said(scope)
            if value is not ABSENT and value is not NOTHING and value is not None:
                return self.inner.make(scope, here)
            return speech(scope, here)

        return say

    def copied(self) -> tuple[str, str] | None:
        return None if self.inner.sources else super().copied()

    def expressing(self) -> Express | None:
        return None if self.inner.expressing() is None else self.express

    def plain(self, text: bool) -> type | None:
        return None if self.is_ is not None else self.inner.plain(text)

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        return None if value is None else self.inner.express(value, scope, here)

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        return None if value is None else self._inner_fit(value, path, reading, known)

    def _inner_fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        found = reading.out.mismatches
        before = len(found)
        decoded = self.inner.fit(value, path, reading, self._beneath(reading, known))
        if len(found) == before:
            # What is wrong there is laid on the inner matcher, so that it agreed is to be remembered.
            reading.out.agreed.add(self.inner.origin)
        return decoded

    def take(self, value: Json, reading: Reading) -> Json:
        if value is None:
            return None
        return BAD if self.is_ is not None else self.inner.take(value, reading)

    def same(self, expected: Value, observed: Json) -> bool:
        if expected is None or observed is None:
            return expected is observed
        return self.inner.same(expected, observed)

    def news(self, value: Json) -> bool:
        return value is not None and self.inner.news(value)

    def ranking(self) -> Callable[[Json], Any] | None:
        return self.inner.ranking()

    def demand(self, value: Json, path: str, reading: Reading, known: Value) -> None:
        assert reading.scope is not None
        expected, _ = self.said(reading.scope)
        if expected is NOTHING and known is NOTHING and self.default is None:
            reading.out.choices.setdefault(path, ("null", value is None, str(self.origin)))
        if value is None or not self.inner.holds(self._beneath(reading, known)):
            super().demand(value, path, reading, known)
        elif self.not_ is not None:
            self._forbid(value, path, reading)

    def _beneath(self, reading: Reading, known: Value) -> Value:
        """What the inner matcher holds the value's parts to."""
        if reading.scope is not None and not reading.fill and self.is_ is not None:
            said = self.is_.value(reading.scope)
            return said if isinstance(said, Record | Unknown | dict) else NOTHING
        return NOTHING if known is None else known

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [self.inner.schema(), {"type": "null"}]}


class OptionalNode(Nullable):
    """``$optional``: the inner matcher, or nothing at all."""

    __slots__ = ()
    name = "optional"

    def absence(self, scope: Scope) -> bool:
        return True

    def generate(self, scope: Scope, here: str) -> Json:
        return ABSENT

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        return self._inner_fit(value, path, reading, known)

    def same(self, expected: Value, observed: Json) -> bool:
        return self.inner.same(expected, observed)

    def schema(self) -> dict[str, Any]:
        return self.inner.schema()


class AnyOf(Node):
    """``$any_of``: the first alternative that fits. Samples show the first."""

    __slots__ = ("options",)
    name = "any_of"

    def __init__(self, origin: Origin, options: tuple[Node, ...]) -> None:
        super().__init__(origin)
        self.options = options

    def children(self) -> tuple[Node, ...]:
        return self.options

    def absence(self, scope: Scope) -> bool:
        return any(option.absence(scope) for option in self.options)

    def generate(self, scope: Scope, here: str) -> Json:
        """What the first alternative says that says anything."""
        for option in self.options:
            made = option.make(scope, here)
            if made is not ABSENT:
                return made
        return ABSENT

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        return self.options[0].express(value, scope, here)

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        best: Reading | None = None
        fitting: list[tuple[Json, Reading]] = []
        for option in self.options:
            trial = reading.fork()
            read = option.read(value, path, trial)
            if trial.out.mismatches:
                if best is None or len(trial.out.mismatches) < len(best.out.mismatches):
                    best = trial
                continue
            if known is not NOTHING:
                trial = reading.fork()
                read = option.read(value, path, trial, known)
            fitting.append((read, trial))
            if not trial.out.mismatches:
                break
        if fitting:
            # Of the alternatives that fit, the one that fits what is known best.
            read, trial = min(fitting, key=lambda pair: len(pair[1].out.mismatches))
            reading.out.merge(trial.out)
            return read
        assert best is not None
        deep = [found for found in best.out.mismatches if found.path != path]
        if deep and len(deep) == len(best.out.mismatches):
            reading.out.merge(best.out)
            return value
        reading.out.add("variant", path, ABSENT, value, self.origin, "one of the alternatives", "type")
        return BAD

    def demand(self, value: Json, path: str, reading: Reading, known: Value) -> None:
        assert reading.scope is not None
        if known is NOTHING or self.said(reading.scope)[0] is not NOTHING:
            super().demand(value, path, reading, known)
        elif self.not_ is not None:
            self._forbid(value, path, reading)

    def take(self, value: Json, reading: Reading) -> Json:
        return BAD if self.is_ is not None else self.options[0].take(value, reading)

    def same(self, expected: Value, observed: Json) -> bool:
        return any(option.same(expected, observed) for option in self.options)

    def holds(self, known: Value) -> bool:
        return known is not NOTHING

    def ranking(self) -> Callable[[Json], Any] | None:
        return partial(_rank, self.options)

    def schema(self) -> dict[str, Any]:
        return {"anyOf": [option.schema() for option in self.options]}


class Branches(Node):
    """``$if`` and ``$case``: which branch holds is decided by an expression; None stands for "not there".

    ``branches`` maps what the selector gives to a node: True or False for ``$if``, for ``$case`` a value as YAML spells
    it (``1``, ``true``, ``null``).
    Undecided, a judge tries each branch and keeps the one that fits best.
    """

    __slots__ = ("branches", "name", "other", "selector")
    speaks = True

    def __init__(
        self,
        origin: Origin,
        name: str,
        selector: Expression,
        branches: Mapping[Json, Node],
        other: Node | None,
    ) -> None:
        super().__init__(origin)
        self.name, self.selector, self.branches, self.other = name, selector, branches, other

    def children(self) -> tuple[Node, ...]:
        return (*self.branches.values(), *((self.other,) if self.other is not None else ()))

    def _branch(self, scope: Scope) -> tuple[Node | None, bool]:
        """The branch that holds (None: absent), and whether that is decided."""
        if self.name == "if":
            answer: Value = self.selector.decide(scope)
            if answer is None:
                return None, False
        else:
            answer = self.selector.value(scope)
            if answer.__class__ is Unknown:
                return None, False
        return self.branches.get(answer if self.name == "if" else _spelled(answer), self.other), True

    def absence(self, scope: Scope) -> bool:
        branch, decided = self._branch(scope)
        if decided:
            return branch is None or branch.absence(scope)
        return self.other is None

    def said(self, scope: Scope) -> tuple[Value, bool]:
        branch, decided = self._branch(scope)
        if not decided:
            return NOTHING, False
        return (ABSENT, False) if branch is None else branch.said(scope)

    def speech(self, otherwise: Speech) -> Speech:
        return otherwise

    def generate(self, scope: Scope, here: str) -> Json:
        branch, _ = self._branch(scope)
        return ABSENT if branch is None else branch.make(scope, here)

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        branch, decided = self._branch(scope)
        if branch is None:
            return ABSENT if decided else value
        return branch.express(value, scope, here)

    def read(self, value: Json, path: str, reading: Reading, known: Value = NOTHING) -> Json:
        around = reading.changes
        if self.changes != "never":
            reading.changes = self.changes
        read = value if reading.scope is None else self._read(value, path, reading, known)
        reading.changes = around
        return read

    def _read(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        assert reading.scope is not None
        branch, decided = self._branch(reading.scope)
        if decided:
            if branch is None:
                reading.out.add("appeared", path, ABSENT, value, self.origin, "not to be there")
                return value
            return branch.read(value, path, reading, known)
        trials = []
        for option in self.children():
            trial = reading.fork()
            trials.append((option.read(value, path, trial, known), trial))
        read, best = min(trials, key=lambda pair: len(pair[1].out.mismatches))
        reading.out.merge(best.out)
        reading.out.widened.append(f"undecided {self.selector.source}")
        return read

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        return self.read(value, path, reading, known)

    def same(self, expected: Value, observed: Json) -> bool:
        return any(option.same(expected, observed) for option in self.children())

    def holds(self, known: Value) -> bool:
        return known is not NOTHING

    def ranking(self) -> Callable[[Json], Any] | None:
        return partial(_rank, self.children())

    def schema(self) -> dict[str, Any]:
        options = [option.schema() for option in self.children()]
        return options[0] if len(options) == 1 else {"anyOf": options}


def _rank(options: tuple[Node, ...], value: Json) -> Any:
    """By what a value ranks in the first matcher that takes it."""
    rank = next((option.ranking() for option in options if option.takes(value)), None)
    return value if rank is None else rank(value)


def _spelled(value: Value) -> str | None:
    """A scalar as the key of ``of``; None for what cannot be one."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) if isinstance(value, int | float) else None
