"""Measures the simulator beside nginx and pytest-httpserver, in one run: ``python -m benchmarks [--help]``."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from benchmarks.contract_text import write_contract
from benchmarks.load import fire
from benchmarks.results import RESULTS, keep_simulator
from benchmarks.startup import one_more_ms, spawn_help_s, spawn_simulate_s
from benchmarks.subjects import Subject, subjects
from benchmarks.table import Results, Round, Times, markdown

__all__ = ["cores_here", "main", "unable"]

_PACKAGES = {"wrk": "wrk", "taskset": "util-linux"}


def main(arguments: Sequence[str]) -> int:
    """Exit code 0 when something was measured, 1 when this machine cannot."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2, help="of load in each round and for each subject")
    parser.add_argument("--simulate", default="stripe", help="the contract that `troth simulate` is timed with")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    cores = cores_here()
    why = unable(cores)
    if why:
        print(f"not measured: {why}", file=sys.stderr)
        return 1
    results, missing = _measure(cores, options.rounds, options.seconds)
    with tempfile.TemporaryDirectory() as folder:
        contract = write_contract(Path(folder) / "contract.yaml", 10)
        times = Times(
            one_more_ms(contract), spawn_simulate_s(options.simulate, options.rounds), spawn_help_s(options.rounds)
        )
    command = " ".join(["python -m benchmarks", *arguments])
    page = markdown(results, times, missing, command, len(cores))
    keep_simulator(options.out, page)
    print(page)
    return 0


def cores_here() -> list[int]:
    """The cores that this process may use; none where the system does not say."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def unable(cores: Sequence[int], programs: Sequence[str] = ("wrk", "taskset")) -> str:
    """Why nothing can be measured here; "" when it can."""
    if len(cores) < 2:
        return "two cores are needed (Linux), one for the server and one for the load"
    for program in programs:
        if shutil.which(program) is None:
            return f"{program} is not installed (on Debian: apt install {_PACKAGES[program]})"
    return ""


def _measure(cores: Sequence[int], rounds: int, seconds: int) -> tuple[Results, list[str]]:
    results: dict[tuple[str, str], list[Round]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, subjects(cores[0]) as all_of_them:
        for subject in all_of_them.found:
            fire(subject.shot, Path(folder), cores[1], 1)
        for number in range(rounds):
            for subject in all_of_them.found:
                results[subject.peer, subject.job].append(_once(subject, Path(folder), cores[1], seconds))
            print(f"round {number + 1} of {rounds}", file=sys.stderr)
        return results, all_of_them.missing


def _once(subject: Subject, folder: Path, core: int, seconds: int) -> Round:
    before = subject.process.cpu_seconds()
    load = fire(subject.shot, folder, core, seconds)
    used = subject.process.cpu_seconds() - before
    if load.bad or not load.requests:
        raise RuntimeError(f"{subject.peer}, {subject.job}: {load.bad} bad answers of {load.requests}")
    return Round(used / load.requests * 1e6, load.requests / load.seconds, load.p99_ms, subject.process.memory_mb())
