"""What the plug-in costs the tests of projects that have nothing to do with Troth."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

LOAD = """
import json, sys, time
import pytest
before, start = set(sys.modules), time.process_time()
import troth.pytest_plugin
print(json.dumps([time.process_time() - start, sorted(set(sys.modules) - before)]))
"""
CONFTEST = """
import json, sys
def pytest_unconfigure(config):
    mine = sorted(name for name in sys.modules if name.partition(".")[0] == "troth")
    open("loaded.json", "w").write(json.dumps(mine))
"""


def test_loading_it_loads_nothing_else() -> None:
    """Itself, and what pytest has loaded before; in less than 30 ms of CPU at the best of three."""
    loads = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, check=True, timeout=60)
        loads.append(json.loads(done.stdout))

    assert {name for _, names in loads for name in names} == {"troth", "troth.pytest_plugin"}
    assert min(seconds for seconds, _ in loads) < 0.03


def test_a_session_without_contracts_loads_nothing_of_troth(tmp_path: Path) -> None:
    """From the first hook to the last."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_empty.py").write_text("def test_nothing(): pass\n")
    others = ["-p", "no:schemathesis", "-p", "no:hypothesispytest", "-p", "no:cacheprovider"]
    subprocess.run([sys.executable, "-m", "pytest", "-q", *others], cwd=tmp_path, check=True, timeout=60)

    assert json.loads((tmp_path / "loaded.json").read_text()) == ["troth", "troth.pytest_plugin"]
