"""``troth check``: errors exit with 4, warnings do not, and a program can read both."""

from __future__ import annotations

import json

from troth.cli.main import run


def test_without_any_contract_it_says_what_to_do(tmp_path, monkeypatch, capsys):
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)

    assert run(["check"]) == 4
    said = capsys.readouterr().err
    assert said.startswith("E905 ")
    assert "troth init" in said


def test_all_errors_of_all_contracts_are_shown(project, capsys):
    bad = project / "contracts" / "bad"
    bad.mkdir()
    (bad / "contract.yaml").write_text("troth: 1\nprovider: bad\noperation: {}\ntypos: {}\n")

    assert run(["check"]) == 4
    shown = capsys.readouterr().out
    assert "contract.yaml:3:1: E" in shown
    assert "contract.yaml:4:1: E" in shown
    assert "2 contracts: " in shown


def test_a_program_reads_code_place_and_words(project, capsys):
    bad = project / "bad.yaml"
    bad.write_text("troth: 1\nprovider: bad\noperation: {}\n")

    assert run(["check", str(bad), "--json"]) == 4
    data = json.loads(capsys.readouterr().out)
    (contract,) = data["contracts"]
    problem = contract["problems"][0]
    assert data["errors"] == len(contract["problems"])
    assert contract["path"] == str(bad)
    assert (problem["file"], problem["line"], problem["column"]) == (str(bad), 3, 1)
    assert set(problem) == {"code", "file", "line", "column", "asked", "found", "fix"}


def test_warnings_do_not_fail(project, capsys):
    contract = project / "contracts" / "acmepay" / "contract.yaml"
    text = contract.read_text()
    contract.write_text(text.replace("types:\n", "types:\n  Unused: {id: $uuid}\n", 1))

    assert run(["check"]) == 0
    shown = capsys.readouterr().out
    assert ": W" in shown
    assert "0 errors" in shown


def test_a_path_that_is_not_there_is_an_error(project, capsys):
    assert run(["check", str(project / "nowhere")]) == 4
    assert "nowhere" in capsys.readouterr().err


def test_wrong_settings_are_shown_with_their_place(project, capsys):
    (project / "troth.toml").write_text('contract = ["x"]\n')

    assert run(["check"]) == 4
    said = capsys.readouterr().err
    assert "troth.toml:1:1: E903" in said
    assert "Did you mean 'contracts'?" in said
