"""The drift run: the same scenarios on simulator and sandbox, compared, blamed, kept, with a verdict."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from troth import __version__
from troth.contracts.contract import Contract
from troth.contracts.document.folder import CONTRACT_FILE
from troth.errors import TrothError
from troth.runners.choosing import chosen, distinct_providers
from troth.runners.drift_settings import DriftSettings
from troth.runners.events import OnEvent, silent
from troth.runners.exits import exit_code
from troth.runners.finding import Coverage, ProviderRun, Run, Verdict
from troth.runners.gate import FLAG, Open
from troth.runners.memory import Memory
from troth.runners.names import run_id
from troth.runners.plan import Planned
from troth.runners.progress import progress_beside
from troth.runners.provider_result import provider_result
from troth.runners.provider_work import ProviderWork, Shared
from troth.runners.redact import Redactor
from troth.runners.token_key import token_key
from troth.runners.verdicts import worst

__all__ = ["DriftSettings", "Unloadable", "run_drift"]


@dataclass(frozen=True, slots=True)
class Unloadable:
    """A contract that cannot be used, among others that can: it is reported, and they run."""

    path: str
    error: TrothError


def run_drift(contracts: Sequence[Contract | Unloadable], settings: DriftSettings, on_event: OnEvent = silent) -> Run:
    """Run, compare and keep everything; whatever happens to one provider, the others' results are there.

    Raises UsageError when ``settings.only`` names no scenario (E376) or two contracts speak of one provider (E414).
    Ctrl-C gives what there is by then: scenarios that did not end count as skipped. A store that cannot be used costs
    the history, never the run.
    """
    started = time.time()
    usable = [contract for contract in contracts if isinstance(contract, Contract)]
    distinct_providers(usable)
    items = chosen(usable, settings.only)
    redactor = Redactor(token_key(settings.store))
    progress = progress_beside(settings.store)
    if not settings.resume and (settings.sandbox or settings.environment.get(FLAG) == "1"):
        progress.begin()
    shared = Shared(run_id(settings.slot or started, os.urandom(8)), settings, on_event, redactor, progress)
    with Memory.open(settings.store, shared.run_id, started) as memory:
        works = [_work_of(contract, mine, shared, memory) for contract, mine in zip(usable, items, strict=True)]
        interrupted = _work(works)
        memory.replace({run for work in works for run in work.earlier}, {work.contract.provider for work in works})
        providers = [provider_result(work, memory) for work in works]
        providers += [_unloadable(item) for item in contracts if isinstance(item, Unloadable)]
        run = Run(
            run_id=shared.run_id,
            started=started,
            finished=time.time(),
            verdict=worst((provider.verdict, "") for provider in providers)[0] if providers else Verdict.SKIPPED,
            providers=tuple(providers),
            seed=settings.seed,
            command=settings.command,
            troth=__version__,
            gate=any(isinstance(work.decision, Open) for work in works),
            fail_on=settings.fail_on,
            interrupted=interrupted,
        )
        run = replace(run, exit_code=int(exit_code(run, settings.fail_on)))
        memory.keep(run)
        if not _cut_off(run, works):
            progress.begin()
        return _with_notes(run, memory.notes)


def _cut_off(run: Run, works: Sequence[ProviderWork]) -> bool:
    """Is there anything to go on with?"""
    sandboxes = [work.sandbox for work in works if isinstance(work.decision, Open) and work.sandbox is not None]
    unfinished = any(outcome.outcome != "ok" for sandbox in sandboxes for outcome in sandbox.outcomes)
    return run.interrupted or unfinished or not sandboxes


def _work_of(contract: Contract, items: tuple[Planned, ...], shared: Shared, memory: Memory) -> ProviderWork:
    order = memory.queue(contract, [item.label for item in items])
    return ProviderWork(contract, items, shared, tuple(item.label for item in order), habits=memory.habits)


def _work(works: Sequence[ProviderWork]) -> bool:
    """Run all of them, one after the other; was it interrupted?"""

    async def every() -> None:
        for work in works:
            await work.run()

    try:
        asyncio.run(every())
    except KeyboardInterrupt:
        return True
    return False


def _unloadable(item: Unloadable) -> ProviderRun:
    path = Path(item.path)
    # What the contract calls its provider cannot be read.
    name = path.absolute().parent.name if path.name == CONTRACT_FILE else path.stem
    return ProviderRun(
        provider=name or item.path,
        verdict=Verdict.BROKEN,
        coverage=Coverage(notes=(f"{item.path}: the contract cannot be used",)),
        reason=str(item.error),
        contract=item.path,
        refused=True,
    )


def _with_notes(run: Run, notes: Sequence[str]) -> Run:
    """What could not be kept or looked up, told with every provider."""
    if not notes:
        return run
    providers = tuple(
        replace(provider, coverage=replace(provider.coverage, notes=(*provider.coverage.notes, *notes)))
        for provider in run.providers
    )
    return replace(run, providers=providers)
