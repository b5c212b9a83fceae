"""Everything that can be wrong around a run: each is said in words, has its exit code, and costs nothing that ran."""

from __future__ import annotations

import json
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fakes.acmepay import CONTRACT, KEY, SCENARIOS, AcmePay
from fakes.bad_provider import KINDS, BadProvider, bad_answer, down
from fakes.tiny_server import SILENCE, Reply, Seen

from troth.cli.main import run
from troth.runners.store import Store

FIRST = "a charge is kept"
FIRST_CALLS = 4
"""The calls of the first scenario, its undo included."""
PATIENCE = 60
FILES = {"report.html", "run.json", "junit.xml", "summary.md"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the contract of AcmePay, in which the working directory lies; a credential is set."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "acmepay").mkdir()
    (tmp_path / "acmepay" / "contract.yaml").write_text(CONTRACT + SCENARIOS)
    (tmp_path / "troth.toml").write_text('contracts = ["acmepay"]\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TROTH_SANDBOX", raising=False)
    monkeypatch.delenv("ACMEPAY_URL", raising=False)
    monkeypatch.setenv("ACMEPAY_KEY", KEY)
    return tmp_path


def hurried(project: Path) -> None:
    """Give the target one second in all."""
    contract = project / "acmepay" / "contract.yaml"
    contract.write_text(contract.read_text().replace("sandbox: {", "sandbox: {limits: {seconds: 1}, "))


def report(project: Path) -> dict[str, Any]:
    """The one provider of the run that was written."""
    folder = project / "troth-report"
    assert {path.name for path in folder.iterdir()} >= FILES
    (provider,) = json.loads((folder / "run.json").read_text())["providers"]
    return provider


def outcomes(provider: dict[str, Any], target: str) -> dict[str, str]:
    return {item["scenario"]: item["outcome"] for item in provider["scenarios"] if item["target"] == target}


def drift(url: str, *more: str) -> int:
    return run(["drift", "--sandbox", "--url", f"acmepay={url}", *more])


# Sandboxes that do not answer as they should


@contextmanager
def sandbox(kind: str) -> Iterator[str]:
    """The URL of a sandbox that is bad in this way."""
    if kind == "down":
        with down() as url:
            yield url
        return
    with BadProvider(kind) as provider:
        yield provider.url


VERDICTS = dict.fromkeys([*KINDS, "down"], "unreachable") | {
    "401": "unauthorized",
    "402": "exhausted",
    "403": "unauthorized",
    "429": "exhausted",
}
SAID = {
    "html": "HTML where JSON is due",
    "bad_gateway": "502",
    "closes": "closed the connection without an answer",
    "resets": "broke the connection",
    "silent": "did not answer in time",
    "garbage": "did not answer in HTTP",
    "truncated": "in the middle of its answer",
    "login": "a redirect to login.acmepay.example, which is not followed",
    "401": "answered 401",
    "402": "answered 402",
    "403": "answered 403",
    "429": "answered 429",
    "500": "answered 500",
    "huge": "more than 8388608 bytes",
    "bad_utf8": "cannot be decoded",
    "bad_json": "cannot be decoded",
    "bad_gzip": "Content-Encoding does not decode",
    "down": "refuses connections",
}


@pytest.mark.parametrize("kind", VERDICTS)
def test_a_bad_sandbox(project: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    """Neither drift, nor a pass, nor a traceback; the simulator's part is there, on disk and in the store."""
    if kind == "silent":
        hurried(project)
    with sandbox(kind) as url:
        assert drift(url) == 6

    shown = capsys.readouterr()
    provider = report(project)
    assert provider["verdict"] == VERDICTS[kind]
    assert SAID[kind] in provider["reason"]
    assert SAID[kind] in shown.out
    assert {finding["blame"] for finding in provider["findings"]} <= {"unobserved"}
    assert set(outcomes(provider, "simulator").values()) == {"ok"}
    assert set(outcomes(provider, "sandbox").values()) <= {"unobserved", "skipped"}
    assert provider["coverage"]["ran"] == 0
    assert "Traceback" not in shown.out + shown.err
    with Store.open(project / ".troth" / "troth.db") as store:
        (stored,) = store.runs()
        assert store.exchanges(stored[0], "acmepay", "simulator", FIRST)


@pytest.mark.parametrize("kind", [kind for kind in VERDICTS if kind not in ("silent", "down")])
def test_a_sandbox_that_turns_bad(project: Path, kind: str) -> None:
    """The scenario before the fault is there, with its exchanges; the run is no pass, and the fault is no drift."""
    seen: Counter[str] = Counter()

    def turning(request: Seen) -> Any:
        seen["all"] += 1
        if seen["all"] <= FIRST_CALLS:
            return None
        # A step proves the 401, so it has to have the form that the contract gives it.
        return Reply(401, {"error": {"code": "expired"}}) if kind == "401" else bad_answer(kind, request)

    with AcmePay(turning) as provider:
        assert drift(provider.url) == 6

    found = report(project)
    sides = outcomes(found, "sandbox")
    assert found["verdict"] == VERDICTS[kind]
    assert sides.pop(FIRST) == "ok"
    assert set(sides.values()) <= {"unobserved", "skipped"}
    assert {finding["blame"] for finding in found["findings"]} <= {"unobserved"}
    with Store.open(project / ".troth" / "troth.db") as store:
        (stored,) = store.runs()
        assert len(store.exchanges(stored[0], "acmepay", "sandbox", FIRST)) == FIRST_CALLS


# Credentials


def test_credentials_that_are_not_set(project: Path, monkeypatch, capsys) -> None:
    """It could not be checked; which variable is missing is said; nothing was sent."""
    monkeypatch.delenv("ACMEPAY_KEY")
    with AcmePay() as provider:
        assert drift(provider.url) == 6

    assert provider.seen == []
    assert report(project)["verdict"] == "unauthorized"
    assert "ACMEPAY_KEY" in capsys.readouterr().out


def test_a_credential_that_looks_live(project: Path, monkeypatch, capsys) -> None:
    """It is refused, is not sent, and stands nowhere."""
    live = "ak_live_51NeverShown"
    monkeypatch.setenv("ACMEPAY_KEY", live)
    with AcmePay() as provider:
        assert drift(provider.url, "--json") == 4

    shown = capsys.readouterr()
    assert provider.seen == []
    assert "ak_test_*" in report(project)["reason"]
    left = [path.read_bytes() for path in project.rglob("*") if path.is_file()]
    assert not [text for text in (shown.out, shown.err) if live in text]
    assert not [content for content in left if live.encode() in content]


def test_without_the_flag_the_simulator_decides(project: Path, capsys) -> None:
    """The sandbox is skipped, with its reason, and not called."""
    with AcmePay() as provider:
        assert run(["drift", "--url", f"acmepay={provider.url}"]) == 0

    assert provider.seen == []
    assert report(project)["verdict"] == "skipped"
    assert "--sandbox" in capsys.readouterr().out


def test_without_the_flag_a_scenario_that_its_own_simulator_fails_is_told(project: Path, capsys) -> None:
    """It is the scenario that has to be mended, whatever the provider does."""
    contract = project / "acmepay" / "contract.yaml"
    contract.write_text(contract.read_text().replace("amount: 1200}}", "amount: 1201}}"))

    assert run(["drift"]) == 3
    found = report(project)
    assert (found["verdict"], outcomes(found, "simulator")[FIRST]) == ("broken", "broken")
    assert "the scenario has to be mended" in capsys.readouterr().out


@pytest.mark.parametrize("address", ["http://me:hunter22@127.0.0.1", "http://127.0.0.1/?key=hunter22"])
def test_a_password_in_an_address(project: Path, capsys, address: str) -> None:
    """It is refused before anything is stored, and not repeated; in the settings as on the command line."""
    assert drift(address) == 4
    (project / "troth.toml").write_text(f'contracts = ["acmepay"]\n[providers.acmepay]\nurl = "{address}"\n')
    assert run(["drift", "--sandbox"]) == 4

    shown = capsys.readouterr()
    assert "E909 " in shown.err
    assert "E904 " in shown.err
    assert "hunter22" not in shown.out + shown.err
    assert not (project / ".troth").exists()
    assert not (project / "troth-report").exists()


# What is asked for


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--only", "a charge is keptt"], "E376"),
        (["--only", "nothing*"], "E376"),
        (["--out", "file"], "E454"),
        (["--out", "acmepay"], "E455"),
        (["--out", "file/report"], "E456"),
        (["--out", "."], "E457"),
        (["--url", "acmepay"], "E909"),
        (["--url", "acmepaid=http://127.0.0.1:1"], "E910"),
        (["--fail-on", "everything"], "E906"),
        (["--seed", "one"], "E906"),
        (["nowhere"], "E051"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_runs(
    project: Path, capsys, arguments: list[str], code: str
) -> None:
    """No request is made for a run that could not be reported."""
    (project / "file").write_text("kept")
    with AcmePay() as provider:
        assert run(["drift", "--sandbox", "--url", f"acmepay={provider.url}", *arguments]) == 4

    said = capsys.readouterr().err
    assert f"{code} " in said
    assert "on sandbox" not in said
    assert provider.seen == []
    assert (project / "file").read_text() == "kept"
    assert (project / "acmepay" / "contract.yaml").exists()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('contracts = ["acmepay"]\nfail_onn = "risky"\n', "troth.toml:2:1: E903"),
        ('contracts = ["acmepay"]\nfail_on = "fatal"\n', "troth.toml:2:1: E904"),
        ("contracts = [\n", "E900"),
    ],
)
def test_settings_that_are_wrong(project: Path, capsys, settings: str, said: str) -> None:
    """With the place, and what was probably meant."""
    (project / "troth.toml").write_text(settings)

    assert run(["drift"]) == 4
    shown = capsys.readouterr().err
    assert said in shown
    if "fail_onn" in settings:
        assert "Did you mean 'fail_on'?" in shown
    assert not (project / "troth-report").exists()


# Contracts


CONTRACTS: dict[str, tuple[Callable[[str], str | None], str]] = {
    "none": (lambda text: None, "acmepay: E050"),
    "an empty file": (lambda text: "", "contract.yaml:1:1: E004"),
    "broken YAML": (lambda text: text.replace("{code: $string}", "{code: $string"), "contract.yaml:9:3: E010"),
    "an unknown matcher": (
        lambda text: text.replace("note?: $string", "note?: $strin", 1),
        "contract.yaml:14:12: E150",
    ),
    "a cycle of types without an end": (
        lambda text: text.replace("  Charge:\n", "  A: {b: $B}\n  B: {a: $A}\n  Charge:\n", 1),
        "contract.yaml:9:3: E172",
    ),
    "another version of the language": (lambda text: text.replace("troth: 1", "troth: 2"), "contract.yaml:1:8: E037"),
}


@pytest.mark.parametrize("command", ["check", "drift", "fuzz", "simulate"])
@pytest.mark.parametrize("case", CONTRACTS)
def test_a_contract_that_cannot_be_used(project: Path, capsys, case: str, command: str) -> None:
    """Every command says the same, with file, line and column, and 4."""
    change, said = CONTRACTS[case]
    contract = project / "acmepay" / "contract.yaml"
    text = change(contract.read_text())
    if text is None:
        contract.unlink()
    else:
        contract.write_text(text)

    assert run([command, "acmepay"]) == 4
    shown = capsys.readouterr()
    assert said in shown.out + shown.err
    assert "Traceback" not in shown.out + shown.err


def test_a_port_that_is_taken(project: Path, capsys) -> None:
    """Which one, and that a free one is to be had."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert run(["simulate", "--port", str(port)]) == 4

    said = capsys.readouterr().err
    assert said.startswith("E300 ")
    assert str(port) in said


# The store


def corrupt(store: Path) -> None:
    store.write_bytes(b"not a database" * 100)


def newer(store: Path) -> None:
    with sqlite3.connect(store) as connection:
        connection.execute("update alembic_version set version_num = '9999'")
    connection.close()


def in_the_way(store: Path) -> None:
    """What a folder that cannot be written does as well: nothing can be made in it."""
    for path in store.parent.iterdir():
        path.unlink()
    store.parent.rmdir()
    store.parent.write_text("a file, where the folder should be")


@pytest.mark.parametrize(("damage", "code"), [(corrupt, "E402"), (newer, "E403"), (in_the_way, "E400")])
def test_a_store_that_cannot_be_used(project: Path, damage: Callable[[Path], None], code: str) -> None:
    """It costs the history, never the run; and what was there is not overwritten."""
    store = project / ".troth" / "troth.db"
    Store.open(store).close()
    damage(store)
    before = store.read_bytes() if store.exists() else b""
    with AcmePay() as provider:
        assert drift(provider.url) == 0

    found = report(project)
    assert found["verdict"] == "agree"
    assert [note for note in found["coverage"]["notes"] if f"{code} " in note]
    assert (store.read_bytes() if store.exists() else b"") == before


# Interruption


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped(project: Path, stop: signal.Signals) -> None:
    """What ran until then is reported, what was made is cleaned up, and the exit code is 2."""
    waiting = threading.Event()
    seen: Counter[str] = Counter()

    def holding(request: Seen) -> Any:
        seen["all"] += 1
        if seen["all"] > FIRST_CALLS and request.method == "GET":
            waiting.set()
            return SILENCE
        return None

    with AcmePay(holding) as provider:
        process = subprocess.Popen(
            [sys.executable, "-m", "troth", "drift", "--sandbox", "--url", f"acmepay={provider.url}"],
            cwd=project,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert waiting.wait(PATIENCE)
            process.send_signal(stop)
            out, said = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()

    found = report(project)
    assert process.returncode == 2
    assert "Traceback" not in out + said
    assert outcomes(found, "sandbox")[FIRST] == "ok"
    assert set(outcomes(found, "sandbox").values()) == {"ok", "skipped"}
    assert found["verdict"] == "skipped"
    assert provider.charges == {}
