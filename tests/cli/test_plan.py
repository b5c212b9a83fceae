"""``troth drift --plan``: prints, sends nothing, writes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes.tiny_server import TinyServer

from troth.cli.main import run


def files(project: Path) -> set[Path]:
    return {path for path in project.rglob("*") if path.is_file()}


@pytest.mark.parametrize("flags", [[], ["--sandbox"]])
def test_a_plan_is_printed_and_nothing_is_sent_or_written(project, monkeypatch, capsys, flags):
    monkeypatch.setenv("ACMEPAY_TEST_KEY", "sk_test_CANARY")
    before = files(project)

    with TinyServer(lambda seen: None) as server:
        assert run(["drift", "--plan", *flags, "--url", f"acmepay={server.url}"]) == 0

    assert server.seen == []
    assert files(project) == before
    shown = capsys.readouterr().out
    assert f"hosts      {server.url}" in shown
    assert "ACMEPAY_TEST_KEY (set)" in shown
    assert "CANARY" not in shown
    told = ["hosts", "proxy", "scenarios", "requests", "again", "creates", "cleanup", "cost", "limits", "variables"]
    assert [line.split()[0] for line in shown.splitlines()[1:] if line[2] != " "] == told
    assert "             a charge is kept: never verified" in shown.splitlines()


def test_a_plan_is_json_for_programs(project, capsys):
    assert run(["drift", "--plan", "--json"]) == 0

    (plan,) = json.loads(capsys.readouterr().out)["providers"]
    assert plan["hosts"] == ["https://sandbox.acmepay.example"]
    assert {"name": "ACMEPAY_TEST_KEY", "purpose": "credential", "state": "not set"} in plan["variables"]


def test_a_contract_with_errors_does_not_cost_the_others_their_plan(project, capsys):
    bad = project / "contracts" / "bad"
    bad.mkdir()
    (bad / "contract.yaml").write_text("troth: 1\nprovider: bad\noperation: {}\n")

    assert run(["drift", "--plan"]) == 4

    shown = capsys.readouterr()
    assert "acmepay: nothing was sent" in shown.out
    assert "contract.yaml:3:1: E" in shown.err
