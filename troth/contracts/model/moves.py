"""Changes of state that a provider makes by itself: which are due, and which versions of a record can be true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from troth.contracts.contract import Collection, Effect
from troth.contracts.exchange import Interval
from troth.contracts.nodes.once import spend
from troth.contracts.record import Pending, Record
from troth.contracts.values import Value

if TYPE_CHECKING:
    from troth.contracts.model.scope import ExchangeScope
    from troth.contracts.nodes.base import Node

__all__ = ["begun_anew", "changed", "expired_and_early", "settle", "supposed", "versions_of", "with_moves"]

MOST_VERSIONS = 8
MOST_MOVES = 64
"""Moves, one after another, between two looks at a record."""


def with_moves(
    record: Record,
    collection: Collection,
    scope: ExchangeScope,
    running: tuple[Pending, ...] = (),
    *,
    fired: bool = False,
) -> Record:
    """The record with the moves that are enabled now; timers in ``running`` that still hold go on.

    Judge: of a record that this run did not make, nobody knows since when its moves are enabled. A move of which nobody
    knows whether it is enabled may come at any time, or never; not again when another one has just ``fired``.
    """
    if not collection.moves:
        return record
    pending = []
    timers = {timer.move.name: timer for timer in running}
    born = record.born
    before = scope.bind("it", record)
    for move in collection.moves:
        holds = move.when.decide(scope) if scope.open else move.when.test(scope)
        if holds is None:
            scope.widened.append(f"timer {move.name}")
        elif not holds:
            continue
        timer = timers.get(move.name)
        if timer is not None and (timer.hi < inf or not holds):
            pending.append(timer)
        elif holds or not fired:
            lo = timer.lo if timer is not None else born.lo + move.lo if record.own else born.lo
            pending.append(Pending(move, lo, born.hi + move.hi if holds else inf, born.lo + move.simulated))
    scope.bind("it", before)
    return record.replaced(record.values, pending=tuple(pending))


def begun_anew(running: tuple[Pending, ...], scope: ExchangeScope) -> tuple[Pending, ...]:
    """The timers of a record that an effect changes. Judge: one that may have fired before may begin anew."""
    if not scope.open:
        return running
    latest = scope.when.hi
    return tuple(
        timer if timer.lo > latest else replace(timer, hi=max(timer.hi, latest + timer.move.hi)) for timer in running
    )


def fire(record: Record, pending: Pending, at: Interval, collection: Collection, scope: ExchangeScope) -> Record | None:
    """The record after the move; None when the move deletes it. The timers of other moves that still hold go on."""
    current = record
    before_it, before_now = scope.bind("it", record), scope.moment(at)
    for effect in pending.move.effects:
        if effect.verb == "delete":
            scope.bind("it", before_it)
            scope.moment(before_now)
            return None
        current = changed(current, effect, scope)
    scope.bind("it", before_it)
    scope.moment(before_now)
    running = tuple(timer for timer in record.pending if timer is not pending)
    current = current.replaced(current.values, born=at, pending=())
    current = with_moves(current, collection, scope, running, fired=True)
    current.moved = (*record.moved, pending.move.name)
    return current


def changed(record: Record, effect: Effect, scope: ExchangeScope, **more: object) -> Record:
    """The record after a ``set``; ``more``: what else ``replaced`` takes."""
    new = record.told(supposed(effect.to, scope), **more)
    collection = scope.contract.collections[record.collection]
    if collection.once and scope.open and collection.shape is not None:
        spend(record, new, collection.shape)
    return new


def supposed(said: Mapping[str, Node], scope: ExchangeScope) -> dict[str, Value]:
    """What an effect says of each field: an Unknown where only the provider knows."""
    return {name: scope.suppose(node) for name, node in said.items()}


def settle(record: Record, now: float, collection: Collection, scope: ExchangeScope) -> Record | None:
    """Sample: the record as it is at ``now``, every due move made in turn; None when one deleted it."""
    current: Record | None = record
    for _ in range(MOST_MOVES):
        if current is None or not current.pending:
            return current
        first = min(current.pending, key=lambda pending: pending.simulated)
        if first.simulated > now:
            return current
        current = fire(current, first, Interval(first.simulated, first.simulated), collection, scope)
    return current


def versions_of(
    record: Record, when: Interval, collection: Collection, scope: ExchangeScope
) -> tuple[Record | None, ...]:
    """Judge: every version that can be true in ``when``, the oldest first; None: a move has deleted it.

    None at all where there are more than ``MOST_VERSIONS``, or too many moves follow each other to say.
    """
    reached = _reached(record, when, collection, scope)
    found = tuple(version for version in reached if not _expired(version, when))
    return found if len(found) <= MOST_VERSIONS else ()


def _reached(record: Record, when: Interval, collection: Collection, scope: ExchangeScope) -> tuple[Record | None, ...]:
    """Every version that moves may have led to by ``when``, also those that should be over; none if it never ends."""
    queue: list[Record | None] = [record]
    met: list[Record | None] = []
    moves = 0
    while queue:
        version = queue.pop(0)
        if any(_alike(version, other) for other in met):
            continue
        met.append(version)
        if version is not None:
            due = [pending for pending in version.pending if when.hi >= pending.lo]
            moves += len(due)
            queue += [fire(version, pending, _until(pending, when), collection, scope) for pending in due]
        if moves > MOST_MOVES:
            return ()
    return tuple(met)


def _expired(version: Record | None, when: Interval) -> bool:
    return version is not None and any(when.lo > pending.hi for pending in version.pending)


def _until(pending: Pending, when: Interval) -> Interval:
    """When the move came, if it has come by ``when``."""
    return Interval(pending.lo, max(pending.lo, min(pending.hi, when.hi)))


def _alike(one: Record | None, other: Record | None) -> bool:
    """The same version, reached in another way."""
    if one is None or other is None:
        return one is other
    return one.values == other.values and one.pending == other.pending and one.promises == other.promises


def expired_and_early(
    record: Record, when: Interval, collection: Collection, scope: ExchangeScope
) -> tuple[tuple[str, Record | None], ...]:
    """Versions that cannot be true in ``when``: ``late`` (should be gone) and ``early`` (cannot be there yet)."""
    wrong: list[tuple[str, Record | None]] = [
        ("late", version) for version in _reached(record, when, collection, scope) if _expired(version, when)
    ]
    at = Interval(when.lo, when.hi)
    early = [pending for pending in record.pending if when.hi < pending.lo]
    wrong += [("early", fire(record, pending, at, collection, scope)) for pending in early]
    return tuple(wrong)
