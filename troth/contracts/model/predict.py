"""Which response a request gets: inherited ones, then idempotency, then the operation's own, in order.

Written once for both modes. A simulator's ``choose`` takes the first legal option; a judge's enumerates them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from troth.contracts.contract import Idempotency, Operation, ResponseShape
from troth.contracts.exchange import Interval
from troth.contracts.expressions.unknowns import truth
from troth.contracts.matcher import Mismatch
from troth.contracts.model.scope import ExchangeScope
from troth.contracts.model.state import KeyEntry
from troth.contracts.model.worlds import Choose, Departure
from troth.contracts.nodes.base import json_equal
from troth.contracts.values import ABSENT, Json, Unknown

if TYPE_CHECKING:
    from troth.contracts.contract import Contract
    from troth.contracts.expressions.expression import Expression

__all__ = ["Prediction", "predict"]


@dataclass(slots=True)
class Prediction:
    """What is expected of one exchange. ``shape`` None and no ``replay``: the contract says nothing about it."""

    operation: Operation
    scope: ExchangeScope
    mismatches: tuple[Mismatch, ...]
    shape: ResponseShape | None = None
    replay: KeyEntry | None = None
    key: str | None = None
    """The idempotency key to remember the answer under."""
    same: Json = None

    @property
    def name(self) -> str | None:
        """The response's name; ``replay`` for a replayed one."""
        if self.replay is not None:
            return "replay"
        return self.shape.name if self.shape is not None else None

    @property
    def status(self) -> int:
        """The expected status."""
        if self.replay is not None:
            return self.replay.response.status
        return self.shape.status if self.shape is not None else 0


def version_index(contract: Contract, scope: ExchangeScope) -> int:
    """Where the request's API version stands: absent, the last; unknown, the nearest earlier."""
    known = contract.versions
    if not known:
        return 0
    asked = contract.versions_from.value(scope) if contract.versions_from is not None else ABSENT
    if not isinstance(asked, str):
        return len(known) - 1
    if asked in known:
        return known.index(asked)
    return max([index for index, version in enumerate(known) if version <= asked], default=0)


def predict(
    operation: Operation,
    scope: ExchangeScope,
    mismatches: tuple[Mismatch, ...],
    choose: Choose,
    steer: Sequence[str] = (),
) -> Prediction:
    """The response that this request gets, in the world that ``choose`` picks."""
    prediction = Prediction(operation, scope, mismatches)
    last_check = _last_check(operation) if mismatches else -1
    if not scope.names["auth"]["ok"] and not _minds(operation, "auth"):
        return prediction
    keyed = operation.idempotency is None
    for index, shape in enumerate(operation.responses):
        if mismatches and index > last_check and scope.names["mismatch"] is not ABSENT:
            # The contract says nothing about a request that is invalid in this way.
            return prediction
        if not keyed and not shape.inherited:
            keyed = True
            if _idempotent(prediction, choose):
                return prediction
        if _comes(shape, scope, choose, steer):
            prediction.shape = shape
            return prediction
    if not keyed:
        _idempotent(prediction, choose)
    return prediction


def _comes(shape: ResponseShape, scope: ExchangeScope, choose: Choose, steer: Sequence[str]) -> bool:
    """Does the response exist in this version of the API, and does its condition hold?"""
    if shape.dated and not _lives(shape, scope):
        return False
    when = shape.when
    if when is None:
        return True
    if scope.open or shape.maybe:
        return _holds(shape, when, scope, choose, steer)
    value = when.run(scope)
    return value is True or (value is not False and truth(value, scope))


def _last_check(operation: Operation) -> int:
    """Where the last response that answers an invalid request stands; -1 without one."""
    return max((index for index, shape in enumerate(operation.responses) if shape.on_mismatch), default=-1)


def _minds(operation: Operation, name: str) -> bool:
    """Does any response depend on the name?"""
    return any(shape.when is not None and name in shape.when.names for shape in operation.responses)


def _lives(shape: ResponseShape, scope: ExchangeScope) -> bool:
    known = scope.contract.versions
    at = scope.version_index
    since = known.index(shape.since) if shape.since in known else 0
    until = known.index(shape.until) if shape.until in known else len(known)
    return since <= at < until


def _holds(shape: ResponseShape, when: Expression, scope: ExchangeScope, choose: Choose, steer: Sequence[str]) -> bool:
    if not scope.open:
        return _sampled(shape, when, scope, steer)
    answer = when.decide(scope)
    if answer is None:
        if shape.means is None:
            scope.widened.append("maybe" if shape.maybe else f"when {when.source}")
        return choose(f"when {shape.name}", 2) == 0
    if answer and shape.on_mismatch and scope.names["mismatch"] is not ABSENT:
        wrong = (Departure("invalid_accepted", 1, f"{shape.name}", str(scope.names["mismatch"]["path"])),)
        if choose(f"mismatch {shape.name}", 1, wrong) == 1:
            scope.names["mismatch"] = ABSENT
            return False
    return answer


def _sampled(shape: ResponseShape, when: Expression, scope: ExchangeScope, steer: Sequence[str]) -> bool:
    wanted = shape.name in steer
    if not wanted and not steer and shape.odds is not None:
        wanted = scope.draw.below(10_000) < shape.odds * 10_000
    if not wanted:
        return False
    before = scope.bind("maybe", True)
    holds = when.test(scope)
    scope.bind("maybe", before)
    return holds


def _idempotent(prediction: Prediction, choose: Choose) -> bool:
    """Was the key used before? Then the first answer again, or a conflict."""
    scope, rule = prediction.scope, prediction.operation.idempotency
    assert rule is not None
    key = rule.key.value(scope)
    if key is ABSENT or key is None or key.__class__ is Unknown or key == "":
        return False
    prediction.key = str(key)
    prediction.same = [_plain(scope.get(name)) for name in rule.same]
    entry = scope.state.keys.get((scope.contract.provider, prediction.key))
    held = entry is not None and _holds_still(entry, scope, rule, choose)
    matches = held and entry is not None and json_equal(entry.same, prediction.same)
    legal = "replay" if matches else "conflict" if held and rule.conflict is not None else "new"
    answer = _departing(prediction, entry, legal, choose) if scope.open else legal
    if answer == "new":
        return False
    if answer == "replay":
        prediction.replay = entry
    else:
        prediction.shape = rule.conflict
    prediction.key = None
    return True


def _holds_still(entry: KeyEntry, scope: ExchangeScope, rule: Idempotency, choose: Choose) -> bool:
    """Is the key still kept?"""
    age = _age(entry, scope.when, rule.keep)
    return age == "kept" or (age == "maybe" and choose("idempotency key expired", 2) == 0)


def _departing(prediction: Prediction, entry: KeyEntry | None, legal: str, choose: Choose) -> str:
    """Judge: the answer that is due, or another: the key held against a request that is not its own, or ignored.

    A first answer that came again says more than what a new one has in common with it, so it is thought of first.
    """
    wrong: list[tuple[str, str]] = []
    if legal != "replay" and entry is not None:
        wrong.append(("replay", "idempotency_scope"))
    if legal != "new":
        wrong.append(("new", "idempotency_ignored"))
    if not wrong:
        return legal
    origin = f"{prediction.operation.name}.idempotency"
    departures = tuple(Departure(kind, 1, origin, "headers.idempotency") for _, kind in wrong)
    taken = choose("idempotency", 1, departures)
    return legal if taken == 0 else wrong[taken - 1][0]


def _age(entry: KeyEntry, when: Interval, keep: float | None) -> str:
    if keep is None or when.hi - entry.at.lo <= keep:
        return "kept"
    return "expired" if when.lo - entry.at.hi > keep else "maybe"


def _plain(value: object) -> Json:
    return None if value is ABSENT else value
