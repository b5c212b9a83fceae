"""A record: what is known about one thing that the provider keeps.

Records are never changed in place; a change makes a new one, so that a prediction can hold on to what it read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from troth.contracts.codecs.json_body import parse_json
from troth.contracts.exchange import Interval
from troth.contracts.values import ABSENT, Json, Promise, Slot, Unknown, Value
from troth.frozen import frozen

if TYPE_CHECKING:
    from troth.contracts.contract import Move
    from troth.contracts.nodes.base import Node

__all__ = ["Doubt", "Pending", "Record", "item_of", "known_of"]


_NO_DOUBTS: Mapping[str, tuple[Doubt, ...]] = MappingProxyType({})
_NONE_SPENT: frozenset[str] = frozenset()
_NO_VALUES: dict[str, Json] = {}
_NO_PROMISES: Mapping[str, Promise] = MappingProxyType({})


class Doubt(NamedTuple):
    """A value that once mismatched, or came out of one that did: what may be there instead, and which mismatch says so.

    ``promised`` is what the contract had promised; an Unknown where it promised no value.
    """

    promised: Value
    cause: str


@frozen
class Pending:
    """A move that will happen: not before ``lo``, by ``hi``; on a simulator at ``simulated`` (Unix seconds)."""

    move: Move
    lo: float
    hi: float
    simulated: float


class Record:
    """``values`` maps a field to its value; ABSENT: known not to be there; missing: nobody knows."""

    __slots__ = (
        "_lacking",
        "_packed",
        "_values",
        "born",
        "changed",
        "collection",
        "doubts",
        "key",
        "moved",
        "own",
        "pending",
        "promises",
        "shown",
        "spent",
    )

    def __init__(
        self,
        collection: str,
        key: Json,
        values: dict[str, Json],
        born: Interval,
        *,
        own: bool = True,
        pending: tuple[Pending, ...] = (),
        doubts: Mapping[str, tuple[Doubt, ...]] | None = None,
    ) -> None:
        self.collection = collection
        self.key = key
        self._values: dict[str, Json] | None = values
        self._packed = b""
        self._lacking: Iterable[str] = ()
        self.born = born
        self.own = own
        """Did this run make it? Strangers become known, but are never demanded in lists."""
        self.changed = 0.0
        """When the reply came that made or changed it, on our own clock: we know the order of our own calls exactly."""
        self.moved: tuple[str, ...] = ()
        """The moves that made this version out of the one that was last seen."""
        self.pending = pending
        self.doubts = doubts or _NO_DOUBTS
        """By path below the record: ``.amount``, ``.owner.city``."""
        self.promises = _NO_PROMISES
        """What effects said of fields that nobody has seen since; those in ``values`` were seen."""
        self.spent: frozenset[str] = _NONE_SPENT
        """The paths below the record (``.shipped_at``) where what may change once has done so."""
        self.shown: dict[Node, tuple[int, bytes]] | None = None
        """Simulator: its JSON as a node shows it, and the version of the API for which it was made."""

    @classmethod
    def packed(cls, collection: str, key: Json, text: bytes, lacking: Iterable[str], born: Interval) -> Record:
        """Simulator: a record that is kept as JSON until somebody reads it; ``lacking`` are the fields known absent.

        Most records are never read again. The text takes a quarter of the memory, and is quicker to make and to drop.
        """
        record = cls(collection, key, _NO_VALUES, born)
        record._values, record._packed, record._lacking = None, text, lacking
        return record

    @property
    def values(self) -> dict[str, Json]:
        """What is known of its fields."""
        values = self._values
        return self._unpacked() if values is None else values

    def _unpacked(self) -> dict[str, Json]:
        read: Json = parse_json(self._packed)
        values = self._values = {**read, **dict.fromkeys(self._lacking, ABSENT)}
        self._packed = b""
        return values

    def item(self, name: str) -> Value:
        value = self.values.get(name, _MISSING)
        if value is _MISSING:
            slot = Slot(self.collection, self.key, (name,))
            return Unknown(f"{self.collection}[{self.key}].{name}", slot, self.promises.get(name))
        return value

    def replaced(self, values: dict[str, Json], **changes: object) -> Record:
        """A copy with other values (and ``pending``, ``doubts``, ``promises`` or ``born`` where given)."""
        new = Record(
            self.collection,
            self.key,
            values,
            changes.get("born", self.born),  # type: ignore[arg-type]
            own=self.own,
            pending=changes.get("pending", self.pending),  # type: ignore[arg-type]
            doubts=changes.get("doubts", self.doubts),  # type: ignore[arg-type]
        )
        new.changed = self.changed
        new.spent = self.spent
        new.promises = changes.get("promises", self.promises)  # type: ignore[assignment]
        return new

    def told(self, said: Mapping[str, Value], **changes: object) -> Record:
        """A copy with what an effect says of some fields: their values, or promises where only the provider knows."""
        values = {**self.values, **said}
        promises = self.promises
        if promises:
            promises = {name: promise for name, promise in promises.items() if name not in said}
        if any(value.__class__ is Unknown for value in said.values()):
            values = known_of(values, promises := dict(promises))
        return self.replaced(values, promises=promises, **changes)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"Record({self.collection}[{self.key}])"


_MISSING = object()


def known_of(values: Mapping[str, Value], promises: dict[str, Promise]) -> dict[str, Json]:
    """The values that are known; what was promised of the others goes into ``promises``."""
    known = {}
    for name, value in values.items():
        if value.__class__ is not Unknown:
            known[name] = value
        elif value.promise is not None:
            promises[name] = value.promise
    return known


def item_of(value: Value, name: str) -> Value:
    """Field ``name`` of what is known: Unknown where nobody knows, ABSENT where it is known not to be there."""
    if value.__class__ is dict:
        found = value.get(name, _MISSING)
        return Unknown(name) if found is _MISSING else found
    if isinstance(value, Record | Unknown):
        return value.item(name)
    return ABSENT
