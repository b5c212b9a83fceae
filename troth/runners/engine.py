"""Runs the scenarios of a contract on one target, whatever that target is."""

from __future__ import annotations

import asyncio

from troth.contracts.contract import Contract
from troth.runners.budget import BUDGET
from troth.runners.confirm import confirm
from troth.runners.events import ScenarioFinished, ScenarioStarted, TargetFinished, TargetStarted
from troth.runners.plan import Planned, RunPlan, planned
from troth.runners.session import Session
from troth.runners.step_result import Outcome, StepResult, TargetRun
from troth.runners.sweep import sweep
from troth.runners.target import RunTarget
from troth.runners.walk import Walk

__all__ = ["run_items", "run_session", "run_target"]


async def run_target(contract: Contract, target: RunTarget, plan: RunPlan) -> TargetRun:
    """Run every planned scenario; nothing that the target does raises. Closes the target's client.

    UsageError when ``plan.only`` names no scenario. A cancelled run cleans up first.
    """
    async with target.client:
        return await run_session(Session(contract, target, plan))


async def run_session(session: Session) -> TargetRun:
    """The same on a client that stays open. First takes back what earlier runs left."""
    items = planned(session.contract, session.plan.only)
    target = session.target
    session.tell(TargetStarted(session.contract.provider, target.name, target.url, len(items)))
    try:
        await _swept(session)
        return await run_items(session, items)
    finally:
        session.tell(TargetFinished(session.contract.provider, target.name, session.breaker.stopped))


async def _swept(session: Session) -> None:
    """Take back what earlier runs left; what stays is told."""
    swept = await sweep(session)
    session.leftovers += [(scenario, session.plan.redactor.text(words)) for scenario, words in swept.left]
    for words in swept.alone:
        session.note(words)


async def run_items(session: Session, items: tuple[Planned, ...]) -> TargetRun:
    """Run some scenarios, and those of suspect replies twice."""
    outcomes = await _all(session, items)
    await confirm(session, items)
    _note_skew(session)
    _note_moves(session)
    return TargetRun(
        target=session.target.name,
        url=session.plan.redactor.text(session.target.url),
        results=_ordered(session.results, items),
        outcomes=outcomes,
        stopped=session.breaker.stopped,
        notes=tuple(session.notes),
        leftovers=tuple(session.leftovers),
    )


async def _all(session: Session, items: tuple[Planned, ...]) -> tuple[Outcome, ...]:
    """One after another, or as many at once as the target's limits say."""
    at_once = 1 if session.target.simulated else session.target.limits.concurrency or 1
    turn = asyncio.Semaphore(at_once)

    async def one(item: Planned) -> Outcome:
        async with turn:
            return await _one(session, item)

    turns = _in_turn(items, session.plan.order)
    if at_once == 1:
        done = {item.label: await _one(session, item) for item in turns}
    else:
        async with asyncio.TaskGroup() as group:
            tasks = {item.label: group.create_task(one(item)) for item in turns}
        done = {label: task.result() for label, task in tasks.items()}
    return tuple(done[item.label] for item in items)


def _in_turn(items: tuple[Planned, ...], order: tuple[str, ...]) -> tuple[Planned, ...]:
    places = {label: index for index, label in enumerate(order)}
    return tuple(sorted(items, key=lambda item: places.get(item.label, len(places))))


async def _one(session: Session, item: Planned) -> Outcome:
    provider, target = session.contract.provider, session.target.name
    before = len(session.results)
    if session.breaker.stopped is not None:
        outcome = Outcome(item.label, "skipped", f"the target was given up: {session.breaker.stopped.reason}")
    else:
        outcome = await _within_budget(session, item)
    found = sum(_mismatches(result) for result in session.results[before:] if result.scenario == item.label)
    told = ScenarioFinished(provider, target, item.label, outcome.outcome, outcome.reason, found, outcome.over_budget)
    session.tell(told)
    return outcome


async def _within_budget(session: Session, item: Planned) -> Outcome:
    spent = session.budget.begin(item.label)
    if spent is not None:
        return Outcome(item.label, "skipped", f"{BUDGET}: {spent.reason}", over_budget=True)
    try:
        session.tell(ScenarioStarted(session.contract.provider, session.target.name, item.label))
        return await Walk(session, item).run()
    finally:
        session.budget.end(item.label)


def _mismatches(result: StepResult) -> int:
    return len(result.unmet) + (len(result.judgement.mismatches) if result.judgement is not None else 0)


def _ordered(results: list[StepResult], items: tuple[Planned, ...]) -> tuple[StepResult, ...]:
    """By scenario, in the order of the contract; scenarios that ran at once came mixed."""
    order = {item.label: index for index, item in enumerate(items)}
    return tuple(sorted(results, key=lambda result: (order[result.scenario], result.number)))


def _note_moves(session: Session) -> None:
    """Changes that the provider was to make by itself, and that nobody waited for."""
    unseen = [f"{collection}.{move}" for (collection, move), seen in session.model.state.moves.items() if not seen]
    if unseen and not session.target.simulated:
        session.note(f"moves that no scenario waited for, so that nobody knows whether they come: {', '.join(unseen)}")


def _note_skew(session: Session) -> None:
    if session.target.skew.seen > 60:
        session.note(f"the clock of {session.target.name} is {session.target.skew.seen:.0f} seconds off ours")
