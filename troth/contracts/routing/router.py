"""From a request to the operation that it is meant for.

Templates are kept in a trie by path segment, and what else tells operations apart (``on``) in tables by value, so that
finding costs the same with ten operations and with ten thousand. The most literal route wins: segment by segment from
the left, a literal goes before a partly literal one (``{id}.json``), that before a parameter; then the route with more
``on`` values goes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from functools import cache
from typing import Any, TypeAlias
from urllib.parse import unquote_to_bytes

from troth.contracts.codecs.form import parse_pairs
from troth.contracts.exchange import Request, header
from troth.contracts.leaves import Fault
from troth.contracts.routing.path_template import Segment, Template, parse_template
from troth.contracts.routing.route_distance import distance
from troth.contracts.values import ABSENT, Json, Value
from troth.errors import ContractError, Place, Problem
from troth.frozen import frozen

__all__ = ["Route", "Router", "unlike"]

Body: TypeAlias = Callable[[], Value]


@frozen
class Route:
    """What an operation's requests look like. ``path_template`` is like ``/v1/charges/{id}``.

    ``host`` None: any. ``on_headers`` (lower-case names) and ``on_query`` give exact values, ``on_body`` values at
    dotted paths of the body; a form carries texts, so ``1`` and ``"1"`` are the same there.
    """

    operation: str
    method: str
    path_template: str
    host: str | None = None
    on_headers: Mapping[str, str] = field(default_factory=dict)
    on_query: Mapping[str, str] = field(default_factory=dict)
    on_body: Mapping[str, Json] = field(default_factory=dict)
    wire: str = ""
    """Of routes that differ in their wire, the first takes what fits both."""


_Key: TypeAlias = tuple[str, str]
"""Where a discriminator is read: ``header``, ``query`` or ``body``, and its name there."""


class _End:
    """The routes of one method that end at one place, by what ``on`` demands; those that demand most come first."""

    __slots__ = ("plain", "tables")

    def __init__(self) -> None:
        self.plain: _Target | None = None
        self.tables: list[tuple[tuple[_Key, ...], dict[tuple[str | None, ...], _Target]]] = []

    def add(self, target: _Target) -> None:
        on = _discriminators(target.route)
        if not on:
            self.plain = self.plain or target
            return
        keys = tuple(sorted(on))
        for known, table in self.tables:
            if known == keys:
                table.setdefault(tuple(on[key] for key in keys), target)
                return
        self.tables.append((keys, {tuple(on[key] for key in keys): target}))
        self.tables.sort(key=lambda item: -len(item[0]))

    def find(self, request: Request, body: Body) -> _Target | None:
        if self.tables:
            reader = _Reader(request, body)
            for keys, table in self.tables:
                found = table.get(tuple([reader.read(key) for key in keys]))
                if found is not None:
                    return found
        return self.plain


@frozen
class _Target:
    route: Route
    template: Template


_Found: TypeAlias = tuple[_Target, tuple[str, ...]]
"""A target, and the values of its parameters in order."""


class _Node:
    """One place in the trie: where its next segment leads, and what ends here, by method."""

    __slots__ = ("ends", "literals", "parameter", "patterns")

    def __init__(self) -> None:
        self.literals: dict[str, _Node] = {}
        self.patterns: list[tuple[Segment, _Node]] = []
        self.parameter: _Node | None = None
        self.ends: dict[str, _End] = {}

    def child(self, segment: Segment) -> _Node:
        """Where ``segment`` leads; made when nothing leads there yet."""
        if segment.literal is not None:
            return self.literals.setdefault(segment.literal, _Node())
        if not segment.literals:
            self.parameter = self.parameter or _Node()
            return self.parameter
        for known, node in self.patterns:
            if known.shape == segment.shape:
                return node
        node = _Node()
        self.patterns.append((segment, node))
        self.patterns.sort(key=lambda item: item[0].rank)
        return node


class _Reader:
    """Reads discriminators of one request; query and body are looked at only when a route asks for them."""

    __slots__ = ("body", "query", "request")

    def __init__(self, request: Request, body: Body) -> None:
        self.request = request
        self.body = body
        self.query: dict[str, str] | None = None

    def read(self, key: _Key) -> str | None:
        where, name = key
        if where == "header":
            value = header(self.request.headers, name.encode("latin-1", "replace"))
            return None if value is None else value.strip()
        if where == "query":
            return self._queried().get(name)
        return _spelled(_at(self.body(), name))

    def _queried(self) -> dict[str, str]:
        if self.query is None:
            pairs = parse_pairs(self.request.query)
            # Of a name that comes twice, the first counts.
            self.query = {} if isinstance(pairs, Fault) else dict(reversed(pairs))
        return self.query


class Router:
    """Finds operations by method, path, host and ``on``. Nothing changes one once it is made.

    ContractError (E280) for templates that cannot be read.
    """

    def __init__(self, routes: Iterable[Route]) -> None:
        self.routes = tuple(routes)
        self._roots: dict[str | None, _Node] = {}
        self._fixed: dict[str | None, dict[tuple[str, str], _End]] = {}
        self._targets: list[_Target] = []
        problems: list[Problem] = []
        for route in self.routes:
            template = parse_template(route.path_template)
            if isinstance(template, str):
                asked = f"a path of operation {route.operation!r} like /v1/charges/{{id}}"
                problems.append(Problem("E280", Place(), asked, f"{route.path_template!r}: {template}"))
            else:
                self._add(_Target(route, template))
        if problems:
            raise ContractError(problems)
        self._anywhere = self._roots.keys() == {None}

    def _add(self, target: _Target) -> None:
        host = None if target.route.host is None else target.route.host.lower()
        node = self._roots.setdefault(host, _Node())
        for segment in target.template.segments:
            node = node.child(segment)
        end = node.ends.setdefault(target.route.method, _End())
        end.add(target)
        if all(segment.literal is not None for segment in target.template.segments):
            # A wholly literal path is the most literal there can be, so it needs no trie.
            self._fixed.setdefault(host, {})[target.route.method, target.route.path_template] = end
        self._targets.append(target)

    def find(self, request: Request, body: Body) -> tuple[str, dict[str, str]] | None:
        """The operation, and its path parameters (percent-decoded, texts); None when no route fits.

        ``body`` gives the decoded body, and is called only when a route is told by it.
        """
        for host in self._hosts(request.host):
            found = self._find(host, request, body)
            if found is not None:
                return found
        return None

    def _hosts(self, host: str) -> Iterable[str | None]:
        """Which hosts' routes to try: the request's own, then those of any host.

        A request to a host that no route names (a simulator's own address) is not told by its host.
        """
        if self._anywhere:
            return (None,)
        plain = host.lower()
        if plain not in self._roots:
            plain = plain.rpartition(":")[0] if ":" in plain else plain
        return (plain, None) if plain in self._roots else sorted(self._roots, key=lambda name: name is not None)

    def _find(self, host: str | None, request: Request, body: Body) -> tuple[str, dict[str, str]] | None:
        fixed = self._fixed.get(host)
        end = fixed.get((request.method, request.path)) if fixed else None
        target = end.find(request, body) if end is not None else None
        if target is not None:
            return target.route.operation, {}
        root = self._roots.get(host)
        if root is None or request.path[:1] != "/":
            return None
        walked = _walk(root, request.path.split("/"), 1, (), (request, body))
        if walked is None:
            return None
        found, values = walked
        return found.route.operation, dict(zip(found.template.names, values, strict=True))

    def conflicts(self) -> list[tuple[str, str]]:
        """Pairs of operations that some request fits alike: same method, host and shape of path, ``on`` no help."""
        groups: dict[Any, list[_Target]] = {}
        for target in self._targets:
            route = target.route
            host = None if route.host is None else route.host.lower()
            shape = tuple(segment.shape for segment in target.template.segments)
            groups.setdefault((host, route.method, shape), []).append(target)
        pairs: list[tuple[str, str]] = []
        for group in groups.values():
            pairs += _ties([target.route for target in group])
        return pairs

    def nearest(self, request: Request, body: Body = lambda: ABSENT, limit: int = 3) -> list[Route]:
        """The routes that the request may have been meant for, likeliest first; ``body`` as for ``find``."""
        reader = _Reader(request, cache(body))
        segments = request.path.split("/")[1:]
        known: dict[tuple[str, str], float] = {}
        scored = [
            (self._apart(target, request, segments, reader, known), index) for index, target in enumerate(self._targets)
        ]
        return [self._targets[index].route for _, index in sorted(scored)[:limit]]

    def _apart(
        self,
        target: _Target,
        request: Request,
        segments: list[str],
        reader: _Reader,
        known: dict[tuple[str, str], float],
    ) -> float:
        """How far a route is from a request: a slip in the path is near, another method further, another path far."""
        route = target.route
        apart = distance(target.template.segments, segments, known)
        if route.method != request.method:
            apart += 0.5 if route.method.upper() != request.method.upper() else 0.1
        on = _discriminators(route)
        wrong = [key for key, value in on.items() if reader.read(key) != value]
        apart += 0.3 * len(wrong) / len(on) if on else 0.0
        if route.host is not None and route.host.lower() != request.host.lower():
            apart += 0.05
        return apart


def _walk(
    node: _Node, segments: list[str], at: int, values: tuple[str, ...], asked: tuple[Request, Body]
) -> _Found | None:
    """Depth first, the most literal way first. ``values`` has the parameters of the way so far."""
    last = len(segments)
    while at < last:
        segment = segments[at]
        if "%" in segment:
            segment = _decoded(segment)
        at += 1
        following = node.literals.get(segment)
        parameter = node.parameter if segment else None
        if node.patterns or (following is not None and parameter is not None):
            return _walk_each(node, segment, segments, at, values, asked)
        if following is not None:
            node = following
        elif parameter is not None:
            node = parameter
            values = (*values, segment)
        else:
            return None
    request, body = asked
    end = node.ends.get(request.method)
    target = end.find(request, body) if end is not None else None
    return None if target is None else (target, values)


def _walk_each(
    node: _Node, segment: str, segments: list[str], at: int, values: tuple[str, ...], asked: tuple[Request, Body]
) -> _Found | None:
    """Where more than one way may lead on."""
    following = node.literals.get(segment)
    if following is not None:
        found = _walk(following, segments, at, values, asked)
        if found is not None:
            return found
    for pattern, child in node.patterns:
        parts = pattern.parts(segment)
        if parts is not None:
            found = _walk(child, segments, at, (*values, *parts), asked)
            if found is not None:
                return found
    if node.parameter is not None and segment:
        return _walk(node.parameter, segments, at, (*values, segment), asked)
    return None


def _decoded(segment: str) -> str:
    """Percent-decoded; as it is, where that gives no UTF-8."""
    try:
        return unquote_to_bytes(segment).decode()
    except UnicodeError:
        return segment


def _discriminators(route: Route) -> dict[_Key, str]:
    on = {("header", name.lower()): value for name, value in route.on_headers.items()}
    on.update({("query", name): value for name, value in route.on_query.items()})
    on.update({("body", path): _spelled(value) or "" for path, value in route.on_body.items()})
    return on


def unlike(route: Route, request: Request, body: Body) -> list[tuple[str, str, str, str | None]]:
    """What `on` of a route asks and the request has not: ``header``, ``query`` or ``body``, the name there, the value
    that is due, and the one that was sent."""
    reader = _Reader(request, body)
    read = ((key, value, reader.read(key)) for key, value in _discriminators(route).items())
    return [(*key, value, sent) for key, value, sent in read if sent != value]


def _at(value: Value, path: str) -> Value:
    for name in path.split("."):
        value = value.get(name, ABSENT) if isinstance(value, dict) else ABSENT
    return value


def _spelled(value: Value) -> str | None:
    """A value as a text carrier spells it; None for what is not there or has parts."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return str(value) if isinstance(value, int | float) else None


def _ties(routes: list[Route]) -> list[tuple[str, str]]:
    """Pairs with equally many discriminators, none of which tells them apart."""
    if len(routes) < 2:
        return []
    ties: list[tuple[str, str]] = []
    seen: dict[tuple[tuple[_Key, str], ...], str] = {}
    shapes: dict[tuple[_Key, ...], list[tuple[dict[_Key, str], Route]]] = {}
    for route in routes:
        on = _discriminators(route)
        exact = tuple(sorted(on.items()))
        if exact in seen:
            ties.append((seen[exact], route.operation))
            continue
        seen[exact] = route.operation
        keys = tuple(sorted(on))
        # Routes told by the same names have different values of them here; others may both fit one request.
        for other_keys, others in shapes.items():
            if other_keys != keys and len(other_keys) == len(keys):
                ties += [
                    (before.operation, route.operation)
                    for other, before in others
                    if before.wire == route.wire and _agree(other, on)
                ]
        shapes.setdefault(keys, []).append((on, route))
    return ties


def _agree(one: Mapping[_Key, str], other: Mapping[_Key, str]) -> bool:
    return all(other.get(key, value) == value for key, value in one.items())
