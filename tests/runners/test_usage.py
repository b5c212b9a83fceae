"""Which tests rely on a finding: records of pytest sessions, laid together, and what the proof calls wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fakes.nights import KEPT, ChangingPay, Nights, with_field
from fakes.tiny_server import Seen

from troth.reports.console import finding_lines, summary_lines
from troth.reports.html import render as html
from troth.reports.markdown import render as markdown
from troth.reports.run_json import dump
from troth.runners.proof import OperationProof, proof_beside, read_proof
from troth.runners.usage import Usage, read_usage, usage_beside, write_usage

STRINGS = with_field("amount", "1200")


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    """A project with the contract of AcmePay and no history."""
    return Nights(tmp_path)


def proof_of(nights: Nights, operation: str = "create_charge") -> OperationProof:
    """What the last night's proof says of an operation."""
    proof = read_proof(proof_beside(nights.store))
    assert proof is not None
    return proof.providers["acmepay"].operations[operation]


def test_records_of_several_shards_are_laid_together(tmp_path: Path) -> None:
    """Also those in folders of their own, as a CI system unpacks artefacts."""
    write_usage(tmp_path / "one.json", {"test_a": {("p", "get", "found")}, "test_idle": set()})
    write_usage(tmp_path / "shard-2" / "usage.json", {"test_b": {("p", "get", "found"), ("p", "get", "missing")}})
    usage = read_usage(tmp_path)

    assert usage == Usage(
        {("p", "get.found"): frozenset({"test_a", "test_b"}), ("p", "get.missing"): frozenset({"test_b"})}
    )
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["one.json", "shard-2", "usage.json"]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 2, "tests": {}}', '{"format": 1, "tests": {"a": [["p"]]}}', '{"format": "x"}']
)
def test_what_is_no_record_is_told_and_passed_over(tmp_path: Path, text: str) -> None:
    """The others count."""
    write_usage(tmp_path / "good.json", {"test_a": {("p", "get", "found")}})
    (tmp_path / "bad.json").write_text(text)
    usage = read_usage(tmp_path)

    assert list(usage.tests) == [("p", "get.found")]
    assert len(usage.notes) == 1
    assert "bad.json" in usage.notes[0]
    assert read_usage(tmp_path / "nowhere") == Usage()


def test_a_finding_names_the_tests_that_rely_on_it(nights: Nights) -> None:
    """By the responses that showed it, in every report."""
    used = {
        "tests/test_pay.py::test_pays": {("acmepay", "create_charge", "created")},
        "tests/test_pay.py::test_refuses": {("acmepay", "create_charge", "invalid")},
        "tests/test_pay.py::test_other": {("other", "create_charge", "created")},
    }
    write_usage(usage_beside(nights.store) / "main.json", used)
    with ChangingPay(STRINGS) as provider:
        run = nights.night(provider.url, only=(KEPT,))
    (found,) = [item for item in run.providers[0].findings if item.operation == "create_charge"]

    assert found.tests == ("tests/test_pay.py::test_pays",)
    assert "these tests rely on it: tests/test_pay.py::test_pays" in "\n".join(summary_lines(run))
    assert any("test_pay.py::test_pays" in line for line in finding_lines(found))
    assert b"These tests rely on it" in html(run)
    assert b"These tests rely on it: tests/test" in markdown(run)
    assert json.loads(dump(run))["providers"][0]["findings"][0]["tests"]


def test_a_record_that_cannot_be_read_is_told_in_the_run(nights: Nights) -> None:
    """It costs the names of tests, never the run."""
    usage_beside(nights.store).mkdir(parents=True)
    (usage_beside(nights.store) / "bad.json").write_text("{")
    with ChangingPay() as provider:
        run = nights.night(provider.url, only=(KEPT,))

    assert run.exit_code == 0
    assert any("bad.json" in note for note in run.providers[0].coverage.notes)


# What the proof calls wrong


def test_what_somebody_answers_for_is_not_known_wrong(nights: Nights) -> None:
    """It stands beside, until the day after; then it counts again."""
    with ChangingPay(STRINGS) as provider:
        first = nights.night(provider.url, only=(KEPT,))
        (found,) = [item for item in first.providers[0].findings if item.operation == "create_charge"]
        assert [item.fingerprint for item in proof_of(nights).wrong] == [found.fingerprint]
        entry = f'accepted:\n  - {{finding: "{found.fingerprint}", owner: ada, reason: soon, until: 2999-01-31}}\n'
        file = nights.contract_file.parent / "accepted.yaml"
        file.write_text(entry)
        nights.night(provider.url, only=(KEPT,))
        accepted = proof_of(nights)
        file.write_text(entry.replace("2999", "2026"))
        nights.night(provider.url, only=(KEPT,))

    assert (accepted.wrong, [item.fingerprint for item in accepted.accepted]) == ((), [found.fingerprint])
    assert [item.fingerprint for item in proof_of(nights).wrong] == [found.fingerprint]
    assert proof_of(nights).accepted == ()


def test_what_did_not_come_again_is_not_known_wrong(nights: Nights) -> None:
    """A fluke of the first run, dismissed by the next ones."""
    flukes = iter(["1200"])

    def change(seen: Seen, body: dict[str, Any]) -> dict[str, Any]:
        fluke = next(flukes, None) if seen.method == "POST" else None
        return body if fluke is None else {**body, "amount": fluke}

    with ChangingPay(change) as provider:
        run = nights.night(provider.url, only=(KEPT,))
    (found,) = run.providers[0].findings

    assert found.steadiness == "dismissed"
    assert [proof_of(nights, name).wrong for name in ("create_charge", "get_charge", "list_charges")] == [()] * 3
