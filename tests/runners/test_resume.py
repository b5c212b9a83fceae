"""A run that was cut off goes on: what it did is not sent again, and the report covers both parts."""

from __future__ import annotations

import pickle
from base64 import b64encode
from json import dumps, loads
from pathlib import Path
from typing import Any

import pytest
from fakes.acmepay import KEY, AcmePay
from fakes.killed import killed_run
from fakes.nights import KEPT, ChangingPay, Nights, with_field
from fakes.tiny_server import Seen

from troth.contracts.loader import load
from troth.runners.finding import Run, Verdict
from troth.runners.progress import Progress
from troth.runners.trial import Rule

PAID = "a charge is paid in the end"
KEYLESS = "nobody reads without a key"
LIMITED = "health: {method: GET, path: /charges}, limits: {requests: 5}"


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    return Nights(tmp_path)


def sandbox(run: Run) -> dict[str, str]:
    """Scenario to outcome on the sandbox."""
    (provider,) = run.providers
    return {item.scenario: item.outcome for item in provider.scenarios if item.target == "sandbox"}


def second_scenario(seen: Seen) -> bool:
    """Does the second scenario create its charge?"""
    return seen.method == "POST" and seen.json["amount"] == 5


def posts(provider: AcmePay) -> list[int]:
    return [seen.json["amount"] for seen in provider.seen if seen.method == "POST"]


def test_a_killed_run_goes_on_where_it_was(nights: Nights) -> None:
    """What was done is not sent again; the report has all of it, and the next run has nothing to go on with."""
    with AcmePay() as provider:
        killed_run(nights.folder, nights.contract_file, provider, second_scenario)
        sent = len(provider.seen)
        run = nights.night(provider.url, resume=True)
        assert posts(provider)[1:] == [5, 5]

    assert sandbox(run) == {KEPT: "ok", PAID: "ok", KEYLESS: "ok"}
    assert run.verdict is Verdict.AGREE
    (result,) = run.providers
    assert sum(item.target == "sandbox" and item.scenario == KEPT for item in result.exchanges) == 4
    assert all(seen.json is None or "note" not in seen.json for seen in provider.seen[sent:])
    assert any("goes on with run" in note and "1 of 3 scenarios" in note for note in result.coverage.notes)
    assert not (nights.store.parent / "progress.jsonl").exists()


def test_findings_of_the_first_part_are_in_the_report(nights: Nights) -> None:
    """Once each, though they were seen before the run was killed."""
    with ChangingPay(with_field("amount", "1200")) as provider:
        killed_run(nights.folder, nights.contract_file, provider, second_scenario, "--confirm", "1")
        made = len(provider.seen)
        run = nights.night(provider.url, resume=True, confirm=Rule(1))

    (result,) = run.providers
    assert run.verdict is Verdict.DRIFT
    assert KEPT in {item.scenario for item in result.findings}
    assert all("1200" not in seen.body.decode() for seen in provider.seen[made:])


def test_a_run_out_of_budget_goes_on_with_a_new_one(nights: Nights) -> None:
    """And takes the place of its first part in the history: what was seen once counts once."""
    nights.edit("health: {method: GET, path: /charges}", LIMITED)
    with AcmePay() as provider:
        first = nights.night(provider.url)
        assert sandbox(first) == {KEPT: "ok", PAID: "skipped", KEYLESS: "skipped"}
        second = nights.night(provider.url, resume=True)
        while sandbox(second) != {KEPT: "ok", PAID: "ok", KEYLESS: "ok"}:
            second = nights.night(provider.url, resume=True)
        assert posts(provider) == [1200, 5]

    assert second.verdict is Verdict.AGREE
    (result,) = second.providers
    assert (result.history.night, result.history.nights) == (1, 0)
    with nights.opened() as store:
        assert store.execute("SELECT run_id FROM runs").fetchall() == [(second.run_id,)]


@pytest.mark.parametrize("change", ["contract", "seed", "address"])
def test_what_was_done_under_other_terms_is_done_again(nights: Nights, change: str) -> None:
    """It says nothing of today's contract, or of another sandbox."""
    more: dict[str, Any] = {"seed": 7} if change == "seed" else {}
    with AcmePay() as provider, AcmePay() as other:
        killed_run(nights.folder, nights.contract_file, provider, second_scenario)
        if change == "contract":
            nights.edit("amount: 1200, note", "amount: 1300, note")
            nights.edit("amount: 1200}", "amount: 1300}")
        run = nights.night(other.url if change == "address" else provider.url, resume=True, **more)
        assert len(posts(other if change == "address" else provider)) >= 2

    (result,) = run.providers
    assert sandbox(run) == {KEPT: "ok", PAID: "ok", KEYLESS: "ok"}
    assert any("no run to go on with" in note for note in result.coverage.notes)


def test_a_new_run_begins_anew(nights: Nights) -> None:
    """Without being asked nothing is gone on with."""
    with AcmePay() as provider:
        killed_run(nights.folder, nights.contract_file, provider, second_scenario)
        nights.night(provider.url)
        assert posts(provider) == [1200, 5, 1200, 5]
        nights.night(provider.url, resume=True)
        assert len(posts(provider)) == 6


def test_what_is_kept_for_later_holds_no_secret(nights: Nights) -> None:
    """Decoded, too."""
    with AcmePay() as provider:
        killed_run(nights.folder, nights.contract_file, provider, second_scenario)
        contract = load(nights.contract_file)
        progress = Progress(nights.store.parent / "progress.jsonl")
        held = progress.of(contract, provider.url, 0, 0.0)

    assert list(held) == [KEPT]
    assert KEY not in repr(held)
    assert "cs_0000" not in repr(held)


class Harmful:
    """Something that does harm when it is read."""

    def __reduce__(self) -> Any:
        return (Path.touch, (Path("harm"),))


def test_nothing_but_plain_data_is_read(nights: Nights, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever can write the file could else run what he likes."""
    monkeypatch.chdir(nights.folder)
    with AcmePay() as provider:
        killed_run(nights.folder, nights.contract_file, provider, second_scenario)
        path = nights.store.parent / "progress.jsonl"
        line = loads(path.read_text().splitlines()[-1])
        path.write_text(dumps({**line, "held": b64encode(pickle.dumps((Harmful(), ()))).decode()}))

        assert Progress(path).of(load(nights.contract_file), provider.url, 0, 0.0) == {}

    assert not (nights.folder / "harm").exists()


def test_a_line_that_was_cut_off_is_passed_over(nights: Nights) -> None:
    """The process was killed while it wrote."""
    with AcmePay() as provider:
        killed_run(nights.folder, nights.contract_file, provider, second_scenario)
        path = nights.store.parent / "progress.jsonl"
        path.write_text(path.read_text()[:-20])

        assert Progress(path).of(load(nights.contract_file), provider.url, 0, 0.0) == {}
