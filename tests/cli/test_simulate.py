"""``troth simulate``: a process that serves until it is told to stop."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from troth.cli.main import run

PATIENCE = 30


@contextmanager
def simulating(project: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """``troth simulate`` as a process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "troth", "simulate", *arguments],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_the_first_line_says_where_each_simulator_is_and_a_signal_ends_it(project, stop):
    with simulating(project, "--json") as process:
        assert process.stdout is not None
        urls = json.loads(process.stdout.readline())
        answer = httpx.get(f"{urls['acmepay']}/v1/charges/ch_1", headers={"Authorization": "Bearer sk_test_1"})
        process.send_signal(stop)
        _, said = process.communicate(timeout=PATIENCE)

    assert answer.status_code == 404
    assert process.returncode == 0
    assert "Traceback" not in said


def test_people_get_a_line_for_each_provider(project):
    with simulating(project) as process:
        assert process.stdout is not None
        provider, url = process.stdout.readline().split()

    assert provider == "acmepay"
    assert url.startswith("http://127.0.0.1:")


def test_a_port_in_use_is_explained(project, capsys):
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]

        assert run(["simulate", "--port", str(port)]) == 4

    assert "in use" in capsys.readouterr().err


def test_a_contract_with_errors_is_not_served(project, capsys):
    (project / "bad.yaml").write_text("troth: 1\nprovider: bad\noperation: {}\n")

    assert run(["simulate", "bad.yaml"]) == 4
    assert "bad.yaml:3:1" in capsys.readouterr().err


def test_each_request_is_shown_on_demand(project):
    with simulating(project, "--json", "--verbose") as process:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["acmepay"]
        key = {"Authorization": "Bearer sk_test_1"}
        httpx.get(f"{url}/v1/charges/ch_1", headers=key)
        httpx.post(f"{url}/v1/charges", headers=key, json={"amount": "a lot"})
        httpx.delete(f"{url}/v1/nothing%1b", headers=key)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=PATIENCE)

    lines = said.splitlines()
    assert "GET /v1/charges/ch_1 get_charge.missing 404" in lines
    assert any(line.startswith("POST /v1/charges ") for line in lines)
    assert any(line.startswith("    ") and "body.amount: wants" in line for line in lines)
    assert any(line.startswith("DELETE /v1/nothing") and "unmatched 501" in line for line in lines)
    assert "\x1b" not in said
