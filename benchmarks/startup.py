"""Times to start: one more simulator in process, ``troth simulate`` to its first answer, ``troth --help``.

Commands are measured with the bytecode of every module at hand, as installers leave it, and once more than is counted.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from troth.contracts.loader import load
from troth.simulators.simulator import Simulator

__all__ = ["one_more_ms", "spawn_help_s", "spawn_simulate_s"]

_TROTH = [sys.executable, "-c", "import sys; from troth.cli.main import main; sys.exit(main())"]


def one_more_ms(contract: Path, times: int = 50) -> float:
    """Median of start and stop of one more simulator of a loaded contract, milliseconds."""
    loaded = load(contract)
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        with Simulator(loaded):
            taken.append(time.perf_counter() - began)
    return statistics.median(taken) * 1000


def spawn_simulate_s(source: str, times: int) -> float:
    """Median from spawning ``troth simulate SOURCE --json`` to the first answer over its port, seconds."""
    with tempfile.TemporaryDirectory() as bytecode:
        environment = _environment(bytecode)
        return statistics.median([_simulate_once(source, environment) for _ in range(times + 1)][1:])


def _environment(bytecode: str) -> dict[str, str]:
    """Where bytecode is written, and read from the second time."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": bytecode}


def _simulate_once(source: str, environment: dict[str, str]) -> float:
    began = time.perf_counter()
    command = [*_TROTH, "simulate", source, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            (url,) = json.loads(process.stdout.readline()).values()
            try:
                urllib.request.urlopen(url, timeout=5).close()
            except urllib.error.HTTPError as answer:  # any answer will do
                answer.close()
            return time.perf_counter() - began
        finally:
            process.terminate()


def spawn_help_s(times: int) -> float:
    """Median of ``troth --help``, seconds."""
    taken = []
    with tempfile.TemporaryDirectory() as bytecode:
        for _ in range(times + 1):
            began = time.perf_counter()
            subprocess.run([*_TROTH, "--help"], stdout=subprocess.DEVNULL, check=True, env=_environment(bytecode))
            taken.append(time.perf_counter() - began)
    return statistics.median(taken[1:])
