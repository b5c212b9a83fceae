"""What a call costs, by unit, as the operation's ``cost`` says it: ``{"usd": 0.02, "tokens": 512}``."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import isfinite
from typing import TypeAlias

from troth.contracts.contract import Operation
from troth.contracts.exchange import Interval
from troth.contracts.expressions.expression_error import ExpressionError
from troth.contracts.model.model import Model
from troth.contracts.values import Value
from troth.runners.reply_names import model_scope

__all__ = ["Price", "price_of"]

Price: TypeAlias = Mapping[str, float]


def price_of(model: Model, operation: Operation, names: Mapping[str, Value], now: float) -> Price:
    """What a call cost; ``names`` are those of the call. A unit whose amount cannot be worked out is left out."""
    if not operation.cost:
        return {}
    scope = model_scope(model, operation, dict(names), Interval(now, now))
    found: dict[str, float] = {}
    for unit, said in operation.cost.items():
        try:
            amount = said.value(scope)
        except ExpressionError:
            continue
        if isinstance(amount, int | float | Decimal) and not isinstance(amount, bool):
            number = float(amount)
            if isfinite(number) and number >= 0:
                found[unit] = number
    return found
