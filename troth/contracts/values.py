"""Values that JSON does not have: absent and unknown, any of a kind, and what stands for a thing in state.

Known, unknown and absent are three things. A simulator knows everything; on a sandbox the model does not know what was
there before, nor what the provider chose, until it has seen it.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, Protocol, TypeAlias, final, runtime_checkable

__all__ = ["ABSENT", "Absent", "Item", "Json", "Kind", "Promise", "Slot", "Unknown", "Value"]

Json: TypeAlias = Any
"""None, bool, int, float, decimal.Decimal, str, bytes, list[Json] or dict[str, Json]."""

Value: TypeAlias = Any
"""A Json, ABSENT, an Unknown, or an Item (a record, a page, an uploaded file)."""


@final
class Absent:
    """The one value of a field that is not there: falsy, and equal to nothing in expressions."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "absent"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT: Final = Absent()


@final
class Kind:
    """Any value of a kind, in words: what a contract demands where it leaves open which one."""

    __slots__ = ("words",)

    def __init__(self, words: str) -> None:
        self.words = words

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind) and other.words == self.words

    def __hash__(self) -> int:
        return hash((Kind, self.words))

    def __repr__(self) -> str:
        return self.words


class Slot(NamedTuple):
    """The place in state that an unknown value would fill: a field of a record."""

    collection: str
    key: Json
    path: tuple[str, ...]
    key_field: str = ""
    """The field that holds the record's key, which is known even where nothing else is."""


class Promise(NamedTuple):
    """What an effect said of a value that only the provider knows, to be held against it when it is first seen."""

    node: Any
    """The matcher (a Node) that the value must fit."""
    moment: Any = None
    """The Instant that it must tell, where the effect says a time."""


@final
class Unknown:
    """Something that this run has not seen; two with the same label are the same unknown thing.

    ``slot`` is set when it is a field of a record, so that the value observed for it can be remembered; ``promise``
    when an effect has said what it must be like.
    """

    __slots__ = ("label", "promise", "slot")

    def __init__(self, label: str, slot: Slot | None = None, promise: Promise | None = None) -> None:
        self.label = label
        self.slot = slot
        self.promise = promise

    def __repr__(self) -> str:
        return f"unknown({self.label})"

    def item(self, name: str) -> Unknown:
        """The field ``name`` of an unknown thing is itself unknown."""
        slot = self.slot and self.slot._replace(path=(*self.slot.path, name))
        return Unknown(f"{self.label}.{name}", slot)


@runtime_checkable
class Item(Protocol):
    """What ``.name`` in an expression can be asked of, besides a dict: records, pages, requests' parts."""

    def item(self, name: str) -> Value:
        """The value of field ``name``: ABSENT when it is known not to be there, Unknown when nobody knows."""
        ...
