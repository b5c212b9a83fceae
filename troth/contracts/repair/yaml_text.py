"""Edits of a YAML text, at the places that its reader gave: every other byte stays as it is.

A round trip through an emitter would not do that: it folds flow collections anew and moves comments. So the text is
parsed for the spans of its nodes, and only those that change are replaced.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import yaml

from troth.contracts.repair.emit import block_lines, flow
from troth.contracts.yaml_files.reader import fastest_loader
from troth.errors import Place

__all__ = ["NoEdit", "Splice", "YamlText", "applied"]

WIDTH = 100
"""Columns that a line may have in any case; longer ones only where the file has longer ones already."""
_BREAKS = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


class NoEdit(Exception):
    """The text is written in a way that cannot be edited here; the message says why."""


class Splice(NamedTuple):
    """Characters ``start`` to ``end`` of ``file`` become ``text``."""

    file: str
    start: int
    end: int
    text: str


def applied(text: str, splices: Iterable[Splice]) -> str:
    """The text with all of them; NoEdit when two of them change the same characters."""
    before = len(text) + 1
    for splice in sorted(set(splices), key=lambda item: (item.start, item.end), reverse=True):
        if splice.end > before:
            raise NoEdit("two edits of the same place")
        text = text[: splice.start] + splice.text + text[splice.end :]
        before = splice.start
    return text


class _Entry(NamedTuple):
    """A key of a mapping: ``number`` counts the entries from 0."""

    mapping: yaml.MappingNode
    number: int

    @property
    def key(self) -> yaml.Node:
        return self.mapping.value[self.number][0]  # type: ignore[no-any-return]

    @property
    def value(self) -> yaml.Node:
        return self.mapping.value[self.number][1]  # type: ignore[no-any-return]


class YamlText:
    """One file. Places are those of ``Map`` and ``Seq``: line and column, from 1."""

    def __init__(self, file: str, text: str) -> None:
        self.file, self.text = file, text
        self._starts = [0, *(found.end() for found in _BREAKS.finditer(text))]
        self._values: dict[tuple[int, int], yaml.Node] = {}
        self._keys: dict[tuple[int, int], _Entry] = {}
        self._width = max(WIDTH, *(len(line) for line in _BREAKS.split(text)))
        self._newline = "\r\n" if "\r\n" in text else "\n"
        root = yaml.compose(text, Loader=fastest_loader())
        if root is not None:
            self._index(root)

    def _index(self, root: yaml.Node) -> None:
        waiting = [root]
        while waiting:
            node = waiting.pop()
            self._values[_at(node)] = node
            if isinstance(node, yaml.MappingNode):
                for number, (key, value) in enumerate(node.value):
                    self._keys[_at(key)] = _Entry(node, number)
                    waiting.append(value)
            elif isinstance(node, yaml.SequenceNode):
                waiting += node.value

    # Edits

    def replaced(self, place: Place, data: Any) -> Splice:
        """The value at ``place`` becomes ``data``, on one line."""
        node = self._value(place)
        return Splice(self.file, self._start(node), self._end(node), flow(data))

    def renamed(self, key: Place, name: str) -> Splice:
        """The key at ``key`` becomes ``name``."""
        node = self._entry(key).key
        return Splice(self.file, self._start(node), self._end(node), flow(name))

    def with_entry(self, place: Place, name: str, data: Any) -> Splice:
        """The mapping at ``place`` gets one more entry, as its last."""
        node = self._value(place)
        if not isinstance(node, yaml.MappingNode):
            raise NoEdit("a text where a mapping is due")
        if not node.value:
            return Splice(self.file, self._start(node), self._end(node), f"{{{flow(name)}: {flow(data)}}}")
        last = node.value[-1][1]
        if node.flow_style:
            return self._one_more(node, last, f"{flow(name)}: {flow(data)}")
        indent = node.start_mark.column
        return self._new_lines(last, block_lines({name: data}, indent, self._width))

    def with_items(self, place: Place, items: Sequence[Any]) -> Splice:
        """The list at ``place`` gets more items, as its last."""
        node = self._value(place)
        if not isinstance(node, yaml.SequenceNode) or not node.value or not items:
            raise NoEdit("no list with items, or nothing to add")
        if node.flow_style:
            return self._one_more(node, node.value[-1], ", ".join(map(flow, items)))
        return self._new_lines(node.value[-1], [" " * node.start_mark.column + f"- {flow(item)}" for item in items])

    def without_entry(self, key: Place) -> Splice:
        """The entry with the key at ``key`` goes away, its comma or its lines with it."""
        mapping, number = self._entry(key)
        if len(mapping.value) == 1:
            return Splice(self.file, self._start(mapping), self._end(mapping), "{}")
        own, value = mapping.value[number]
        if not mapping.flow_style:
            start, end = self._line_start(own), self._line_end(self._end(value))
            if number == 0 and self.text[start : self._start(own)].strip():
                # The first key of an item stands behind its dash: what follows moves up to it.
                return Splice(self.file, self._start(own), self._start(mapping.value[1][0]), "")
            return Splice(self.file, start, end, "")
        if number == 0:
            return Splice(self.file, self._start(own), self._start(mapping.value[1][0]), "")
        return Splice(self.file, self._end(mapping.value[number - 1][1]), self._end(value), "")

    def wrapped(self, place: Place, name: str, outside: Any = None) -> Iterator[Splice]:
        """The value at ``place`` becomes the argument of the matcher ``name``, with ``outside`` beside it."""
        node = self._value(place)
        start, end = self._start(node), self._end(node)
        more = "".join(f", {flow(key)}: {flow(value)}" for key, value in (outside or {}).items())
        if not isinstance(node, yaml.CollectionNode) or node.flow_style:
            yield Splice(self.file, start, start, f"{{{name}: ")
            yield Splice(self.file, end, end, f"{more}}}")
            return
        indent = node.start_mark.column
        if "".join(self.text[self._line_start(node) : start]).strip():
            raise NoEdit("a block of lines behind a dash")
        yield Splice(self.file, start, start, f"{name}:{self._newline}{' ' * (indent + 2)}")
        for line in range(node.start_mark.line + 1, self._line_of(end) + 1):
            yield Splice(self.file, self._starts[line], self._starts[line], "  ")
        for key, value in (outside or {}).items():
            yield self._new_lines(node.value[-1][-1], [f"{' ' * indent}{flow(key)}: {flow(value)}"])

    def enclosed(self, place: Place, before: str, also: Any) -> tuple[Splice, ...]:
        """The value at ``place`` becomes the first of a list that ``before`` opens, with ``also`` as the second."""
        node = self._value(place)
        start, end = self._start(node), self._end(node)
        return Splice(self.file, start, start, before), Splice(self.file, end, end, f", {flow(also)}]}}")

    def source(self, place: Place) -> str:
        """What is written at ``place``."""
        node = self._value(place)
        return self.text[self._start(node) : self._end(node)]

    # Spans

    def _value(self, place: Place) -> yaml.Node:
        node = self._values.get((place.line - 1, place.column - 1))
        if node is None:
            raise NoEdit("nothing is written there")
        return node

    def _entry(self, place: Place) -> _Entry:
        entry = self._keys.get((place.line - 1, place.column - 1))
        if entry is None:
            raise NoEdit("no key is written there")
        return entry

    def _start(self, node: yaml.Node) -> int:
        return self._starts[node.start_mark.line] + int(node.start_mark.column)

    def _end(self, node: yaml.Node) -> int:
        """Where what is written ends; a parser's block ends only where the next thing begins."""
        while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
            last = node.value[-1]
            node = last[1] if isinstance(node, yaml.MappingNode) else last
        end = self._starts[node.end_mark.line] + int(node.end_mark.column)
        return len(self.text[:end].rstrip()) if getattr(node, "style", None) in ("|", ">") else end

    def _line_of(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def _line_start(self, node: yaml.Node) -> int:
        return self._starts[node.start_mark.line]

    def _line_end(self, offset: int) -> int:
        """Behind the line break of the line with ``offset``."""
        line = self._line_of(offset) + 1
        return self._starts[line] if line < len(self._starts) else len(self.text)

    def _one_more(self, node: yaml.Node, last: yaml.Node, written: str) -> Splice:
        """Behind the last entry of a flow collection: on its line where that does not become too long."""
        at = self._end(last)
        line = self._line_of(at)
        rest = _BREAKS.split(self.text[self._starts[line] :], maxsplit=1)[0]
        between = ", "
        if len(rest) + len(written) + 2 > self._width:
            between = f",{self._newline}{' ' * (node.start_mark.column + 1)}"
        return Splice(self.file, at, at, between + written)

    def _new_lines(self, last: yaml.Node, lines: list[str]) -> Splice:
        """Below the line on which ``last`` ends."""
        at = self._line_end(self._end(last))
        text = self._newline.join([*lines, ""])
        if not _BREAKS.search(self.text[self._end(last) : at]):
            text = self._newline + self._newline.join(lines)  # the file does not end with a line break
        return Splice(self.file, at, at, text)


def _at(node: yaml.Node) -> tuple[int, int]:
    return node.start_mark.line, node.start_mark.column
