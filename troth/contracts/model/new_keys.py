"""A reply that makes a record, and shows one that was there before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troth.contracts.model.effects import shape_of
from troth.contracts.nodes.base import NOTHING, member
from troth.contracts.record import Record
from troth.contracts.values import ABSENT, Value

if TYPE_CHECKING:
    from troth.contracts.contract import Effect, ResponseShape
    from troth.contracts.matcher import Out
    from troth.contracts.model.predict import Prediction
    from troth.contracts.model.scope import ExchangeScope

__all__ = ["check_new_keys"]


def check_new_keys(shape: ResponseShape, prediction: Prediction, body: Value, out: Out) -> None:
    """Where a POST puts what it shows, and neither request nor state say which key that has, the key must be new."""
    scope, node = prediction.scope, shape_of(shape.body)
    if not isinstance(body, dict) or prediction.operation.request.method != "POST":
        return
    if node is None or shape.body is None or shape.body.is_ is not None:
        return
    for effect in shape.effects:
        if not _makes(effect, scope):
            continue
        name = scope.contract.collections[effect.collection].key
        key, field = body.get(name, ABSENT), node.by_name.get(name)
        if field is None or key is ABSENT or field.node.said(scope)[0] is not NOTHING:
            continue
        before = scope.state.last_shown(effect.collection, key)
        if before is not None and _was_there(before, scope):
            out.add("reference", member("$", name), ABSENT, key, field.node.origin, "a new key, for a new record")


def _makes(effect: Effect, scope: ExchangeScope) -> bool:
    """Does the effect surely put the reply itself?"""
    if effect.verb != "put" or effect.value is not None or effect.each is not None:
        return False
    return effect.when is None or effect.when.decide(scope) is True


def _was_there(record: Record, scope: ExchangeScope) -> bool:
    """Before the request was sent: a list may show a new record before the reply that made it is judged."""
    return record.own or record.born.hi < scope.when.lo
