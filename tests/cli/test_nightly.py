"""``troth nightly``."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

from troth.cli.main import run


def test_once_runs_everything_now_and_ends(project, capsys):
    assert run(["nightly", "--once"]) == 0

    stored = json.loads((project / "troth-report" / "run.json").read_text())
    assert [provider["provider"] for provider in stored["providers"]] == ["acmepay"]
    assert "The gate is closed" in capsys.readouterr().err


def test_now_runs_one_provider(project):
    other = project / "contracts" / "other"
    other.mkdir()
    text = (project / "contracts" / "acmepay" / "contract.yaml").read_text()
    (other / "contract.yaml").write_text(text.replace("provider: acmepay", "provider: other"))

    assert run(["nightly", "--now", "other"]) == 0

    stored = json.loads((project / "troth-report" / "run.json").read_text())
    assert [provider["provider"] for provider in stored["providers"]] == ["other"]


def test_an_unknown_provider_is_explained(project, capsys):
    assert run(["nightly", "--now", "acmepaid"]) == 4
    said = capsys.readouterr().err
    assert "E910 " in said
    assert ": acmepay; found 'acmepaid'. Did you mean 'acmepay'?" in said


def test_it_waits_for_its_slot_and_ends_on_a_signal(project):
    process = subprocess.Popen(
        [sys.executable, "-m", "troth", "nightly"], cwd=project, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        said = [process.stderr.readline(), process.stderr.readline()]
        process.send_signal(signal.SIGTERM)
        said.append(process.communicate(timeout=30)[1])
    finally:
        process.kill()
        process.wait(30)

    assert said[1].startswith("waiting ")
    assert "03:00 UTC" in said[1]
    assert process.returncode == 0
    assert "Traceback" not in "".join(said)
