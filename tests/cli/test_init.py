"""``troth init``: what it writes works at once, and nothing is overwritten."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from troth.cli.main import run

WRITTEN = {
    ".github/workflows/troth-nightly.yml",
    ".github/workflows/troth-pr.yml",
    ".gitignore",
    "contracts/acmepay/contract.yaml",
    "tests/test_acmepay.py",
}


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_new_project_gets_everything(tmp_path, capsys):
    assert run(["init", str(tmp_path)]) == 0

    assert files_in(tmp_path) == WRITTEN | {"pytest.ini", "troth.toml"}
    assert capsys.readouterr().out.count("wrote ") == 7


def test_the_contract_is_without_errors_and_warnings(project, capsys):
    assert run(["check"]) == 0
    assert capsys.readouterr().out == "1 contract: 0 errors, 0 warnings\n"


def test_its_tests_pass_at_once(project):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "TROTH"))}

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:schemathesis"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout


def test_settings_go_into_a_pyproject_that_is_there(tmp_path):
    project = tmp_path / "pyproject.toml"
    project.write_text('[project]\nname = "mine"')

    assert run(["init", str(tmp_path)]) == 0

    assert files_in(tmp_path) == WRITTEN | {"pyproject.toml"}
    tables = tomllib.loads(project.read_text())
    assert tables["project"] == {"name": "mine"}
    assert tables["tool"]["troth"] == {"contracts": ["contracts"], "history": "git:troth-history"}
    assert tables["tool"]["pytest"]["ini_options"] == {"troth_contracts": ["contracts"]}


def test_tables_that_are_there_are_left_alone_and_the_line_to_add_is_said(tmp_path, capsys):
    project = tmp_path / "pyproject.toml"
    text = '[tool.pytest.ini_options]\naddopts = ["-q"]\n[tool.troth]\nseed = 1\n'
    project.write_text(text)

    assert run(["init", str(tmp_path)]) == 0

    assert project.read_text() == text
    said = capsys.readouterr().out
    assert 'troth_contracts = ["contracts"]' in said
    assert 'contracts = ["contracts"]' in said


@pytest.mark.parametrize("path", ["troth.toml", "tests/test_acmepay.py"])
def test_nothing_is_written_where_a_file_is_in_the_way(tmp_path, capsys, path):
    mine = tmp_path / path
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")

    assert run(["init", str(tmp_path)]) == 4

    assert files_in(tmp_path) == {path}
    assert mine.read_text() == "mine"
    said = capsys.readouterr().err
    assert said.startswith("E907 ")
    assert path in said


def test_a_broken_pyproject_is_explained(tmp_path, capsys):
    (tmp_path / "pyproject.toml").write_text("[[[")

    assert run(["init", str(tmp_path)]) == 4
    assert capsys.readouterr().err.startswith("E900 ")


def test_a_folder_that_cannot_be_is_explained(tmp_path, capsys):
    (tmp_path / "file").touch()

    assert run(["init", str(tmp_path / "file")]) == 4
    assert capsys.readouterr().err.startswith("E908 ")


def test_what_runs_write_is_ignored_by_git(tmp_path):
    run(["init", str(tmp_path)])

    assert (tmp_path / ".gitignore").read_text() == ".troth/\ntroth-report/\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("dist/", "dist/\n.troth/\ntroth-report/\n"),
        ("/troth-report\n", "/troth-report\n.troth/\n"),
        (".troth/\ntroth-report/\n", ".troth/\ntroth-report/\n"),
    ],
)
def test_a_gitignore_that_is_there_gets_what_it_lacks(tmp_path, before, after):
    ignore = tmp_path / ".gitignore"
    ignore.write_text(before)

    assert run(["init", str(tmp_path)]) == 0

    assert ignore.read_text() == after


def test_the_nightly_workflow_keeps_what_is_to_be_cleaned_up_after_a_night_with_drift(project):
    """``troth drift`` exits 1 then: only a step that always runs saves, and under a key that no other run has."""
    workflow = yaml.safe_load((project / ".github/workflows/troth-nightly.yml").read_text())
    steps = workflow["jobs"]["sandbox"]["steps"]
    used = [step.get("uses", step.get("run")) for step in steps]
    restore, drift, save = (
        used.index(name) for name in ("actions/cache/restore@v4", "troth drift --sandbox", "actions/cache/save@v4")
    )

    assert restore < drift < save
    assert steps[save]["if"] == "always()"
    assert steps[save]["with"]["key"] == steps[restore]["with"]["key"]
    assert "github.run_id" in steps[save]["with"]["key"]
    assert "github.run_attempt" in steps[save]["with"]["key"]
    assert steps[save]["with"]["path"] == steps[restore]["with"]["path"] == ".troth/undo.jsonl"
    assert steps[save]["with"]["key"].startswith(steps[restore]["with"]["restore-keys"])
