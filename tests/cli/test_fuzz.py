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

    (data,) = json.loads(capsys.readouterr().out)["contracts"]
    assert data["provider"] == "tiny"
    assert data["outcome"] == "ok"
    assert data["findings"] == []


def test_people_read_how_much_was_sent(tiny, capsys):
    assert run(["fuzz", tiny, "--seed", "1"]) == 0
    assert "requests to tiny's simulator" in capsys.readouterr().out


def two_contracts(folder):
    """A folder of contract folders."""
    for name in ("tiny", "small"):
        (folder / "all" / name).mkdir(parents=True)
        (folder / "all" / name / "contract.yaml").write_text(CONTRACT.replace("tiny", name))


def test_a_folder_of_folders_means_every_contract_in_it(tiny, tmp_path, capsys):
    two_contracts(tmp_path)

    assert run(["fuzz", "all"]) == 0

    said = capsys.readouterr().out
    assert "requests to tiny's simulator" in said
    assert "requests to small's simulator" in said


def test_without_a_path_the_settings_say_which_contracts(tiny, tmp_path, capsys):
    two_contracts(tmp_path)
    (tmp_path / "troth.toml").write_text('contracts = ["all"]\n')

    assert run(["fuzz", "--json"]) == 0

    assert [each["provider"] for each in json.loads(capsys.readouterr().out)["contracts"]] == ["small", "tiny"]


def test_no_path_and_no_settings_is_explained(tiny, capsys):
    assert run(["fuzz"]) == 4
    assert capsys.readouterr().err.startswith("E905 ")
