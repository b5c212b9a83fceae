"""``troth report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["report"]


def report(
    context: typer.Context,
    run: Annotated[Path, typer.Argument(metavar="run.json", help="The stored run.")],
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="The folder of the report.")] = None,
) -> None:
    """Write the report of a stored run again."""
    from troth.reports.run_json import load
    from troth.reports.write import write_reports

    session = context.obj
    folder = out if out is not None else session.settings.report_path
    write_reports(load(run), folder)
    session.say(f"Report: {folder / 'report.html'}")
