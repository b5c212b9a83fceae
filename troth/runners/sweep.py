"""Takes back what earlier runs left in a sandbox when they were killed before they could clean up.

First by the undo log, which knows what was made, or that something was about to be; then by name, where no id is known.
What stays is a leak.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from troth.contracts.model.outgoing import build_request
from troth.contracts.values import Value
from troth.errors import TrothError
from troth.runners.cleanup import in_doubt
from troth.runners.leftovers import Leftover, search
from troth.runners.names import slug
from troth.runners.session import Session
from troth.runners.undo_log import UndoEntry

__all__ = ["GRACE", "Swept", "sweep", "sweep_names"]

GRACE = 3600.0
"""Seconds before an open entry counts as left behind: until then its run may still be going on elsewhere."""
MOST = 100


@dataclass
class Swept:
    """What a sweep did, in words."""

    taken: list[str] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)
    """(scenario, words) of each thing that is still there, or may be."""
    alone: list[str] = field(default_factory=list)
    """What other runs hold that may be going on."""


async def sweep(session: Session, grace: float = GRACE) -> Swept:
    """Undo, oldest first, what is open in the undo log for this target since ``grace`` seconds."""
    swept = Swept()
    if session.target.simulated:
        return swept
    entries = session.plan.undo_log.open(session.contract.provider, session.target.url)
    entries = tuple(entry for entry in entries if entry.run != session.plan.run_id)
    left = [entry for entry in entries if session.target.clock.now() - entry.time >= grace]
    swept.alone += _young(session, [entry for entry in entries if entry not in left], grace)
    doubtful = [entry for entry in left[:MOST] if entry.call not in session.contract.operations]
    for entry in left[:MOST]:
        if session.breaker.stopped is not None:
            return swept
        if entry not in doubtful:
            await _known(session, entry, swept)
    await _in_doubt(session, doubtful, swept)
    if len(left) > MOST:
        swept.alone.append(f"{len(left) - MOST} more things that earlier runs left are taken back by later runs")
    return swept


async def sweep_names(session: Session, swept: Swept) -> None:
    """Undo whatever holds a unique name of any run but this one. Nobody knows when it was made."""
    found = await search(session, None)
    for leftover in found.found:
        if leftover.run != slug(session.plan.run_id):
            await _named(session, leftover, "", swept)
    swept.alone += [f"what {operation} made was not looked for: {why}" for operation, why in found.unseen]


def _young(session: Session, young: Sequence[UndoEntry], grace: float) -> list[str]:
    """What another run holds, which may be going on, or may have been killed a minute ago."""
    newest = {entry.run: entry.time for entry in young}
    found = []
    for run, count in Counter(entry.run for entry in young).items():
        minutes = round((session.target.clock.now() - newest[run]) / 60)
        found.append(
            f"{count} thing{'s' if count > 1 else ''} of run {run}, {minutes} min ago, left alone: that run may still "
            f"be going on; when it is not, a run that starts in {round(grace / 60) - minutes} min or later takes back "
            "what is left, and `troth sweep --older-than 0s` does so now"
        )
    return found


async def _known(session: Session, entry: UndoEntry, swept: Swept) -> None:
    why = await _undo(session, entry.call, dict(entry.values))
    what = f"{entry.operation} in {entry.scenario!r}"
    if not why:
        session.plan.undo_log.done(entry.id)
        swept.taken.append(f"{what} of run {entry.run}: {entry.call}")
        return
    if why.startswith(_UNBUILT):
        session.plan.undo_log.done(entry.id)
        swept.left.append((entry.scenario, f"left by run {entry.run}: {what} cannot be taken back: {why}"))
    else:
        swept.left.append((entry.scenario, f"left by run {entry.run}: {what} is still there: {why}"))


async def _in_doubt(session: Session, entries: Sequence[UndoEntry], swept: Swept) -> None:
    """Of these only the intent is known: whether anything was made, its names tell."""
    if not entries or session.breaker.stopped is not None:
        return
    found = await search(session, {slug(entry.run) for entry in entries}, {entry.operation for entry in entries})
    scenarios = {(slug(entry.run), entry.operation): entry.scenario for entry in entries}
    stuck = set()
    for leftover in found.found:
        if not await _named(session, leftover, scenarios.get((leftover.run, leftover.operation), ""), swept):
            stuck.add((leftover.run, leftover.operation))
    unseen = dict(found.unseen)
    for entry in entries:
        if (slug(entry.run), entry.operation) in stuck:
            continue
        session.plan.undo_log.done(entry.id)
        why = unseen.get(entry.operation) or _unnamed(session, entry)
        if why:
            swept.left.append((entry.scenario, f"left by run {entry.run}: {in_doubt(entry)} ({why})"))


def _unnamed(session: Session, entry: UndoEntry) -> str:
    """Nothing was found; that proves something only where what is made can be listed."""
    operation = session.contract.operations.get(entry.operation)
    if operation is None or operation.undo is None:
        return "the contract no longer says how it is taken back"
    return ""


async def _named(session: Session, leftover: Leftover, scenario: str, swept: Swept) -> bool:
    why = await _undo(session, leftover.call, leftover.values)
    what = f"{leftover.operation} of a run with {leftover.run!r} in its names"
    if why:
        swept.left.append((scenario, f"{what} is still there: {why}"))
    else:
        swept.taken.append(f"{what}: {leftover.call}")
    return not why


_UNBUILT = "no request: "


async def _undo(session: Session, call: str, values: dict[str, Value]) -> str:
    """Why a thing is still there; "" when it is gone."""
    target, operation = session.target, session.contract.operations[call]
    auth = operation.auth or session.contract.auth
    try:
        request = build_request(session.contract, operation, values)
    except TrothError as error:
        return f"{_UNBUILT}{error}"
    await session.budget.take(cleanup=True)
    refused = await session.tokens.ready(auth)
    if refused is not None:
        return refused.reason
    attempt = await target.client.send(request, target.base(operation), auth)
    status = None if attempt.response is None else attempt.response.status
    if status is not None and (status < 400 or status in (404, 410)):
        return ""
    return attempt.failure.words if attempt.failure is not None else f"{call} answered {status}"
