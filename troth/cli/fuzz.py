"""``troth fuzz``."""

from __future__ import annotations

from typing import Annotated

import typer

from troth.cli.arguments import AsJson

__all__ = ["fuzz"]


def fuzz(
    context: typer.Context,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A contract: file, folder, or name of a pack.")],
    seed: Annotated[int | None, typer.Option("--seed", metavar="N", help="Seed of the generated requests.")] = None,
    as_json: AsJson = False,
) -> None:
    """Send generated requests to the simulator.

    Its answers are held against the schema that the contract gives. No sandbox is called.
    """
