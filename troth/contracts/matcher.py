"""What every matcher can do, and what it says when a value does not fit.

A matcher both recognises (``read``) and generates (``make``): one that does only one of them is a defect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from troth.contracts.values import Json, Slot, Unknown, Value
from troth.frozen import frozen

if TYPE_CHECKING:
    from troth.contracts.record import Doubt

__all__ = ["ANYWHERE", "Draw", "Mismatch", "Origin", "Out", "Scope", "Sight"]


class Origin(NamedTuple):
    """Where in the contract a demand is written: the type (or ``operation.response``) and the path in it.

    ``Charge`` + ``.currency``: twenty places that show a charge's currency are one finding.
    """

    type: str
    path: str = ""

    def __str__(self) -> str:
        return self.type + self.path


ANYWHERE = Origin("")


@frozen
class Mismatch:
    """One value that does not fit.

    ``kind`` is a name from ``troth.contracts.kinds``; ``path`` is RFC 9535 JSONPath into the decoded body
    (``$.error.type``), or ``status``, or ``headers.request-id``, or for requests ``query.limit``, ``body.amount``.
    ``expected`` and ``observed`` are JSON (ABSENT where there is nothing); ``want`` says the demand in words.
    """

    kind: str
    path: str
    expected: Json
    observed: Json
    origin: Origin
    want: str = ""
    caused_by: str | None = None
    """Names the earlier mismatch that explains this one: ``operation kind path`` of that one."""
    reason: str = ""
    """For requests, the word of ``mismatch.kind``: missing, unknown, type, null, enum, format, bounds, size."""


class Draw(Protocol):
    """A seeded source of choices: the same seed, tenant and request give the same draws."""

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        ...

    def text(self, length: int, alphabet: str) -> str:
        """``length`` characters out of ``alphabet``."""
        ...

    def raw(self, length: int) -> bytes:
        """``length`` bytes."""
        ...


class Scope(Protocol):
    """What names in expressions stand for during one exchange."""

    def get(self, name: str) -> Value:
        """The value of a name: ``body``, ``query``, ``this``, ``now``, a ``let`` ... ABSENT when it has none."""
        ...

    def ask(self, unknown: Unknown) -> bool:
        """Is this unknown thing true? Forks a judgement; a simulator, which knows everything, is never asked."""
        ...

    def row(self, collection: str, key: Value) -> Value:
        """``state.C(key)``: the record, ABSENT, or an Unknown when the world is open and the key never met."""
        ...

    def deleted(self, collection: str, key: Value) -> Value:
        """``state.C.deleted(key)``: did this run see that record deleted? Unknown when the key was never met."""
        ...

    @property
    def draw(self) -> Draw:
        """Where generated values come from."""
        ...

    @property
    def open(self) -> bool:
        """Is this an open world (judging), where things may be unknown?"""
        ...

    @property
    def version_index(self) -> int:
        """Index of the request's API version in the contract's ordered list; 0 without versions."""
        ...

    def bind(self, name: str, value: Value) -> Value:
        """Let ``name`` stand for ``value`` from now on; gives back what it stood for, to restore it."""
        ...

    def versions(self, record: Value) -> tuple[Value, ...]:
        """Every version of a record that can be true at the time of this exchange, the likeliest first.

        ABSENT: a move has deleted it; an Unknown: nobody can say.
        """
        ...

    def link(self, collection: str, key_node: Any) -> Json:
        """Sample: the key of a record that a link may name; ABSENT where it must be a new one."""
        ...

    def mistimed(self, record: Value) -> tuple[tuple[Mismatch, Value], ...]:
        """The versions of a record that moves make too ``late`` or too ``early``, and what is wrong where they show."""
        ...

    def now(self) -> Value:
        """An Interval: a point on a simulator, [sent - skew, received + skew] on a sandbox."""
        ...


class Sight(NamedTuple):
    """A record that a reply shows: its decoded fields, and the path where it stands."""

    collection: str
    key: Json
    values: dict[str, Json]
    path: str
    glimpse: bool = False
    """In a list of what others made too: by the next look at it, it may have changed."""
    versions: tuple[Value, ...] = ()
    """Of a row: those that the record may have and that look like it."""


class Out:
    """Collects what a reading found: mismatches, agreed origins, bindings, and where the contract left a choice."""

    __slots__ = (
        "agreed",
        "bindings",
        "choices",
        "doubts",
        "meant",
        "mismatches",
        "news",
        "seen",
        "shown",
        "unlisted",
        "widened",
    )

    def __init__(self) -> None:
        self.mismatches: list[Mismatch] = []
        self.agreed: set[Origin] = set()
        self.bindings: list[tuple[Slot, Json]] = []
        self.choices: dict[str, tuple[str, Json, str]] = {}
        """Path to (class, value, origin), class one of default, presence, null, size, order."""
        self.news: dict[str, tuple[str, Json, str]] = {}
        """The same, class member: a value that an open list does not name, and that nobody asked for."""
        self.unlisted: list[str] = []
        """Paths of members that the contract does not list."""
        self.widened: list[str] = []
        """Why something could not be judged exactly: ``unknown charges[ch_1].amount``, ``maybe``."""
        self.seen: list[Sight] = []
        """Every record that the reply shows."""
        self.shown: list[tuple[str, Json, str]] = []
        """(collection, key, path) of every record that it shows, also of those that are described anew."""
        self.meant: dict[str, Json] = {}
        """Path to what a value of the wrong type says in the right one, for expressions to go on with."""
        self.doubts: dict[str, tuple[Doubt, ...]] = {}
        """Path to what may stand there instead of what does, because of what was wrong before."""

    def add(
        self,
        kind: str,
        path: str,
        expected: Json,
        observed: Json,
        origin: Origin,
        want: str = "",
        reason: str = "",
    ) -> None:
        self.mismatches.append(Mismatch(kind, path, expected, observed, origin, want, None, reason or kind))

    def merge(self, other: Out) -> None:
        """Take over everything that ``other`` found."""
        self.mismatches += other.mismatches
        self.agreed |= other.agreed
        self.bindings += other.bindings
        self.choices.update(other.choices)
        self.news.update(other.news)
        self.unlisted += other.unlisted
        self.widened += other.widened
        self.seen += other.seen
        self.shown += other.shown
        self.doubts.update(other.doubts)
        self.meant.update(other.meant)
