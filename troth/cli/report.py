"""``troth report``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from troth.cli.arguments import Out

if TYPE_CHECKING:
    from troth.cli.session import Session

__all__ = ["report"]


def report(
    context: typer.Context,
    run: Annotated[Path, typer.Argument(metavar="run.json", help="The stored run, or the folder of its report.")],
    out: Out = None,
) -> None:
    """Write the report of a stored run again."""
    from troth.reports.write import rebuild

    session: Session = context.obj
    folder = out if out is not None else session.settings.report_path
    rebuild(run, folder)
    session.say(f"Report: {folder / 'report.html'}")
