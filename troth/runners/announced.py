"""What a provider says of its own future: ``Deprecation`` (RFC 9745) and ``Sunset`` (RFC 8594) on its replies.

It is no disagreement yet. How soon the end is decides how bad it is, so each span is a kind of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Final

from troth.contracts.contract import Contract
from troth.runners.disagreement import Disagreement, Row
from troth.runners.step_result import StepResult, TargetRun

__all__ = ["announced"]

DAY: Final = 86_400.0
NEAR: Final = 14 * DAY
SOON: Final = 90 * DAY
"""Seconds until the end that leave hardly time, and little time, to move."""


def announced(contract: Contract, sandbox: TargetRun | None) -> Iterator[Disagreement]:
    """One for each operation, the nearest end that a reply of it names; not where the contract declares the header."""
    ends: dict[str, tuple[float, Disagreement]] = {}
    for result in sandbox.results if sandbox else ():
        found = _announcement(contract, result)
        if found is not None and found[0] < ends.get(result.operation, (float("inf"),))[0]:
            ends[result.operation] = found
    yield from (found for _, found in ends.values())


def _announcement(contract: Contract, result: StepResult) -> tuple[float, Disagreement] | None:
    """Seconds until the end (a year for none that is named), and what to tell of it."""
    headers = {name.lower(): value for name, value in result.exchange.response_headers}
    name = next(
        (name for name in ("sunset", "deprecation") if name in headers and not _declared(contract, result, name)), ""
    )
    if not name:
        return None
    left = _left(headers[name], result.exchange.started) if name == "sunset" else None
    kind, want = "deprecated", "nothing of the kind: the provider says that it will not keep this operation"
    if left is not None and left < SOON:
        kind = "sunset_near" if left < NEAR else "sunset"
        want = (
            f"an operation that stays; it ends in {left / DAY:.0f} days"
            if left > 0
            else "an operation that is not over"
        )
    return 365 * DAY if left is None else left, Disagreement(
        row=Row.ANNOUNCED,
        kind=kind,
        operation=result.operation,
        scenario=result.scenario,
        number=result.number,
        path=f"headers.{name}",
        origin=f"{result.operation}.announced",
        sandbox=headers[name],
        want=want,
        on_sandbox=result,
    )


def _declared(contract: Contract, result: StepResult, name: str) -> bool:
    """Does the contract know of this header?"""
    operation = contract.operations.get(result.operation)
    shape = operation.response(result.judgement.response or "") if operation and result.judgement else None
    return shape is not None and shape.headers is not None and any(field.name == name for field in shape.headers.fields)


def _left(text: str, now: float) -> float | None:
    """Seconds from ``now`` to an HTTP date; None when it is none."""
    try:
        return parsedate_to_datetime(text).timestamp() - now
    except (ValueError, TypeError, OverflowError):
        return None
