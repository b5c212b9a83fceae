"""What a step expects a reply to contain: a part of a structure, whose values are literals, expressions or matchers.

Members that are not named may be anything; a list is compared item by item and must have the same length. ``name?``
compares only where the member is there; ``{{ absent }}`` demands that it is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from troth.contracts.expressions.said import Said, compile_said
from troth.contracts.leaves import build_leaf
from troth.contracts.matcher import Mismatch, Origin, Scope
from troth.contracts.nodes.base import json_equal, member
from troth.contracts.values import ABSENT, Json, Unknown, Value
from troth.contracts.yaml_files.placed import Map, Seq
from troth.errors import Place, Problems
from troth.frozen import frozen

if TYPE_CHECKING:
    from troth.contracts.expressions.expression import Expression
    from troth.contracts.leaves import Leaf

__all__ = ["Wanted", "compile_wanted"]


class Wanted(Protocol):
    """One expectation of a value."""

    @property
    def expressions(self) -> Iterator[Expression]:
        """Every expression in it."""
        ...

    def unmet(self, observed: Value, path: str, scope: Scope, origin: Origin) -> Iterator[Mismatch]:
        """Where ``observed`` is not as expected: mismatches of kind ``expect``."""
        ...


@frozen
class WantedValue:
    """A literal or an expression."""

    said: Said

    @property
    def expressions(self) -> Iterator[Expression]:
        yield from self.said.expressions

    def unmet(self, observed: Value, path: str, scope: Scope, origin: Origin) -> Iterator[Mismatch]:
        yield from _differs(self.said.value(scope), observed, path, origin)


@frozen
class WantedLeaf:
    """A matcher: any value that fits."""

    leaf: Leaf

    @property
    def expressions(self) -> Iterator[Expression]:
        yield from ()

    def unmet(self, observed: Value, path: str, scope: Scope, origin: Origin) -> Iterator[Mismatch]:
        if observed is ABSENT:
            yield Mismatch("expect", path, ABSENT, ABSENT, origin, f"a value that fits ${self.leaf.name}")
            return
        fault = self.leaf.fault(observed)
        if fault is not None:
            yield Mismatch("expect", path, ABSENT, observed, origin, fault.want)


@frozen
class WantedMap:
    """Some members of an object: name, whether it may be missing, and what it is."""

    members: tuple[tuple[str, bool, Wanted], ...]

    @property
    def expressions(self) -> Iterator[Expression]:
        for _, _, wanted in self.members:
            yield from wanted.expressions

    def unmet(self, observed: Value, path: str, scope: Scope, origin: Origin) -> Iterator[Mismatch]:
        if not isinstance(observed, Mapping):
            yield Mismatch("expect", path, ABSENT, observed, origin, "an object")
            return
        for name, optional, wanted in self.members:
            value = observed.get(name, ABSENT)
            if value is not ABSENT or not optional:
                yield from wanted.unmet(value, member(path, name), scope, origin)


@frozen
class WantedList:
    """Every item of a list."""

    items: tuple[Wanted, ...]

    @property
    def expressions(self) -> Iterator[Expression]:
        for wanted in self.items:
            yield from wanted.expressions

    def unmet(self, observed: Value, path: str, scope: Scope, origin: Origin) -> Iterator[Mismatch]:
        if not isinstance(observed, list) or len(observed) != len(self.items):
            yield Mismatch("expect", path, ABSENT, observed, origin, f"a list of {len(self.items)}")
            return
        for index, wanted in enumerate(self.items):
            yield from wanted.unmet(observed[index], f"{path}[{index}]", scope, origin)


def _differs(expected: Value, observed: Value, path: str, origin: Origin) -> Iterator[Mismatch]:
    """Compare with a value that an expression gave; a kept object is a part too."""
    if expected.__class__ is Unknown:
        return
    if isinstance(expected, Mapping) and isinstance(observed, Mapping):
        for name, value in expected.items():
            yield from _differs(value, observed.get(name, ABSENT), member(path, str(name)), origin)
    elif isinstance(expected, list) and isinstance(observed, list) and len(expected) == len(observed):
        for index, value in enumerate(expected):
            yield from _differs(value, observed[index], f"{path}[{index}]", origin)
    elif expected is ABSENT or observed is ABSENT:
        if expected is not observed:
            want = "not to be there" if expected is ABSENT else ""
            yield Mismatch("expect", path, expected, observed, origin, want)
    elif not json_equal(expected, observed):
        yield Mismatch("expect", path, expected, observed, origin)


def compile_wanted(raw: Json, place: Place, problems: Problems) -> Wanted | None:
    """The expectation that the YAML value ``raw`` writes; None (and a problem) when it makes no sense."""
    if isinstance(raw, str) and raw.startswith("$") and not raw.startswith("$$"):
        return _leaf(raw[1:], None, Map(), place, problems)
    if isinstance(raw, Mapping):
        return _map(raw, place, problems)
    if isinstance(raw, list):
        at = raw.place if isinstance(raw, Seq) else lambda index: place
        items = [compile_wanted(item, at(index), problems) for index, item in enumerate(raw)]
        return WantedList(tuple(item for item in items if item is not None))
    return WantedValue(compile_said(_unescaped(raw), place, problems))


def _map(raw: Mapping[str, Any], place: Place, problems: Problems) -> Wanted | None:
    matchers = [key for key in raw if key.startswith("$") and not key.startswith("$$")]
    if matchers:
        rest = Map(((key, value) for key, value in raw.items() if key != matchers[0]), place)
        if isinstance(raw, Map):
            rest.marks.update(raw.marks)
        return _leaf(matchers[0][1:], raw[matchers[0]], rest, place, problems)
    at = raw.place if isinstance(raw, Map) else lambda key: place
    members = []
    for key, value in raw.items():
        wanted = compile_wanted(value, at(key), problems)
        if wanted is not None:
            optional = key.endswith("?")
            members.append((_unescaped(key.removesuffix("?")), optional, wanted))
    return WantedMap(tuple(members))


def _leaf(name: str, argument: Any, modifiers: Map, place: Place, problems: Problems) -> Wanted | None:
    if name[:1].isupper() or _STRUCTURAL.fullmatch(name):
        problems.add(
            "E361",
            place,
            "in an expectation literals, expressions and matchers of single values",
            f"${name}",
            "The reply is checked against its type anyway; name the members that this step is about",
        )
        return None
    leaf = build_leaf(name, argument, modifiers, place, problems)
    return None if leaf is None else WantedLeaf(leaf)


_STRUCTURAL = re.compile(
    "any_of|array|case|closed|each|encoded|if|link|map|nullable|open|optional|partial|pattern|select|split"
)


def _unescaped(value: Json) -> Json:
    return value[1:] if isinstance(value, str) and value.startswith("$$") else value
