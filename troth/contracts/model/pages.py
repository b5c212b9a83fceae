"""What one page claims about the others: nothing twice across pages, and "no more" only when there is no more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from troth.contracts.model.judge import Verdict
from troth.contracts.model.state import Seen
from troth.contracts.nodes.choice import Branches, Nullable
from troth.contracts.nodes.items import ItemsNode, MoreNode, in_span_beyond
from troth.contracts.record import Record
from troth.contracts.select import Page
from troth.contracts.values import ABSENT, Json

if TYPE_CHECKING:
    from troth.contracts.model.reply import ReplyBody
    from troth.contracts.nodes.base import Node

__all__ = ["check_pages"]


def check_pages(verdict: Verdict, body: ReplyBody) -> None:
    """Add what the page's claims contradict to the comparison, and remember the page."""
    shape = verdict.shape
    if shape is None or shape.body is None or verdict.departure is not None:
        return
    parts = dict(_parts(shape.body, "$"))
    items = parts.get("items")
    if items is None:
        return
    page = verdict.prediction.scope.get(items.let)
    rows = _at(body.value, items.path)
    if isinstance(page, Page) and isinstance(rows, list):
        cursor = parts.get("cursor")
        check = _PageCheck(verdict, page, items, parts.get("more") or cursor, rows)
        check.check(body.value, parts.get("total"), None if cursor is None else _at(body.value, cursor.path))


_SOON = 10.0
"""Seconds from one page to the next in which others do not happen to delete all that is left."""


class _Part(NamedTuple):
    """Where the structure shows a part of a page."""

    node: Node
    let: str
    path: str


class _PageCheck:
    """One page beside those before it."""

    def __init__(self, verdict: Verdict, page: Page, items: _Part, more: _Part | None, rows: list[Json]) -> None:
        self.scope = verdict.prediction.scope
        self.out = verdict.comparison.out
        self.page, self.items, self.more, self.rows = page, items, more, rows
        self.key_field = self.scope.contract.collections[page.select.collection].key
        keys = (row.get(self.key_field, ABSENT) if isinstance(row, dict) else row for row in rows)
        self.keys = [str(key) for key in keys if isinstance(key, str | int)]
        self.walk = _walk_of(verdict, page)

    def check(self, body: Json, total: _Part | None, token: Json) -> None:
        """``token`` leads to the next page, where the page says one."""
        said, of = self._said(body), _at(body, total.path) if total is not None else None
        of = of if isinstance(of, int) and not isinstance(of, bool) else None
        before = self._before()
        if before is not None:
            self._against(before, of)
        if said is False and not self._in_disorder():
            self._refuted(before)
        elif said is None and before is not None and not self._in_disorder():
            self._lost(before)
        if total is not None and of is not None:
            self._at_least(of, total)
        self._remember(before or Seen(frozenset(), None, -1.0), said, of)
        if self.keys and isinstance(token, str) and token:
            self.scope.state.remember_cursor(token, self.keys[-1])

    def _before(self) -> Seen | None:
        """The pages before this one in the same walk; None when nobody knows."""
        if self.page.after is ABSENT:
            return Seen(frozenset(), None, self.page.sent)
        pages = self.scope.state.pages
        if self.page.at is not None:
            return pages.get((self.walk, f"at {self.page.at}"))
        return pages.get((self.walk, str(self.page.after))) if self.page.start is not None else None

    def _remember(self, before: Seen, said: bool | None, total: int | None) -> None:
        at = self.scope.state.turn.hi
        seen = Seen(before.keys.union(self.keys), said, before.since, tuple(self.keys), total, at)
        if self.page.at is not None:
            self.scope.state.remember_page(self.walk, f"at {self.page.at + len(self.rows)}", seen)
        elif self.keys:
            self.scope.state.remember_page(self.walk, self.keys[-1], seen)

    def _at_least(self, total: int, part: _Part) -> None:
        """What the page says of all pages cannot be less than what it shows, unless it shows too much."""
        shown = (self.page.at or 0) + len(self.rows) if self.rows else 0
        excused = self.page.select.lag > 0 or any(
            found.path == part.path or found.kind.startswith("list_") for found in self.out.mismatches
        )
        if total < shown and not excused:
            want = f"at least the {shown} up to this page's end"
            self.out.add("bounds", part.path, shown, total, part.node.origin, want)

    def _said(self, body: Json) -> bool | None:
        """Does the page say that there is more? A cursor that is null, empty or not there says no."""
        if self.more is None:
            return None
        value = _at(body, self.more.path)
        if isinstance(value, bool):
            return value
        if getattr(self.more.node, "field", "") != "cursor":
            return None
        return value is not ABSENT and value is not None and value != ""

    def _in_disorder(self) -> bool:
        """A list that lacks a record, or is out of order, is one finding; what it claims of other pages is no other."""
        return any(found.kind in ("list_missing", "list_order") for found in self.out.mismatches)

    def _against(self, before: Seen, total: int | None) -> None:
        ours = {str(record.key): record for record, _ in self.page.own if record.own}
        shifted = self._shifted(before, total) if self.page.at is not None else 0
        for index, row in enumerate(self.rows):
            key = str(row.get(self.key_field, ABSENT)) if isinstance(row, dict) else ""
            if index >= shifted and key in before.keys and self._stayed(ours.get(key), key, before.since):
                path = f"{self.items.path}[{index}].{self.key_field}"
                self.out.add("list_duplicate", path, ABSENT, key, self.items.node.origin, "once across pages")
        if before.more is True and not self.rows and self.more is not None and not self._in_disorder():
            if self._emptied(before):
                self.out.widened.append(f"unknown {self.more.path}: what came after the page before may be deleted")
                return
            origin = self.more.node.origin
            self.out.add("list_more", self.more.path, False, True, origin, "the page before said there is more")

    def _emptied(self, before: Seen) -> bool:
        """May what the page before announced be gone: by us, by a move, or by others, who have had the time?"""
        state = self.scope.state
        if self.page.sent - before.at > _SOON or state.last_deleted.get(self.page.select.collection, -1.0) > before.at:
            return True
        return any(record.own and not self._unmoved(record, before.since) for record, _ in self.page.own)

    def _shifted(self, before: Seen, total: int | None) -> int:
        """How many rows at the beginning of this page others may have pushed over from the page before.

        They did it by making as many records in the meantime. Where the pages say how many there are in all, that
        shows; else that they made exactly a page full is not believed.
        """
        count = next((i for i, key in enumerate(self.keys) if key not in before.keys), len(self.keys))
        if count == 0 or before.last[-count:] != tuple(self.keys[:count]):
            return 0
        made = None if total is None or before.total is None else total - before.total + self._deleted(before.at)
        whole = 1 < count == len(before.last) == len(self.keys)
        if whole if made is None else made < count:
            return 0
        self.out.widened.append(f"unknown {self.items.path}: others may have moved {count} rows to the next page")
        return count

    def _deleted(self, since: float) -> int:
        """How many records this run has deleted since then."""
        times = self.scope.state.deleted_at.items()
        return sum(name == self.page.select.collection and at >= since for (name, _), at in times)

    def _missed(self, before: Seen) -> list[Record]:
        """Records that were there from the first and are on no page.

        Where pages are counted by rows, others that delete a row of an earlier page move one over the edge.
        """
        select, found = self.page.select, []
        if select.any_order and self.page.at is not None:
            return []
        shown = before.keys.union(self.keys)
        for record, belongs in self.page.own:
            due = record.own and belongs is True and str(record.key) not in shown
            if due and not self._young(record) and self._unmoved(record, before.since):
                found.append(record)
        ours = {str(record.key) for record, _ in self.page.own if record.own}
        others = len(before.keys - ours) if self.page.at is not None else 0
        if found and len(found) <= others:
            self.out.widened.append(f"unknown {self.items.path}: others may have moved {len(found)} rows away")
            return []
        return found

    def _lost(self, before: Seen) -> None:
        """Pages counted by rows, that do not say whether there are more: one that is not full is the last."""
        if self.page.at is None or self.page.size is None or len(self.rows) >= self.page.size:
            return
        for record in self._missed(before)[:1]:
            origin = self.items.node.origin
            self.out.add("list_missing", self.items.path, record.key, ABSENT, origin, "a record that this run made")

    def _stayed(self, ours: Record | None, key: str, since: float) -> bool:
        """Is the record where it was when the walk began? One of others is, when it looks as it did then."""
        if ours is not None:
            return self._unmoved(ours, since)
        last = self.scope.state.last_shown(self.page.select.collection, key)
        shown = last and {name: value for name, value in last.values.items() if value is not ABSENT}
        return any(sight.values == shown for sight in self.out.seen if str(sight.key) == key)

    def _unmoved(self, record: Record, since: float) -> bool:
        """Nothing of ours has changed the record since, and no move may have."""
        moves = any(pending.lo <= self.scope.when.hi for pending in record.pending)
        return not moves and self.page.settled(record, since)

    def _refuted(self, before: Seen | None) -> None:
        """Refuted by a record that surely comes after this page, or that was there from the first and is on no page."""
        assert self.more is not None
        missed = self._missed(before) if before is not None else []
        for record, belongs in self.page.own:
            if not record.own or belongs is not True or str(record.key) in self.keys or self._young(record):
                continue
            beyond = self.page.settled(record, self.page.sent) and self._beyond(record)
            if record in missed or beyond:
                want = f"{record.key} is on no page" if record in missed else f"{record.key} comes after this page"
                self.out.add("list_more", self.more.path, True, False, self.more.node.origin, want)
                return

    def _beyond(self, record: Record) -> bool:
        last = self.rows[-1] if self.rows else None
        if not isinstance(last, dict):
            return False
        shown = Record(record.collection, last.get(self.key_field, ABSENT), last, record.born, own=False)
        return in_span_beyond(self.page, self.scope.versions(record), shown)

    def _young(self, record: Record) -> bool:
        select = self.page.select
        return not select.complete or (select.lag > 0 and self.scope.now().lo < record.born.hi + select.lag)


def _walk_of(verdict: Verdict, page: Page) -> str:
    """What tells one walk through pages from another: the operation and all that was asked, cursor and size aside."""
    scope = verdict.prediction.scope
    asked = {**_dict(scope.get("query")), **_dict(scope.get("body"))}
    moving = (page.select.after, page.select.size, page.select.at)
    aside = {path[1] for part in moving if part is not None for path in part.reads if len(path) > 1}
    kept = {name: value for name, value in asked.items() if name not in aside}
    return f"{verdict.prediction.operation.name} {sorted(kept.items(), key=str)}"


def _dict(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _parts(node: Node, path: str) -> Iterator[tuple[str, _Part]]:
    """Where the structure has ``page.items``, ``page.more`` and ``page.cursor``; types cannot name a page."""
    for field in reversed(getattr(node, "fields", ())):
        at = f"{path}.{field.name}"
        if isinstance(field.node, ItemsNode):
            yield "items", _Part(field.node, field.node.let, at)
        elif isinstance(field.node, MoreNode):
            yield field.node.field, _Part(field.node, field.node.let, at)
        else:
            # Of the branches of a choice, each may show a part at the same place.
            for inner in field.node.children() if isinstance(field.node, Branches | Nullable) else ():
                if isinstance(inner, MoreNode):
                    yield inner.field, _Part(inner, inner.let, at)
            yield from _parts(field.node, at)


def _at(value: Json, path: str) -> Json:
    for name in path.split(".")[1:]:
        value = value.get(name, ABSENT) if isinstance(value, dict) else ABSENT
    return value
