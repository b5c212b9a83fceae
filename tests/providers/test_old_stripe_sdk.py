"""Version 5.5 of the stripe SDK, in an environment and a process of its own, against the simulator."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from troth.contracts.loader import load
from troth.simulators.simulator import Simulator

SCRIPT = Path(__file__).with_name("old_sdk.py")


@pytest.mark.stand_in
def test_it_works_unchanged_for_every_operation(old_python: Path) -> None:
    """With Python's spelling of booleans, and without a version header."""
    contract = load("stripe")
    with Simulator(contract) as simulator:
        ended = subprocess.run(
            [str(old_python), str(SCRIPT), simulator.url], check=False, capture_output=True, text=True, timeout=60
        )
        reached = {entry.operation for entry in simulator.journal.entries}
        confirmed = {entry.request.body for entry in simulator.journal.for_operation("create_intent")}
        unmatched = [entry.explanation for entry in simulator.journal.unmatched]

    assert ended.returncode == 0, ended.stderr
    assert unmatched == []
    assert reached == set(contract.operations)
    assert any(b"confirm=True" in body for body in confirmed)
    assert json.loads(ended.stdout) == {
        "version": "5.5.0",
        "created": ["customer", "gold", "Customer"],
        "updated": "Ann",
        "listed": [2, True, 3],
        "card": "4242",
        "attached": True,
        "detached": None,
        "paid": ["succeeded", "charge"],
        "seen": True,
        "changed": 800,
        "confirmed": "succeeded",
        "captured": "succeeded",
        "canceled": "canceled",
        "charged": True,
        "refunded": [300, 300],
        "deleted": [True, True],
        "declined": [402, "card_declined"],
        "invalid": [400, None],
        "missing": [404, "resource_missing"],
        "replayed": True,
        "conflict": [400, None],
        "stranger": [401, None],
    }
