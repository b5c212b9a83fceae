"""``troth schema``."""

from __future__ import annotations

import json

import typer

__all__ = ["schema"]


def schema(context: typer.Context) -> None:
    """Print the JSON Schema of contracts, for editors."""
    from troth.contracts.document.schema import editor_schema

    context.obj.say(json.dumps(editor_schema(), indent=2))
