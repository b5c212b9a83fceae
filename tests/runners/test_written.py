"""Every finding says where in the contract its demand stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.planted import LEDGER, Change, Ledger, dropped, read, shown

KEPT, SENT = "an account is kept", "money is sent"
PLANTED: dict[str, tuple[str, Change | None, tuple[tuple[str, str], ...], str]] = {
    "a field of a type": (KEPT, shown(dropped("balance")), (), "    balance: {$integer: {min: 0}}"),
    "what a response says": (
        KEPT,
        shown(lambda body: {**body, "status": "frozen"}),
        (),
        '        json: {$Account: {status: open, created: "{{ now }}"}, from: body}',
    ),
    "a member of a closed object": (
        SENT,
        read("/receipt", lambda body: {**body, "extra": 1}),
        (),
        "  Receipt: {$closed: {amount: $integer, total: $integer}}",
    ),
    "a nested field": (
        KEPT,
        shown(lambda body: {**body, "owner": {**body["owner"], "name": 1}}),
        (),
        "    owner: {name: $string, address: {city: $string, zip?: $string}}",
    ),
    "a response": (
        SENT,
        None,
        (("poor: {when: body.amount + 2 > account.balance", "poor: {when: body.amount > 1"),),
        "      sent:",
    ),
}


def line_of(text: str) -> str:
    """File and line where the contract has this line first."""
    return f"ledger/contract.yaml:{LEDGER.splitlines().index(text) + 1}"


@pytest.mark.parametrize(("scenario", "change", "edits", "text"), PLANTED.values(), ids=PLANTED)
def test_where_a_demand_is_written(
    tmp_path: Path, scenario: str, change: Change | None, edits: tuple[tuple[str, str], ...], text: str
) -> None:
    """The file as the project calls it, and the line."""
    root = Ledger(tmp_path).roots(change, edits, only=(scenario,))[0]

    assert root.written == line_of(text)


def test_an_expectation_is_written_in_its_step(tmp_path: Path) -> None:
    """Of the scenario that has it."""
    contract = LEDGER.replace("amount: 30}, expect: sent", "amount: 30}, expect: poor")
    found = Ledger(tmp_path, contract).roots(only=(SENT,))[0]
    line = next(number for number, text in enumerate(contract.splitlines(), 1) if "amount: 30}, expect: poor" in text)

    assert (found.kind, found.written) == ("expect", f"ledger/contract.yaml:{line}")
