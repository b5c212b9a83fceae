"""A run that was killed leaves things in the sandbox; ``troth sweep`` takes them back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes.acmepay import KEY, SCENARIOS, AcmePay
from fakes.killed import killed_run
from fakes.nights import Nights
from fakes.tiny_server import Reply, Seen

from troth.cli.main import run


@pytest.fixture
def nights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Nights:
    """A project with the contract of AcmePay, and its credentials."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TROTH_SANDBOX", raising=False)
    monkeypatch.setenv("ACMEPAY_KEY", KEY)
    return Nights(tmp_path, SCENARIOS)


def sweep(nights: Nights, provider: AcmePay, *arguments: str) -> int:
    """The exit code of ``troth sweep``."""
    gate = ["--sandbox", "--url", f"acmepay={provider.url}"]
    return run(["sweep", str(nights.contract_file), *gate, *arguments])


def reads(seen: Seen) -> bool:
    """Is it the first request after something was made?"""
    return seen.method == "GET"


def makes(seen: Seen) -> bool:
    """Is something about to be made?"""
    return seen.method == "POST"


def test_what_a_killed_run_made_is_taken_back(nights, capsys):
    with AcmePay() as provider:
        provider.charges["ch_ours"] = {"id": "ch_ours", "amount": 3, "note": "not Troth's", "_at": 0.0}
        killed_run(nights.folder, nights.contract_file, provider, reads)
        assert len(provider.charges) == 2

        assert sweep(nights, provider, "--older-than", "0s") == 0

        assert list(provider.charges) == ["ch_ours"]
        assert not (nights.store.parent / "undo.jsonl").exists()
    shown = capsys.readouterr().out
    assert "taken back  create_charge in 'a charge is kept' of run" in shown
    assert "acmepay: 1 taken back, 0 left" in shown


def test_what_was_made_while_the_run_was_killed_is_found_by_its_name(nights, capsys):
    """No answer ever came, so nobody knows an id; the provider made it all the same."""
    with AcmePay() as provider:
        killed_run(nights.folder, nights.contract_file, provider, makes)
        assert len(provider.charges) == 1
        provider.charges["ch_ours"] = {**stranger(), "note": "n-not-of-troth"}

        assert sweep(nights, provider, "--older-than", "0s") == 0

        assert list(provider.charges) == ["ch_ours"]
    assert "in its names: cancel_charge" in capsys.readouterr().out


def test_what_is_young_is_let_be(nights, capsys):
    """Its run may be going on elsewhere."""
    with AcmePay() as provider:
        killed_run(nights.folder, nights.contract_file, provider, reads)
        assert sweep(nights, provider) == 0
        assert len(provider.charges) == 1
    assert "let be" in capsys.readouterr().out


def test_without_an_undo_log_unique_names_are_found_when_asked_for(nights):
    """The machine that ran may be gone."""
    with AcmePay() as provider:
        killed_run(nights.folder, nights.contract_file, provider, reads)
        (nights.store.parent / "undo.jsonl").unlink()
        assert sweep(nights, provider, "--older-than", "0s") == 0
        assert len(provider.charges) == 1
        assert sweep(nights, provider, "--all-names") == 0
        assert provider.charges == {}


def test_what_cannot_be_taken_back_is_left_and_told(nights, capsys):
    """Exit code 1; the next sweep tries again."""
    with AcmePay() as provider:
        killed_run(nights.folder, nights.contract_file, provider, reads)
        provider.before = lambda seen: Reply(409, {"error": {"code": "busy"}}) if seen.method == "DELETE" else None
        assert sweep(nights, provider, "--older-than", "0s", "--json") == 1
        told = json.loads(capsys.readouterr().out)
        assert len(told["left"]) == 1
        assert "is still there: cancel_charge answered 409" in told["left"][0]
        provider.before = None
        assert sweep(nights, provider, "--older-than", "0s") == 0
        assert provider.charges == {}


def test_a_closed_gate_and_a_missing_key_send_nothing(nights, monkeypatch, capsys):
    with AcmePay() as provider:
        assert run(["sweep", str(nights.contract_file), "--url", f"acmepay={provider.url}"]) == 5
        monkeypatch.setenv("ACMEPAY_KEY", "ak_live_CANARY")
        assert sweep(nights, provider) == 4
        monkeypatch.delenv("ACMEPAY_KEY")
        assert sweep(nights, provider) == 6
        assert provider.seen == []
    shown = capsys.readouterr().out
    assert "nothing was sent: the sandbox is called only with --sandbox" in shown
    assert "CANARY" not in shown


def stranger() -> dict[str, object]:
    """A charge of somebody else's, as the provider keeps it."""
    return {
        "id": "ch_ours",
        "amount": 3,
        "status": "paid",
        "created": 1_700_000_000,
        "client_secret": "cs_00000000000000001",
        "pin": "123",
        "_at": 0.0,
    }
