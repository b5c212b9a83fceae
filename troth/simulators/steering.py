"""Which responses a test can steer a simulator to, and why a request could not get one.

Only what the contract leaves open (``when: maybe``) can be chosen; anything else follows from the request and the
state, and a simulator that gave it all the same would show a provider that there is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from troth.contracts.suggest import did_you_mean
from troth.errors import UsageError

if TYPE_CHECKING:
    from troth.contracts.contract import Contract, ResponseShape
    from troth.contracts.judgement import Answer

__all__ = ["FIX", "check_steering", "unsteered"]

FIX = "Steer right before the request that shall get it, or write `when: maybe` into the contract"


def check_steering(contract: Contract, names: Iterable[str]) -> None:
    """Raises UsageError E304 for a name that no operation declares, or that none leaves open."""
    declared = [(operation.name, shape) for operation in contract.operations.values() for shape in operation.responses]
    known = {shape.name for _, shape in declared} | {"conflict", "replay"}
    for name in names:
        asked = f"a response of {contract.provider} to steer to"
        if name not in known:
            raise UsageError("E304", asked, repr(name), did_you_mean(name, sorted(known), "responses"))
        shapes = [(operation, shape) for operation, shape in declared if shape.name == name]
        if not any(shape.maybe for _, shape in shapes):
            raise UsageError("E304", asked, f"{name!r}, which no request leaves open", _way_to(shapes))


def unsteered(contract: Contract, answer: Answer, names: Sequence[str]) -> str:
    """Why the request that got ``answer`` got none of ``names``."""
    operation = contract.operations[answer.operation or ""]
    wanted = " or ".join(repr(name) for name in names)
    if not any(shape.maybe and shape.name in names for shape in operation.responses):
        return f"steered to {wanted}, which {operation.name} does not leave open"
    return f"steered to {wanted}, but {operation.name} answers this request by {answer.name!r}, which goes first"


def _way_to(shapes: Sequence[tuple[str, ResponseShape]]) -> str:
    conditions = [f"{operation}: {shape.when.source}" for operation, shape in shapes if shape.when is not None]
    if not conditions:
        return "Nothing needs to be steered: it is what requests get when nothing else holds, or what idempotency gives"
    return f"Send a request for which its `when` holds ({'; '.join(conditions[:3])}), or write `when: maybe`"
