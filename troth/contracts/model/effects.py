"""What a response does to state: ``put``, ``set``, ``delete``, with the real reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troth.contracts.contract import Collection, Effect
from troth.contracts.model.moves import begun_anew, changed, supposed, with_moves
from troth.contracts.model.scope import ExchangeScope
from troth.contracts.nodes.leaf import Ref
from troth.contracts.nodes.once import spend
from troth.contracts.nodes.shape import Shape
from troth.contracts.record import Doubt, Record, item_of, known_of
from troth.contracts.values import ABSENT, Json, Promise, Unknown, Value

if TYPE_CHECKING:
    from troth.contracts.nodes.base import Node

__all__ = ["KEYS", "apply_effects", "shape_of"]

KEYS = (str, int)
"""What the key of a record may be; a boolean is neither."""


def shape_of(node: Node | None) -> Shape | None:
    """The shape behind a node, when it is one."""
    target = node.target if isinstance(node, Ref) else node
    return target if isinstance(target, Shape) else None


def apply_effects(
    effects: tuple[Effect, ...],
    scope: ExchangeScope,
    body: Value,
    full_type: str,
    doubts: dict[str, tuple[Doubt, ...]] | None = None,
) -> list[tuple[str, Json]]:
    """Run the effects in order; (collection, key) of each record that a ``put`` registered.

    ``body`` is the decoded reply, ``full_type`` the name of the type that describes it (a reply by the collection's own
    type makes the optional fields that it lacks known to be absent), ``doubts`` the fields that mismatched.
    """
    created: list[tuple[str, Json]] = []
    scope.bind("this", body)
    for effect in effects:
        if effect.each is None:
            created += _apply(effect, scope, body, full_type, doubts or {})
            continue
        values = effect.each.value(scope)
        if scope.open and _unknown_items(values):
            _forget(effect, scope)
            continue
        for value in _items(values):
            before = scope.bind(effect.as_, value)
            created += _apply(effect, scope, body, full_type, doubts or {})
            scope.bind(effect.as_, before)
    return created


def _items(values: Value) -> list[Value]:
    if not isinstance(values, list):
        values = item_of(values, "items")
    return values if isinstance(values, list) else []


def _apply(
    effect: Effect, scope: ExchangeScope, body: Value, full_type: str, doubts: dict[str, tuple[Doubt, ...]]
) -> list[tuple[str, Json]]:
    """Run one effect once, if its ``when`` holds."""
    if effect.when is not None:
        holds = effect.when.decide(scope) if scope.open else effect.when.test(scope)
        if holds is None:
            scope.widened.append(f"effect when {effect.when.source}")
        if not holds:
            return []
    if effect.verb == "put":
        return _put(effect, scope, body, full_type, doubts)
    _change(effect, scope)
    return []


def _unknown_items(values: Value) -> bool:
    return not isinstance(values, list) and item_of(values, "items").__class__ is Unknown


def _forget(effect: Effect, scope: ExchangeScope) -> None:
    """Judge: an effect on each of nobody knows which records. What it changes is no longer certain of any of them."""
    scope.widened.append(f"unknown effect on each of {effect.each.source if effect.each else ''}")
    spelled = [field.name for field in effect.value.fields] if isinstance(effect.value, Shape) else []
    touched = {*effect.to, *effect.also, *spelled}
    for record in list(scope.state.records(effect.collection)):
        if effect.verb == "delete":
            scope.state.forget(record.collection, record.key)
        else:
            left = {name: value for name, value in record.values.items() if name not in touched}
            kept = {name: promise for name, promise in record.promises.items() if name not in touched}
            scope.state.put(record.replaced(left, pending=(), promises=kept))


def _put(
    effect: Effect, scope: ExchangeScope, body: Value, full_type: str, doubts: dict[str, tuple[Doubt, ...]]
) -> list[tuple[str, Json]]:
    collection = scope.contract.collections[effect.collection]
    shape = collection.shape
    whole = effect.value is None
    promises: dict[str, Promise] = {}
    shown = body if whole else _values(effect.value, scope, promises)
    if not isinstance(shown, dict):
        return []
    full = whole and shape is not None and shape.type == full_type
    values = _kept(shape, shown, full=full, scope=scope)
    key = values.get(collection.key, ABSENT)
    if key.__class__ not in KEYS or not (whole or _fits(shape, collection.key, key)):
        return []
    if effect.also:
        values.update(known_of(supposed(effect.also, scope), promises))
    before = scope.state.get(effect.collection, key)
    if before is not None:
        values = {**before.values, **values}
        doubts = {**before.doubts, **(doubts if whole else {})}
    else:
        doubts = doubts if whole else {}
        if not scope.open:
            complete = full and shape is not None and not shape.versioned
            _complete(None if complete else shape, collection, values, scope)
    record = Record(effect.collection, key, values, scope.when, doubts=doubts)
    record.changed = scope.state.turn.hi
    if scope.open:
        record.promises = {**before.promises, **promises} if before is not None else promises
        if before is not None and collection.once and shape is not None:
            record.spent = before.spent
            spend(before, record, shape)
    if collection.moves:
        record = with_moves(record, collection, scope, begun_anew(before.pending, scope) if before else ())
    scope.state.put(record)
    return [(effect.collection, key)]


def _fits(shape: Shape | None, name: str, key: Json) -> bool:
    """A key that the contract spells out must be one: what does not fit its matcher stores nothing."""
    field = shape.by_name.get(name) if shape is not None else None
    return field is None or field.node.takes(key)


def _values(node: Node | None, scope: ExchangeScope, promises: dict[str, Promise]) -> Value:
    """The value that a ``put`` spells out, as far as it is known; into ``promises`` what is said of the rest."""
    if not isinstance(node, Shape):
        return ABSENT if node is None else scope.suppose(node)
    return known_of({field.name: scope.suppose(field.node) for field in node.fields}, promises)


def _kept(shape: Shape | None, shown: dict[str, Json], *, full: bool, scope: ExchangeScope) -> dict[str, Json]:
    """The fields as they are remembered: links as keys; in a full reply, optional fields that are not there, absent."""
    if shape is None:
        return dict(shown)
    values = dict(shown)
    for field in shape.links:
        shown_value = values.get(field.name)
        if isinstance(shown_value, dict | list):
            values[field.name] = keep(field.node, shown_value)
    if full and len(values) < len(shape.fields):
        for field in shape.fields:
            # A field of another version of the API is not absent: this reply could not show it.
            lacking = field.name not in values and field.lives(scope.version_index)
            if lacking and (field.optional or not scope.open):
                values[field.name] = ABSENT
    return values


def keep(node: Node, value: Json) -> Json:
    """A value as state remembers it: inlined links become keys, at any depth."""
    if isinstance(value, dict):
        if node.name == "link":
            key: Json = value.get(node.look_up(node.collection).key, ABSENT)  # type: ignore[attr-defined]
            return key
        inner = shape_of(node) or shape_of(getattr(node, "inner", None))
        if inner is not None:
            return {
                name: keep(inner.by_name[name].node, part) if name in inner.by_name else part
                for name, part in value.items()
            }
        nested = getattr(node, "inner", None)
        return keep(nested, value) if nested is not None else value
    if isinstance(value, list):
        item = getattr(node, "item", None)
        return [keep(item, part) for part in value] if item is not None else value
    return value


def _complete(shape: Shape | None, collection: Collection, values: dict[str, Json], scope: ExchangeScope) -> None:
    """Sample: fields that nobody said are generated once, when the record is made; none of a full reply's."""
    if shape is not None:
        for field in shape.fields:
            if field.name not in values:
                values[field.name] = ABSENT if field.optional else keep(field.node, _generated(field.node, scope))
    for name in collection.hidden:
        values.setdefault(name, ABSENT)


def _generated(node: Node, scope: ExchangeScope) -> Json:
    return scope.suppose(node) if node.name == "encoded" else node.make(scope)


def _change(effect: Effect, scope: ExchangeScope) -> None:
    target: Value = effect.record.value(scope) if effect.record is not None else ABSENT
    if isinstance(target, Unknown) and target.slot is not None and not target.slot.path:
        if effect.verb == "delete":
            scope.state.delete(target.slot.collection, target.slot.key)
            return
        target = Record(target.slot.collection, target.slot.key, {}, scope.when, own=False)
    if not isinstance(target, Record):
        if target is not ABSENT:
            scope.widened.append(f"effect on {target!r}")
        return
    if effect.verb == "delete":
        scope.state.delete(target.collection, target.key)
        return
    current = scope.state.get(target.collection, target.key) or target
    collection = scope.contract.collections[target.collection]
    record = changed(current, effect, scope, born=scope.when, pending=())
    record.changed = scope.state.turn.hi
    scope.state.put(with_moves(record, collection, scope, begun_anew(current.pending, scope)))
