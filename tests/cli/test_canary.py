"""No secret reaches a disk, a log, a report or an exception text.

One obviously false key goes through everything: it is sent as a credential and as a value, and comes back from the
provider in every way that we could think of. Then it is looked for in every artefact, as bytes.

The same is done once with a contract that does not say that the key is a secret. There it must be in every artefact,
or the check of that artefact could not fail.
"""

from __future__ import annotations

import gzip
import io
import json
import logging
import os
import re
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import date, timedelta
from pathlib import Path

import pytest
from fakes.echoes import CANARY, Echoes, contract_text, leaks

from troth.cli.main import run
from troth.contracts.exchange import Request
from troth.contracts.loader import load
from troth.runners.credentials import Credentials
from troth.runners.gate import Passport, open_gate
from troth.runners.plan import planned, scenarios_of
from troth.simulators.simulator import Simulator

PATIENCE = 120
SOON = (date.today() + timedelta(days=20)).isoformat()
RUNS = {"plain": ((), ()), "json": ((), ("--json", "--only", "by *e")), "debug": (("--debug",), ("--only", "by [gv]*"))}
"""The runs whose artefacts are looked at: what stands before the command, and after it."""


class Project:
    """A folder with the contract, what was run in it, and what came of it."""

    def __init__(self, folder: Path, auth: str) -> None:
        self.folder = folder
        self.auth = auth
        self.found: dict[str, bytes] = {}
        (folder / ".git").mkdir(parents=True)
        (folder / "echo").mkdir()
        (folder / "echo" / "contract.yaml").write_text(contract_text(auth))
        (folder / "troth.toml").write_text('contracts = ["echo"]\n')
        (folder / "pytest.ini").write_text("[pytest]\ntroth_contracts = echo\n")

    def note(self, name: str, content: bytes | str) -> None:
        """Keep an artefact; what several runs leave under one name is kept together."""
        raw = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
        self.found[name] = self.found.get(name, b"") + raw

    def files(self, name: str, *patterns: str) -> None:
        """Keep the bytes of files, also of those that only exist while a database is open."""
        for pattern in patterns:
            for path in self.folder.glob(pattern):
                if path.is_file() and (path.name != "token.key" or path.name in pattern):
                    self.note(name, path.read_bytes())


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def logged(into: io.StringIO) -> Iterator[None]:
    """Everything that anybody logs, down to the finest level."""
    root, handler = logging.getLogger(), logging.StreamHandler(into)
    level = root.level
    root.addHandler(handler)
    root.setLevel(1)
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)


def drift_runs(project: Project) -> None:
    """``troth drift`` in every verbosity; on the way, what a crash would leave."""

    def crash_would_leave(seen: object) -> None:
        project.files("undo log", ".troth/undo.jsonl")
        project.files("store", ".troth/troth.db*")

    for name, (before, after) in RUNS.items():
        out, err, log = io.StringIO(), io.StringIO(), io.StringIO()
        with (
            Echoes(on_request=crash_would_leave) as provider,
            inside(project.folder),
            logged(log),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            run([*before, "drift", "--sandbox", "--url", f"echo={provider.url}", *after])
        project.note(f"{name} output", out.getvalue())
        project.note(f"{name} progress", err.getvalue())
        project.note("log", log.getvalue())
        for report in ("report.html", "run.json", "junit.xml", "summary.md"):
            project.files(report, f"troth-report/{report}")
        project.files("store", ".troth/troth.db*")
        project.files("anything else", "troth-report/*", "troth-report/.*", ".troth/*")


def after_runs(project: Project) -> None:
    """Everything that is made of a run later: where a history goes, what is accepted, adopted, planned, looked into."""
    shelf = project.folder / "shelf"
    commands = {
        "pushed": ["history", "push", str(shelf)],
        "accepted": ["accept", "{}", "--until", SOON, "--reason", "they know", "--owner", "team-a"],
        "adopted": ["adopt", "{}", "--dry-run"],
        "pull request": ["adopt", "{}", "--pr-body"],
        "status": ["status"],
        "doctor": ["doctor", "echo"],
        "plan": ["drift", "--sandbox", "--plan"],
        "planned JSON": ["drift", "--sandbox", "--plan", "--json"],
        "fuzzed": ["--debug", "fuzz"],
        "checked": ["check"],
    }
    found = json.loads((project.folder / "troth-report" / "run.json").read_text())
    prints = [finding["fingerprint"] for provider in found["providers"] for finding in provider["findings"]]
    for name, command in commands.items():
        out = io.StringIO()
        with Echoes() as provider, inside(project.folder), logged(out), redirect_stdout(out), redirect_stderr(out):
            os.environ["ECHO_URL"] = provider.url
            for print_ in prints if "{}" in command else [""]:
                run([print_ if word == "{}" else word for word in command])
        project.note(name, out.getvalue())
    del os.environ["ECHO_URL"]
    for path in sorted(shelf.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            project.note("pushed", gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
    project.files("accepted", "echo/accepted.yaml")
    project.files("key of the tokens", ".troth/token.key")
    project.files("proof.json", ".troth/proof.json")
    project.files("anything else", "troth-report/*", "troth-report/.*", ".troth/*")


def pytest_run(project: Project) -> None:
    """The plug-in, as loud as pytest can be."""
    environment = {**os.environ, "ECHO_KEY": CANARY, "TROTH_SANDBOX": "1"}
    loud = [
        "-rA",
        "-vv",
        "-l",
        "--log-level=DEBUG",
        "-o",
        "log_cli=true",
        "--junitxml=pytest.xml",
        "-p",
        "no:cacheprovider",
    ]
    with Echoes() as provider:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "echo", *loud],
            cwd=project.folder,
            env={**environment, "ECHO_URL": provider.url},
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    assert b"by value[sandbox]" in done.stdout
    project.note("pytest output", done.stdout + done.stderr)
    project.files("pytest.xml", "pytest.xml")


def simulator_run(project: Project) -> None:
    """A client that uses the real key on a simulator, for requests that it knows and for one that it does not."""
    log = io.StringIO()
    headers = tuple(Credentials({"key": CANARY}).headers(load(project.folder / "echo").auth))
    body = json.dumps({"note": CANARY}).encode()
    told = (*headers, (b"Content-Type", b"application/json"), (b"X-Mine", CANARY.encode()))
    with Simulator(project.folder / "echo") as simulator, logged(log):
        replies = [
            simulator.handle(Request("POST", "/things", headers=told, body=body)),
            simulator.handle(Request("POST", "/thing", f"q={CANARY}", told, body)),
            simulator.handle(Request("GET", f"/echoes/{CANARY}", headers=told)),
        ]
        project.note("journal", repr(simulator.journal.entries) + repr(simulator.journal))
        project.note("unmatched", "".join(entry.explanation for entry in simulator.journal.unmatched))
    project.note("501", b"".join(reply.body for reply in replies[1:]))
    project.note("log", log.getvalue())


def whole(folder: Path, auth: str) -> dict[str, bytes]:
    """Everything, once. Artefact to its bytes."""
    project = Project(folder, auth)
    os.environ["ECHO_KEY"] = CANARY
    try:
        drift_runs(project)
        after_runs(project)
        pytest_run(project)
        simulator_run(project)
    finally:
        del os.environ["ECHO_KEY"]
    return project.found


@pytest.fixture(scope="module")
def secret(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What is left where the contract says that the key is a secret."""
    return whole(tmp_path_factory.mktemp("secret") / "echo", "bearer")


@pytest.fixture(scope="module")
def open_secret(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What is left where it does not."""
    return whole(tmp_path_factory.mktemp("open") / "echo", "")


ARTEFACTS = (
    "store",
    "undo log",
    "report.html",
    "run.json",
    "junit.xml",
    "summary.md",
    "plain output",
    "plain progress",
    "json progress",
    "debug output",
    "debug progress",
    "pytest output",
    "pytest.xml",
    "journal",
    "unmatched",
    "501",
    "pushed",
    "pull request",
    "adopted",
)
"""Where the key is without protection. (A log has nothing of our requests at all, and ``--json`` no words.)"""


def test_the_secret_is_in_no_artefact(secret: dict[str, bytes]) -> None:
    """Neither as it is, nor in any encoding, nor in part."""
    later = {"accepted", "proof.json", "status", "doctor", "plan", "planned JSON", "fuzzed", "checked"}
    assert {*ARTEFACTS, *later, "log", "json output", "anything else"} <= secret.keys()
    assert {name: leaks(content) for name, content in secret.items() if leaks(content)} == {}


def test_the_key_of_the_tokens_stays_where_it_is(secret: dict[str, bytes]) -> None:
    """With it, whoever has an artefact could try values until a token fits."""
    keys = secret["key of the tokens"]
    assert len(keys) == 32
    written = {keys, keys.hex().encode(), b64encode(keys)}
    for name, content in secret.items():
        assert name == "key of the tokens" or not any(form in content for form in written), name


def test_it_is_known_again_from_run_to_run(secret: dict[str, bytes]) -> None:
    """Three runs of one history, and one token for each target's key: the sandbox's, and the simulator's own."""
    assert len(set(re.findall(rb"\[secret:key:[0-9a-f]{8}\]", secret["run.json"]))) == 2


def test_what_stands_for_it_is_there(secret: dict[str, bytes]) -> None:
    """The artefacts are not empty of it: they say where it was."""
    assert b"[secret:" in secret["run.json"]
    assert b"[secret:" in secret["report.html"]
    assert b"[secret:" in secret["pytest output"]
    assert b"[redacted]" in secret["journal"]


@pytest.mark.parametrize("artefact", ARTEFACTS)
def test_each_check_would_see_a_leak(open_secret: dict[str, bytes], artefact: str) -> None:
    """Where nobody said that it is one, the key is in every artefact that is looked at."""
    assert leaks(open_secret[artefact])


@pytest.mark.parametrize("auth", ["basic", "password"])
def test_no_more_is_it_where_it_is_sent_in_base64(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, auth: str) -> None:
    """As the user name, as many providers want it, and as the password."""
    monkeypatch.setenv("ECHO_KEY", CANARY)
    project = Project(tmp_path / "project", auth)
    drift_runs(project)

    assert b"[secret:" in project.found["run.json"]
    assert {name: leaks(content) for name, content in project.found.items() if leaks(content)} == {}


# Exceptions, and what objects show of themselves


@pytest.mark.parametrize(("key", "code"), [(None, "E372"), (f"sk_live_{CANARY}", "E371"), (f" {CANARY}", "E371")])
def test_no_refusal_quotes_the_key(tmp_path: Path, key: str | None, code: str) -> None:
    """Not set, or set to something that may not be sent."""
    project = Project(tmp_path / "project", "bearer")
    contract = load(project.folder / "echo")
    environment = {"ECHO_URL": "http://127.0.0.1:1"} | ({"ECHO_KEY": key} if key else {})
    decision = open_gate(contract, scenarios_of(planned(contract)), Passport(True, environment))

    error = getattr(decision, "error", None)
    assert error is not None
    assert error.code == code
    assert leaks(f"{error} {error!r} {error.args} {decision!r} {decision}".encode()) == []


def test_nothing_that_holds_the_key_shows_it(tmp_path: Path) -> None:
    """In a debugger, in a failed assertion, in a pickle."""
    project = Project(tmp_path / "project", "password")
    contract = load(project.folder / "echo")
    passport = Passport(True, {"ECHO_KEY": CANARY, "ECHO_URL": "http://127.0.0.1:1"})
    decision = open_gate(contract, scenarios_of(planned(contract)), passport)
    credentials = Credentials({"key": CANARY})

    shown = [f"{thing!r} {thing}" for thing in (passport, decision, credentials, credentials.secrets)]
    assert leaks("".join(shown).encode()) == []
    with pytest.raises(TypeError):
        credentials.__reduce__()


def test_a_key_that_cannot_be_sent_is_not_shown(tmp_path: Path) -> None:
    """A line end in it makes an invalid header, which the HTTP library would quote."""
    project = Project(tmp_path / "project", "bearer")
    out = io.StringIO()
    os.environ["ECHO_KEY"] = f"{CANARY}\n"
    try:
        with Echoes() as provider, inside(project.folder), redirect_stdout(out), redirect_stderr(out):
            run(["drift", "--sandbox", "--url", f"echo={provider.url}", "--only", "by value"])
    finally:
        del os.environ["ECHO_KEY"]

    project.files("all", "troth-report/*", ".troth/*")
    assert leaks(out.getvalue().encode() + project.found["all"]) == []
    assert provider.seen == []
