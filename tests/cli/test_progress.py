"""Progress: plain lines where nobody watches, drawn over itself on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from troth.cli.progress import status_of, words_for
from troth.contracts.judgement import Unobserved
from troth.runners.events import (
    CallFinished,
    Rerunning,
    ScenarioFinished,
    ScenarioStarted,
    TargetFinished,
    TargetStarted,
    Waiting,
)


@pytest.mark.parametrize(
    ("event", "kept", "now"),
    [
        (TargetStarted("p", "sandbox", "http://x", 3), "p: 3 scenarios on sandbox http://x", None),
        (TargetStarted("p", "simulator", "http://simulator", 1), "p: 1 scenario on simulator", None),
        (ScenarioStarted("p", "sandbox", "s"), None, "p on sandbox: s"),
        (CallFinished("p", "sandbox", "s", "1", "get", 200, "found", 0), None, "p on sandbox: s: get"),
        (Waiting("p", "sandbox", "s", 2.0, "a rate"), None, "p on sandbox: s: waiting 2 s, a rate"),
        (ScenarioFinished("p", "sandbox", "s", "ok", "", 0), "  sandbox: s: ok", None),
        (ScenarioFinished("p", "sandbox", "s", "ok", "", 1), "  sandbox: s: 1 mismatch", None),
        (ScenarioFinished("p", "sandbox", "s", "ok", "", 2), "  sandbox: s: 2 mismatches", None),
        (ScenarioFinished("p", "sandbox", "s", "skipped", "no key", 0), "  sandbox: s: skipped (no key)", None),
        (Rerunning("p", "sandbox", 1, 2), "p: 1 disagreeing scenario again on sandbox, run 2", None),
        (Rerunning("p", "sandbox", 2, 3), "p: 2 disagreeing scenarios again on sandbox, run 3", None),
        (TargetFinished("p", "sandbox", None), None, None),
        (
            TargetFinished("p", "sandbox", Unobserved("unreachable", "no answer")),
            "p: gave sandbox up: no answer",
            None,
        ),
    ],
)
def test_every_event_has_its_words(event, kept, now):
    assert (words_for(event), status_of(event)) == (kept, now)


def test_on_a_terminal_progress_is_drawn_and_names_in_brackets_stay(project):
    contract = project / "contracts" / "acmepay" / "contract.yaml"
    contract.write_text(contract.read_text().replace("  a charge is kept:", "  a [bold] charge is kept:"))
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "NO_COLOR")}
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "troth", "drift"],
            cwd=project,
            env={**environment, "TERM": "xterm", "COLUMNS": "100"},
            stdout=subprocess.PIPE,
            stderr=theirs,
            timeout=60,
            check=False,
        )
        os.set_blocking(ours, False)
        shown = os.read(ours, 1 << 20).decode()
    finally:
        os.close(ours)
        os.close(theirs)

    assert done.returncode == 0
    assert "simulator: a [bold] charge is kept: ok" in shown
    assert "\x1b[?25l" in shown
