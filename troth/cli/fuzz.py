"""``troth fuzz``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from troth.cli.arguments import AsJson, Seed

if TYPE_CHECKING:
    from troth.cli.session import Session

__all__ = ["fuzz"]

DRIFT = 1
BROKEN = 3


def fuzz(
    context: typer.Context,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A contract: file, folder, or name of a pack.")],
    seed: Seed = None,
    as_json: AsJson = False,
) -> None:
    """Send generated requests to the simulator.

    Its answers are held against the schema that the contract gives. No sandbox is called.
    """
    import asyncio

    from troth.contracts.loader import load
    from troth.reports.console import finding_lines
    from troth.runners.schemathesis_adapter import fuzz_simulator

    session: Session = context.obj
    fuzzed = asyncio.run(fuzz_simulator(load(path), session.settings.seed if seed is None else seed))
    if as_json:
        session.json(
            {
                "outcome": fuzzed.check.outcome,
                "detail": fuzzed.check.detail,
                "findings": [
                    {"code": each.code, "operation": each.operation, "path": each.path, "message": each.message}
                    for each in fuzzed.findings
                ],
            }
        )
    else:
        for finding in fuzzed.findings:
            for line in finding_lines(finding):
                session.say(line)
        session.say(f"{fuzzed.check.outcome}: {fuzzed.check.detail}")
    raise typer.Exit({"ok": 0, "findings": DRIFT}.get(fuzzed.check.outcome, BROKEN))
