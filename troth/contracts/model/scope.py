"""What names stand for during one exchange, in both modes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from troth.contracts.exchange import Interval, Request
from troth.contracts.expressions.expression_error import ExpressionError
from troth.contracts.expressions.unknowns import Instant
from troth.contracts.matcher import Draw, Mismatch, Origin
from troth.contracts.model.draw import HashDraw
from troth.contracts.model.incoming import seldom_asked
from troth.contracts.model.moves import expired_and_early, settle, versions_of
from troth.contracts.model.sowing import linked_key
from troth.contracts.model.worlds import Choose, Departure
from troth.contracts.nodes.base import NOTHING, Node
from troth.contracts.record import Record
from troth.contracts.select import Page, Select, cut, observe
from troth.contracts.values import ABSENT, Json, Promise, Slot, Unknown, Value

if TYPE_CHECKING:
    from troth.contracts.contract import Contract, Effect, Operation
    from troth.contracts.model.head import Head
    from troth.contracts.model.state import State
    from troth.contracts.nodes.text import EncodedNode

__all__ = ["ExchangeScope"]

_MISSING: Final[Any] = object()
# What only a judge fills is one and the same nothing for every request of a simulator.
_NO_ORIGINS: Final[frozenset[Origin]] = frozenset()
_NO_RECORDS: Final[Mapping[str, Record]] = MappingProxyType({})


class ExchangeScope:
    """Names for one prediction. Reads state, and never changes it: a simulator's due moves, and the records that its
    links need, aside.
    """

    __slots__ = (
        "_choose",
        "_instant",
        "_picked",
        "contract",
        "doubtful",
        "draw",
        "effects",
        "head",
        "lets",
        "names",
        "open",
        "operation",
        "request",
        "state",
        "timely",
        "version_index",
        "when",
        "widened",
    )

    def __init__(
        self,
        contract: Contract,
        state: State,
        operation: Operation | None,
        names: dict[str, Value],
        when: Interval,
        draw: Draw,
        choose: Choose,
    ) -> None:
        self.contract = contract
        self.state = state
        self.operation = operation
        self.request: Request | None = None
        self.head: Head | None = None
        self.lets: Mapping[str, Any] = operation.lets if operation is not None else {}
        self.names = names
        self.when = when
        self.draw = draw
        self.effects: tuple[Effect, ...] = ()
        """Sample: what the reply that is made will do to state."""
        self.open = not state.closed
        self.version_index = 0
        self.widened: list[str] = []
        self.timely: frozenset[Origin] = _NO_ORIGINS
        """Moves that could have been seen too early or too late, and were not supposed to be."""
        self.doubtful: Mapping[str, Record] = _NO_RECORDS
        """The records with doubtful values that were read."""
        self._instant: Instant | None = None
        self._choose = choose
        self._picked: dict[tuple[str, str], Value] = {}

    # Names

    def get(self, name: str) -> Value:
        names = self.names
        if name in names:
            return names[name]
        value = names[name] = self._resolve(name)
        return value

    def _resolve(self, name: str) -> Value:
        let = self.lets.get(name)
        if let is None:
            if name == "now":
                return self.now()
            if name == "data":
                return self.contract.data
            if name == "maybe":
                return Unknown("maybe") if self.open else False
            return seldom_asked(name, self)
        if isinstance(let, Select):
            return self._page(let)
        if not self.open:
            return let.run(self)
        try:
            return let.value(self)
        except ExpressionError:
            # What it reads has another form than the contract says; that is a finding where it was shown.
            return Unknown(name)

    def bind(self, name: str, value: Value) -> Value:
        before = self.names.get(name, _MISSING)
        if value is _MISSING:
            self.names.pop(name, None)
        else:
            self.names[name] = value
        return before

    def ask(self, unknown: Unknown) -> bool:
        """Outside a forked run an unknown truth counts as false."""
        return False

    # Time

    def now(self) -> Instant:
        if self._instant is None:
            self._instant = Instant(self.when.lo, self.when.hi)
        return self._instant

    def moment(self, at: Interval) -> Interval:
        """Let ``now`` be another time; gives back what it was."""
        before = self.when
        self.when = at
        self._instant = None
        self.names.pop("now", None)
        return before

    # State

    def row(self, collection: str, key: Value) -> Value:
        if key is ABSENT or key is None:
            return ABSENT
        if key.__class__ is Unknown:
            return Unknown(f"state.{collection}({key.label})")
        if isinstance(key, Record):
            key = key.key
        record = self.state.get(collection, key)
        moving = self.state.reads and self.state.in_motion(collection, key)
        if record is None or moving:
            if self.state.closed or (self.state.was_deleted(collection, key) and not moving):
                return ABSENT
            return Unknown(f"{collection}[{key}]", Slot(collection, key, (), self.contract.collections[collection].key))
        if record.doubts:
            self.doubtful = {**self.doubtful, f"{collection}[{record.key}]": record}
        if not record.pending:
            return record
        return self._settled(record) if not self.open else self._version(record)

    def deleted(self, collection: str, key: Value) -> Value:
        """Of a key that this run never met, a judge cannot say; a due move may have deleted the record."""
        if key is ABSENT or self.state.was_deleted(collection, key):
            return key is not ABSENT
        record = self.state.get(collection, key)
        if record is None:
            return Unknown(f"{collection}[{key}] is deleted") if self.open else False
        return bool(record.pending) and self.row(collection, key) is ABSENT

    def _settled(self, record: Record) -> Value:
        """Sample: make due moves on the simulator's clock."""
        moved = settle(record, self.when.lo, self.contract.collections[record.collection], self)
        if moved is record:
            return record
        if moved is None:
            self.state.delete(record.collection, record.key)
            return ABSENT
        self.state.put(moved)
        return moved

    def _version(self, record: Record) -> Value:
        """Judge: one of the versions that can be true; the real response picks."""
        where = (record.collection, str(record.key))
        picked = self._picked.get(where)
        if picked is not None:
            return picked
        collection = self.contract.collections[record.collection]
        legal = versions_of(record, self.when, collection, self)
        if not legal:
            self.widened.append(f"limit versions of {record}")
            return Unknown(f"{record.collection}[{record.key}]", Slot(record.collection, record.key, ()))
        wrong = expired_and_early(record, self.when, collection, self)
        origin = f"{record.collection}.moves"
        departures = tuple(_mistimed(kind, version, legal[0], origin) for kind, version in wrong)
        index = self._choose(f"version {record.collection}[{record.key}]", len(legal), departures)
        version = legal[index] if index < len(legal) else wrong[index - len(legal)][1]
        if len(legal) > 1:
            self.widened.append(f"timer {record.collection}")
        if index < len(legal):
            self.timely |= {Origin(departure.origin) for departure in departures}
            self.timely |= {Origin(moved) for moved in _moved(record, version, origin)}
        picked = self._picked[where] = ABSENT if version is None else version
        return picked

    @property
    def picked(self) -> Mapping[tuple[str, str], Value]:
        """The versions that this world chose, by collection and key as text; ABSENT: a move has deleted it."""
        return self._picked

    def versions(self, record: Value) -> tuple[Value, ...]:
        if not isinstance(record, Record) or not record.pending or not self.open:
            return (record,)
        found = versions_of(record, self.when, self.contract.collections[record.collection], self)
        if not found:
            return (Unknown(f"{record.collection}[{record.key}]", Slot(record.collection, record.key, ())),)
        return tuple(ABSENT if version is None else version for version in found)

    def link(self, collection: str, key_node: Node | None) -> Json:
        """Sample: the key that a link names where nothing says which; ABSENT where it must be a new one."""
        return linked_key(self.contract.collections[collection], key_node, self)

    def newest(self, collection: str) -> Record | None:
        """Sample: the record that was made last and is still there."""
        while (record := self.state.newest(collection)) is not None:
            if not record.pending or self._settled(record) is not ABSENT:
                return record
        return None

    def inner(self) -> ExchangeScope:
        """Sample: names of nothing but the contract's own, for a record that no request is about."""
        names: dict[str, Value] = {"auth": {"ok": True}}
        seed = HashDraw(self.draw.raw(16))
        scope = ExchangeScope(self.contract, self.state, None, names, self.when, seed, self._choose)
        scope.version_index = self.version_index
        return scope

    def mistimed(self, record: Value) -> tuple[tuple[Mismatch, Value], ...]:
        if not isinstance(record, Record) or not record.pending or not self.open:
            return ()
        collection = self.contract.collections[record.collection]
        due = versions_of(record, self.when, collection, self)
        found = []
        for kind, version in expired_and_early(record, self.when, collection, self) if due else ():
            told = _mistimed(kind, version, due[0], f"{record.collection}.moves")
            mismatch = Mismatch(kind, told.detail, told.expected, told.observed, Origin(told.origin))
            found.append((mismatch, ABSENT if version is None else version))
        return tuple(found)

    def _page(self, select: Select) -> Page:
        collection = self.contract.collections[select.collection]
        records = list(self.state.records(select.collection))
        if self.open:
            self.doubtful = {
                **self.doubtful,
                **{f"{record.collection}[{record.key}]": record for record in records if record.doubts},
            }
            page = observe(select, self, records, collection)
            page.sent = self.state.turn.lo
            page.in_flight = tuple(self.state.in_flight.values())
            page.deleted = {
                key
                for key in self.state.deleted[select.collection]
                if self.state.deleted_at[select.collection, key] + select.lag <= page.sent
                and not any(key in text for text in page.in_flight)
            }
            page.after = self.state.cursors.get(page.after, page.after) if isinstance(page.after, str) else page.after
            if page.after is not ABSENT and page.after.__class__ is not Unknown:
                page.start = self.state.last_shown(select.collection, page.after)
            return page
        if any(record.pending for record in records):
            settled = [self._settled(record) if record.pending else record for record in records]
            records = [record for record in settled if record is not ABSENT]
        return cut(select, self, records, partial(self.state.last_seen, select.collection), collection)

    # What effects say

    def suppose(self, node: Node) -> Value:
        """The value that a node says: made on a simulator; in a judgement Unknown where only the provider knows.

        Such an Unknown keeps what was said of it as its ``promise``.
        """
        if node.name == "encoded":
            return self._decoded(node)  # type: ignore[arg-type]
        if not self.open:
            return node.make(self)
        try:
            value, _ = node.said(self)
        except ExpressionError:
            # What it is worked out from has another form than the contract says.
            return Unknown(str(node.origin))
        if value is NOTHING:
            return Unknown(str(node.origin), None, Promise(node))
        if isinstance(value, Instant) and value.lo != value.hi:
            return Unknown("now", None, Promise(node, value if _tells_time(node) else None))
        if value.__class__ is Unknown or value is ABSENT:
            return value
        shown: Json = node.express(value, self, "")
        return shown

    def _decoded(self, node: EncodedNode) -> Value:
        """State has the value that is inside of a text."""
        if not self.open:
            made = node.make(self)
            return node.decoded(made) if isinstance(made, str) else made
        value, _ = node.said(self)
        return Unknown(str(node.origin)) if value is NOTHING else value


def _tells_time(node: Node) -> bool:
    inner: Node | None = getattr(node, "target", None) or getattr(node, "inner", None)
    return _tells_time(inner) if inner is not None else bool(getattr(getattr(node, "leaf", None), "timely", False))


def _moved(record: Record, version: Record | None, origin: str) -> Iterator[str]:
    """The origins of what a move has changed in this version: it came, and not too late."""
    if version is None:
        yield origin
    elif len(version.moved) > len(record.moved):
        seen = record.values
        yield from (f"{origin}.{name}" for name, value in version.values.items() if seen.get(name, ABSENT) != value)


def _mistimed(kind: str, version: Record | None, due: Record | None, origin: str) -> Departure:
    """A version of a record at the wrong time, told by the first field in which it differs from the one that is due."""
    seen = {} if version is None else version.values
    wanted = {} if due is None else due.values
    for name in (*wanted, *seen):
        ours, theirs = wanted.get(name, ABSENT), seen.get(name, ABSENT)
        if ours is not ABSENT and ours != theirs:
            return Departure(kind, 1, f"{origin}.{name}", f"$.{name}", ours, theirs)
    return Departure(kind, 1, origin, "$")
