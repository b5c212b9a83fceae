"""``troth drift`` and ``troth report``: another simulator plays the sandbox of a provider that moved on."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from troth.cli.main import run
from troth.simulators.simulator import Simulator

REPORT = {"report.html", "run.json", "junit.xml", "summary.md"}


@contextmanager
def sandbox(project: Path, *changes: tuple[str, str]) -> Iterator[str]:
    """``--url`` for a provider whose contract has some texts replaced."""
    text = (project / "contracts" / "acmepay" / "contract.yaml").read_text()
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    moved_on = project / "moved-on.yaml"
    moved_on.write_text(text)
    with Simulator(moved_on) as simulator:
        yield f"acmepay={simulator.url}"


@pytest.fixture
def key(monkeypatch) -> None:
    """A credential that the contract allows."""
    monkeypatch.setenv("ACMEPAY_TEST_KEY", "sk_test_1")


def report(project: Path) -> dict:
    return json.loads((project / "troth-report" / "run.json").read_text())


def test_with_the_gate_closed_the_sandbox_is_skipped_and_the_simulator_decides(project, capsys):
    assert run(["drift"]) == 0

    (provider,) = report(project)["providers"]
    assert provider["verdict"] == "skipped"
    assert "--sandbox" in provider["reason"]
    assert {path.name for path in (project / "troth-report").iterdir()} >= REPORT
    assert "Report: " in capsys.readouterr().out


def test_a_sandbox_that_does_what_the_contract_says_agrees(project, key):
    with sandbox(project) as url:
        assert run(["drift", "--sandbox", "--url", url]) == 0

    assert report(project)["verdict"] == "agree"


@pytest.mark.parametrize(("options", "runs"), [([], 3), (["--confirm", "1"], 1), (["--confirm-over", "250ms"], 3)])
def test_drift_is_looked_at_again(project, key, options, runs):
    with sandbox(project, ("object: charge", "object: payment")) as url:
        assert run(["drift", "--sandbox", "--url", url, *options]) == 1

    roots = [item for item in report(project)["providers"][0]["findings"] if not item.get("caused_by")]
    assert {item.get("runs", 1) for item in roots} == {runs}
    assert {item.get("steadiness", "") for item in roots} == {"confirmed" if runs > 1 else ""}


@pytest.mark.parametrize("options", [["--confirm", "0"], ["--confirm", "many"], ["--confirm-over", "soon"]])
def test_confirmation_that_cannot_be_is_refused(project, options, capsys):
    assert run(["drift", *options]) == 4
    assert options[0] in capsys.readouterr().err


def test_a_provider_that_moved_on_is_drift(project, key, capsys):
    with sandbox(project, ("object: charge", "object: payment")) as url:
        assert run(["drift", "--sandbox", "--url", url]) == 1

    assert report(project)["verdict"] == "drift"
    assert "acmepay: drift" in capsys.readouterr().out


def test_progress_is_plain_lines_and_the_result_is_json_for_programs(project, key, capsys):
    with sandbox(project) as url:
        run(["drift", "--sandbox", "--url", url, "--json"])

    shown = capsys.readouterr()
    assert json.loads(shown.out) == {
        "verdict": "agree",
        "exit_code": 0,
        "run": report(project)["run_id"],
        "report": str(project / "troth-report"),
        "providers": {"acmepay": "agree"},
    }
    assert "  sandbox: a charge is kept: ok" in shown.err.splitlines()


def test_fail_on_decides_what_fails(project, key):
    with sandbox(project, ("status: 201", "status: 200")) as url:
        changed = ["drift", "--sandbox", "--url", url]
        lax, strict = run(changed), run([*changed, "--fail-on", "risky"])
        (project / "troth.toml").write_text('contracts = ["contracts"]\nfail_on = "risky"\n')
        strict_by_settings = run(changed)

    assert (lax, strict, strict_by_settings) == (0, 1, 1)


def test_only_runs_what_was_asked_for(project, key):
    with sandbox(project) as url:
        run(["drift", "--sandbox", "--url", url, "--only", "a charge is kept"])

    assert report(project)["providers"][0]["coverage"]["scenarios"] == 1


def test_an_unknown_scenario_is_explained(project, capsys):
    assert run(["drift", "--only", "a charge is keptt"]) == 4
    assert "a charge is kept" in capsys.readouterr().err


@pytest.mark.parametrize("url", ["acmepay", "acmepay=somewhere", "=http://x", "acmepaid=http://127.0.0.1:1"])
def test_a_wrong_url_option_is_explained(project, capsys, url):
    assert run(["drift", "--sandbox", "--url", url]) == 4
    assert "--url" in capsys.readouterr().err


def test_without_credentials_it_could_not_be_checked(project, capsys):
    assert run(["drift", "--sandbox"]) == 6
    assert "ACMEPAY_TEST_KEY" in capsys.readouterr().out


def test_a_credential_that_looks_live_is_refused(project, monkeypatch, capsys):
    monkeypatch.setenv("ACMEPAY_TEST_KEY", "sk_live_1")

    with sandbox(project) as url:
        assert run(["drift", "--sandbox", "--url", url]) == 4

    assert "sk_live_1" not in "".join(capsys.readouterr())


def test_a_contract_with_errors_does_not_cost_the_others_their_run(project, capsys):
    bad = project / "contracts" / "bad"
    bad.mkdir()
    (bad / "contract.yaml").write_text("troth: 1\nprovider: bad\noperation: {}\n")

    assert run(["drift"]) == 4

    verdicts = {provider["provider"]: provider["verdict"] for provider in report(project)["providers"]}
    assert verdicts == {"acmepay": "skipped", "bad": "broken"}


def test_where_no_contract_can_be_used_all_errors_are_shown(project, capsys):
    (project / "contracts" / "acmepay" / "contract.yaml").write_text("troth: 1\nprovider: bad\noperation: {}\n")

    assert run(["drift"]) == 4
    assert "contract.yaml:3:1: E" in capsys.readouterr().err
    assert not (project / "troth-report").exists()


def test_a_folder_that_is_no_report_is_not_replaced(project, capsys):
    assert run(["drift", "--out", "tests"]) == 4
    assert (project / "tests" / "test_acmepay.py").exists()


def test_a_stored_run_is_rendered_again(project, capsys):
    run(["drift"])

    assert run(["report", "troth-report/run.json", "--out", "again"]) == 0
    assert {path.name for path in (project / "again").iterdir()} >= REPORT


def test_a_run_that_is_none_is_explained(project, capsys):
    (project / "run.json").write_text("[]")

    assert run(["report", "run.json"]) == 4
    assert capsys.readouterr().err.startswith("E4")


def test_the_history_is_kept_in_the_project(project, key):
    with sandbox(project) as url:
        run(["drift", "--sandbox", "--url", url])
    with sandbox(project, ("status: 402", "status: 400")) as url:
        run(["drift", "--sandbox", "--url", url])

    finding = report(project)["providers"][0]["findings"][0]
    assert (project / ".troth" / "troth.db").exists()
    assert (finding["blame"], finding["proof"]) == ("provider", "history")


def test_how_long_a_sandbox_may_be_silent_is_a_setting(project, key):
    """A host that takes connections and never answers is unreachable after a moment, not after half a minute."""
    (project / "troth.toml").write_text('contracts = ["contracts"]\ntimeout = "100ms"\n')
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"acmepay=http://127.0.0.1:{silent.getsockname()[1]}"
        before = time.monotonic()
        assert run(["drift", "--sandbox", "--url", url]) == 6

    assert time.monotonic() - before < 25
    assert report(project)["providers"][0]["verdict"] == "unreachable"


def test_a_provider_that_is_not_in_the_run_is_explained(project, capsys):
    assert run(["drift", "--url", "acmepaid=http://127.0.0.1:1"]) == 4

    said = capsys.readouterr().err
    assert said.startswith("E910 ")
    assert "Did you mean 'acmepay'?" in said
