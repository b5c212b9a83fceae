"""Linked records in a reply whose own effects make or change them: they are shown as they are after the effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troth.contracts.model.effects import keep, shape_of
from troth.contracts.model.moves import supposed
from troth.contracts.record import Record
from troth.contracts.values import ABSENT, Json, Unknown, Value

if TYPE_CHECKING:
    from troth.contracts.contract import Effect
    from troth.contracts.model.scope import ExchangeScope
    from troth.contracts.nodes.base import Node
    from troth.contracts.nodes.shape import Shape

__all__ = ["changes_to_come", "inlines", "shown_after"]


def inlines(scope: ExchangeScope) -> bool:
    """May this request ask for linked records inline? Not when nothing is there that `inline` conditions read."""
    names = scope.contract.inlining
    return names is None or any(scope.get(name) is not ABSENT for name in names)


def shown_after(node: Node, body: Json, scope: ExchangeScope) -> Json:
    """Sample: the reply's body with its links expressed anew, now that the effects are done."""
    return _shown(node, keep(node, body), scope, "")


def _shown(node: Node | None, value: Json, scope: ExchangeScope, here: str) -> Json:
    if node is None or value is None:
        return value
    if node.name == "link":
        return node.express(value, scope, here)
    if isinstance(value, dict):
        return _members(node, value, scope, here)
    if isinstance(value, list):
        item = getattr(_bare(node), "item", None)
        return [_shown(item, part, scope, here) for part in value]
    inner = _bare(node)
    return value if inner is node else _shown(inner, value, scope, here)


def _members(node: Node, value: dict[str, Json], scope: ExchangeScope, here: str) -> Json:
    shape = shape_of(node) or shape_of(_bare(node))
    if shape is None:
        return value
    # An override may say a link by an expression, or on a condition; its type still knows that it is one.
    typed = shape_of(scope.contract.types.get(shape.type)) or shape
    return {
        name: _shown(_field(typed, name) or _field(shape, name), part, scope, f"{here}.{name}" if here else name)
        for name, part in value.items()
    }


def _field(shape: Shape, name: str) -> Node | None:
    field = shape.by_name.get(name)
    return field.node if field is not None else None


def _bare(node: Node) -> Node:
    """What is behind nullable and optional wrappers, and names of types."""
    while True:
        inner = getattr(node, "target", None) or getattr(node, "inner", None)
        if inner is None or node.name == "link":
            return node
        node = inner


def changes_to_come(effects: tuple[Effect, ...], scope: ExchangeScope) -> dict[tuple[str, str], dict[str, Value]]:
    """Judge: what ``set`` effects will change of which records, as far as it is known; an Unknown where it is not."""
    found: dict[tuple[str, str], dict[str, Value]] = {}
    for effect in effects:
        if effect.verb != "set" or effect.record is None or effect.each is not None:
            continue
        record = effect.record.value(scope)
        holds = effect.when is None or effect.when.decide(scope)
        if not isinstance(record, Record) or holds is False:
            continue
        known = supposed(effect.to, scope) if holds else {}
        changes = found.setdefault((record.collection, str(record.key)), {})
        changes.update({name: known.get(name, Unknown(name)) for name in effect.to})
    return found
