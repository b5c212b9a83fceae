"""``troth fuzz``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from troth.cli.arguments import AsJson, Paths, Seed

if TYPE_CHECKING:
    from troth.cli.session import Session
    from troth.runners.schemathesis_adapter import Fuzzed

__all__ = ["fuzz"]

DRIFT = 1
BROKEN = 3
_CODES = {"ok": 0, "findings": DRIFT}


def fuzz(context: typer.Context, paths: Paths = None, seed: Seed = None, as_json: AsJson = False) -> None:
    """Send generated requests to the simulator.

    Its answers are held against the schema that the contract gives. No sandbox is called.
    """
    import asyncio

    from troth.contracts.loader import load_all
    from troth.runners.schemathesis_adapter import fuzz_simulator

    session: Session = context.obj
    contracts = load_all(session.paths(paths))
    drawn = session.settings.seed if seed is None else seed
    fuzzed = {contract.provider: asyncio.run(fuzz_simulator(contract, drawn)) for contract in contracts}
    if as_json:
        session.json({"contracts": [_as_data(provider, each) for provider, each in fuzzed.items()]})
    else:
        for each in fuzzed.values():
            _show(session, each)
    raise typer.Exit(max(_CODES.get(each.check.outcome, BROKEN) for each in fuzzed.values()))


def _as_data(provider: str, fuzzed: Fuzzed) -> dict[str, Any]:
    return {
        "provider": provider,
        "outcome": fuzzed.check.outcome,
        "detail": fuzzed.check.detail,
        "findings": [
            {"code": each.code, "operation": each.operation, "path": each.path, "message": each.message}
            for each in fuzzed.findings
        ],
    }


def _show(session: Session, fuzzed: Fuzzed) -> None:
    from troth.reports.console import finding_lines

    for finding in fuzzed.findings:
        for line in finding_lines(finding):
            session.say(line)
    session.say(f"{fuzzed.check.outcome}: {fuzzed.check.detail}")
