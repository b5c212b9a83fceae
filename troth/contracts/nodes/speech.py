"""How a value is made, as one function: what ``is`` says, else the first source that has a value, else the default.

Made once for each node, so that a sample does not ask again and again what there is to say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from troth.contracts.expressions.unknowns import Closure
from troth.contracts.matcher import Scope
from troth.contracts.values import ABSENT, Json, Value

__all__ = ["Express", "Speech", "leave_out", "said_or_absent", "sourced"]

Speech: TypeAlias = Callable[[Scope, str], Json]
"""From a scope and a place (the dotted path without list indexes) to the value; ABSENT leaves it out."""
Express: TypeAlias = Callable[[Value, Scope, str], Json]
"""An expression's value in the form that a matcher gives it on the wire."""


def said_or_absent(run: Closure, express: Express | None) -> Speech:
    """What an expression says. ``express`` None: in the form that it has."""
    if express is None:
        return lambda scope, here: run(scope)

    def say(scope: Scope, here: str) -> Json:
        value = run(scope)
        return ABSENT if value is ABSENT else express(value, scope, here)

    return say


def sourced(run: Closure, takes: Callable[[Value], bool] | None, express: Express | None, otherwise: Speech) -> Speech:
    """The value of a source, unless it has none or ``takes`` refuses it; ``otherwise`` says something else then."""

    def say(scope: Scope, here: str) -> Json:
        value = run(scope)
        if value is ABSENT or (takes is not None and not takes(value)):
            return otherwise(scope, here)
        return value if express is None else express(value, scope, here)

    return say


def leave_out(scope: Scope, here: str) -> Json:
    """Where nobody says anything, and nothing has to be there."""
    return ABSENT
