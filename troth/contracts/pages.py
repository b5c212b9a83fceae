"""What one page claims about the others: nothing twice across pages, and "no more" only when there is no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troth.contracts.judge import Verdict
from troth.contracts.matcher import Out
from troth.contracts.nodes.items import ItemsNode, MoreNode, in_span_beyond
from troth.contracts.record import Record
from troth.contracts.select import Page
from troth.contracts.values import ABSENT, Json

if TYPE_CHECKING:
    from troth.contracts.nodes.base import Node
    from troth.contracts.reply import ReplyBody

__all__ = ["check_pages"]


def check_pages(verdict: Verdict, body: ReplyBody) -> None:
    """Add what the page's claims contradict to the comparison, and remember the page."""
    shape = verdict.shape
    if shape is None or shape.body is None or verdict.departure is not None:
        return
    items, more = _find(shape.body, "$")
    if items is None:
        return
    node, path = items
    scope = verdict.prediction.scope
    page = scope.get(node.let)
    rows = _at(body.value, path)
    if not isinstance(page, Page) or not isinstance(rows, list):
        return
    said = _at(body.value, more[1]) if more is not None else None
    keys = [str(row[node.key]) for row in rows if isinstance(row, dict) and node.key in row]
    out = verdict.comparison.out
    operation = _walk_of(verdict, page)
    before: frozenset[str] = frozenset()
    after = page.after
    if isinstance(scope.row(page.select.collection, after), Record):
        before, claimed = scope.state.pages.get((operation, str(after)), (before, None))
        for index, key in enumerate(keys):
            if key in before:
                out.add("list_duplicate", f"{path}[{index}].{node.key}", ABSENT, key, node.origin, "once across pages")
        if claimed is True and not rows and more is not None:
            out.add("list_more", more[1], False, True, more[0].origin, "the page before said there is more")
    if said is False and more is not None:
        _refuted(page, rows, keys, out, more)
    if keys:
        seen = frozenset((*before, *keys))
        scope.state.remember_page(operation, keys[-1], seen, said if isinstance(said, bool) else None)


def _walk_of(verdict: Verdict, page: Page) -> str:
    """What tells one walk through pages from another: the operation and all that was asked, cursor and size aside."""
    scope = verdict.prediction.scope
    asked = {**_dict(scope.get("query")), **_dict(scope.get("body"))}
    kept = {name: value for name, value in asked.items() if value not in (page.after, page.size)}
    return f"{verdict.prediction.operation.name} {sorted(kept.items(), key=str)}"


def _dict(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _refuted(page: Page, rows: list[Json], keys: list[str], out: Out, more: tuple[Node, str]) -> None:
    """``more: false`` is refuted by an own record beyond the page."""
    for record, belongs in page.own:
        if record.own and belongs is True and str(record.key) not in keys and in_span_beyond(page, record, rows):
            out.add("list_more", more[1], True, False, more[0].origin, f"{record.key} comes after this page")
            return


def _find(node: Node, path: str) -> tuple[tuple[ItemsNode, str] | None, tuple[Node, str] | None]:
    """Where the structure has ``page.items`` and ``page.more``; types cannot name a page."""
    items: tuple[ItemsNode, str] | None = None
    more: tuple[Node, str] | None = None
    for field in getattr(node, "fields", ()):
        at = f"{path}.{field.name}"
        if isinstance(field.node, ItemsNode):
            items = items or (field.node, at)
        elif isinstance(field.node, MoreNode) and field.node.field == "more":
            more = more or (field.node, at)
        else:
            inner, inner_more = _find(field.node, at)
            items, more = items or inner, more or inner_more
    return items, more


def _at(value: Json, path: str) -> Json:
    for name in path.split(".")[1:]:
        value = value.get(name, ABSENT) if isinstance(value, dict) else ABSENT
    return value
