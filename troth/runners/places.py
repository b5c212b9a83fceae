"""Places at which contract and sandbox can agree, and what is remembered of them from night to night.

A demand of the contract is remembered by its origin and the response that showed it: that a refund shows its currency
proves nothing about a charge. Which response came, and what a scenario expected besides, depend on what the scenario
did before, so they are remembered by scenario too.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from troth.runners.disagreement import Disagreement, about_reply
from troth.runners.step_result import StepResult, TargetRun
from troth.runners.triangulate import mismatches, unobserved_of

__all__ = ["Spot", "agreed_spots", "parent", "promised_response", "spots_of"]

_MEMBER = re.compile(r"""(\.[^.\[\]]+|\['(?:[^'\\]|\\.)*'\])$""")
"""The last member of an origin's path."""


class Spot(NamedTuple):
    """``origin`` of a demand as ``where`` (``operation.response``) shows it; in ``scenario`` only, when that is set."""

    origin: str
    where: str
    scenario: str = ""

    @property
    def operation(self) -> str:
        """The operation that shows it."""
        return self.where.rpartition(".")[0]

    @property
    def reply(self) -> bool:
        """Is the question which response came?"""
        return self.origin.startswith("reply ")


def _reply(where: str, scenario: str) -> Spot:
    return Spot(f"reply {where} in {scenario}", where, scenario)


def _expectations(where: str, scenario: str) -> Spot:
    return Spot(f"expectations of {where} in {scenario}", where, scenario)


def agreed_spots(run: TargetRun) -> dict[Spot, str]:
    """Every spot where a run agreed with the contract and nowhere disagreed, to the first scenario that shows it."""
    agreed: dict[Spot, str] = {}
    wrong: set[Spot] = set()
    for result in run.results:
        if result.judgement is None or unobserved_of(result) is not None:
            continue
        where = f"{result.operation}.{result.judgement.response}"
        wrong |= _wrong(result, where)
        for origin in result.judgement.agreed:
            agreed.setdefault(Spot(str(origin), where), result.scenario)
        if result.judgement.response is not None:
            agreed.setdefault(_reply(where, result.scenario), result.scenario)
            agreed.setdefault(_expectations(where, result.scenario), result.scenario)
    return {spot: agreed[spot] for spot in sorted(agreed) if spot not in wrong}


def _wrong(result: StepResult, where: str) -> set[Spot]:
    found: set[Spot] = set()
    for mismatch, unmet in mismatches(result):
        if about_reply(mismatch.kind, mismatch.path):
            # Neither did the reply come that was due, nor was the one due that came.
            due = result.judgement.predicted if result.judgement else ()
            found |= {_reply(f"{result.operation}.{name}", result.scenario) for name in due}
            found.add(_reply(where, result.scenario))
        elif unmet:
            found.add(_expectations(where, result.scenario))
        else:
            found.add(Spot(str(mismatch.origin), where))
    return found


def spots_of(item: Disagreement) -> tuple[Spot, ...]:
    """Where an agreement would speak against a disagreement, the nearest first."""
    where = f"{item.operation}.{promised_response(item)}"
    if about_reply(item.kind, item.path):
        return (_reply(where, item.scenario),)
    if item.unmet:
        return (_expectations(where, item.scenario),)
    if item.origin.startswith(f"{item.operation}.replay"):
        # A replay disagrees at a path, and agrees as a whole.
        return Spot(item.origin, where), _reply(where, item.scenario)
    if item.kind == "new_field":
        # What is not listed has never agreed; that nothing was there besides has.
        return Spot(f"{parent(item.origin)}.*", where), Spot(item.origin, where)
    if item.origin == f"{item.operation}.reply":
        # A body that cannot be read is no response's; that this one came here says that it could be read.
        return (_reply(where, item.scenario),)
    return (Spot(item.origin, where),)


def parent(origin: str) -> str:
    """The origin of what the last member of this one's path is in; "" where it has none."""
    return _MEMBER.sub("", origin) if _MEMBER.search(origin) else ""


def promised_response(item: Disagreement) -> str | None:
    """The response that the contract promised at this step, whose proof counts."""
    judged = item.on_sandbox.judgement if item.on_sandbox else None
    if judged is None or (judged.response is not None and not about_reply(item.kind, item.path)):
        return judged.response if judged else None
    simulated = item.on_simulator.judgement if item.on_simulator else None
    if simulated is not None and (simulated.response in judged.predicted or not judged.predicted):
        return simulated.response
    return judged.predicted[-1] if judged.predicted else None
