"""``$select``: a filtered, ordered, cut view of a collection, and the laws that a list must obey.

A simulator filters, orders and cuts. A judge cannot know everything that is in a sandbox, so it checks what holds for
any world: each item fits and satisfies ``where`` as observed, order and size hold, nothing comes twice, and every
record that this run made and that surely belongs within the page's span is there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from troth.contracts.ranks import compare, sort_value
from troth.contracts.record import Record
from troth.contracts.values import ABSENT, Json, Unknown, Value
from troth.frozen import frozen

if TYPE_CHECKING:
    from troth.contracts.contract import Collection
    from troth.contracts.expressions.expression import Expression, Said
    from troth.contracts.matcher import Scope

__all__ = ["OrderKey", "Page", "Select", "cut", "observe", "stands"]


@frozen
class Select:
    """The compiled ``$select`` of a ``let``."""

    name: str
    collection: str
    where: Expression | None = None
    order: tuple[Said, ...] = ()
    """Each gives a field name, ``-`` before it for descending; empty: newest first in samples, any order for judge."""
    any_order: bool = False
    size: Expression | None = None
    after: Expression | None = None
    at: Expression | None = None
    lag: float = 0.0
    """Seconds within which a new record may be missing or old."""
    complete: bool = True


@frozen
class OrderKey:
    """One field to order by."""

    field: str
    descending: bool
    rank: Callable[[Json], Any] | None = None
    """By what its values rank; None: by themselves."""


@dataclass(slots=True)
class Page:
    """What a ``let`` with ``$select`` stands for. ``rows`` is what a simulator shows; a judge reads the rest."""

    select: Select
    rows: list[Record] = field(default_factory=list)
    is_open: bool = False
    keys: tuple[OrderKey, ...] = ()
    size: int | None = None
    after: Value = ABSENT
    start: Record | None = None
    """Judge: the record that the page comes after, as it was last seen."""
    at: int | None = None
    """The index of its first row in the whole list; None where it is not told by a number."""
    more_rows: bool = False
    total_rows: int = 0
    sent: float = 0.0
    """When the list was asked for, on our own clock."""
    in_flight: tuple[str, ...] = ()
    """The texts of requests that may be changing something meanwhile."""
    deleted: AbstractSet[str] = frozenset()
    """Judge: the keys, as texts, of the records that were surely deleted when the list was asked for."""
    own: list[tuple[Record, bool | None]] = field(default_factory=list)
    """Judge: every record this run knows, and whether it satisfies ``where``."""

    def item(self, name: str) -> Value:
        if name == "items":
            return Unknown(f"{self.select.name}.items") if self.is_open else self.rows
        if name not in ("more", "total", "cursor"):
            return ABSENT
        if self.is_open:
            return Unknown(f"{self.select.name}.{name}")
        if name == "more":
            return self.more_rows
        if name == "total":
            return self.total_rows
        return str(self.rows[-1].key) if self.rows and self.more_rows else None

    def settled(self, record: Record, since: float) -> bool:
        """Was the record as we know it when the clock showed ``since``, and is nothing on its way to change it?"""
        return record.changed <= since and not any(str(record.key) in text for text in self.in_flight)

    def __bool__(self) -> bool:
        return True


def order_keys(select: Select, scope: Scope, collection: Collection) -> tuple[OrderKey, ...] | None:
    """What to order by; None when a name is not known."""
    keys = []
    for said in select.order:
        name = said.value(scope)
        if name is ABSENT or name is None:
            continue
        if not isinstance(name, str):
            return None
        field = name.removeprefix("-")
        node = collection.node(field)
        keys.append(OrderKey(field, name.startswith("-"), None if node is None else node.ranking()))
    return tuple(keys)


def stands(a: Record, b: Record, keys: tuple[OrderKey, ...]) -> int | None:
    """Negative: a stands before b; 0: either order; positive: after. None where nobody can say."""
    for key in keys:
        left, right = a.item(key.field), b.item(key.field)
        if key.rank is not None:
            left, right = key.rank(left), key.rank(right)
        found = compare(left, right)
        if found != 0:
            return -found if found is not None and key.descending else found
    return 0


def cut(
    select: Select,
    scope: Scope,
    records: Sequence[Record],
    find: Callable[[Json], Value],
    collection: Collection,
) -> Page:
    """Sample: filter, order, cut. ``records`` are in the order of creation; ``find`` looks a key up."""
    kept = []
    where = select.where
    if where is None:
        kept = list(records)
    else:
        before = scope.bind("it", None)
        for record in records:
            scope.bind("it", record)
            if where.test(scope):
                kept.append(record)
        scope.bind("it", before)
    kept.reverse()  # newest first among equals
    keys = order_keys(select, scope, collection) or ()
    _sort(kept, keys)
    total = len(kept)
    start = _start(select, scope, kept, (keys, records, find))
    size = select.size.run(scope) if select.size is not None else None
    if not isinstance(size, int) or isinstance(size, bool) or size < 0:
        size = None
    rows = kept[start:] if size is None else kept[start : start + size]
    return Page(select, rows, False, keys, size, more_rows=start + len(rows) < total, total_rows=total)


def _sort(records: list[Record], keys: tuple[OrderKey, ...]) -> None:
    for key in reversed(keys):
        field, rank = key.field, key.rank
        if rank is None:
            records.sort(key=lambda record: sort_value(record.item(field)), reverse=key.descending)
        else:
            records.sort(key=lambda record: sort_value(rank(record.item(field))), reverse=key.descending)


def _start(
    select: Select,
    scope: Scope,
    kept: list[Record],
    around: tuple[tuple[OrderKey, ...], Sequence[Record], Callable[[Json], Value]],
) -> int:
    """The index of the page's first row."""
    if select.at is not None:
        at = select.at.run(scope)
        return at if isinstance(at, int) and not isinstance(at, bool) and at > 0 else 0
    if select.after is None:
        return 0
    after = select.after.run(scope)
    if after is ABSENT or after is None:
        return 0
    for index, record in enumerate(kept):
        if str(record.key) == str(after):
            return index + 1
    keys, records, find = around
    cursor = find(after)
    if not isinstance(cursor, Record):
        return 0
    # The cursor's own record is deleted, or does not satisfy `where`: the page starts where that record would stand.
    members = {id(record) for record in kept}
    everyone = [record for record in records if id(record) in members]
    everyone.insert(sum(record.born.lo <= cursor.born.lo for record in everyone), cursor)
    everyone.reverse()
    _sort(everyone, keys)
    return next((index for index, record in enumerate(everyone) if record is cursor), 0)


def observe(select: Select, scope: Scope, records: Sequence[Record], collection: Collection) -> Page:
    """Judge: what is known about the list before it is seen."""
    own: list[tuple[Record, bool | None]] = []
    before = scope.bind("it", None)
    for record in records:
        answers = set()
        for version in scope.versions(record):
            scope.bind("it", version)
            belongs = True if select.where is None else select.where.decide(scope)
            answers.add(belongs if isinstance(version, Record) else False if version is ABSENT else None)
        own.append((record, answers.pop() if len(answers) == 1 else None))
    scope.bind("it", before)
    size = select.size.value(scope) if select.size is not None else None
    after = select.after.value(scope) if select.after is not None else ABSENT
    at = select.at.value(scope) if select.at is not None else None
    at = 0 if at is ABSENT else max(at, 0) if isinstance(at, int) and not isinstance(at, bool) else None
    if after is ABSENT and select.at is not None and at != 0:
        after = Unknown(f"{select.name}.at")
    return Page(
        select,
        is_open=True,
        keys=order_keys(select, scope, collection) or (),
        size=size if isinstance(size, int) and not isinstance(size, bool) and size >= 0 else None,
        after=ABSENT if after is None else after,
        at=at,
        own=own,
    )
