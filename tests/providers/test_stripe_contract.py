"""The Stripe contract that comes with Troth: whole, and without a doubt of its own."""

from __future__ import annotations

from troth.cli.main import run
from troth.contracts.loader import load


def test_the_check_finds_nothing(capsys) -> None:
    """No error and no warning: every response is reached, told apart and proven by a scenario."""
    assert run(["check", "stripe"]) == 0
    assert "1 contract: 0 errors, 0 warnings" in capsys.readouterr().out


def test_it_covers_what_it_promises() -> None:
    contract = load("stripe")
    own = {
        (operation.name, response.name)
        for operation in contract.operations.values()
        for response in operation.responses
        if response.name not in ("unauthorized", "throttled", "invalid")
    }

    assert len(own) >= 25
    assert len([scenario for scenario in contract.scenarios.values() if not scenario.part]) >= 12
    assert contract.proven is not None
    assert contract.proven.by == "documentation"
