"""``troth sweep``: takes back what killed runs left in one sandbox, and runs nothing."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from troth.contracts.contract import Contract
from troth.errors import RefusedCredential, UsageError
from troth.runners.client import RequestLimits
from troth.runners.exits import Exit
from troth.runners.gate import Open, Passport, Shut, open_gate
from troth.runners.names import run_id
from troth.runners.needs import runnable
from troth.runners.plan import RunPlan
from troth.runners.redact import Redactor
from troth.runners.session import Session
from troth.runners.sweep import GRACE, Swept, sweep, sweep_names
from troth.runners.target import sandbox_target
from troth.runners.undo_log import FileUndoLog

__all__ = ["Broom", "Cleaned", "clean"]


@dataclass(frozen=True, slots=True)
class Broom:
    """What a sweep is told. ``log`` is the undo log's file."""

    log: Path
    environment: Mapping[str, str]
    sandbox: bool = False
    url: str | None = None
    grace: float = GRACE
    """Seconds before something counts as left behind."""
    all_names: bool = False
    """Also take back what holds unique names of runs that this machine knows nothing of."""
    limits: RequestLimits | None = None


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What came of it; ``shut`` says why nothing was sent."""

    provider: str
    url: str = ""
    taken: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()
    shut: Shut | None = None

    @property
    def exit_code(self) -> Exit:
        """1 when something is still there; else as of a run."""
        if self.shut is not None:
            if isinstance(self.shut.error, RefusedCredential | UsageError):
                return Exit.USAGE
            return Exit.UNOBSERVED if self.shut.error is not None else Exit.NOTHING_RAN
        return Exit.DRIFT if self.left else Exit.OK


def clean(contract: Contract, broom: Broom) -> Cleaned:
    """Sweep the sandbox of one provider."""
    decision = open_gate(contract, runnable(contract), Passport(broom.sandbox, broom.environment, broom.url))
    if isinstance(decision, Shut):
        return Cleaned(contract.provider, shut=decision)
    return asyncio.run(_clean(contract, decision, broom))


async def _clean(contract: Contract, opened: Open, broom: Broom) -> Cleaned:
    target = sandbox_target(opened, broom.limits)
    async with target.client:
        run = run_id(time.time(), os.urandom(8))
        session = Session(contract, target, RunPlan(run, Redactor(os.urandom(16)), undo_log=FileUndoLog(broom.log)))
        swept = await sweep(session, broom.grace)
        if broom.all_names:
            await sweep_names(session, swept)
        return _told(session, swept)


def _told(session: Session, swept: Swept) -> Cleaned:
    text = session.plan.redactor.text
    return Cleaned(
        session.contract.provider,
        text(session.target.url),
        tuple(map(text, swept.taken)),
        tuple(text(words) for _, words in swept.left),
        tuple(map(text, swept.alone)),
    )
