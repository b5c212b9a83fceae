"""``troth fuzz``: generated requests to the simulator."""

from __future__ import annotations

import json

import pytest

from troth.cli.main import run

CONTRACT = """
troth: 1
provider: tiny
operations:
  greet:
    request: {method: GET, path: /greetings}
    responses:
      greeted: {status: 200, json: {hello: $string}}
scenarios:
  a greeting:
    steps: [{call: greet, expect: greeted}]
"""


@pytest.fixture
def tiny(tmp_path, monkeypatch) -> str:
    """A contract with one operation."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.yaml").write_text(CONTRACT)
    return "tiny.yaml"


def test_a_simulator_that_follows_its_contract_passes(tiny, capsys):
    assert run(["fuzz", tiny, "--json"]) == 0

    data = json.loads(capsys.readouterr().out)
    assert data["outcome"] == "ok"
    assert data["findings"] == []


def test_people_read_how_much_was_sent(tiny, capsys):
    assert run(["fuzz", tiny, "--seed", "1"]) == 0
    assert "requests to tiny's simulator" in capsys.readouterr().out
