"""Takes back what an earlier run left in a sandbox when it was killed before it could clean up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from troth.contracts.model.outgoing import build_request
from troth.errors import TrothError
from troth.runners.cleanup import in_doubt
from troth.runners.session import Session
from troth.runners.undo_log import UndoEntry

__all__ = ["sweep"]

GRACE = 3600.0
"""Seconds before an open entry counts as left behind: until then its run may still be going on elsewhere."""
MOST = 100


async def sweep(session: Session) -> None:
    """Undo, oldest first, what is still open in the undo log for this target; what stays is noted."""
    if session.target.simulated:
        return
    entries = session.plan.undo_log.open(session.contract.provider, session.target.url)
    left = [entry for entry in entries if session.target.clock.now() - entry.time >= GRACE]
    _note_young(session, [entry for entry in entries if entry not in left])
    for entry in left[:MOST]:
        if session.breaker.stopped is not None:
            return
        why = await _undo(session, entry)
        if why:
            session.note(f"left by run {entry.run}: {why}")
    if len(left) > MOST:
        session.note(f"{len(left) - MOST} more things that earlier runs left are taken back by later runs")


def _note_young(session: Session, young: Sequence[UndoEntry]) -> None:
    """Tell of what another run holds, which may be going on, or may have been killed a minute ago."""
    newest = {entry.run: entry.time for entry in young}
    for run, count in Counter(entry.run for entry in young).items():
        minutes = round((session.target.clock.now() - newest[run]) / 60)
        session.note(
            f"{count} thing{'s' if count > 1 else ''} of run {run}, {minutes} min ago, left alone: that run may still "
            f"be going on; when it is not, a run that starts in {round(GRACE / 60) - minutes} min or later takes back "
            "what is left"
        )


async def _undo(session: Session, entry: UndoEntry) -> str:
    """Why an entry stays open; "" when it is closed."""
    log, target = session.plan.undo_log, session.target
    operation = session.contract.operations.get(entry.call)
    if operation is None:
        log.done(entry.id)
        return in_doubt(entry)
    try:
        request = build_request(session.contract, operation, entry.values)
    except TrothError as error:
        log.done(entry.id)
        return f"{entry.operation} in {entry.scenario!r} cannot be taken back: {error}"
    await session.budget.take(cleanup=True)
    attempt = await target.client.send(request, target.base(operation), operation.auth or session.contract.auth)
    status = None if attempt.response is None else attempt.response.status
    if status is not None and (status < 400 or status in (404, 410)):
        log.done(entry.id)
        return ""
    answer = attempt.failure.words if attempt.failure is not None else f"{entry.call} answered {status}"
    return f"{entry.operation} in {entry.scenario!r} is still there: {answer}"
