"""``troth version``."""

from __future__ import annotations

import typer

import troth

__all__ = ["version"]


def version(context: typer.Context) -> None:
    """Print the version."""
    context.obj.say(troth.__version__)
