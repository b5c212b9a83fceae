"""``{{ page.items }}``: the rows of a ``$select``, made by cutting, judged by laws."""

from __future__ import annotations

from typing import Any

from troth.contracts.matcher import Origin, Scope
from troth.contracts.nodes.base import BAD, NOTHING, Node, Reading, json_type
from troth.contracts.nodes.leaf import plain
from troth.contracts.nodes.speech import Speech
from troth.contracts.record import Record
from troth.contracts.select import OrderKey, Page, sort_value
from troth.contracts.values import ABSENT, Json, Slot, Unknown, Value

__all__ = ["ItemsNode", "MoreNode", "in_span_beyond"]


class ItemsNode(Node):
    """The items of the page that the ``let`` called ``let`` stands for."""

    __slots__ = ("item", "key", "let")
    name = "items"

    def __init__(self, origin: Origin, let: str, item: Node, key: str) -> None:
        super().__init__(origin)
        self.let, self.item, self.key = let, item, key

    def children(self) -> tuple[Node, ...]:
        return (self.item,)

    def said(self, scope: Scope) -> tuple[Value, bool]:
        return NOTHING, False

    def speech(self, otherwise: Speech) -> Speech:
        return self.generate

    def generate(self, scope: Scope, here: str) -> Json:
        page = scope.get(self.let)
        if not isinstance(page, Page):
            return []
        return [self.item.express(record, scope, here) for record in page.rows]

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        return plain(value)

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        if not isinstance(value, list):
            kind = "null" if value is None else "type"
            reading.out.add(kind, path, ABSENT, value, self.origin, f"array, not {json_type(value)}")
            return BAD
        scope = reading.scope
        page = scope.get(self.let) if scope is not None else None
        decoded = [self._item(part, f"{path}[{i}]", reading, page) for i, part in enumerate(value)]
        if scope is not None and isinstance(page, Page):
            _Laws(self, page, decoded, path, reading, scope).check()
        return decoded

    def _item(self, value: Json, path: str, reading: Reading, page: Value) -> Json:
        """One row, settled by itself: of all versions that its record may have, the one that fits best."""
        scope = reading.scope
        key = value.get(self.key, ABSENT) if isinstance(value, dict) else ABSENT
        known: Value = Unknown("stranger")
        if scope is not None and isinstance(page, Page) and isinstance(key, str | int):
            known = scope.row(page.select.collection, key)
            if known is ABSENT:
                known = Unknown(f"{page.select.collection}[{key}]", Slot(page.select.collection, key, ()))
        versions: tuple[Value, ...] = (known,)
        if scope is not None and isinstance(known, Record):
            # One that a move may have deleted is shown, so it is there.
            there = [version for version in scope.versions(known) if version is not ABSENT]
            versions = tuple(there) or (Unknown(f"{known.collection}[{key}]", Slot(known.collection, key, ())),)
        best: tuple[Json, Reading] | None = None
        for version in versions:
            trial = reading.fork()
            read = self.item.read(value, path, trial, version)
            if best is None or len(trial.out.mismatches) < len(best[1].out.mismatches):
                best = (read, trial)
            if not trial.out.mismatches:
                break
        assert best is not None
        reading.out.merge(best[1].out)
        return value if best[0] is BAD else best[0]

    def demand(self, value: Json, path: str, reading: Reading, known: Value) -> None:
        if isinstance(value, list):
            reading.out.choices.setdefault(path, ("size", len(value), str(self.origin)))

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.item.schema()}


class _Laws:
    """Uniqueness, size, order, ``where``, and the presence of what this run made."""

    def __init__(
        self, node: ItemsNode, page: Page, items: list[Json], path: str, reading: Reading, scope: Scope
    ) -> None:
        self.node, self.page, self.items, self.path = node, page, items, path
        self.out, self.scope = reading.out, scope
        self.keys = [item.get(node.key, ABSENT) if isinstance(item, dict) else ABSENT for item in items]

    def check(self) -> None:
        self._unique()
        self._size()
        ordered = self._order()
        self._where()
        if ordered:
            # Where a record belongs in a list that is out of order, nobody can say.
            self._present()

    def _add(self, kind: str, path: str, expected: Json, observed: Json, want: str) -> None:
        self.out.add(kind, path, expected, observed, self.node.origin, want)

    def _unique(self) -> None:
        seen: set[str] = set()
        for index, key in enumerate(self.keys):
            if key is not ABSENT and str(key) in seen:
                self._add("list_duplicate", f"{self.path}[{index}].{self.node.key}", ABSENT, key, "each record once")
            seen.add(str(key))

    def _size(self) -> None:
        if self.page.size is not None and len(self.items) > self.page.size:
            self._add("list_size", self.path, self.page.size, len(self.items), "at most so many items")

    def _order(self) -> bool:
        """Is the list in order? Reports the first item that is not."""
        if self.page.select.any_order or not self.page.keys:
            return True
        for index in range(1, len(self.items)):
            if self._compare(self.items[index - 1], self.items[index]) > 0:
                first = self.page.keys[0].field
                before, after = self.items[index - 1], self.items[index]
                want = " then ".join(f"{'-' if key.descending else ''}{key.field}" for key in self.page.keys)
                self._add("list_order", f"{self.path}[{index}]", before.get(first), after.get(first), f"order {want}")
                return False
        return True

    def _compare(self, a: Json, b: Json) -> int:
        """Negative: a stands before b; 0: either order; positive: after."""
        for key in self.page.keys:
            left, right = _ordering(a, key), _ordering(b, key)
            if left is None or right is None:
                return 0
            if left != right:
                return (-1 if left < right else 1) * (-1 if key.descending else 1)
        return 0

    def _where(self) -> None:
        where = self.page.select.where
        if where is None:
            return
        for index, item in enumerate(self.items):
            before = self.scope.bind("it", item)
            answer = where.decide(self.scope)
            self.scope.bind("it", before)
            if answer is False and not self._lagging(self.keys[index]):
                self._add("list_filter", f"{self.path}[{index}]", ABSENT, self.keys[index], f"where {where.source}")

    def _lagging(self, key: Json) -> bool:
        return any(str(record.key) == str(key) and self._young(record) for record, _ in self.page.own)

    def _young(self, record: Record) -> bool:
        return self.page.select.lag > 0 and self.scope.now().lo < record.born.hi + self.page.select.lag

    def _present(self) -> None:
        if not self.page.select.complete:
            self.out.widened.append(f"{self.page.select.collection} list may leave some out")
            return
        shown = {str(key) for key in self.keys}
        for record, belongs in self.page.own:
            if not record.own or belongs is not True or str(record.key) in shown or self._young(record):
                continue
            if not self.page.settled(record, self.page.sent):
                continue
            if all(self._in_span(version) for version in self.scope.versions(record)):
                self._add("list_missing", self.path, record.key, ABSENT, "a record that this run made")

    def _in_span(self, record: Record) -> bool:
        """Does the record surely lie between the page's start and its end?"""
        after = self.page.after
        if after.__class__ is Unknown:
            return False
        if after is not ABSENT:
            start = self.scope.row(self.page.select.collection, after)
            if not isinstance(start, Record) or self._compare(start, record) >= 0:
                return False
        full = self.page.size is not None and len(self.items) >= self.page.size
        if not full:
            return True
        return bool(self.items) and not self.page.select.any_order and self._compare(record, self.items[-1]) < 0


def _ordering(value: Json, key: OrderKey) -> tuple[int, Any] | None:
    if not isinstance(value, dict | Record):
        return None
    part = value.get(key.field, ABSENT) if isinstance(value, dict) else value.item(key.field)
    return None if part.__class__ is Unknown or part is ABSENT else sort_value(part)


class MoreNode(Node):
    """``{{ page.more }}``, ``.total`` and ``.cursor``: typed, and refuted by what this run knows."""

    __slots__ = ("field", "inner", "let")
    name = "page"
    opaque = True

    def __init__(self, origin: Origin, let: str, field: str, inner: Node) -> None:
        super().__init__(origin)
        self.let, self.field, self.inner = let, field, inner

    def said(self, scope: Scope) -> tuple[Value, bool]:
        return NOTHING, False

    def speech(self, otherwise: Speech) -> Speech:
        return self.generate

    def generate(self, scope: Scope, here: str) -> Json:
        page = scope.get(self.let)
        return page.item(self.field) if isinstance(page, Page) else self.inner.make(scope, here)

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        return value

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        return self.inner.fit(value, path, reading, known)

    def demand(self, value: Json, path: str, reading: Reading, known: Value) -> None:
        assert reading.scope is not None
        page = reading.scope.get(self.let)
        if not isinstance(page, Page):
            return
        own = sum(1 for record, belongs in page.own if record.own and belongs is True)
        if self.field == "total" and page.select.lag == 0 and isinstance(value, int) and value < own:
            reading.out.add("bounds", path, own, value, self.origin, f"at least the {own} that this run made")
        reading.out.widened.append(f"unknown {self.let}.{self.field}")

    def schema(self) -> dict[str, Any]:
        return self.inner.schema()


def in_span_beyond(page: Page, record: Record, rows: list[Json]) -> bool:
    """Does a record of this run surely come after the last row of a page that starts where it surely starts?"""
    if page.select.any_order or not page.keys or page.after.__class__ is Unknown or not rows:
        return False
    last = rows[-1]
    for key in page.keys:
        left, right = _ordering(last, key), _ordering(record, key)
        if left is None or right is None:
            return False
        if left != right:
            return (left > right) if key.descending else (left < right)
    return False
