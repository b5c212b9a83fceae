"""``troth nightly``."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from troth.cli.arguments import Gate, Paths

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from troth.cli.session import Session
    from troth.runners.finding import Run
    from troth.runners.nightly import NightlyEvent

__all__ = ["nightly"]


def nightly(
    context: typer.Context,
    paths: Paths = None,
    sandbox: Gate = False,
    once: Annotated[bool, typer.Option("--once", help="Run everything now, and end.")] = False,
    now: Annotated[
        str | None, typer.Option("--now", metavar="PROVIDER", help="Run this provider now, and end.")
    ] = None,
) -> None:
    """Run contracts on their sandboxes, by schedule.

    The schedule is nightly.schedule in the settings. Contracts are read anew for each run.
    """
    from troth.cli.drift import tell
    from troth.cli.interrupts import sigterm_interrupts
    from troth.reports.write import check_out
    from troth.runners.nightly import run_nightly, schedule_of

    session: Session = context.obj
    wanted = session.paths(paths)
    settings = session.settings
    check_out(settings.report_path)
    if not sandbox and os.environ.get("TROTH_SANDBOX") != "1":
        session.note("The gate is closed: without --sandbox or TROTH_SANDBOX=1 no sandbox is called.")
    if once or now is not None:
        with sigterm_interrupts():
            run = _run(session, wanted, sandbox, now)
        tell(session, run, settings.report_path, as_json=False)
    schedule = schedule_of(settings.nightly.schedule, settings.nightly.timezone)
    raise typer.Exit(run_nightly(schedule, lambda slot: _run(session, wanted, sandbox, slot=slot), _teller(session)))


def _run(
    session: Session, paths: Sequence[str], sandbox: bool, provider: str | None = None, slot: float | None = None
) -> Run:
    """One run of all contracts, or of one provider's, with its report."""
    from troth.cli.addresses import addresses
    from troth.cli.confirmation import confirmation
    from troth.cli.drift import write
    from troth.cli.progress import progress
    from troth.cli.usable import load_usable
    from troth.contracts.contract import Contract
    from troth.runners.drift import DriftSettings, run_drift
    from troth.runners.drift_settings import request_limits

    settings = session.settings
    contracts = load_usable(paths)
    if provider is not None:
        usable = [each for each in contracts if isinstance(each, Contract)]
        known = sorted({each.provider for each in usable})
        contracts = [each for each in usable if each.provider == provider]
        if not contracts:
            raise _no_such_provider(provider, known, paths)
    wanted = DriftSettings(
        sandbox=sandbox,
        urls=addresses((), settings, [each.provider for each in contracts if isinstance(each, Contract)]),
        fail_on=settings.fail_on,
        seed=settings.seed,
        root=settings.root,
        store=settings.store_path,
        limits=request_limits(settings.timeout_seconds),
        fixed_after=settings.fixed_after,
        confirm=confirmation(settings),
        slot=slot,
        command=session.command,
    )
    with progress(session) as on_event:
        run = run_drift(contracts, wanted, on_event)
    write(session, run, settings.report_path)
    return run


def _no_such_provider(provider: str, known: Sequence[str], paths: Sequence[str]) -> Exception:
    from troth.contracts.suggest import closest
    from troth.errors import UsageError

    asked = f"a provider of the contracts in {', '.join(paths)}: {', '.join(known)}"
    near = closest(provider, known)
    return UsageError("E910", asked, repr(provider), f"Did you mean {near!r}?" if near else "")


def _teller(session: Session) -> Callable[[NightlyEvent], None]:
    def tell(event: NightlyEvent) -> None:
        """A line for what the schedule does."""
        slot = f" {datetime.fromtimestamp(event.at, UTC):%Y-%m-%d %H:%M} UTC" if event.at is not None else ""
        detail = f": {event.detail}" if event.detail else ""
        session.note(f"{event.kind}{slot}{detail}")

    return tell
