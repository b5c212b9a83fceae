"""``--plan``: what a run would do is counted on the simulator, and nothing is sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes.acmepay import KEY, SCENARIOS, AcmePay, acmepay
from fakes.nights import KEPT, Nights
from fakes.runs import on_sandbox
from fakes.tiny_server import TinyServer

from troth.contracts.contract import Contract
from troth.contracts.loader import load
from troth.reports.plan import plan_lines
from troth.runners.drift_settings import DriftSettings
from troth.runners.forecast import Creation, Forecast, Variable, forecasts
from troth.runners.undo_log import FileUndoLog, UndoEntry


class Untouchable(TinyServer):
    """A server that nobody may call; the test fails if anybody does."""

    def __init__(self) -> None:
        super().__init__(lambda seen: None)

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        assert self.seen == []


@pytest.fixture
def url() -> Iterator[str]:
    """The address of a sandbox that must not be called."""
    with Untouchable() as server:
        yield server.url


def plan(contract: Contract, url: str = "", **changes: Any) -> Forecast:
    """The plan for one contract."""
    usual = DriftSettings(
        urls={"acmepay": url} if url else {}, environment={"ACMEPAY_KEY": KEY}, sandbox=True, root=Path()
    )
    (found,) = forecasts([contract], replace(usual, **changes))
    return found


def test_what_a_run_would_do(url: str) -> None:
    """Hosts, requests, what is made and taken back, variables by name."""
    found = plan(acmepay(), url)

    assert found.hosts == (url,)
    assert (found.scenarios, found.polls, found.again, found.faults) == (3, True, 4, ())
    assert found.creations == (Creation("create_charge", "charges", 2, "cancel_charge"),)
    assert dict(found.cleanup) == {"cancel_charge": 2}
    assert found.variables == (Variable("ACMEPAY_KEY", "credential", "set"),)


def test_the_run_does_what_the_plan_says() -> None:
    """As many requests as a provider gets that settles at once."""
    found = plan(acmepay())
    with AcmePay(settles=0.0) as provider:
        on_sandbox(acmepay(), provider.url)

    assert len(provider.seen) == found.requests + sum(found.cleanup.values())


def test_only_plans_what_was_asked_for(url: str) -> None:
    """One scenario of three."""
    found = plan(acmepay(), url, only=(KEPT,))

    assert (found.scenarios, found.requests, sum(found.cleanup.values()), found.polls) == (1, 3, 1, False)


@pytest.mark.parametrize(
    ("environment", "state", "fault"),
    [
        ({}, "not set", "ACMEPAY_KEY is not set"),
        ({"ACMEPAY_KEY": "ak_live_CANARY"}, "refused", "ACMEPAY_KEY does not fit"),
    ],
)
def test_variables_that_are_not_ready(url: str, environment: dict[str, str], state: str, fault: str) -> None:
    """By name, never by value."""
    found = plan(acmepay(), url, environment=environment)

    assert [item.state for item in found.variables] == [state]
    assert found.faults[0].startswith(fault)
    assert "CANARY" not in "\n".join(plan_lines(found)) + repr(found)


def test_an_address_that_nobody_gives() -> None:
    """Its variable is named."""
    found = plan(acmepay())

    assert found.hosts == ()
    assert Variable("ACMEPAY_URL", "address", "not set") in found.variables
    assert "nothing says where acmepay's sandbox is" in found.faults[0]


def test_what_would_be_too_much(url: str) -> None:
    """A limit that the run cannot keep is told before."""
    contract = acmepay()
    target = replace(contract.targets["sandbox"], requests=2, rate=1.0, seconds=3.0)

    found = plan(replace(contract, targets={"sandbox": target}), url)

    assert any("more than the limit of 2" in fault for fault in found.faults)
    assert any("longer than the limit of 3 seconds" in fault for fault in found.faults)
    assert found.limits == ("1 requests a second", "2 requests", "3 seconds")
    assert found.left_out[KEPT] == "it needs 4 requests, and 2 of 2 are left"


def test_a_limit_on_what_nothing_costs_is_told(url: str) -> None:
    """It would hold nothing back."""
    contract = acmepay()
    target = replace(contract.targets["sandbox"], cost={"usd": 2.0})

    found = plan(replace(contract, targets={"sandbox": target}), url)

    assert any("no operation says what it costs in usd" in fault for fault in found.faults)
    assert found.limits == ("2 usd",)


def test_what_is_not_taken_back_is_told(tmp_path: Path, url: str) -> None:
    """An operation that makes something and has no undo."""
    nights = Nights(tmp_path, SCENARIOS)
    nights.edit('    undo: {call: cancel_charge, with: {id: "{{ this.id }}"}}\n', "")

    found = plan(load(nights.contract_file), url)

    assert found.creations == (Creation("create_charge", "charges", 2),)
    assert "2 in charges by create_charge, which has no `undo`" in "\n".join(plan_lines(found))


def test_what_is_changed_is_not_made(tmp_path: Path, url: str) -> None:
    """An effect that puts a record may put one that is there."""
    nights = Nights(tmp_path)
    nights.edit(
        'found: {status: 200, json: "{{ charge }}"}',
        "found: {status: 200, json: {$Charge: {}, from: charge}, effects: [put: charges]}",
    )

    found = plan(load(nights.contract_file), url, only=(KEPT,))

    assert found.creations == (Creation("create_charge", "charges", 1, "cancel_charge"),)


def test_what_earlier_runs_left_is_counted(tmp_path: Path, url: str) -> None:
    """They would be taken back first."""
    log = FileUndoLog(tmp_path / "undo.jsonl")
    log.put(UndoEntry("one", "acmepay", url, "run", KEPT, "create_charge", "cancel_charge", {"id": "ch_1"}))

    found = plan(acmepay(), url, store=tmp_path / "troth.db")

    assert found.left == 1
    assert "1 left by earlier runs" in "\n".join(plan_lines(found))
    assert not (tmp_path / "troth.db").exists()


def test_a_scenario_that_its_own_simulator_does_not_pass_is_told(url: str) -> None:
    """The run would be broken."""
    contract = acmepay("  odd:\n    steps:\n      - {call: get_charge, with: {id: ch_00000000}, expect: found}\n")

    found = plan(contract, url)

    assert any("odd does not hold on its own simulator" in fault for fault in found.faults)
