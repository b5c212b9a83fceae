"""``troth accept``: an entry beside the contract, for a finding of the last report or of the store."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from troth.cli.main import run
from troth.contracts.document.accepted_document import read_accepted
from troth.simulators.simulator import Simulator

GIVEN = ["--until", "2999-01-31", "--reason", "they mend it in March", "--owner", "ada"]


def drift(project: Path) -> int:
    """A night on which the provider answers with another status of the charge, which is breaking; its exit code."""
    text = (project / "contracts" / "acmepay" / "contract.yaml").read_text()
    moved_on = project / "moved-on.yaml"
    moved_on.write_text(text.replace("status: succeeded, created", "status: failed, created"))
    with Simulator(moved_on) as simulator:
        return run(["drift", "--sandbox", "--url", f"acmepay={simulator.url}", "--confirm", "1"])


def findings(project: Path) -> list[dict]:
    (provider,) = json.loads((project / "troth-report" / "run.json").read_text())["providers"]
    return provider["findings"]


@pytest.fixture
def root(project, monkeypatch, capsys) -> str:
    """The fingerprint of the finding of a first night, which fails."""
    monkeypatch.setenv("ACMEPAY_TEST_KEY", "sk_test_1")
    assert drift(project) == 1
    capsys.readouterr()
    return next(item["fingerprint"] for item in findings(project) if item["caused_by"] is None)


def entries(project: Path) -> list[tuple[str, str, str]]:
    file = project / "contracts" / "acmepay" / "accepted.yaml"
    return [(entry.finding, entry.owner, entry.until) for entry in read_accepted(file)]


def test_an_accepted_finding_no_longer_fails_the_night(project, root, capsys):
    assert run(["accept", root, *GIVEN, "--link", "https://tickets.example/7"]) == 0

    assert "accepted.yaml" in capsys.readouterr().out
    assert entries(project) == [(root, "ada", "2999-01-31")]
    assert drift(project) == 0
    assert "by ada until 2999-01-31: they mend it in March (https://tickets.example/7)" in capsys.readouterr().out


def test_the_contract_stays_valid_with_the_file_beside_it(project, root, capsys):
    assert run(["accept", root, *GIVEN]) == 0
    contract = project / "contracts" / "acmepay" / "contract.yaml"
    contract.write_text(contract.read_text().replace("title: ", "parts: ['*.yaml']\ntitle: ", 1))
    (contract.parent / "more.yaml").write_text("data: {a: 1}\n")

    assert run(["check"]) == 0
    assert (
        "accepted.yaml" not in capsys.readouterr().out.replace(f"until 2999-01-31 by ada: {contract.parent}", "")[80:]
    )


def test_the_fingerprint_may_come_without_its_version(project, root):
    assert run(["accept", root.removeprefix("v1:"), *GIVEN]) == 0

    assert entries(project)[0][0] == root


@pytest.mark.parametrize("written", ["beginning", "code and path"])
def test_a_finding_of_the_last_report_is_named_as_for_adopt(project, root, written):
    (cause,) = [item for item in findings(project) if item["fingerprint"] == root]
    name = root[:9] if written == "beginning" else f"{cause['code']} {cause['path']}"

    assert run(["accept", name, *GIVEN]) == 0

    assert entries(project)[0][0] == root


def test_a_name_that_may_mean_several_findings_is_refused(project, root, capsys):
    report = project / "troth-report" / "run.json"
    stored = json.loads(report.read_text())
    (provider,) = stored["providers"]
    (cause,) = [item for item in provider["findings"] if item["fingerprint"] == root]
    provider["findings"].append({**cause, "fingerprint": "v1:0123456789ab", "path": "$.other"})
    report.write_text(json.dumps(stored))

    assert run(["accept", cause["code"], *GIVEN]) == 4

    told = capsys.readouterr().err
    assert "E913 one finding" in told
    assert f"{root} ({cause['code']} {cause['path']}), v1:0123456789ab ({cause['code']} $.other)" in told


def test_a_finding_that_is_accepted_again_has_one_entry_and_comments_stay(project, root):
    run(["accept", root, *GIVEN])
    file = project / "contracts" / "acmepay" / "accepted.yaml"
    other = '  - {finding: "v1:0123456789ab", owner: eve, reason: because, until: 2999-01-01} # eve knows\n'
    file.write_text(f"# ours\n{file.read_text()}{other}")

    assert run(["accept", root, "--until", "2999-12-31", "--reason", "later", "--owner", "bob"]) == 0

    assert entries(project) == [("v1:0123456789ab", "eve", "2999-01-01"), (root, "bob", "2999-12-31")]
    assert file.read_text().startswith("# ours\n")
    assert "# eve knows" in file.read_text()


def test_the_store_knows_what_the_last_report_does_not(project, root):
    shutil.rmtree(project / "troth-report")

    assert run(["accept", root, *GIVEN]) == 0
    assert entries(project) == [(root, "ada", "2999-01-31")]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--reason", "a", "--owner", "b"], "Give one, such as --until 2027-01-31"),
        (["--until", "soon", "--reason", "a", "--owner", "b"], "'soon'"),
        (["--until", "2999-02-30", "--reason", "a", "--owner", "b"], "'2999-02-30'"),
        (["--until", "2026-01-31", "--reason", "a", "--owner", "b"], "a day that is not past"),
        (["--until", "2999-01-31", "--owner", "b"], "--reason"),
        (["--until", "2999-01-31", "--reason", "a"], "--owner"),
        (["--until", "2999-01-31", "--reason", "a", "--owner", " "], "--owner"),
        (["--until", "2999-01-31", "--reason", "a", "--owner", "b", "--link", "JIRA-7"], "--link"),
    ],
)
def test_nothing_is_accepted_without_an_end_a_reason_and_an_owner(project, root, capsys, options, words):
    assert run(["accept", root, *options]) == 4

    shown = capsys.readouterr().err
    assert shown.startswith("E912 ")
    assert words in shown
    assert not (project / "contracts" / "acmepay" / "accepted.yaml").exists()


def test_an_unknown_finding_is_explained(project, root, capsys):
    assert run(["accept", root[:-1] + ("0" if root[-1] != "0" else "1"), *GIVEN]) == 4
    assert f"Did you mean '{root}'?" in capsys.readouterr().err


def test_without_any_run_it_says_where_it_looked(project, capsys):
    assert run(["accept", "v1:0123456789ab", *GIVEN]) == 4
    assert "troth history pull" in capsys.readouterr().err


def test_a_consequence_is_accepted_by_its_cause(project, root, capsys):
    after = [item["fingerprint"] for item in findings(project) if item["caused_by"] == root]

    assert after
    assert run(["accept", after[0], *GIVEN]) == 4
    assert f"Accept {root}" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_is_left_alone(project, root, capsys):
    file = project / "contracts" / "acmepay" / "accepted.yaml"
    file.write_text("accepted: [{finding: nonsense}]\n")

    assert run(["accept", root, *GIVEN]) == 4
    assert "accepted.yaml:1:" in capsys.readouterr().err
    assert file.read_text() == "accepted: [{finding: nonsense}]\n"


def test_check_reads_the_file_too(project, capsys):
    (project / "contracts" / "acmepay" / "accepted.yaml").write_text(
        'accepted:\n  - {finding: "v1:0123456789ab", owner: a, reason: b}\n'
    )

    assert run(["check"]) == 4
    assert "E032 the key 'until'" in capsys.readouterr().out
