"""Drift runs, end to end: a real provider on a socket, the contract's simulator, the store, and what the run says."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.acmepay import KEY
from fakes.bad_provider import BadProvider, down
from fakes.nights import KEPT, ChangingPay, Nights, with_field
from fakes.schedulers import FakeScheduler

from troth.contracts.kinds import Severity
from troth.contracts.loader import load
from troth.errors import ContractError, Problem, UsageError
from troth.errors import Place as At
from troth.reports import run_json
from troth.reports.console import summary_lines
from troth.runners.drift import DriftSettings, Unloadable, run_drift
from troth.runners.events import CallFinished, Event, ScenarioFinished, ScenarioStarted
from troth.runners.finding import Blame, Check, Run, Verdict
from troth.runners.memory import Memory
from troth.runners.nightly import Schedule, run_nightly
from troth.runners.store import Store


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    """A project with the contract of AcmePay and no history."""
    return Nights(tmp_path)


@pytest.fixture
def pay() -> Iterator[ChangingPay]:
    """AcmePay as the contract describes it."""
    with ChangingPay() as provider:
        yield provider


def only(run: Run) -> Any:
    """The one provider of a run."""
    (provider,) = run.providers
    return provider


# What a night says


def test_a_provider_that_keeps_the_contract(nights: Nights, pay: ChangingPay) -> None:
    """Agreement, counted, on both targets, with everything cleaned up."""
    run = nights.night(pay.url)
    provider = only(run)

    assert (run.verdict, run.exit_code, run.gate, provider.findings) == (Verdict.AGREE, 0, True, ())
    assert (provider.coverage.scenarios, provider.coverage.ran, provider.coverage.skipped) == (3, 3, 0)
    assert {(item.target, item.outcome) for item in provider.scenarios} == {("simulator", "ok"), ("sandbox", "ok")}
    assert provider.checks == (Check("cleanup", "ok"),)
    assert provider.coverage.responses["get_charge.found"]
    assert (provider.contract, provider.sandbox_url) == ("acmepay/contract.yaml", pay.url)
    assert pay.charges == {}


def test_a_closed_gate(nights: Nights, pay: ChangingPay) -> None:
    """The simulator alone decides; the sandbox is skipped, counted, and not called."""
    run = nights.night()
    provider = only(run)

    assert (run.verdict, run.exit_code, run.gate) == (Verdict.SKIPPED, 0, False)
    assert "--sandbox" in provider.reason
    assert (provider.coverage.ran, provider.coverage.skipped) == (0, 3)
    assert {item.target for item in provider.scenarios} == {"simulator"}
    assert pay.seen == []


def test_missing_credentials_are_not_a_pass(nights: Nights, pay: ChangingPay) -> None:
    """The gate was to be open, so it is 6."""
    run = nights.night(pay.url, environment={})

    assert (run.verdict, run.exit_code) == (Verdict.UNAUTHORIZED, 6)
    assert "ACMEPAY_KEY" in only(run).reason
    assert pay.seen == []


def test_a_live_looking_key_is_refused(nights: Nights, pay: ChangingPay) -> None:
    """It is the user's to mend: 4; and it was not sent."""
    run = nights.night(pay.url, environment={"ACMEPAY_KEY": "ak_live_1"})

    assert run.exit_code == 4
    assert only(run).refused
    assert pay.seen == []


@pytest.mark.parametrize(("fail_on", "code"), [(Severity.BREAKING, 0), (Severity.RISKY, 1)])
def test_drift_below_the_threshold_does_not_fail(nights: Nights, fail_on: Severity, code: int) -> None:
    """A new enum value is risky."""
    frozen = with_field("status", "frozen")
    # Of a charge that was just made the contract demands one value, and another would break.
    with ChangingPay(lambda seen, body: frozen(seen, body) if seen.method == "GET" else body) as provider:
        run = nights.night(provider.url, only=(KEPT,), fail_on=fail_on)

    assert {item.kind for item in only(run).findings} == {"enum"}
    assert (run.verdict, run.exit_code) == (Verdict.DRIFT, code)


def test_a_finding_says_what_each_side_says(nights: Nights) -> None:
    """Contract, simulator, sandbox, the exchanges, and the command that shows it again."""
    with ChangingPay(with_field("amount", "1200")) as provider:
        found = nights.findings(provider.url)["type create_charge"]
        url = provider.url

    assert (found.path, found.simulator, found.sandbox, found.code) == ("$.amount", 1200, "1200", "TR203")
    assert [item.target for item in found.exchanges][:2] == ["simulator", "sandbox"]
    assert found.reproduce == (
        f"troth drift acmepay/contract.yaml --sandbox --only 'a charge is kept' --url acmepay={url} --seed 0"
    )


def test_one_drift_has_one_root(nights: Nights) -> None:
    """A renamed field is wrong wherever it is shown; nothing else is."""
    with ChangingPay(with_field("amount", "1200")) as provider:
        found = nights.findings(provider.url)

    assert {key.split()[0] for key in found} == {"type", "expect"}
    assert all(item.caused_by for key, item in found.items() if key.startswith("expect"))


def test_the_same_drift_has_the_same_fingerprints(nights: Nights) -> None:
    """Ids, names, times and ports differ from night to night; the findings do not."""
    prints = []
    for _ in range(2):
        with ChangingPay(with_field("amount", "1200")) as provider:
            prints.append([item.fingerprint for item in only(nights.night(provider.url, only=(KEPT,))).findings])

    assert prints[0] == prints[1]
    assert len(set(prints[0])) == len(prints[0])


@pytest.mark.parametrize(
    ("kind", "verdict"),
    [("html", "unreachable"), ("closes", "unreachable"), ("401", "unauthorized"), ("429", "exhausted")],
)
def test_a_bad_sandbox_is_neither_drift_nor_a_pass(nights: Nights, kind: str, verdict: str) -> None:
    """And what the simulator gave is not lost."""
    with BadProvider(kind) as provider:
        run = nights.night(provider.url)

    assert (run.verdict, run.exit_code) == (Verdict(verdict), 6)
    assert only(run).reason
    assert {item.blame for item in only(run).findings} <= {Blame.UNOBSERVED}
    assert {item.outcome for item in only(run).scenarios if item.target == "simulator"} == {"ok"}
    assert only(run).coverage.ran == 0


def test_a_sandbox_that_is_down(nights: Nights) -> None:
    """Each thing that was not checked is said."""
    with down() as url:
        run = nights.night(url)
    coverage = only(run).coverage

    assert (run.verdict, run.exit_code) == (Verdict.UNREACHABLE, 6)
    assert coverage.skipped + coverage.unobserved == coverage.scenarios == 3
    assert len(coverage.notes) >= 3


# Several contracts


def test_a_contract_that_cannot_be_used_does_not_cost_the_others(nights: Nights, pay: ChangingPay) -> None:
    """It is reported, and the exit code is 4."""
    error = ContractError([Problem("E001", At("b/contract.yaml", 3, 1), "a colon", "none")])
    run = run_drift([Unloadable("b/contract.yaml", error), load(nights.contract_file)], nights.settings(pay.url))
    by_name = {provider.provider: provider for provider in run.providers}

    assert {name: provider.verdict for name, provider in by_name.items()} == {
        "acmepay": Verdict.AGREE,
        "b": Verdict.BROKEN,
    }
    assert "b/contract.yaml:3:1: E001" in by_name["b"].reason
    assert run.exit_code == 4


def test_contracts_that_cannot_be_used_are_told_apart(nights: Nights) -> None:
    """By their folders, or by their own names where they have another than contract.yaml."""
    paths = ["one/contract.yaml", "contracts/two.yaml", "contracts/three.yaml"]
    broken = [Unloadable(path, ContractError([Problem("E001", At(path, 3, 1), "a colon", "none")])) for path in paths]
    run = run_drift([*broken, load(nights.contract_file)], nights.settings())

    assert [provider.provider for provider in run.providers] == ["acmepay", "one", "two", "three"]


def test_a_provider_that_breaks_does_not_cost_the_others(nights: Nights, pay: ChangingPay, tmp_path: Path) -> None:
    """Whatever happens to one, the others run; here its events are too much for the listener."""
    other = tmp_path / "other.yaml"
    other.write_text(nights.contract_file.read_text().replace("provider: acmepay", "provider: otherpay"))

    def listener(event: Event) -> None:
        if isinstance(event, ScenarioStarted) and event.provider == "otherpay":
            raise ZeroDivisionError

    run = run_drift([load(other), load(nights.contract_file)], nights.settings(pay.url), listener)
    by_name = {provider.provider: provider for provider in run.providers}

    assert (by_name["otherpay"].verdict, by_name["acmepay"].verdict) == (Verdict.BROKEN, Verdict.AGREE)
    assert "ZeroDivisionError" in by_name["otherpay"].reason
    assert run.exit_code == 3


def test_two_contracts_of_one_provider_are_refused(nights: Nights, tmp_path: Path) -> None:
    """Their histories would be mixed."""
    twin = tmp_path / "twin.yaml"
    twin.write_text(nights.contract_file.read_text())
    with pytest.raises(UsageError, match="two for acmepay") as raised:
        run_drift([load(nights.contract_file), load(twin)], nights.settings())

    assert raised.value.code == "E414"


def test_no_contract_at_all_is_nothing_run() -> None:
    """An empty run is not a success."""
    assert run_drift([], DriftSettings(environment={})).exit_code == 5


# Choosing


@pytest.mark.parametrize("name", [KEPT, "*kept", "a charge is k?pt"])
def test_scenarios_are_chosen_by_name_or_pattern(nights: Nights, name: str) -> None:
    """Only those run, and only those count."""
    provider = only(nights.night(only=(name,)))

    assert [item.scenario for item in provider.scenarios] == [KEPT]
    assert provider.coverage.scenarios == 1


def test_a_name_that_fits_nothing_is_refused(nights: Nights) -> None:
    """With a suggestion."""
    with pytest.raises(UsageError, match="Did you mean 'a charge is kept'") as raised:
        nights.night(only=("a charge is keptt",))

    assert raised.value.code == "E376"


# The store


def test_everything_is_kept(nights: Nights, pay: ChangingPay) -> None:
    """The run, its exchanges on both targets, and where they agreed."""
    run = nights.night(pay.url)
    with Store.open(nights.store) as store:
        assert store.runs() == ((run.run_id, run.started, "agree"),)
        kept = [store.exchanges(run.run_id, "acmepay", target, KEPT) for target in ("simulator", "sandbox")]
        history = store.history("acmepay")
        assert store.sandbox_url(run.run_id, "acmepay") == pay.url

    assert [len(items) for items in kept] == [4, 4]
    assert history.last_agreed("Charge.amount", "create_charge.created")
    assert history.last_agreed(f"reply get_charge.found in {KEPT}", "get_charge.found")


def test_a_closed_gate_is_no_agreement(nights: Nights) -> None:
    """What the simulator does proves nothing about the provider."""
    nights.night()
    with Store.open(nights.store) as store:
        assert store.history("acmepay").agreements == {}


@pytest.mark.parametrize("damage", ["corrupt", "unwritable"])
def test_a_store_that_cannot_be_used_costs_the_history_only(
    nights: Nights, pay: ChangingPay, damage: str, tmp_path: Path
) -> None:
    """The run is there, and says what is missing."""
    if damage == "unwritable":
        (tmp_path / "file").write_text("")
        nights.store = tmp_path / "file" / "troth.db"
    else:
        Store.open(nights.store).close()
    if damage == "corrupt":
        nights.store.write_bytes(b"not a database" * 100)
    run = nights.night(pay.url, only=(KEPT,))

    assert (run.verdict, run.exit_code) == (Verdict.AGREE, 0)
    codes = {"corrupt": "E402", "unwritable": "E400"}
    assert any(codes[damage] in note for note in only(run).coverage.notes)


def test_a_store_that_is_locked_when_the_run_ends_is_said(nights: Nights) -> None:
    """Another run is being written, for longer than one waits."""
    run = nights.night(store=None)
    notes: list[str] = []
    with Memory(Store.open(nights.store, busy=0.01), "n1", 0.0, notes) as memory:
        held = sqlite3.connect(nights.store, isolation_level=None)
        held.execute("begin immediate")
        memory.keep(run)
        held.close()

    assert [note.count("E401") for note in notes] == [1]


def test_no_secret_reaches_the_store_or_the_run(nights: Nights) -> None:
    """Neither the credential, nor a cookie, nor fields that are marked secret."""
    with ChangingPay(with_field("amount", "1200")) as provider:
        run = nights.night(provider.url)
    written = b"".join(path.read_bytes() for path in nights.store.parent.iterdir()) + run_json.dump(run)

    for secret in (KEY, "CANARY", "cs_0000", '"739"', '\\"739\\"'):
        assert secret.encode() not in written


# Interruption


def test_an_interrupted_run_keeps_what_it_has(nights: Nights, pay: ChangingPay) -> None:
    """Ctrl-C after the first scenario on the sandbox: kept, cleaned up, exit code 2."""

    def listener(event: Event) -> None:
        if isinstance(event, ScenarioFinished) and event.target == "sandbox":
            signal.raise_signal(signal.SIGINT)

    run = nights.night(pay.url, listener)
    provider = only(run)

    assert (run.interrupted, run.exit_code) == (True, 2)
    assert [item.outcome for item in provider.scenarios if item.target == "sandbox"] == ["ok", "skipped", "skipped"]
    assert provider.verdict is Verdict.SKIPPED
    told = summary_lines(run)
    assert told[0].startswith("The sandbox was called, and not for everything")
    assert not any("was not called" in line for line in told)
    assert pay.charges == {}
    with Store.open(nights.store) as store:
        assert len(store.exchanges(run.run_id, "acmepay", "sandbox", KEPT)) == 4


def test_an_interruption_before_the_sandbox(nights: Nights, pay: ChangingPay) -> None:
    """Nothing is known of the provider, and nothing is claimed."""

    def listener(event: Event) -> None:
        if isinstance(event, ScenarioFinished) and event.target == "simulator":
            signal.raise_signal(signal.SIGINT)

    run = nights.night(pay.url, listener)

    assert (run.interrupted, run.exit_code, only(run).verdict) == (True, 2, Verdict.SKIPPED)
    assert only(run).reason == "the run was interrupted"
    assert summary_lines(run)[0].startswith("The sandbox was not called")
    assert pay.seen == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_nightly_run_that_is_told_to_stop_cleans_up(nights: Nights, pay: ChangingPay, number: signal.Signals) -> None:
    """In the middle of a scenario on the sandbox: what was made there is gone, and the run is kept."""
    runs: list[Run] = []

    def listener(event: Event) -> None:
        if isinstance(event, CallFinished) and event.target == "sandbox":
            os.kill(os.getpid(), number)

    def job(slot: float) -> Run:
        runs.append(nights.night(pay.url, listener, slot=slot))
        return runs[0]

    code = run_nightly(Schedule("0 3 * * *"), job, lambda event: None, FakeScheduler([1_800_000_000.0]))

    assert (code, [run.interrupted for run in runs]) == (2, [True])
    assert runs[0].run_id.startswith("20270115T0800-")
    assert len(pay.seen) > 0
    assert pay.charges == {}
    with Store.open(nights.store) as store:
        assert [run_id for run_id, _, _ in store.runs()] == [runs[0].run_id]


# Generated requests


def test_generated_requests_are_part_of_a_run_when_asked_for(nights: Nights) -> None:
    """Their check is beside the scenarios."""
    provider = only(nights.night(fuzz=True, only=(KEPT,)))

    assert [(check.name, check.outcome) for check in provider.checks] == [("generated requests", "ok")]
    assert provider.verdict is Verdict.SKIPPED
