"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["AsJson", "FailOn", "Gate", "Out", "Paths", "Seed"]

Paths = Annotated[
    list[str] | None,
    typer.Argument(metavar="PATH", help="Contracts: files, folders, or names of packs. Default: the settings'."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
Gate = Annotated[bool, typer.Option("--sandbox", help="Open the gate: call the providers' sandboxes.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="The folder of the report.")]
Seed = Annotated[int | None, typer.Option("--seed", metavar="N", help="Seed of everything that is drawn.")]


def _severity(value: str | None) -> str | None:
    if value not in (None, "breaking", "risky", "notice"):
        raise typer.BadParameter(f"{value!r} is none of breaking, risky, notice")
    return value


FailOn = Annotated[
    str | None,
    typer.Option(
        "--fail-on",
        metavar="SEVERITY",
        callback=_severity,
        help="The mildest severity that makes the run fail: breaking, risky or notice.",
    ),
]
