"""After an exchange: what is known now. The model follows what the response really was, with its real values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troth.contracts.exchange import Interval, Response
from troth.contracts.matcher import Mismatch, Out, Sight
from troth.contracts.model.doubt import Doubts, below, cast_doubts, cause_of, corrected, joined, promise_of
from troth.contracts.model.effects import apply_effects, keep, shape_of
from troth.contracts.model.judge import Verdict
from troth.contracts.model.moves import with_moves
from troth.contracts.model.state import KeyEntry
from troth.contracts.nodes.once import spend
from troth.contracts.record import Doubt, Record
from troth.contracts.values import ABSENT, Json, Slot, Value

if TYPE_CHECKING:
    from troth.contracts.model.reply import ReplyBody
    from troth.contracts.model.scope import ExchangeScope

__all__ = ["commit"]


def commit(verdict: Verdict, response: Response, body: ReplyBody) -> list[tuple[str, Json]]:
    """Change state by the explained reply; (collection, key) of what its ``put`` effects registered."""
    scope = verdict.prediction.scope
    operation = verdict.prediction.operation
    if not verdict.declared:
        _forget_touched(verdict)
        return []
    undecided = _pick_versions(verdict)
    found = verdict.comparison
    doubts = {**found.out.doubts, **_doubts(operation.name, found.out.mismatches)}
    for seen in found.out.seen:
        if scope.state.in_motion(seen.collection, seen.key):
            continue  # nobody knows whether this is from before or after the change
        sight = seen._replace(values=_meant(seen.values, seen.path, found.out))
        doubted = below(doubts, sight.path)
        if doubted or not _pick_row(scope, sight, undecided):
            _remember(scope, sight, doubted)
    for slot, value in found.out.bindings:
        if not scope.state.in_motion(slot.collection, slot.key):
            _bind(scope, slot, value)
    created: list[tuple[str, Json]] = []
    if verdict.shape is not None:
        before = scope.bind("reply", _reply(response, verdict))
        shape = verdict.shape
        said = _meant(found.body, "$", found.out)
        with cast_doubts(verdict, said, doubts):
            created = apply_effects(shape.effects, scope, said, shape.type_name, below(doubts, "$"))
        scope.bind("reply", before)
        _remember_key(verdict, response, body)
    return created


def _meant(value: Json, path: str, out: Out) -> Json:
    """What stands at ``path``, with values of the right types where wrong ones say the same."""
    for at, meant in out.meant.items():
        if at.startswith((f"{path}.", f"{path}[")):
            value = corrected(value, at.removeprefix(path), meant)
    return value


def _reply(response: Response, verdict: Verdict) -> dict[str, Json]:
    return {"status": response.status, "headers": verdict.comparison.headers, "body": verdict.comparison.body}


def _pick_versions(verdict: Verdict) -> set[tuple[str, str]]:
    """The observed version of a record becomes knowledge, unless another version explains the reply as well.

    (collection, key) of those that stay undecided: their timers go on, so nothing is learnt of them.
    """
    chosen = dict(verdict.prediction.scope.picked)
    undecided: set[tuple[str, str]] = set()
    for rival in verdict.same_fit:
        for where, version in rival.scope.picked.items():
            if where in chosen and _differ(chosen[where], version):
                del chosen[where]
                undecided.add(where)
    state = verdict.prediction.scope.state
    for (collection, key), version in chosen.items():
        if version is ABSENT:
            before = state.get(collection, key)
            for timer in before.pending if before is not None else ():
                if any(effect.verb == "delete" for effect in timer.move.effects):
                    state.moves[collection, timer.move.name] = True
            state.delete(collection, key)
        else:
            state.put(version)
    return undecided


def _pick_row(scope: ExchangeScope, sight: Sight, undecided: set[tuple[str, str]]) -> bool:
    """The same for a row of a list: is it undecided which version of its record it shows?"""
    current = scope.state.get(sight.collection, sight.key)
    if len(sight.versions) == 1 and current is not None and current.pending:
        scope.state.put(sight.versions[0])
    return len(sight.versions) > 1 or (sight.collection, str(sight.key)) in undecided


def _differ(one: Value, other: Value) -> bool:
    if isinstance(one, Record) and isinstance(other, Record):
        return one.values != other.values
    return one is not other


def _doubts(operation: str, mismatches: list[Mismatch]) -> Doubts:
    """Path to what the contract had promised there."""
    found: Doubts = {}
    for mismatch in mismatches:
        if mismatch.path.startswith("$.") and not mismatch.kind.startswith("list_"):
            doubt = Doubt(promise_of(mismatch), mismatch.caused_by or cause_of(operation, mismatch))
            found[mismatch.path] = (*found.get(mismatch.path, ()), doubt)
    return found


def _remember(scope: ExchangeScope, sight: Sight, doubts: Doubts) -> None:
    """A record that a reply shows: a stranger becomes known, a known one is followed."""
    collection, key = sight.collection, sight.key
    kind = scope.contract.collections[collection]
    shape = shape_of(kind.type)
    values = dict(sight.values)
    if shape is not None:
        for field in shape.fields:
            if field.name in values:
                values[field.name] = keep(field.node, values[field.name])
            elif field.optional and field.lives(scope.version_index):
                values[field.name] = ABSENT
    current = scope.state.get(collection, key)
    if sight.glimpse and (current is None or not current.own):
        if current is None or {**current.values, **values} != current.values:
            scope.state.glimpse(Record(collection, key, values, scope.when, own=False))
        return
    if current is None:
        record = Record(collection, key, values, scope.when, own=False, doubts=doubts)
        scope.state.put(with_moves(record, kind, scope))
        return
    merged = {**current.values, **values}
    if merged == current.values and not doubts:
        return
    # What we have not seen change has done so at some time since we looked last.
    since = Interval(current.born.lo, scope.when.hi)
    changed = current.replaced(merged, born=since, pending=(), doubts=joined(current.doubts, doubts))
    if kind.once and shape is not None:
        spend(current, changed, shape)
    scope.state.put(with_moves(changed, kind, scope, current.pending))


def _bind(scope: ExchangeScope, slot: Slot, value: Json) -> None:
    """An unknown field that was seen for the first time."""
    if len(slot.path) != 1:
        return
    current = scope.state.get(slot.collection, slot.key)
    if current is None:
        scope.state.put(Record(slot.collection, slot.key, {slot.path[0]: value}, scope.when, own=False))
    elif slot.path[0] not in current.values:
        scope.state.put(current.replaced({**current.values, slot.path[0]: value}, pending=current.pending))


def _remember_key(verdict: Verdict, response: Response, body: ReplyBody) -> None:
    prediction, shape = verdict.prediction, verdict.shape
    rule = prediction.operation.idempotency
    if prediction.key is None or rule is None or shape is None or shape.name in rule.skip:
        return
    if shape is rule.conflict or shape.means is not None:
        return
    entry = KeyEntry(
        prediction.operation.name,
        prediction.same,
        shape.name,
        response,
        verdict.comparison.body,
        verdict.comparison.body if prediction.operation.wire else body.value,
        prediction.scope.when,
        prediction.operation.wire,
    )
    prediction.scope.state.remember_key(prediction.scope.contract.provider, prediction.key, entry)


def _forget_touched(verdict: Verdict) -> None:
    """Declared nowhere: what the request touched is no longer certain."""
    scope = verdict.prediction.scope
    for name in verdict.prediction.operation.lets:
        value = scope.names.get(name)
        if isinstance(value, Record):
            scope.state.forget(value.collection, value.key)
