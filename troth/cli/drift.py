"""``troth drift``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from troth.cli.arguments import AsJson, FailOn, Gate, Out, Paths, Seed
from troth.contracts.kinds import Severity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troth.cli.session import Session
    from troth.contracts.contract import Contract
    from troth.runners.drift import DriftSettings, Unloadable
    from troth.runners.finding import Run

__all__ = ["drift", "foretell", "tell", "write"]


def drift(
    context: typer.Context,
    paths: Paths = None,
    sandbox: Gate = False,
    url: Annotated[
        list[str] | None,
        typer.Option("--url", metavar="PROVIDER=URL", help="Where a provider's sandbox is, for this run."),
    ] = None,
    out: Out = None,
    fail_on: FailOn = None,
    seed: Seed = None,
    confirm: Annotated[
        int | None,
        typer.Option(
            "--confirm",
            metavar="N",
            min=1,
            max=20,
            help="So many more runs with than without a finding confirm it. 1: no second look.",
        ),
    ] = None,
    confirm_over: Annotated[
        str | None,
        typer.Option("--confirm-over", metavar="TIME", help="Spread the further runs over this time, such as 10m."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="SCENARIO", help="Run these scenarios only.")
    ] = None,
    fuzz: Annotated[bool, typer.Option("--fuzz", help="Also send generated requests to each simulator.")] = False,
    plan: Annotated[
        bool, typer.Option("--plan", help="Tell what a run on the sandbox would do, and send nothing.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the last run if it was cut off; nothing is sent twice.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Compare simulator and sandbox, and write the report.

    Without --sandbox only the simulator is run, and the sandbox is reported as skipped.
    """
    from troth.cli.addresses import addresses
    from troth.cli.confirmation import confirmation
    from troth.cli.interrupts import sigterm_interrupts
    from troth.cli.progress import progress
    from troth.cli.usable import load_usable
    from troth.contracts.contract import Contract
    from troth.reports.write import check_out
    from troth.runners.drift import DriftSettings, run_drift
    from troth.runners.drift_settings import request_limits

    session: Session = context.obj
    settings = session.settings
    folder = out if out is not None else settings.report_path
    if not plan:
        check_out(folder)
    contracts = load_usable(session.paths(paths))
    providers = [contract.provider for contract in contracts if isinstance(contract, Contract)]
    wanted = DriftSettings(
        sandbox=sandbox,
        urls=addresses(url or (), settings, providers),
        fail_on=Severity(fail_on) if fail_on else settings.fail_on,
        seed=settings.seed if seed is None else seed,
        only=tuple(only or ()),
        root=settings.root,
        store=settings.store_path,
        limits=request_limits(settings.timeout_seconds),
        fixed_after=settings.fixed_after,
        confirm=confirmation(settings, confirm, confirm_over),
        fuzz=fuzz,
        resume=resume,
        command=session.command,
    )
    if plan:
        foretell(session, contracts, wanted, as_json)
    with sigterm_interrupts(), progress(session) as on_event:
        run = run_drift(contracts, wanted, on_event)
    write(session, run, folder)
    tell(session, run, folder, as_json)


def foretell(
    session: Session, contracts: Sequence[Contract | Unloadable], wanted: DriftSettings, as_json: bool
) -> NoReturn:
    """Print what a run would do; 4 when a contract cannot be used, else 0."""
    from dataclasses import asdict

    from troth.contracts.contract import Contract
    from troth.reports.plan import plan_lines
    from troth.runners.forecast import forecasts

    plans = forecasts([item for item in contracts if isinstance(item, Contract)], wanted)
    if as_json:
        session.json({"providers": [asdict(plan) for plan in plans]})
    for plan in () if as_json else plans:
        for line in plan_lines(plan):
            session.say(line)
    broken = [item for item in contracts if not isinstance(item, Contract)]
    for item in broken:
        session.note(str(item.error))
    raise typer.Exit(4 if broken else 0)


def write(session: Session, run: Run, folder: Path) -> None:
    """Write the report; where that fails after all, say at least here what came of the run."""
    from troth.errors import TrothError
    from troth.reports.console import summary_lines
    from troth.reports.write import write_reports

    try:
        write_reports(run, folder)
    except TrothError:
        for line in summary_lines(run):
            session.say(line)
        raise


def tell(session: Session, run: Run, folder: Path, as_json: bool) -> None:
    """Print what came of a run, and leave with its exit code."""
    from troth.reports.console import summary_lines

    if as_json:
        session.json(
            {
                "verdict": run.verdict.value,
                "exit_code": run.exit_code,
                "run": run.run_id,
                "report": str(folder),
                "providers": {each.provider: each.verdict.value for each in run.providers},
            }
        )
    else:
        for line in summary_lines(run):
            session.say(line)
        session.say(f"Report: {folder / 'report.html'}")
    raise typer.Exit(run.exit_code)
