"""Mappings and lists that remember where in which file they were written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Self

from troth.errors import Place

__all__ = ["Map", "Marks", "Seq", "place_of"]


class Marks(NamedTuple):
    """Where one entry of a mapping stands: its key and its value. Lines and columns count from 1."""

    file: str
    key_line: int
    key_column: int
    line: int
    column: int


class Map(dict[str, Any]):
    """A YAML mapping. ``at`` is where it begins; every entry knows the place of its key and of its value.

    Nothing changes one after it was read; ``merge`` makes new ones, whose entries keep their places.
    """

    __slots__ = ("at", "marks")

    at: Place
    marks: dict[str, Marks]

    def __init__(self, items: Iterable[tuple[str, Any]] = (), at: Place | None = None) -> None:
        super().__init__(items)
        self.at = at or Place()
        self.marks = {}

    def key_place(self, key: str) -> Place:
        """Where ``key`` is written; the mapping's own place for a key that is not there."""
        marks = self.marks.get(key)
        return Place(marks.file, marks.key_line, marks.key_column) if marks else self.at

    def place(self, key: str) -> Place:
        """Where the value of ``key`` is written; the mapping's own place for a key that is not there."""
        marks = self.marks.get(key)
        return Place(marks.file, marks.line, marks.column) if marks else self.at

    def with_entry(self, key: str, value: Any, marks: Marks | None) -> Self:
        """Put an entry in, with its places; for the makers of a Map only."""
        self[key] = value
        if marks:
            self.marks[key] = marks
        return self


class Seq(list[Any]):
    """A YAML list. ``at`` is where it begins; every item knows its place."""

    __slots__ = ("at", "marks")

    at: Place
    marks: list[tuple[int, int]]

    def __init__(self, items: Iterable[Any] = (), at: Place | None = None) -> None:
        super().__init__(items)
        self.at = at or Place()
        self.marks = []

    def place(self, index: int) -> Place:
        """Where the item is written; the list's own place for an item that is not there."""
        if not -len(self.marks) <= index < len(self.marks):
            return self.at
        return Place(self.at.file, *self.marks[index])


def place_of(root: Any, path: Iterable[object]) -> Place:
    """Where the value at ``path`` (keys and indexes from ``root``) is written.

    Steps that the value does not have are passed over, so that a path into a value written in a short form
    (``expect: created`` for ``expect: {response: created}``) leads to what was written.
    """
    place = root.at if isinstance(root, Map | Seq) else Place()
    value = root
    for step in path:
        if isinstance(value, Map) and isinstance(step, str):
            if step in value:
                place, value = value.place(step), value[step]
        elif isinstance(value, Seq) and isinstance(step, int) and -len(value) <= step < len(value):
            place, value = value.place(step), value[step]
    return place
