"""What is measured: each subject is a server and one kind of request to it."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import nginx
from benchmarks.contract_text import CREATE_FORM, CREATE_JSON, KEY, write_contract
from benchmarks.load import Shot
from benchmarks.process import Process

__all__ = ["Subject", "Subjects", "subjects"]

_AUTH = {"Authorization": f"Bearer {KEY}"}
_FORM = _AUTH | {"Content-Type": "application/x-www-form-urlencoded"}
_JSON = _AUTH | {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Subject:
    """``peer`` and ``job`` name a row; ``process`` is whose CPU is read."""

    peer: str
    job: str
    process: Process
    shot: Shot


@dataclass(frozen=True)
class Subjects:
    """All that can be measured here, and why the rest cannot."""

    found: list[Subject]
    missing: list[str]


@contextmanager
def subjects(core: int) -> Iterator[Subjects]:
    """Every server, started and pinned to ``core``; they idle while another is measured."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = _Starter(stack, core, folder)
        found = server.troth("Troth", 10) + server.troth("Troth, 1,000 operations", 1000)
        missing = []
        if program := shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin"):
            found += server.nginx(program)
        else:
            missing.append("nginx is not installed, so there are no ratios (on Debian: apt install nginx-light)")
        if importlib.util.find_spec("pytest_httpserver"):
            found += server.httpserver()
        else:
            missing.append("pytest-httpserver is not installed")
        yield Subjects(found, missing)


class _Starter:
    """Starts servers; the body of Troth's answer is what the others send."""

    def __init__(self, stack: ExitStack, core: int, folder: Path) -> None:
        self._stack = stack
        self._core = core
        self._folder = folder
        self._body = ""

    def troth(self, peer: str, operations: int) -> list[Subject]:
        """One process that is read from and one that is written to: what is stored longest ago is dropped some day."""
        contract = write_contract(self._folder / f"contract{operations}.yaml", operations)
        process, url = self._python("benchmarks.serve_troth", contract)
        self._body = _create(url)
        reads = _jobs(peer, process, url, json.loads(self._body)["id"])
        process, url = self._python("benchmarks.serve_troth", contract)
        writes = _jobs(peer, process, url, "")
        return [job for job in reads if job.job == "GET"] + [job for job in writes if job.job != "GET"]

    def nginx(self, program: str) -> list[Subject]:
        command, url = nginx.command(program, self._folder, self._body)
        process = self._stack.enter_context(Process(command, self._core))
        nginx.wait_for(url)
        return _jobs("nginx, static", process, url, "stored")

    def httpserver(self) -> list[Subject]:
        body = self._folder / "body.json"
        body.write_text(self._body)
        process, url = self._python("benchmarks.serve_httpserver", body)
        return [job for job in _jobs("pytest-httpserver", process, url, "stored") if job.job != "POST form"]

    def _python(self, module: str, argument: Path) -> tuple[Process, str]:
        process = self._stack.enter_context(Process([sys.executable, "-m", module, str(argument)], self._core))
        url = process.line()
        if not url:
            raise RuntimeError(f"python -m {module} {argument.name} did not start")
        return process, url


def _jobs(peer: str, process: Process, url: str, stored: str) -> list[Subject]:
    return [
        Subject(peer, "GET", process, Shot(f"{url}/v1/charges/{stored}", "GET", "", _AUTH)),
        Subject(peer, "POST form", process, Shot(f"{url}/v1/charges", "POST", CREATE_FORM, _FORM)),
        Subject(peer, "POST JSON", process, Shot(f"{url}/v1/charges", "POST", CREATE_JSON, _JSON)),
    ]


def _create(url: str) -> str:
    request = urllib.request.Request(f"{url}/v1/charges", CREATE_JSON.encode(), _JSON, method="POST")
    with urllib.request.urlopen(request, timeout=10) as reply:
        text: str = reply.read().decode()
    return text
