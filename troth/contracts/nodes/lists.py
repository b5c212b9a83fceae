"""Lists and maps: ``$array``, a list written out, ``$map``, ``$each``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troth.contracts.leaves import is_file
from troth.contracts.matcher import Origin, Scope
from troth.contracts.nodes.base import BAD, NOTHING, Node, Reading, json_type, member
from troth.contracts.record import Record, item_of
from troth.contracts.values import ABSENT, Json, Unknown, Value

if TYPE_CHECKING:
    from troth.contracts.expressions.expression import Expression, Said

__all__ = ["ArrayNode", "EachNode", "MapNode", "TupleNode"]


MOST_ASKED = 10_000
"""Items in a sample whose size an expression gives, so that no request can fill the memory."""


class ArrayNode(Node):
    """``$array``: items of one kind. ``size`` is (lo, hi) or an expression; ``order: any`` makes it a set."""

    __slots__ = ("any_order", "item", "key", "size", "size_said")
    name = "array"

    def __init__(
        self,
        origin: Origin,
        item: Node,
        size: tuple[int, int | None] = (0, None),
        size_said: Said | None = None,
        key: str = "",
        any_order: bool = False,
    ) -> None:
        super().__init__(origin)
        self.item, self.size, self.size_said, self.key, self.any_order = item, size, size_said, key, any_order

    def children(self) -> tuple[Node, ...]:
        return (self.item,)

    def _size(self, scope: Scope | None) -> tuple[int, int | None]:
        if self.size_said is None or scope is None:
            return self.size
        n = self.size_said.value(scope)
        return (n, n) if isinstance(n, int) and not isinstance(n, bool) and n >= 0 else (0, None)

    def generate(self, scope: Scope, here: str) -> Json:
        count = self._size(scope)[0]
        if self.size_said is not None:
            count = min(count, MOST_ASKED)
        return [self.item.make(scope, here) for _ in range(count)]

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        if not isinstance(value, list):
            return value
        return [self.item.express(part, scope, here) for part in value if part is not ABSENT]

    def take(self, value: Json, reading: Reading) -> Json:
        if self.is_ is not None or self.size != (0, None) or self.size_said is not None or value.__class__ is not list:
            return BAD
        taken = [self.item.take(part, reading) for part in value]
        return BAD if any(part is BAD for part in taken) else taken

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        if reading.text and (isinstance(value, str | bytes) or is_file(value)):
            value = [value]
        if not isinstance(value, list):
            kind = "null" if value is None else "type"
            reading.out.add(kind, path, ABSENT, value, self.origin, f"array, not {json_type(value)}")
            return BAD
        low, high = self._size(reading.scope)
        if len(value) < low or (high is not None and len(value) > high):
            want = f"{low} items" if low == high else f"{low} to {'any number of' if high is None else high} items"
            reading.out.add("list_size", path, ABSENT, len(value), self.origin, want, "bounds")
        read = [self.item.read(part, f"{path}[{i}]", reading) for i, part in enumerate(value)]
        return [value[i] if part is BAD else part for i, part in enumerate(read)]

    def demand(self, value: Json, path: str, reading: Reading, known: Value) -> None:
        assert reading.scope is not None
        expected, _ = self.said(reading.scope)
        expected = known if expected is NOTHING else expected
        if expected is NOTHING and self.size_said is None and self.size != (len(value), len(value)):
            reading.out.choices.setdefault(path, ("size", len(value), str(self.origin)))
        if isinstance(expected, list) and isinstance(value, list) and self._same_set(expected, value):
            if not self.any_order and not self._ordered(expected, value):
                reading.out.add("list_order", path, self._shown(expected, reading), value, self.origin)
            return
        super().demand(value, path, reading, known)

    def _ordered(self, expected: list[Value], value: list[Json]) -> bool:
        return all(self.item.same(a, b) for a, b in zip(expected, value, strict=True))

    def _same_set(self, expected: list[Value], value: list[Json]) -> bool:
        """The same items, each used once."""
        if len(expected) != len(value):
            return False
        if self._ordered(expected, value):
            return True
        left = list(value)
        for wanted in expected:
            found = next((i for i, got in enumerate(left) if self.item.same(wanted, got)), None)
            if found is None:
                return False
            del left[found]
        return True

    def same(self, expected: Value, observed: Json) -> bool:
        if not isinstance(expected, list) or not isinstance(observed, list) or len(expected) != len(observed):
            return False
        return self._same_set(expected, observed) if self.any_order else self._ordered(expected, observed)

    def schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "array", "items": self.item.schema()}
        if self.size[0]:
            schema["minItems"] = self.size[0]
        if self.size[1] is not None:
            schema["maxItems"] = self.size[1]
        return schema


class TupleNode(Node):
    """A list written out: so many items, each with its own matcher."""

    __slots__ = ("items",)
    name = "list"

    def __init__(self, origin: Origin, items: tuple[Node, ...]) -> None:
        super().__init__(origin)
        self.items = items

    def children(self) -> tuple[Node, ...]:
        return self.items

    def generate(self, scope: Scope, here: str) -> Json:
        return [part for part in (node.make(scope, here) for node in self.items) if part is not ABSENT]

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        if not isinstance(value, list) or len(value) != len(self.items):
            return value
        return [node.express(part, scope, here) for node, part in zip(self.items, value, strict=True)]

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        if not isinstance(value, list):
            kind = "null" if value is None else "type"
            reading.out.add(kind, path, ABSENT, value, self.origin, f"array, not {json_type(value)}")
            return BAD
        if len(value) != len(self.items):
            reading.out.add("list_size", path, len(self.items), len(value), self.origin, reason="bounds")
            return BAD
        pairs = enumerate(zip(self.items, value, strict=True))
        read = [node.read(part, f"{path}[{i}]", reading) for i, (node, part) in pairs]
        return [value[i] if part is BAD else part for i, part in enumerate(read)]

    def same(self, expected: Value, observed: Json) -> bool:
        if not isinstance(expected, list) or not isinstance(observed, list) or len(expected) != len(observed):
            return False
        return all(node.same(a, b) for node, a, b in zip(self.items, expected, observed, strict=False))

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "prefixItems": [node.schema() for node in self.items], "minItems": len(self.items)}


class MapNode(Node):
    """``$map``: any names, values of one kind. Samples are as small as ``size`` allows."""

    __slots__ = ("item", "keys", "size")
    name = "map"

    def __init__(
        self, origin: Origin, item: Node, keys: Node | None = None, size: tuple[int, int | None] = (0, None)
    ) -> None:
        super().__init__(origin)
        self.item, self.keys, self.size = item, keys, size

    def children(self) -> tuple[Node, ...]:
        return (self.item,)

    def generate(self, scope: Scope, here: str) -> Json:
        return {self._name(index, scope): self.item.make(scope, here) for index in range(self.size[0])}

    def _name(self, index: int, scope: Scope) -> str:
        """A name for the member with this index, another for each."""
        if self.keys is None:
            return f"name{index + 1}"
        listed = self.keys.schema().get("enum", ())
        return str(listed[index] if index < len(listed) else self.keys.make(scope))

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        if isinstance(value, Record):
            value = value.values
        if not isinstance(value, dict):
            return value
        express = self.item.expressing()
        if express is None:
            return {k: v for k, v in value.items() if v is not ABSENT}
        return {k: express(v, scope, here) for k, v in value.items() if v is not ABSENT}

    def take(self, value: Json, reading: Reading) -> Json:
        if self.is_ is not None or self.size != (0, None) or self.keys is not None or value.__class__ is not dict:
            return BAD
        taken = {}
        plain = self.item.plain(reading.text)
        for name, part in value.items():
            read = part if part.__class__ is plain else self.item.take(part, reading)
            if read is BAD:
                return BAD
            taken[name] = read
        return taken

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        if reading.text and isinstance(value, list):
            value = {str(i): part for i, part in enumerate(value)}
        if not isinstance(value, dict):
            kind = "null" if value is None else "type"
            reading.out.add(kind, path, ABSENT, value, self.origin, f"object, not {json_type(value)}")
            return BAD
        low, high = self.size
        if len(value) < low or (high is not None and len(value) > high):
            reading.out.add("bounds", path, ABSENT, len(value), self.origin, f"{low} to {high} members")
        decoded = {}
        for name, part in value.items():
            at = member(path, name)
            if self.keys is not None:
                self.keys.read(name, at, reading)
            read = self.item.read(part, at, reading)
            if read is not BAD or not reading.fill:
                decoded[name] = part if read is BAD else read
        return decoded

    def demand(self, value: Json, path: str, reading: Reading, known: Value) -> None:
        assert reading.scope is not None
        expected, _ = self.said(reading.scope)
        if expected is NOTHING and known is NOTHING:
            reading.out.choices.setdefault(path, ("size", len(value), str(self.origin)))
        super().demand(value, path, reading, known)

    def same(self, expected: Value, observed: Json) -> bool:
        if isinstance(expected, Record):
            expected = expected.values
        if not isinstance(expected, dict) or not isinstance(observed, dict):
            return False
        wanted = {k: v for k, v in expected.items() if v is not ABSENT}
        return wanted.keys() == observed.keys() and all(self.item.same(wanted[k], observed[k]) for k in wanted)

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": self.item.schema()}


class EachNode(Node):
    """``$each``: one item for every item of a list that an expression gives."""

    __slots__ = ("as_", "item", "over", "where")
    name = "each"

    def __init__(self, origin: Origin, over: Expression, as_: str, where: Expression | None, item: Node) -> None:
        super().__init__(origin)
        self.over, self.as_, self.where, self.item = over, as_, where, item

    def children(self) -> tuple[Node, ...]:
        return (self.item,)

    def _rows(self, scope: Scope) -> list[Value] | Unknown:
        """The values to walk; Unknown when nobody knows them all."""
        rows = self.over.value(scope)
        if not isinstance(rows, list | Unknown):
            rows = item_of(rows, "items")
        if isinstance(rows, Unknown) or rows is ABSENT or not isinstance(rows, list):
            return rows if isinstance(rows, Unknown) else []
        kept = []
        for row in rows:
            before = scope.bind(self.as_, row)
            keep = self.where is None or self.where.decide(scope)
            scope.bind(self.as_, before)
            if keep is None:
                return Unknown(f"{self.over.source} where {self.where and self.where.source}")
            if keep:
                kept.append(row)
        return kept

    def generate(self, scope: Scope, here: str) -> Json:
        rows = self._rows(scope)
        if isinstance(rows, Unknown):
            return []
        made = []
        for row in rows:
            before = scope.bind(self.as_, row)
            made.append(self.item.make(scope, here))
            scope.bind(self.as_, before)
        return made

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        return value

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        scope = reading.scope
        if not isinstance(value, list):
            kind = "null" if value is None else "type"
            reading.out.add(kind, path, ABSENT, value, self.origin, f"array, not {json_type(value)}")
            return BAD
        rows = self._rows(scope) if scope is not None else Unknown(path)
        if isinstance(rows, Unknown):
            reading.out.widened.append(f"unknown {rows.label}")
            rows = [Unknown(f"{path}[{i}]") for i in range(len(value))]
        elif len(rows) != len(value):
            kind = "list_missing" if len(value) < len(rows) else "list_size"
            reading.out.add(kind, path, len(rows), len(value), self.origin, "one item for each")
        decoded = []
        for i, part in enumerate(value):
            row = self._paired(rows, part, i)
            before = scope.bind(self.as_, row) if scope is not None else None
            read = self.item.read(part, f"{path}[{i}]", reading)
            if scope is not None:
                scope.bind(self.as_, before)
            decoded.append(part if read is BAD else read)
        return decoded

    @staticmethod
    def _paired(rows: list[Value], part: Json, index: int) -> Value:
        """The record whose key the item shows; else the one at the same index."""
        if isinstance(part, dict):
            shown = [v for v in part.values() if isinstance(v, str | int)]
            for row in rows:
                if isinstance(row, Record) and row.key in shown:
                    return row
        return rows[index] if index < len(rows) else Unknown("item")

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.item.schema()}
