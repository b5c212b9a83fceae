"""What is known of a provider's records: rows, tombstones, idempotency keys, pages seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from troth.contracts.contract import Collection
from troth.contracts.exchange import Interval, Response
from troth.contracts.record import Record
from troth.contracts.values import Json, Value
from troth.frozen import frozen

__all__ = ["KeyEntry", "Seen", "State"]

LIMIT = 100_000
"""Records a collection keeps; past it the oldest tenth is dropped and counted."""


@frozen
class KeyEntry:
    """The first answer to an idempotency key."""

    operation: str
    same: Json
    """What must be equal for a replay."""
    name: str
    response: Response
    body: Value
    """Decoded, links as keys."""
    raw: Value
    """As it came; where operations have wires, as the contract describes it."""
    at: Interval
    wire: str = ""


class Seen(NamedTuple):
    """The pages of one walk so far: the keys on them, did the last say that there is more, and when the walk began."""

    keys: frozenset[str]
    more: bool | None
    since: float
    last: tuple[str, ...] = ()
    """The keys on the last page, in order."""
    total: int | None = None
    """What the last page said of all."""
    at: float = -1.0
    """When it came, on our own clock."""


@dataclass(slots=True)
class State:
    """Mutable, and changed only by ``commit``. ``closed``: what is not here does not exist."""

    closed: bool
    rows: dict[str, dict[str, Record]] = field(default_factory=dict)
    deleted: dict[str, dict[str, Record | None]] = field(default_factory=dict)
    deleted_at: dict[tuple[str, str], float] = field(default_factory=dict)
    """Judge: when the reply came that deleted a record, on our own clock."""
    glimpses: dict[tuple[str, str], Record] = field(default_factory=dict)
    """Judge: records of others, as lists last showed them. Known is only where they stood."""
    last_deleted: dict[str, float] = field(default_factory=dict)
    """When a record of each collection was last deleted, on our own clock."""
    keys: dict[tuple[str, str], KeyEntry] = field(default_factory=dict)
    pages: dict[tuple[str, str], Seen] = field(default_factory=dict)
    """(walk, key of a page's last row) -> what was seen on the pages up to it."""
    cursors: dict[str, str] = field(default_factory=dict)
    """Opaque token of a page to the key of its last row."""
    moves: dict[tuple[str, str], bool] = field(default_factory=dict)
    """Judge: (collection, move) of every move that a record was to make, and was it ever seen made?"""
    turn: Interval = field(default=Interval(0.0, 0.0))
    """When the exchange that is judged was sent and answered, on our own clock."""
    doubtful: dict[tuple[str, str], None] = field(default_factory=dict)
    """(collection, key) of the records that have doubtful values."""
    in_flight: dict[int, str] = field(default_factory=dict)
    """What was sent and may change something, and is not judged yet: the text of each request."""
    reads: bool = False
    """Judge: does the exchange only read, at a time that our own clock knows?"""
    dropped: int = 0

    @classmethod
    def of(cls, collections: Mapping[str, Collection], *, closed: bool) -> State:
        """An empty state with a table for each collection."""
        state = cls(closed)
        for name in collections:
            state.rows[name] = {}
            state.deleted[name] = {}
        return state

    def get(self, collection: str, key: Json) -> Record | None:
        return self.rows[collection].get(str(key))

    def last_seen(self, collection: str, key: Json) -> Record | None:
        """The record, also one that is deleted."""
        return self.rows[collection].get(str(key)) or self.deleted[collection].get(str(key))

    def last_shown(self, collection: str, key: Json) -> Record | None:
        """Judge: the record, also one of others that only a list showed."""
        return self.rows[collection].get(str(key)) or self.glimpses.get((collection, str(key)))

    def was_deleted(self, collection: str, key: Json) -> bool:
        return str(key) in self.deleted[collection]

    def in_motion(self, collection: str, key: Json) -> bool:
        """Judge: did another of our calls change the record while this exchange was on its way, or may one do so?"""
        if not self.reads:
            return False
        record = self.get(collection, key)
        at = record.changed if record is not None else self.deleted_at.get((collection, str(key)), 0.0)
        return at > self.turn.lo or any(str(key) in text for text in self.in_flight.values())

    def records(self, collection: str) -> Iterable[Record]:
        """In the order of creation."""
        return self.rows[collection].values()

    def newest(self, collection: str) -> Record | None:
        """The record that was made last."""
        rows = self.rows[collection]
        return rows[next(reversed(rows))] if rows else None

    def put(self, record: Record) -> None:
        """Insert or replace by key."""
        table = self.rows[record.collection]
        table[str(record.key)] = record
        if not self.closed and (record.pending or record.moved):
            self._note_moves(record)
        if record.doubts:
            self.doubtful[record.collection, str(record.key)] = None
        self.deleted[record.collection].pop(str(record.key), None)
        if len(table) > LIMIT:
            for old in list(table)[: LIMIT // 10]:
                del table[old]
            self.dropped += LIMIT // 10

    def _note_moves(self, record: Record) -> None:
        for timer in record.pending:
            self.moves.setdefault((record.collection, timer.move.name), False)
        for name in record.moved:
            self.moves[record.collection, name] = True

    def delete(self, collection: str, key: Json) -> None:
        """Leaves a tombstone, which makes "not there" known on a sandbox too."""
        self.last_deleted[collection] = self.turn.hi
        self._bury(collection, str(key), self.rows[collection].pop(str(key), None))

    def _bury(self, collection: str, key: str, record: Record | None) -> None:
        graves = self.deleted[collection]
        graves[key] = record
        if not self.closed:
            self.deleted_at[collection, key] = self.turn.hi
        if len(graves) > LIMIT:
            for old in list(graves)[: LIMIT // 10]:
                del graves[old]
                self.deleted_at.pop((collection, old), None)
            self.dropped += LIMIT // 10

    def forget(self, collection: str, key: Json) -> None:
        """What was known of the record is no longer certain."""
        self.rows[collection].pop(str(key), None)

    def glimpse(self, record: Record) -> None:
        """A record of others in a list: from now on, what it is like is known no more."""
        key = str(record.key)
        self.rows[record.collection].pop(key, None)
        self.glimpses[record.collection, key] = record
        if len(self.glimpses) > LIMIT:
            for old in list(self.glimpses)[: LIMIT // 10]:
                del self.glimpses[old]

    def remember_key(self, scope: str, key: str, entry: KeyEntry) -> None:
        self.keys[scope, key] = entry
        if len(self.keys) > LIMIT:
            for old in list(self.keys)[: LIMIT // 10]:
                del self.keys[old]
            self.dropped += LIMIT // 10

    def remember_cursor(self, token: str, last: str) -> None:
        self.cursors[token] = last
        if len(self.cursors) > 1_000:
            del self.cursors[next(iter(self.cursors))]

    def remember_page(self, walk: str, last: str, seen: Seen) -> None:
        self.pages[walk, last] = seen
        if len(self.pages) > 1_000:
            del self.pages[next(iter(self.pages))]
