"""``troth adopt``: what it shows, what it writes, and what it refuses."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fakes.shop import KEY, Changed, Shopping, with_value, without

from troth.cli.main import run
from troth.contracts.document.folder import PACKS
from troth.contracts.loader import load
from troth.reports.write import write_reports
from troth.runners.drift import DriftSettings, run_drift
from troth.runners.finding import Run
from troth.runners.trial import Rule
from troth.simulators.simulator import Simulator


@pytest.fixture
def shopping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shopping:
    """A project with the shop's contract, in which the working directory lies."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return Shopping(tmp_path)


def drifted(shopping: Shopping, changed: Changed) -> Run:
    """A night with drift, and its report."""
    found = shopping.night(changed)
    write_reports(found, shopping.folder / "troth-report")
    return found


def fingerprint(found: Run) -> str:
    return found.providers[0].findings[0].fingerprint


def test_yes_writes_what_was_shown(shopping, capsys):
    """By fingerprint, its beginning, code and path, or the code where there is one such finding."""
    found = drifted(shopping, without("currency"))
    digits = fingerprint(found).partition(":")[2]

    shown = []
    for name in (fingerprint(found), digits, digits[:6], "TR201 $.currency", "tr201:$.currency", "TR201"):
        assert run(["adopt", name, "--dry-run"]) == 0
        shown.append(capsys.readouterr().out)
    assert set(shown) == {shown[0]}
    assert "+    currency?: $string                     # ISO 4217" in shown[0].splitlines()
    assert "    currency: $string  " in shopping.texts()["types.yaml"]

    assert run(["adopt", "TR201", "--yes"]) == 0
    told = capsys.readouterr()
    assert told.out == shown[0]
    assert told.err == f"Written: {shopping.contract / 'types.yaml'}\n"
    assert "    currency?: $string  " in shopping.texts()["types.yaml"]
    assert sorted(path.name for path in shopping.contract.iterdir()) == sorted(shopping.texts())


@pytest.mark.parametrize(("typed", "writes"), [("y", True), ("yes", True), ("n", False), ("", False)])
def test_at_a_terminal_somebody_is_asked(shopping, typed, writes):
    drifted(shopping, without("currency"))
    ours, theirs = pty.openpty()
    try:
        command = [sys.executable, "-m", "troth", "adopt", "TR201"]
        with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, text=True, cwd=shopping.folder) as child:
            os.write(ours, f"{typed}\n".encode())
            out, _ = child.communicate(timeout=60)
    finally:
        os.close(ours)
        os.close(theirs)

    assert child.returncode == 0
    assert out.rstrip().endswith("Write? [y/N]")
    assert ("currency?" in shopping.texts()["types.yaml"]) is writes


def test_a_file_that_was_edited_while_somebody_thought_is_not_overwritten(shopping):
    drifted(shopping, without("currency"))
    file = shopping.contract / "types.yaml"
    ours, theirs = pty.openpty()
    try:
        command = [sys.executable, "-m", "troth", "adopt", "TR201"]
        with subprocess.Popen(
            command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=shopping.folder
        ) as child:
            assert child.stdout is not None
            shown = ""
            while "[y/N]" not in shown:
                shown += child.stdout.read(1) or pytest.fail(shown)
            file.write_text(edited := file.read_text() + "# mine\n")
            os.write(ours, b"y\n")
            _, told = child.communicate(timeout=60)
    finally:
        os.close(ours)
        os.close(theirs)

    assert (child.returncode, told[:4]) == (4, "E489")
    assert file.read_text() == edited


def test_without_a_terminal_nothing_is_written(shopping):
    drifted(shopping, without("currency"))
    before = shopping.texts()
    command = [sys.executable, "-m", "troth", "adopt", "TR201"]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=shopping.folder, check=False
    )

    assert (done.returncode, done.stderr[:4]) == (4, "E488")
    assert shopping.texts() == before


def test_the_text_of_a_pull_request_says_all_and_no_secret(shopping, capsys):
    """What, since when, on what evidence, the change, and what it does; written only with --yes."""
    shopping.night()
    found = drifted(shopping, without("currency"))
    before = shopping.texts()

    assert run(["adopt", "TR201", "--pr-body"]) == 0
    text = capsys.readouterr().out
    for part in (
        "## shop: ",
        "**What:** TR201 missing_field, breaking, at `$.currency`",
        "`shop/types.yaml:11`",
        "changed since night 1",
        f"fingerprint `{fingerprint(found)}`",
        "```diff\n--- a/shop/types.yaml\n+++ b/shop/types.yaml",
        "- Closes TR201 `$.currency` of `create_order` (breaking)",
        "- Opens nothing",
        "- Changes what the contract says of 2 operations: create_order, get_order",
        "- Replayed on 1 earlier night: 0 with fewer disagreements, 0 with new ones",
        "POST http://127.0.0.1:",
    ):
        assert part in text
    assert KEY not in text
    assert shopping.texts() == before

    assert run(["adopt", "TR201", "--pr-body", "--yes"]) == 0
    assert shopping.texts() != before


def test_a_patch_that_opens_something_grave_is_not_written_by_a_program(shopping, capsys):
    """The shop says null for what it was sent: allowing null leaves the contract saying which value it is."""
    drifted(shopping, with_value("count", None))
    before = shopping.texts()

    assert run(["adopt", "TR204", "--as", "nullable", "--yes"]) == 4
    told = capsys.readouterr()
    assert "Opens TR301 $.count" in told.out
    assert told.err.startswith("E487 ")
    assert shopping.texts() == before


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nothing"], "E480", "(TR201 $.currency)"),
        (["TR201", "--as", "burn"], "E483", "known are optional, remove. By hand, at "),
        (["TR201", "--from", "missing.json"], "E450", "missing.json"),
    ],
)
def test_what_cannot_be_done_is_said(shopping, capsys, arguments, code, words):
    drifted(shopping, without("currency"))

    assert run(["adopt", *arguments, "--yes"]) == 4
    told = capsys.readouterr().err
    assert told.startswith(f"{code} ")
    assert words in told


def test_several_findings_are_listed(shopping, capsys):
    drifted(
        shopping,
        lambda seen, reply: with_value("total", "x")(
            seen, without("currency")(seen, with_value("made", "x")(seen, reply))
        ),
    )

    assert run(["adopt", "TR203", "--yes"]) == 4
    told = capsys.readouterr().err
    assert told.startswith("E481 ")
    assert "(TR203 $.made)" in told
    assert "(TR203 $.total)" in told


def test_a_consequence_leads_to_its_cause(shopping, capsys):
    found = drifted(shopping, with_value("state", "new"))
    item = next(item for item in found.providers[0].findings if item.caused_by is not None)

    assert run(["adopt", item.fingerprint]) == 4
    told = capsys.readouterr().err
    assert told.startswith("E482 ")
    assert str(item.caused_by) in told


def test_what_was_adopted_already_is_not_adopted_again(shopping, capsys):
    drifted(shopping, without("currency"))
    assert run(["adopt", "TR201", "--yes"]) == 0
    capsys.readouterr()

    assert run(["adopt", "TR201", "--yes"]) == 4
    assert capsys.readouterr().err.startswith("E485 ")


def test_a_scenario_that_demands_the_old_value_is_named_with_its_place(shopping, capsys):
    file = shopping.contract / "contract.yaml"
    file.write_text(file.read_text().replace("json: {state: open}", "json: {state: \"{{ 'open' }}\"}"))
    drifted(shopping, with_value("state", "shipped"))

    assert run(["adopt", "TR301 $.state", "--as", "value", "--yes"]) == 4
    told = capsys.readouterr().err
    assert told.startswith("E484 ")
    assert f"{file}:" in told
    assert "E181" in told


def test_packs_are_not_edited(shopping, capsys):
    """They lie in the installation, and the next one would undo it; to look is allowed."""
    pack = shopping.folder / "moved-on"
    shutil.copytree(PACKS / "stripe", pack)
    types = pack / "types.yaml"
    types.write_text(types.read_text().replace("    disputed: false\n", ""))
    with Simulator(pack) as provider:
        settings = DriftSettings(
            sandbox=True,
            urls={"stripe": provider.url},
            environment={"STRIPE_TEST_KEY": "sk_test_1"},
            only=("a token is charged",),
            confirm=Rule(1),
        )
        write_reports(run_drift([load("stripe")], settings), shopping.folder / "troth-report")
    before = (PACKS / "stripe" / "types.yaml").read_bytes()

    assert run(["adopt", "TR201", "--dry-run"]) == 0
    assert "+    disputed?: false" in capsys.readouterr().out
    assert run(["adopt", "TR201", "--yes"]) == 4
    assert capsys.readouterr().err.startswith("E486 ")
    assert (PACKS / "stripe" / "types.yaml").read_bytes() == before


def test_a_store_that_cannot_be_read_costs_the_earlier_nights_only(shopping, capsys):
    drifted(shopping, without("currency"))
    shopping.store.write_bytes(b"no database at all, and long enough to be looked at")

    assert run(["adopt", "TR201", "--dry-run"]) == 0
    told = capsys.readouterr()
    assert told.err.startswith("Earlier nights were not replayed: E402")
    assert "Closes TR201" in told.out


def test_a_contract_that_is_gone_is_said(shopping, capsys):
    drifted(shopping, without("currency"))
    shutil.rmtree(shopping.contract)

    assert run(["adopt", "TR201", "--yes"]) == 4
    assert "E050" in capsys.readouterr().err
