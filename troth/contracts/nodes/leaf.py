"""Nodes without parts: a leaf matcher, a literal, anything at all, a reference to a type."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from troth.contracts.expressions.unknowns import Instant
from troth.contracts.leaves import BaseLeaf, Fault, Leaf
from troth.contracts.matcher import Origin, Scope
from troth.contracts.nodes.base import BAD, NOTHING, Node, Reading, Take, constant_of, json_equal, json_type
from troth.contracts.nodes.parts import explained
from troth.contracts.nodes.speech import Express, Speech
from troth.contracts.record import Record, item_of
from troth.contracts.values import ABSENT, Json, Value

__all__ = ["AnyNode", "LeafNode", "Literal", "Ref", "lossless"]


_KEYS = 2_000_000_000
"""Integer keys are drawn from so many: they fit 32 bits, and hardly ever meet."""


_WHOLE = re.compile(r"-?[0-9]{1,15}\.0+")
"""A whole number with decimals, as text."""

_NEVER = Instant(0.0, 0.0)
"""The time, for leaves that do not care for it."""


class LeafNode(Node):
    """A leaf matcher (``$string``, ``$id``, ...) at its place."""

    __slots__ = ("_express", "_plain", "_plain_text", "fresh", "identity", "leaf", "name", "opaque")

    def __init__(self, origin: Origin, leaf: Leaf) -> None:
        super().__init__(origin)
        self.leaf = leaf
        self.fresh = False
        """The key of a collection: another value for each new record."""
        self.name = leaf.name
        self.opaque = leaf.opaque
        self.identity = leaf.identity
        kind: Any = leaf.__class__
        self._plain = leaf.plain
        self._plain_text = leaf.plain if kind.decode is BaseLeaf.decode else None
        self._express: Express | None = None
        if kind.express is not BaseLeaf.express:
            self._express = lambda value, scope, here: leaf.express(value)

    def generate(self, scope: Scope, here: str) -> Json:
        return self._new_key(scope) if self.fresh else self.leaf.make(scope.draw, scope.now())

    def _new_key(self, scope: Scope) -> Json:
        """A key out of as many as the matcher allows; the matcher's own sample where none of ours fits."""
        if self.name == "string":
            key: Json = scope.draw.text(16, "abcdefghijklmnopqrstuvwxyz0123456789")
        else:
            limits = self.leaf.schema()
            low = limits.get("minimum", 1)
            key = low + scope.draw.below(min(limits.get("maximum", low + _KEYS), low + _KEYS) - low + 1)
        return key if self.leaf.fault(key) is None else self.leaf.make(scope.draw, scope.now())

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        return self.leaf.express(value)

    def same(self, expected: Value, observed: Json) -> bool:
        return self.leaf.same(expected, observed)

    def news(self, value: Json) -> bool:
        return self.leaf.news(value)

    def ranking(self) -> Callable[[Json], Any] | None:
        kind: Any = self.leaf.__class__
        return None if kind.rank is BaseLeaf.rank else self.leaf.rank

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        if reading.text:
            decoded = self._decode(value, reading)
            if isinstance(decoded, Fault):
                reading.out.add(decoded.kind, path, ABSENT, value, self.origin, decoded.want, decoded.reason)
                return BAD
            value = decoded
        fault = self.leaf.fault(value)
        if fault is None:
            return value
        reading.out.add(fault.kind, path, self._wanted(reading), value, self.origin, fault.want, fault.reason)
        return BAD

    def generating(self) -> Speech:
        if self.leaf.timely or self.fresh:
            return self.generate
        make = self.leaf.make
        return lambda scope, here: make(scope.draw, _NEVER)

    def expressing(self) -> Express | None:
        return self._express

    def plain(self, text: bool) -> type | None:
        return None if self.is_ is not None else self._plain_text if text else self._plain

    def taking(self, text: bool) -> Take:
        if self.is_ is not None or (text and self.name == "boolean"):
            return self.take
        leaf: Any = self.leaf
        fault, decode = leaf.fault, leaf.decode
        if not text or leaf.__class__.decode is BaseLeaf.decode:
            return lambda value, reading: value if fault(value) is None else BAD

        def take(value: Json, reading: Reading) -> Json:
            if value.__class__ is str:
                value = decode(value)
                if value.__class__ is Fault:
                    return BAD
            return value if fault(value) is None else BAD

        return take

    def take(self, value: Json, reading: Reading) -> Json:
        if self.is_ is not None:
            return BAD
        leaf = self.leaf
        if reading.text and value.__class__ is str:
            value = leaf.decode(value) if self.name != "boolean" else self._decode(value, reading)
            if value.__class__ is Fault:
                return BAD
        return value if leaf.fault(value) is None else BAD

    def _wanted(self, reading: Reading) -> Json:
        if reading.scope is None or reading.fill:
            return ABSENT
        expected, _ = self.said(reading.scope)
        return ABSENT if expected is NOTHING or not isinstance(expected, str | int | float | bool) else expected

    def _decode(self, value: Json, reading: Reading) -> Json | Fault:
        if not isinstance(value, str):
            return value
        if self.name == "boolean" and reading.options is not None:
            return reading.options.decode_boolean(value)
        return self.leaf.decode(value)

    def schema(self) -> dict[str, Any]:
        if self.is_ is not None and self.is_.constant:
            return {"const": constant_of(self.is_)}
        return self.leaf.schema()


def lossless(node: Node, value: Json) -> Json:
    """What a value of the wrong type says in the right one, to go on with: ``"100"`` and ``100.0`` are 100."""
    while not isinstance(node, LeafNode):
        inner = getattr(node, "target", None) or getattr(node, "inner", None)
        if inner is None:
            return value
        node = inner
    tries: list[Json | Fault] = []
    if isinstance(value, str):
        tries += [node.leaf.decode(value), *([int(value.partition(".")[0])] if _WHOLE.fullmatch(value) else [])]
    elif isinstance(value, int | float) and not isinstance(value, bool):
        tries += [int(value) if float(value).is_integer() else value, str(value)]
    return next((item for item in tries if not isinstance(item, Fault) and node.leaf.fault(item) is None), value)


class Literal(Node):
    """A literal or an expression that no matcher describes: it is what it says."""

    __slots__ = ("constant",)

    def __init__(self, origin: Origin, constant: Json = NOTHING) -> None:
        super().__init__(origin)
        self.constant = constant

    name = "literal"

    def generate(self, scope: Scope, here: str) -> Json:
        return self.constant

    @property
    def fixed(self) -> Json:
        if self.constant is NOTHING:
            return super().fixed
        scalar = self.constant is None or isinstance(self.constant, str | int | float | bool)
        return self.constant if scalar else NOTHING

    def make(self, scope: Scope, here: str = "") -> Json:
        return super().make(scope, here) if self.constant is NOTHING else self.constant

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        return plain(value)

    def said(self, scope: Scope) -> tuple[Value, bool]:
        return super().said(scope) if self.constant is NOTHING else (self.constant, False)

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        if self.constant is NOTHING:
            return self._meant(value, reading) if reading.text and value.__class__ is str else value
        if reading.text and isinstance(value, str) and not isinstance(self.constant, str):
            value = self._from_text(value, reading)
        if json_type(value) != json_type(self.constant):
            kind = "null" if value is None else "type"
            reading.out.add(kind, path, self.constant, value, self.origin, f"{json_type(self.constant)}")
            return BAD
        if not json_equal(value, self.constant):
            reading.out.add("value", path, self.constant, value, self.origin, "that literal", "enum")
        return value

    def _meant(self, text: str, reading: Reading) -> Json:
        """What the expression gives, if that is what a carrier of text spells here."""
        if reading.scope is None or reading.fill:
            return text
        said, _ = self.said(reading.scope)
        if not isinstance(said, int | float | Decimal):
            return text
        spelled = (
            str(said).lower()
            if isinstance(said, bool)
            else format(said, "f")
            if isinstance(said, Decimal)
            else str(said)
        )
        return said if spelled == text else text

    def _from_text(self, text: str, reading: Reading) -> Json:
        if isinstance(self.constant, bool) and reading.options is not None:
            decoded = reading.options.decode_boolean(text)
            return text if isinstance(decoded, Fault) else decoded
        return self.constant if text == str(self.constant) else text

    def demand(self, value: Json, path: str, reading: Reading, known: Value) -> None:
        if self.constant is NOTHING:
            super().demand(value, path, reading, NOTHING)

    def same(self, expected: Value, observed: Json) -> bool:
        return json_equal(plain(expected), observed)

    def schema(self) -> dict[str, Any]:
        return {} if self.constant is NOTHING else {"const": self.constant}


class AnyNode(Node):
    """``$any``: whatever comes."""

    __slots__ = ()
    name = "any"

    def take(self, value: Json, reading: Reading) -> Json:
        return BAD if self.is_ is not None else value

    def generate(self, scope: Scope, here: str) -> Json:
        return None

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        return plain(value)

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        return value

    def same(self, expected: Value, observed: Json) -> bool:
        if isinstance(expected, Instant):
            return json_type(observed) == "integer" and int(expected.lo) <= observed <= expected.hi
        return json_equal(plain(expected), observed)


class Ref(Node):
    """A type by its name, looked up when it is needed, so that types may refer to each other."""

    __slots__ = ("look_up", "type")
    name = "type"

    def __init__(self, origin: Origin, type_name: str, look_up: Callable[[str], Node]) -> None:
        super().__init__(origin)
        self.type = type_name
        self.look_up = look_up

    @property
    def target(self) -> Node:
        """The type's own node."""
        return self.look_up(self.type)

    def _said(self) -> Node:
        target = self.look_up(self.type)
        if self.is_ is None and not self.sources and self.default is None and self.not_ is None:
            return target if self.changes == "never" else target.having(changes=self.changes)
        return target.having(
            is_=self.is_ or target.is_,
            sources=self.sources or target.sources,
            default=self.default or target.default,
            not_=self.not_,
            changes=self.changes if self.changes != "never" else target.changes,
        )

    @property
    def fixed(self) -> Json:
        return self._said().fixed

    def speech(self, otherwise: Speech) -> Speech:
        if self.is_ is None and self.sources and self.target.name == "object":
            # `from` on a type inside itself: its parts have no sources of their own, so the whole is shown.
            return super().speech(otherwise)
        return self._said().speech(otherwise)

    def take(self, value: Json, reading: Reading) -> Json:
        return BAD if self.is_ is not None else self.target.take(value, reading)

    def plain(self, text: bool) -> type | None:
        return None if self.is_ is not None else self.target.plain(text)

    def generate(self, scope: Scope, here: str) -> Json:
        return self.target.generate(scope, here)

    def said(self, scope: Scope) -> tuple[Value, bool]:
        return self._said().said(scope)

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        return self.target.express(value, scope, here)

    def read(self, value: Json, path: str, reading: Reading, known: Value = NOTHING) -> Json:
        found = reading.out.mismatches
        before = len(found)
        decoded = self._said().read(value, path, reading, known)
        if self.sources and decoded is not BAD and reading.scope is not None and self.target.name == "object":
            parts = found[before:]
            self._copied(decoded, path, reading)
            if parts and explained(found[-1], parts, path):
                found.pop()
        return decoded

    def _copied(self, value: Json, path: str, reading: Reading) -> None:
        """``from`` on a type inside itself: its parts have no sources of their own, so the whole is compared."""
        assert reading.scope is not None
        expected, _ = self.said(reading.scope)
        if expected.__class__ is dict and not self.same(expected, value):
            reading.out.add("value", path, self._shown(expected, reading), value, self.said_origin)

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        target, before = self.target, len(reading.out.mismatches)
        decoded = target.fit(value, path, reading, known)
        if len(reading.out.mismatches) == before:
            reading.out.agreed.add(target.origin)
        return decoded

    def same(self, expected: Value, observed: Json) -> bool:
        return self.target.same(expected, observed)

    def news(self, value: Json) -> bool:
        return self.target.news(value)

    def ranking(self) -> Callable[[Json], Any] | None:
        return self.target.ranking()

    @property
    def changing(self) -> str:
        return self.changes if self.changes != "never" else self.target.changing

    def holds(self, known: Value) -> bool:
        return self.target.holds(known)

    def schema(self) -> dict[str, Any]:
        return {"$ref": f"#/components/schemas/{self.type}"}


def plain(value: Value) -> Json:
    """An expression's value as JSON, where no matcher shapes it: a record is its fields, a moment Unix seconds."""
    if isinstance(value, Record):
        return {name: plain(part) for name, part in value.values.items() if part is not ABSENT}
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items() if part is not ABSENT}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, Instant):
        return int(value.lo)
    items = item_of(value, "items") if not isinstance(value, str | bytes | int | float | bool | type(None)) else None
    return value if items is None or items is ABSENT else plain(items)
