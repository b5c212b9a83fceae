"""``troth history``: what a person or a CI job types, and what it says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from fakes.acmepay import KEY
from fakes.nights import KEPT, ChangingPay, Nights, with_field
from fakes.shelves import git, repositories

from troth.cli.init import template
from troth.cli.main import run


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a contract, in which the commands run."""
    Nights(tmp_path)
    (tmp_path / "troth.toml").write_text('contracts = ["acmepay"]\n')
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ACMEPAY_KEY", KEY)
    monkeypatch.delenv("TROTH_HISTORY", raising=False)
    monkeypatch.delenv("TROTH_SANDBOX", raising=False)
    return tmp_path


def night(change: object = None) -> int:
    """``troth drift`` with the sandbox."""
    with ChangingPay(change) as provider:  # type: ignore[arg-type]
        return run(["drift", "--sandbox", "--url", f"acmepay={provider.url}", "--only", KEPT])


def test_three_nights_in_three_fresh_directories(tmp_path: Path) -> None:
    """As a CI job does it, in processes of their own: the third report says, changed since night 2."""
    names = ("one", "two", "three")
    repositories(tmp_path, *names)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TROTH")}
    environment |= {"ACMEPAY_KEY": KEY, "GIT_CONFIG_GLOBAL": os.devnull}
    said: list[str] = []
    for name, change in zip(names, (None, None, with_field("amount", "1200")), strict=True):
        clone = tmp_path / name
        Nights(clone)
        (clone / "troth.toml").write_text('contracts = ["acmepay"]\nhistory = "git:troth-history"\n')
        with ChangingPay(change) as provider:
            drift = ["drift", "--sandbox", "--url", f"acmepay={provider.url}", "--only", KEPT]
            for arguments in (["history", "pull"], drift, ["history", "push"]):
                ended = subprocess.run(
                    [sys.executable, "-m", "troth", *arguments],
                    cwd=clone,
                    env=environment,
                    capture_output=True,
                    text=True,
                    timeout=60,
                    check=False,
                )
                assert ended.returncode == (1 if change and arguments is drift else 0), ended.stdout + ended.stderr
                said.append(ended.stdout)
    report = json.loads((tmp_path / "three" / "troth-report" / "run.json").read_text())["providers"][0]
    (found,) = [item for item in report["findings"] if item["kind"] == "type" and not item["caused_by"]]

    assert "There is no history: this is the first night, or it was lost" in said[0]
    assert "no earlier night is known" in said[1]
    assert "history pulled from git:origin#troth-history: 2 nights new here, 2 nights known" in said[6]
    assert "no earlier night is known" not in said[7]
    assert "changed since night 2" in said[7]
    assert (found["blame"], found["standing"]) == ("provider", "changed since night 2")
    assert "changed since night 2" in (tmp_path / "three" / "troth-report" / "report.html").read_text()
    assert "history pushed to git:origin#troth-history: 1 night new there, 3 nights known" in said[8]
    assert git(tmp_path / "three", "status", "--short", "--untracked-files=no") == ""


def test_a_target_may_be_named_in_three_ways(inside: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """The argument before the variable before the setting."""
    (inside / "troth.toml").write_text('contracts = ["acmepay"]\nhistory = "by-setting"\n')
    night()
    for arguments, variable in (([], None), ([], "by-variable"), (["by-argument"], "by-variable")):
        if variable:
            monkeypatch.setenv("TROTH_HISTORY", variable)
        assert run(["history", "push", *arguments]) == 0

    assert all((inside / f"by-{how}" / "proof.json").is_file() for how in ("setting", "variable", "argument"))


def test_no_target_is_a_usage_error(inside: Path, capsys) -> None:
    """It says how to name one."""
    assert run(["history", "pull"]) == 4
    assert "E423" in capsys.readouterr().err


def test_a_directory_that_is_not_there_is_told(inside: Path, capsys) -> None:
    """The first night has none, so it is no error; but its name may be misspelt."""
    assert run(["history", "pull", "shraed"]) == 0
    assert "No directory" in (told := capsys.readouterr().err)
    assert "shraed" in told
    assert not (inside / "shraed").exists()

    (inside / "empty").mkdir()
    assert run(["history", "pull", "empty"]) == 0
    assert "No directory" not in capsys.readouterr().err


def test_the_proof_alone(inside: Path, capsys) -> None:
    """What a pull request fetches; when there is none yet, that is no error."""
    assert run(["history", "pull", "--proof", "shared"]) == 0
    assert "there is none yet" in capsys.readouterr().out
    night()
    run(["history", "push", "shared"])
    (inside / ".troth" / "proof.json").unlink()

    assert run(["history", "pull", "--proof", "shared"]) == 0
    assert (
        "get_charge" in json.loads((inside / ".troth" / "proof.json").read_text())["providers"]["acmepay"]["operations"]
    )
    assert run(["history", "push", "--proof", "shared"]) == 4


def test_what_was_left_out_is_told(inside: Path, capsys) -> None:
    """On standard error; the rest is there."""
    night()
    run(["history", "push", "shared"])
    (path,) = (inside / "shared" / "runs").iterdir()
    path.write_bytes(b"")
    (inside / ".troth" / "troth.db").unlink()
    capsys.readouterr()

    assert run(["history", "pull", "shared"]) == 0
    assert "cannot be used and was left out" in capsys.readouterr().err


def test_without_psycopg_the_command_that_installs_it_is_printed(inside: Path) -> None:
    """In a process that cannot find it."""
    hide = (
        "import sys, importlib.abc\n"
        "class Hide(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'psycopg': raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Hide())\n"
        "from troth.cli.main import run\n"
        "sys.exit(run(['history', 'pull', 'postgresql://localhost/none']))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", hide], cwd=inside, capture_output=True, text=True, timeout=60, check=False
    )

    assert ended.returncode == 4
    assert "pip install 'troth[postgres]'" in ended.stderr


def test_a_password_in_the_settings_is_refused_and_not_shown(inside: Path, capsys) -> None:
    """Settings are committed."""
    (inside / "troth.toml").write_text('history = "postgresql://me:hunter2@localhost/troth"\n')

    assert run(["history", "pull"]) == 4
    told = capsys.readouterr().err
    assert "E904" in told
    assert "hunter2" not in told


@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("troth-nightly.yml", ["troth history pull", "troth drift --sandbox", "troth history push"]),
        ("troth-pr.yml", ["troth history pull --proof", "troth check", "pytest"]),
    ],
)
def test_the_shipped_workflows_use_it(name: str, commands: list[str]) -> None:
    """In this order; what was found on a bad night is pushed too."""
    (job,) = yaml.safe_load(template(name))["jobs"].values()
    steps = [step for step in job["steps"] if step.get("run") in commands]

    assert [step["run"] for step in steps] == commands
    assert [step.get("if") for step in steps if "push" in step["run"]] in ([], ["always()"])
