"""How a wire spells what the contract describes once: other names, lists of one item, maps as lists of entries.

A ``Spelling`` follows the matcher of a body (the compiler makes it), so that each name means what it means there: the
element ``Message`` is the list ``Messages`` in one place and a text in another.
"""

from __future__ import annotations

from collections.abc import Mapping

from troth.contracts.values import ABSENT, Json
from troth.frozen import frozen

__all__ = ["PLAIN", "Entry", "Fields", "Items", "Members", "Plain", "Spelling", "read_spelled", "write_spelled"]


@frozen
class Plain:
    """Taken as it is."""


PLAIN = Plain()


@frozen
class Items:
    """A list; on the wire one item may stand alone, and none may be an empty text."""

    item: Spelling


@frozen
class Entry:
    """A map. On the wire its members are entries with these names: ``Attribute.1.Name=a&Attribute.1.Value=b``."""

    key: str
    value: str
    item: Spelling


@frozen
class Members:
    """A map whose members stand under their own names."""

    item: Spelling


class Fields:
    """An object: names of fields to their names on the wire, and how each is spelled. Filled in after it is made,
    as a type may hold itself.
    """

    __slots__ = ("empty", "names", "spelled")

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        """Only those that differ."""
        self.spelled: dict[str, Spelling] = {}
        self.empty: dict[str, Json] = {}
        """What a field is that must be there and is not: an empty list has no items that could stand on the wire."""


Spelling = Plain | Items | Entry | Members | Fields


def read_spelled(value: Json, spelling: Spelling) -> Json:
    """From the wire. What does not have the form that it should is left as it is, for the matcher to say."""
    if isinstance(spelling, Items):
        if value is None or value == "":
            return []
        items = value if isinstance(value, list) else [value]
        return [read_spelled(item, spelling.item) for item in items]
    if isinstance(spelling, Entry):
        return _read_entries(value, spelling)
    if isinstance(spelling, Fields | Members):
        if value is None or value == "":
            value = {}
        if isinstance(value, dict):
            return _read_fields(value, spelling) if isinstance(spelling, Fields) else _each(value, spelling.item)
    return value


def _each(value: Mapping[str, Json], item: Spelling) -> dict[str, Json]:
    return {name: read_spelled(each, item) for name, each in value.items()}


def _read_fields(value: Mapping[str, Json], spelling: Fields) -> dict[str, Json]:
    written = {wire: name for name, wire in spelling.names.items()}
    found: dict[str, Json] = {}
    for wire, item in value.items():
        name = written.get(wire, wire)
        found[name] = read_spelled(item, spelling.spelled.get(name, PLAIN))
    return {**spelling.empty, **found} if spelling.empty else found


def _read_entries(value: Json, spelling: Entry) -> Json:
    if value is None or value == "":
        return {}
    entries = value if isinstance(value, list) else [value]
    found: dict[str, Json] = {}
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get(spelling.key), str):
            return value
        found[entry[spelling.key]] = read_spelled(entry.get(spelling.value, ""), spelling.item)
    return found


def write_spelled(value: Json, spelling: Spelling) -> Json:
    """To the wire; values of another form than the matcher's are written as they are."""
    if isinstance(spelling, Items) and isinstance(value, list):
        return [write_spelled(item, spelling.item) for item in value]
    if isinstance(spelling, Entry) and isinstance(value, dict):
        return [
            {spelling.key: name, spelling.value: write_spelled(item, spelling.item)} for name, item in value.items()
        ]
    if isinstance(spelling, Members) and isinstance(value, dict):
        return {name: write_spelled(item, spelling.item) for name, item in value.items() if item is not ABSENT}
    if isinstance(spelling, Fields) and isinstance(value, dict):
        return {
            spelling.names.get(name, name): write_spelled(item, spelling.spelled.get(name, PLAIN))
            for name, item in value.items()
            if item is not ABSENT
        }
    return value
