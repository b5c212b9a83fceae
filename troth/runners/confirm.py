"""When a reply that says nothing by itself is drift after all.

Redirects, HTML for JSON, bodies that cannot be decoded or are too large, and other refusals of a request without
credentials become findings when the rest of the target works and a second run gets the same again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from troth.contracts.contract import Operation
from troth.contracts.exchange import Request
from troth.contracts.judgement import Judgement, Unobserved
from troth.contracts.matcher import Mismatch, Origin
from troth.contracts.values import ABSENT
from troth.runners.breaker import Breaker
from troth.runners.classify import unusable
from troth.runners.plan import Planned
from troth.runners.redact import Redactor
from troth.runners.session import Session, Suspect
from troth.runners.step_result import StepResult
from troth.runners.walk import Walk

__all__ = ["confirm"]

_FROM_THE_API = frozenset({"format"})
"""Broken JSON that says it is JSON comes from no front door: a health request that is answered is all it takes."""
MOST_RERUNS = 5
"""Scenarios that are run again at most; the others stay unobserved."""


async def confirm(session: Session, items: tuple[Planned, ...]) -> None:
    """Run the scenarios of suspect replies once more, and turn those that come again into findings."""
    given_up = session.breaker.stopped is not None and not session.breaker.by_one_operation
    if given_up or session.target.simulated:
        return
    known_good = _FROM_THE_API if session.target.limits.health is not None else frozenset()
    suspects = [
        suspect for suspect in session.suspects if suspect.kind in known_good or session.answered - {suspect.operation}
    ]
    if not suspects or not await _healthy(session):
        return
    by_label = {item.label: item for item in items}
    for label in list(dict.fromkeys(suspect.scenario for suspect in suspects))[:MOST_RERUNS]:
        again = await _again(session, by_label[label])
        for suspect in suspects:
            if suspect.scenario == label and suspect in again:
                _convict(session, suspect)


async def _healthy(session: Session) -> bool:
    """Does the target's health request get a proper answer? Nobody knows where none is declared."""
    health, target = session.target.limits.health, session.target
    if health is None:
        return True
    if await session.budget.take() is not None:
        return False
    attempt = await target.client.send(Request(*health), target.url, session.contract.auth)
    if attempt.failure is not None or attempt.response is None:
        return False
    return attempt.response.status < 400 and not unusable(attempt.response)


async def _again(session: Session, item: Planned) -> list[Suspect]:
    """The suspect replies of a second run, which has fresh names and a judge of its own and leaves no results."""
    second = session.again()
    if session.breaker.stopped is not None:
        second.breaker = Breaker()  # one operation's replies have had the target given up, and they are what is asked
    outcome = await Walk(second, item).run()
    for leak in outcome.leaks:
        session.note(f"{item.label}, second run: {leak}")
    return second.suspects


def _convict(session: Session, suspect: Suspect) -> None:
    for index, result in enumerate(session.results):
        if (result.scenario, result.trail) == (suspect.scenario, suspect.trail) and result.unobserved is not None:
            operation = session.contract.operations[suspect.operation]
            session.results[index] = _finding(result, suspect, operation, session.plan.redactor)


def _finding(result: StepResult, suspect: Suspect, operation: Operation, redactor: Redactor) -> StepResult:
    judgement = result.judgement or Judgement(suspect.operation, None)
    why = result.unobserved or Unobserved("unreachable", "")
    want = redactor.text(f"{why.reason}; a second run got the same, while the rest of the provider answers")
    refusal = operation.response(suspect.due) if suspect.kind == "status" else None
    if refusal is not None:
        origin = Origin(f"{suspect.operation}.{refusal.name}", ".status")
        mismatch = Mismatch("status", "status", refusal.status, suspect.status, origin, want)
    elif suspect.kind == "undeclared":
        due = ", ".join(judgement.predicted) or ABSENT
        origin = Origin(suspect.operation, f".{suspect.status}")
        mismatch = Mismatch("undeclared", "status", due, suspect.status, origin, want)
    else:
        declared = ", ".join(_declared(operation)) or ABSENT
        origin = Origin(suspect.operation, ".reply")
        mismatch = Mismatch(suspect.kind, "$", declared, suspect.media or ABSENT, origin, want)
    judged = replace(judgement, mismatches=(mismatch,), unobserved=None, unjudged=())
    return replace(result, judgement=judged, unobserved=None)


def _declared(operation: Operation) -> Iterator[str]:
    """The media types, or codecs, that the operation's responses declare."""
    shapes = [shape for shape in operation.responses if shape.body is not None]
    yield from dict.fromkeys(shape.content_type or shape.codec for shape in shapes)
