"""SIGTERM, as CI sends it, ends a run like Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys

import pytest

from troth.cli.interrupts import sigterm_interrupts


def test_sigterm_becomes_an_interrupt_and_is_itself_again_afterwards():
    before = signal.getsignal(signal.SIGTERM)

    with pytest.raises(KeyboardInterrupt), sigterm_interrupts():
        signal.raise_signal(signal.SIGTERM)

    assert signal.getsignal(signal.SIGTERM) is before


def test_sigterm_ends_a_run_that_was_started_with_ctrl_c_ignored():
    """As a shell starts what it runs in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt), sigterm_interrupts():
            signal.raise_signal(signal.SIGTERM)

        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_run_that_is_ended_keeps_what_it_has(project):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"acmepay=http://127.0.0.1:{silent.getsockname()[1]}"
        process = subprocess.Popen(
            [sys.executable, "-m", "troth", "drift", "--sandbox", "--url", url],
            cwd=project,
            env={**os.environ, "ACMEPAY_TEST_KEY": "sk_test_1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            silent.settimeout(60)
            waiting, _ = silent.accept()
            with waiting:
                process.send_signal(signal.SIGTERM)
                _, said = process.communicate(timeout=60)
        finally:
            process.kill()
            process.communicate()

    stored = json.loads((project / "troth-report" / "run.json").read_text())
    assert process.returncode == 2
    assert stored["interrupted"]
    assert "Traceback" not in said
