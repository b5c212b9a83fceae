"""``troth drift``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from troth.cli.arguments import AsJson, FailOn, Paths
from troth.contracts.kinds import Severity

if TYPE_CHECKING:
    from troth.runners.finding import Run

__all__ = ["drift"]


def drift(
    context: typer.Context,
    paths: Paths = None,
    sandbox: Annotated[bool, typer.Option("--sandbox", help="Open the gate: call the provider's sandbox.")] = False,
    url: Annotated[
        list[str] | None, typer.Option("--url", metavar="PROVIDER=URL", help="Where a provider's sandbox is.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="The folder of the report.")] = None,
    fail_on: FailOn = None,
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="Seed of everything that is drawn.")] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="SCENARIO", help="Run these scenarios only.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare simulator and sandbox, and write the report.

    Without --sandbox only the simulator is run, and the sandbox is reported as skipped.
    """
    from troth.cli.addresses import addresses
    from troth.cli.progress import progress
    from troth.contracts.loader import load_all
    from troth.reports.write import write_reports
    from troth.runners.drift import DriftSettings, run_drift

    session = context.obj
    contracts = load_all(session.paths(paths))
    settings = session.settings
    folder = out if out is not None else settings.report_path
    with progress(session) as on_event:
        run = run_drift(
            contracts,
            DriftSettings(
                sandbox=sandbox,
                urls=addresses(url or (), settings, [contract.provider for contract in contracts]),
                fail_on=Severity(fail_on) if fail_on else settings.fail_on,
                seed=settings.seed if seed is None else seed,
                only=tuple(only or ()),
                store=settings.store_path,
                command=session.command,
            ),
            on_event,
        )
    write_reports(run, folder)
    tell(session, run, folder, as_json)


def tell(session: Any, run: Run, folder: Path, as_json: bool) -> None:
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
