"""A finding is reproduced by one command that a shell takes as it stands."""

from __future__ import annotations

import shlex

from troth.runners.reproduce import Reproduction


def test_the_command_names_contract_scenario_address_and_seed() -> None:
    """Quoted for a shell."""
    made = Reproduction("contracts/acme pay", 7, "http://127.0.0.1:8420", "acmepay")
    command = made.command("it's kept[a b]")
    assert shlex.split(command) == [
        "troth",
        "drift",
        "contracts/acme pay",
        "--sandbox",
        "--only",
        "it's kept[a b]",
        "--url",
        "acmepay=http://127.0.0.1:8420",
        "--seed",
        "7",
    ]


def test_without_a_sandbox_there_is_no_flag() -> None:
    """A finding on the simulator alone needs none."""
    assert Reproduction("stripe", sandbox=False).command("s") == "troth drift stripe --only s --seed 0"
