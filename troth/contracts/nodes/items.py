"""``{{ page.items }}``: the rows of a ``$select``, made by cutting, judged by laws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from troth.contracts.matcher import Origin, Scope
from troth.contracts.nodes.base import BAD, NOTHING, Node, Reading, json_type
from troth.contracts.nodes.leaf import plain
from troth.contracts.nodes.speech import Speech
from troth.contracts.record import Record
from troth.contracts.select import Page, stands
from troth.contracts.values import ABSENT, Json, Slot, Unknown, Value

__all__ = ["ItemsNode", "MoreNode", "in_span_beyond"]

_MOST_BACK = 50
"""So many rows are looked back for one whose place beside this one is known."""


class ItemsNode(Node):
    """The items of the page that the ``let`` called ``let`` stands for."""

    __slots__ = ("collection", "item", "key", "let")
    name = "items"

    def __init__(self, origin: Origin, let: str, collection: str, item: Node, key: str) -> None:
        super().__init__(origin)
        self.let, self.collection, self.item, self.key = let, collection, item, key

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
        ours = {str(record.key): record for record, _ in page.own if record.own} if isinstance(page, Page) else {}
        read = [self._item(part, f"{path}[{i}]", reading, ours, page) for i, part in enumerate(value)]
        decoded = [item for item, _ in read]
        if scope is not None and isinstance(page, Page):
            rows = [self._row(item, versions, page, scope) for item, versions in read]
            _Laws(self, page, rows, path, reading, scope).check()
        return decoded

    def _item(
        self, value: Json, path: str, reading: Reading, ours: Mapping[str, Record], page: Value
    ) -> tuple[Json, tuple[Value, ...]]:
        """One row, settled by itself, and those of all versions that its record may have that fit it best.

        What this run did not make, others may change whenever they like: a row of it is held to its type only.
        """
        scope = reading.scope
        key = value.get(self.key, ABSENT) if isinstance(value, dict) else ABSENT
        known = ours.get(str(key)) if isinstance(key, str | int) else None
        there: list[Value] = []
        if scope is not None and known is not None:
            # One that a move may have deleted is shown, so it is there.
            there = [version for version in scope.versions(known) if version is not ABSENT]
        versions = there or [Unknown(str(key), Slot(self.collection, key, ()))]
        trials: list[tuple[Json, Reading]] = []
        for version in versions:
            trial = reading.fork()
            trials.append((self.item.read(value, path, trial, version), trial))
        if len(there) > 1:
            reading.out.widened.append(f"timer {self.collection}")
        wrong = [len(trial.out.mismatches) for _, trial in trials]
        best = wrong.index(min(wrong))
        if wrong[best] > 0 and scope is not None and known is not None:
            other = self._behind(value, path, reading, page, known) or self._mistimed(value, path, reading, known)
            if other is not None:
                return other
        elif scope is not None and known is not None and known.pending:
            reading.out.agreed |= {mismatch.origin for mismatch, _ in scope.mistimed(known)}
        read, trial = trials[best]
        alike = tuple(version for version, count in zip(versions, wrong, strict=True) if count == wrong[best])
        if not isinstance(versions[best], Record):
            trial.out.bindings = []
            trial.out.seen = [sight._replace(glimpse=True) for sight in trial.out.seen]
        elif wrong[best] == 0:
            seen = trial.out.seen
            trial.out.seen = [sight._replace(versions=alike) if sight.path == path else sight for sight in seen]
        reading.out.merge(trial.out)
        return value if read is BAD else read, alike

    def _behind(
        self, value: Json, path: str, reading: Reading, page: Value, known: Record
    ) -> tuple[Json, tuple[Value, ...]] | None:
        """A row as its record was before it changed, or is by now: in a list that lags behind, or that was made while
        another of our calls changed the record. It is held to its type only.
        """
        assert reading.scope is not None
        if not isinstance(page, Page):
            return None
        why = "list may lag behind"
        if not page.settled(known, page.sent):
            why = "changed while the list was made"
        elif not self._lags(reading.scope.now(), page.select.lag, known):
            return None
        trial = reading.fork()
        stranger = Unknown(str(known.key), Slot(self.collection, known.key, ()))
        read = self.item.read(value, path, trial, stranger)
        trial.out.bindings, trial.out.seen = [], []
        reading.out.merge(trial.out)
        reading.out.widened.append(f"unknown {self.collection} {why}")
        return value if read is BAD else read, (stranger,)

    def _lags(self, now: Value, lag: float, known: Record) -> bool:
        moving = any(timer.lo <= now.hi and now.lo < timer.hi + lag for timer in known.pending)
        return lag > 0 and (moving or now.lo < known.born.hi + lag)

    def _mistimed(
        self, value: Json, path: str, reading: Reading, known: Record
    ) -> tuple[Json, tuple[Value, ...]] | None:
        """A row as its record was before a move that should have come, or after one that cannot have come yet."""
        assert reading.scope is not None
        for mismatch, version in reading.scope.mistimed(known):
            trial = reading.fork()
            read = self.item.read(value, path, trial, version)
            if version is not ABSENT and not trial.out.mismatches:
                reading.out.merge(trial.out)
                at = path + mismatch.path.removeprefix("$")
                reading.out.add(mismatch.kind, at, mismatch.expected, mismatch.observed, mismatch.origin)
                return read, (version,)
        return None

    def _row(self, item: Json, versions: tuple[Value, ...], page: Page, scope: Scope) -> Record:
        """The record beneath a row: as it is shown, and what is known of the fields that it hides.

        Of a row that is no object nothing is known but, perhaps, its key.
        """
        if isinstance(item, str | int) and not isinstance(item, bool):
            return Record(page.select.collection, item, {}, scope.now(), own=False)
        shown = item if isinstance(item, dict) else {}
        lacking = {name: ABSENT for name in self._optional(scope) if name not in shown}
        values = {**_common(versions), **lacking, **shown}
        return Record(page.select.collection, shown.get(self.key, ABSENT), values, scope.now(), own=False)

    def _optional(self, scope: Scope) -> list[str]:
        """The fields that a row lacks only where the record lacks them."""
        fields = getattr(getattr(self.item, "target", self.item), "fields", ())
        return [field.name for field in fields if field.optional and field.lives(scope.version_index)]

    def demand(self, value: Json, path: str, reading: Reading, known: Value) -> None:
        if isinstance(value, list):
            reading.out.choices.setdefault(path, ("size", len(value), str(self.origin)))

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.item.schema()}


def _common(versions: tuple[Value, ...]) -> dict[str, Json]:
    """What is the same in all versions; nothing where one of them is unknown."""
    first, *others = (version.values if isinstance(version, Record) else {} for version in versions)
    missing = object()
    return {name: value for name, value in first.items() if all(other.get(name, missing) == value for other in others)}


class _Laws:
    """Uniqueness, size, order, ``where``, and the presence of what this run made."""

    def __init__(
        self, node: ItemsNode, page: Page, rows: list[Record], path: str, reading: Reading, scope: Scope
    ) -> None:
        self.node, self.page, self.rows, self.path = node, page, rows, path
        self.out, self.scope = reading.out, scope
        self.keys = [row.key for row in rows]
        self.again: set[int] = set()
        """Where a record comes again: that the list is too long and out of order then, is the same fault."""

    def check(self) -> None:
        self._unique()
        self._gone()
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
                self.again.add(index)
            seen.add(str(key))

    def _gone(self) -> None:
        """Deleted records, by this run or by a move, are in no list."""
        for index, key in enumerate(self.keys):
            if str(key) in self.page.deleted:
                self._add("list_deleted", f"{self.path}[{index}].{self.node.key}", ABSENT, key, "no deleted records")
        if self.page.select.lag > 0:
            return
        ours = {str(record.key): record for record, _ in self.page.own if record.own and record.pending}
        for index, key in enumerate(self.keys):
            versions = self.scope.versions(ours[str(key)]) if str(key) in ours else ()
            if versions and all(version is ABSENT for version in versions):
                self._add("late", f"{self.path}[{index}].{self.node.key}", ABSENT, key, "a move should have deleted it")

    def _size(self) -> None:
        count = len(self.rows) - len(self.again)
        if self.page.size is not None and count > self.page.size:
            self._add("list_size", self.path, self.page.size, count, "at most so many items")

    def _order(self) -> bool:
        """Is the list in order? Reports the first item that is not."""
        if self.page.select.any_order or not self.page.keys:
            return True
        for index, row in enumerate(self.rows):
            before = None if index in self.again else self._wrongly_before(index)
            if before is not None:
                first = self.page.keys[0].field
                want = " then ".join(f"{'-' if key.descending else ''}{key.field}" for key in self.page.keys)
                shown = (before.values.get(first, ABSENT), row.values.get(first, ABSENT))
                self._add("list_order", f"{self.path}[{index}]", *shown, f"order {want}")
                return False
        return True

    def _wrongly_before(self, index: int) -> Record | None:
        """The nearest row whose place beside this one is known, if it should come after."""
        for at in range(index - 1, max(-1, index - _MOST_BACK - 1), -1):
            before = self.rows[at]
            if at in self.again:
                continue
            place = stands(before, self.rows[index], self.page.keys)
            if place is not None:
                return before if place > 0 else None
            self.out.widened.append(f"unknown order of {self.path}")
        return None

    def _where(self) -> None:
        where = self.page.select.where
        if where is None:
            return
        for index, row in enumerate(self.rows):
            if index in self.again:
                continue
            before = self.scope.bind("it", row)
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
        page = self.page
        if page.after is not ABSENT and not all(_before(start, record, page) for start in self._starts()):
            return False
        rows = [row for index, row in enumerate(self.rows) if index not in self.again]
        full = page.size is not None and len(rows) >= page.size
        if not full:
            return True
        return bool(rows) and not page.select.any_order and _before(record, rows[-1], page)

    def _starts(self) -> tuple[Value, ...]:
        """What the page comes after, in every version that it may have had; one counted by rows begins with its own."""
        if self.page.at:
            return (self.rows[0] if self.rows else ABSENT,)
        return (ABSENT,) if self.page.start is None else self.scope.versions(self.page.start)


def _before(a: Value, b: Value, page: Page) -> bool:
    """Does a surely stand before b?"""
    if not isinstance(a, Record) or not isinstance(b, Record):
        return False
    place = stands(a, b, page.keys)
    return place is not None and place < 0


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
        ours = (record for record, belongs in page.own if record.own and belongs is True)
        own = sum(page.settled(record, page.sent) for record in ours)
        if self.field == "total" and page.select.lag == 0 and isinstance(value, int) and value < own:
            reading.out.add("bounds", path, own, value, self.origin, f"at least the {own} that this run made")
        reading.out.widened.append(f"unknown {self.let}.{self.field}")

    def schema(self) -> dict[str, Any]:
        return self.inner.schema()


def in_span_beyond(page: Page, versions: tuple[Value, ...], last: Record) -> bool:
    """Does a record, whichever version of it is true, surely come after the last row of a page?"""
    if page.select.any_order or not page.keys or page.after.__class__ is Unknown:
        return False
    return all(_before(last, version, page) for version in versions)
