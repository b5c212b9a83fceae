"""Arguments and options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["AsJson", "Paths"]

Paths = Annotated[
    list[str] | None,
    typer.Argument(metavar="PATH...", help="Contracts: files, folders, or names of packs. Default: the settings'."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
