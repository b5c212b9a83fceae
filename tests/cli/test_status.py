"""``troth status``: how far each operation can be relied on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from fakes.acmepay import KEY
from fakes.nights import KEPT, ChangingPay, Nights, with_field
from fakes.proofs import lay_proof, wrong

from troth.cli.main import run


@pytest.fixture
def acmepay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nights:
    """A project with the contract of AcmePay, in which the command runs."""
    nights = Nights(tmp_path)
    (tmp_path / "troth.toml").write_text('contracts = ["acmepay"]\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACMEPAY_KEY", KEY)
    return nights


def lines(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, str]:
    """What the command says of each operation."""
    assert run(["status", *arguments]) == code
    said = capsys.readouterr().out.splitlines()
    return {line.split()[0]: line.split(maxsplit=1)[1] for line in said if line.startswith("  ")}


def test_without_a_night_nothing_is_proven(acmepay: Nights, capsys) -> None:
    """And it says where a proof would come from."""
    assert run(["status"]) == 0
    told = capsys.readouterr()

    assert "troth history pull --proof" in told.err
    assert "acmepay: no night is known" in told.out
    assert told.out.count("never proven") == 4


def test_after_a_night(acmepay: Nights, capsys) -> None:
    """What agreed today, what never came, and what is wrong."""
    with ChangingPay(with_field("amount", "1200")) as provider:
        acmepay.night(provider.url, only=(KEPT,))
    found = lines(capsys)

    assert found["create_charge"].startswith("known wrong: TR2")
    assert found["create_charge"].endswith("last proven today; never proven: invalid")
    assert found["list_charges"].startswith("known wrong: TR2")


def test_a_refusal_that_can_never_come_is_not_waited_for(acmepay: Nights, capsys) -> None:
    """``invalid`` of an operation that has nothing but its path: runs leave it out as well."""
    refusal = "invalid: {when: mismatch, status: 400, json: $Error}"
    acmepay.edit("      missing: {when: not charge", f"      {refusal}\n      missing: {{when: not charge")
    with ChangingPay() as provider:
        acmepay.night(provider.url)

    assert lines(capsys)["get_charge"] == "last proven today"


def test_an_edit_since_is_told(acmepay: Nights, capsys) -> None:
    """A proof of another contract is less of one."""
    with ChangingPay() as provider:
        acmepay.night(provider.url, only=(KEPT,))
    assert lines(capsys)["list_charges"] == "last proven today"
    acmepay.edit("path: /charges, query: {note?: $string}", "path: /charges, query: {note?: $string, page?: $integer}")

    assert lines(capsys)["list_charges"] == "last proven today; the contract was edited since"
    assert "edited" not in lines(capsys)["create_charge"]


FRESH = {
    "create_charge": {"invalid": 0, "created": 2},
    "cancel_charge": {"missing": 1, "canceled": 1},
    "get_charge": {"missing": 3, "found": 13},
    "list_charges": {"page": 0},
}


@pytest.mark.parametrize(
    ("ages", "code"),
    [
        (FRESH, 0),
        (FRESH | {"list_charges": {"page": 15}}, 7),
        (FRESH | {"list_charges": {}}, 7),
    ],
    ids=["fresh", "old", "never"],
)
def test_what_is_older_than_allowed_fails(
    acmepay: Nights, capsys, ages: dict[str, dict[str, float]], code: int
) -> None:
    """Every response that the contract declares counts, but those that say nothing of it."""
    lay_proof(acmepay.folder, ages)

    assert lines(capsys, "--max-age", "14d", code=code)["get_charge"] == "last proven 13 days ago"


def test_as_json(acmepay: Nights, capsys) -> None:
    """For programs."""
    lay_proof(acmepay.folder, FRESH, {"get_charge": wrong("get_charge", "found")})
    assert run(["status", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["acmepay"]

    assert data["night"] == 1
    assert set(data["operations"]["get_charge"]["proven"]) == {"missing", "found"}
    assert data["operations"]["get_charge"]["wrong"][0]["code"] == "TR301"


@pytest.mark.parametrize("age", ["soon", "14"])
def test_an_age_that_is_none_is_a_usage_error(acmepay: Nights, capsys, age: str) -> None:
    """It says what one looks like."""
    assert run(["status", "--max-age", age]) == 4
    assert "14d" in capsys.readouterr().err


def test_a_broken_proof_is_a_clear_error(acmepay: Nights, capsys) -> None:
    """With the way to another."""
    (acmepay.folder / ".troth").mkdir()
    (acmepay.folder / ".troth" / "proof.json").write_text("{")

    assert run(["status"]) == 6
    assert "E424" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("until: 2999-01-31", "accepted until 2999-01-31 by ada: TR301 breaking $.status; last proven 3 days ago"),
        ("until: 2026-01-31", "known wrong: TR301 breaking $.status; last proven 3 days ago"),
        ("until: 2999-01-31, severity: risky", "known wrong: TR301 breaking $.status; last proven 3 days ago"),
        ("until: 2999-01-31, side: simulator", "known wrong: TR301 breaking $.status; last proven 3 days ago"),
    ],
    ids=["valid", "expired", "worse", "the other side"],
)
def test_what_somebody_answers_for_is_told_apart(acmepay: Nights, capsys, said: str, told: str) -> None:
    """By ``accepted.yaml`` as it is today."""
    known = {"create_charge": replace(wrong("create_charge", "created"), fingerprint="v1:5f0c2a913b7e")}
    lay_proof(acmepay.folder, {"create_charge": {"created": 3, "invalid": 3}}, known)
    (acmepay.contract_file.parent / "accepted.yaml").write_text(
        f'accepted:\n  - {{finding: "v1:5f0c2a913b7e", owner: ada, reason: soon, {said}}}\n'
    )

    assert lines(capsys)["create_charge"] == told
