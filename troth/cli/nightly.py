"""``troth nightly``."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["nightly"]


def nightly(
    context: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Run everything now, and end.")] = False,
    now: Annotated[
        str | None, typer.Option("--now", metavar="PROVIDER", help="Run this provider now, and end.")
    ] = None,
) -> None:
    """Run contracts on their sandboxes, by schedule."""
