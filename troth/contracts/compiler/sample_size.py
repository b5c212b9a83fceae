"""Samples that have an end and a reasonable size: what has not is refused when the contract loads.

A type may contain itself. Where it does so behind ``$nullable``, samples show null; behind ``$if`` and ``$case`` nobody
can say beforehand; anywhere else it would never end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from troth.contracts.contract import Operation
from troth.contracts.nodes.base import Node
from troth.contracts.nodes.choice import AnyOf, Branches, Nullable, OptionalNode
from troth.contracts.nodes.leaf import Ref
from troth.contracts.nodes.lists import ArrayNode, MapNode
from troth.contracts.nodes.shape import Shape
from troth.contracts.yaml_files.placed import Map
from troth.errors import Place, Problems

__all__ = ["DEEPEST", "MOST_VALUES", "check_responses", "check_types"]

MOST_VALUES = 100_000
"""Values in one sample."""
DEEPEST = 100
"""Levels of nesting; a JSON text with more is not read either."""


class _Size(NamedTuple):
    values: float
    depth: float


_ENDLESS = _Size(float("inf"), float("inf"))
_ONE = _Size(1, 1)


class _Edge(NamedTuple):
    """Samples of one type show the type ``to``; ``nullable`` is the nearest one around it."""

    to: str
    nullable: Nullable | None


def check_types(types: Mapping[str, Node], raw: Mapping[str, object], problems: Problems) -> bool:
    """Let recursive types end at ``$nullable``; report those that do not end or are too large. True when there is one.

    ``types`` are the compiled ones; ``raw`` says where they are written.
    """
    edges = {name: list(_edges(node, None)) for name, node in types.items()}
    reach = {name: _reachable(name, edges) for name in types}
    for name, found in edges.items():
        for edge in found:
            if edge.nullable is not None and name in reach[edge.to] | {edge.to}:
                edge.nullable.ends = True
    sizes = _Sizes(types)
    wrong = {name: size for name in types if _absurd(size := sizes.of(types[name], frozenset({name}), 0))}
    for name, size in wrong.items():
        # Those that only hold another such type are not to blame.
        if all(name in reach[edge.to] for edge in edges[name] if edge.to in wrong and edge.to != name):
            place = raw.key_place(name) if isinstance(raw, Map) else Place()
            _report(size, f"the type {name}", place, problems)
    return bool(wrong)


def check_responses(operations: Iterable[Operation], types: Mapping[str, Node], problems: Problems) -> None:
    """Report the responses whose smallest sample is too large."""
    sizes = _Sizes(types)
    for operation in operations:
        for shape in operation.responses:
            if shape.body is not None:
                what = f"the body of {operation.name}.{shape.name}"
                size = sizes.of(shape.body, frozenset(), 0)
                if _absurd(size):
                    _report(size, what, shape.place, problems)


def _absurd(size: _Size) -> bool:
    return size.values > MOST_VALUES or size.depth > DEEPEST


def _report(size: _Size, what: str, place: Place, problems: Problems) -> None:
    endless = size.depth > DEEPEST
    found = f"more than {DEEPEST} levels" if endless else f"{size.values:,.0f} values in the smallest one"
    asked = f"samples of {what} with at most {MOST_VALUES:,} values in {DEEPEST} levels"
    fix = "Make one field of it optional, nullable or a shorter list"
    problems.add("E184", place, asked, found, fix)


def _edges(node: Node, nullable: Nullable | None) -> Iterator[_Edge]:
    """What a sample of this node shows of other types."""
    if isinstance(node, Ref):
        yield _Edge(node.type, nullable)
        return
    for child in _shown(node):
        yield from _edges(child, node if isinstance(node, Nullable) else nullable)


def _shown(node: Node) -> Iterator[Node]:
    """The nodes directly inside this one that a sample of it generates."""
    if node.is_ is not None or isinstance(node, OptionalNode):
        return
    if isinstance(node, Shape):
        yield from (field.node for field in node.fields if not field.optional or field.node.speaks)
    elif node.default is not None or (isinstance(node, ArrayNode | MapNode) and not node.size[0]):
        return
    elif isinstance(node, AnyOf):
        yield node.options[0]
    else:
        yield from node.children()


def _reachable(start: str, edges: Mapping[str, list[_Edge]]) -> frozenset[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for edge in edges.get(waiting.pop(), ()):
            if edge.to not in found:
                found.add(edge.to)
                waiting.append(edge.to)
    return frozenset(found)


class _Sizes:
    """Measures samples; each type once."""

    def __init__(self, types: Mapping[str, Node]) -> None:
        self._types = types
        self._known: dict[str, _Size] = {}

    def of(self, node: Node, within: frozenset[str], depth: int) -> _Size:
        """``within``: the types around it, ``depth``: how deep in them it stands."""
        if depth > DEEPEST:
            return _ENDLESS
        if isinstance(node, Ref):
            return self._type(node.type, within, depth)
        if isinstance(node, Nullable) and node.ends:
            return _ONE
        times = node.size[0] if isinstance(node, ArrayNode | MapNode) else 1
        sizes = [self.of(child, within, depth + 1) for child in _shown(node)]
        if isinstance(node, Branches) and sizes:
            # Which one is chosen when the sample is made, and so whether it ends, cannot be said before.
            sizes = [max(_ONE if size == _ENDLESS else size for size in sizes)]
        return _Size(1 + times * sum(size.values for size in sizes), 1 + max((size.depth for size in sizes), default=0))

    def _type(self, name: str, within: frozenset[str], depth: int) -> _Size:
        if name in within:
            return _ENDLESS
        if name not in self._known:
            target = self._types[name]
            alias = isinstance(target, Ref)
            size = self.of(target, within | {name}, depth + alias)
            size = _Size(size.values, size.depth + alias)
            if size == _ENDLESS:
                return size
            self._known[name] = size
        return self._known[name]
