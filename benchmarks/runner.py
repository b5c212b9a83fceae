"""Measures the runner beside bare httpx, and how fast it judges: ``python -m benchmarks runner [--help]``."""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.judging import Judging
from benchmarks.process import Process
from benchmarks.results import RESULTS, RUNNER, keep_runner
from benchmarks.run import cores_here, unable
from benchmarks.runner_contract import CALLS, write_orders

__all__ = ["main", "page"]

_SIZES = (1_000, 10_000, 50_000)
_SHARE = 0.5
_SECONDS = 20.0
_MEMORY_MB = 500.0
_GROWTH = 1.3
"""How much more an exchange may cost among 50,000 than among 1,000."""


def main(arguments: Sequence[str]) -> int:
    """Exit code 0 when something was measured, 1 when this machine cannot."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks runner", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="of the runner and of httpx, in turns")
    parser.add_argument("--requests", type=int, default=2000, help="in each round")
    parser.add_argument("--sizes", type=int, nargs="+", default=list(_SIZES), help="exchanges to judge and compare")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    cores = cores_here()
    why = unable(cores, ("taskset",))
    if why:
        print(f"not measured: {why}", file=sys.stderr)
        return 1
    rates = _throughput(cores, options.rounds, options.requests)
    judged = [_judging(size) for size in options.sizes]
    command = " ".join(["python -m benchmarks runner", *arguments])
    keep_runner(options.out, page(rates, judged, command, len(cores)))
    print(page(rates, judged, command, len(cores)))
    return 0


def _throughput(cores: Sequence[int], rounds: int, requests: int) -> dict[str, list[float]]:
    with tempfile.TemporaryDirectory() as folder:
        contract = str(write_orders(Path(folder) / "contract.yaml", requests))
        with Process([sys.executable, "-m", "benchmarks.serve_troth", contract], cores[0]) as server:
            url = server.line()
            arguments = ["benchmarks.throughput", url, contract, str(rounds)]
            found: dict[str, list[float]] = _python(cores[1], arguments)
            return found


def _judging(exchanges: int) -> Judging:
    print(f"judging {exchanges:,} exchanges", file=sys.stderr)
    return Judging(**_python(None, ["benchmarks.judging", str(exchanges)]))


def _python(core: int | None, arguments: Sequence[str]) -> dict[str, object] | dict[str, list[float]]:
    """What a module of ours prints, from a process of its own."""
    pinned = ["taskset", "-c", str(core)] if core is not None else []
    command = [*pinned, sys.executable, "-m", *arguments]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)  # type: ignore[no-any-return]


def page(rates: dict[str, list[float]], judged: Sequence[Judging], command: str, cores: int) -> str:
    """The runner's part of the results."""
    httpx, runner = (statistics.median(rates[name]) for name in ("httpx", "runner"))
    shares = [ours / theirs for ours, theirs in zip(rates["runner"], rates["httpx"], strict=True)]
    lines = [
        RUNNER,
        "",
        f"Made by `{command}`: {len(shares)} rounds in turns, medians.",
        f"{cores} cores, Python {platform.python_version()}, {platform.system()}.",
        "",
        "Both send the same requests to the same simulator on another core, 50 at once: an order is made and read",
        f"{CALLS - 1} times. The runner judges each answer, replaces secrets, and keeps it.",
        "",
        "| client | requests/s | beside httpx |",
        "|---|---|---|",
        f"| bare httpx | {httpx:,.0f} | 1.00 |",
        f"| the runner | {runner:,.0f} | {statistics.median(shares):.2f} |",
        "",
        "Judging and comparing: half of the exchanges are a simulator's and half a sandbox's, all recorded before.",
        "Seconds are of the CPU, on one core. Memory is the peak of the process, contract and recording included.",
        "",
        "| exchanges | bytes each | judging s | comparing s | ms an exchange | memory MB |",
        "|---|---|---|---|---|---|",
        *(_row(one) for one in judged),
        "",
        "| target | wanted | measured | met |",
        "|---|---|---|---|",
        _target(
            "throughput beside bare httpx at 50 at once", f"at least {_SHARE:g}", statistics.median(shares), _SHARE
        ),
        *_judging_targets(judged),
    ]
    return "\n".join(lines) + "\n"


def _row(one: Judging) -> str:
    each = one.seconds / one.exchanges * 1000
    return (
        f"| {one.exchanges:,} | {one.bytes:,} | {one.judging_s:.1f} | {one.comparing_s:.1f} | {each:.2f} "
        f"| {one.memory_mb:.0f} |"
    )


def _judging_targets(judged: Sequence[Judging]) -> list[str]:
    rows = []
    for one in judged:
        if one.exchanges == 10_000:
            rows.append(_target("10,000 exchanges", f"at most {_SECONDS:g} s", one.seconds, None, _SECONDS, " s"))
            memory = _target("10,000 exchanges", f"at most {_MEMORY_MB:g} MB", one.memory_mb, None, _MEMORY_MB, " MB")
            rows.append(memory)
    first, last = judged[0], judged[-1]
    if last.exchanges > first.exchanges:
        growth = (last.seconds / last.exchanges) / (first.seconds / first.exchanges)
        what = f"time of an exchange, {last.exchanges:,} beside {first.exchanges:,}"
        rows.append(_target(what, f"at most {_GROWTH:g}x", growth, None, _GROWTH, "x"))
    return rows


def _target(
    what: str, wanted: str, found: float, least: float | None, most: float | None = None, unit: str = ""
) -> str:
    met = (least is None or found >= least) and (most is None or found <= most)
    return f"| {what} | {wanted} | {found:.2f}{unit} | {'yes' if met else 'no'} |"
