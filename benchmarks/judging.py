"""``python -m benchmarks.judging EXCHANGES``: judges and compares so many exchanges of 5 kB; prints JSON.

Half of them are a simulator's and half a sandbox's, as in a run. Both are recorded before, so nothing is sent: what is
measured is decoding, judging, replacing secrets, keeping and comparing.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.runner_contract import write_orders
from troth.contracts.contract import Contract
from troth.contracts.loader import load
from troth.runners.compare import compare
from troth.runners.engine import run_target
from troth.runners.plan import RunPlan
from troth.runners.redact import Redactor
from troth.runners.repair.recorded import Night, replay
from troth.runners.target import simulator_target
from troth.simulators.simulator import Simulator

__all__ = ["Judging", "judge_and_compare"]

RUN = "20261130T0300-k3f9-1"


@dataclass(frozen=True)
class Judging:
    """``exchanges`` of ``bytes`` each, and the CPU seconds and the peak of resident memory that they took.

    It is one thread that waits for nothing: CPU seconds are what a quiet machine's clock shows.
    """

    exchanges: int
    bytes: int
    judging_s: float
    comparing_s: float
    memory_mb: float

    @property
    def seconds(self) -> float:
        """Both together."""
        return self.judging_s + self.comparing_s


def judge_and_compare(exchanges: int) -> Judging:
    """Peak memory is that of this process, so it has one of its own."""
    with tempfile.TemporaryDirectory() as folder:
        contract = load(write_orders(Path(folder) / "contract.yaml", exchanges // 2))
    recorded = _recorded(contract)
    began = time.process_time()
    simulator = replay(contract, recorded).run
    sandbox = replay(contract, recorded).run
    judged = time.process_time()
    comparison = compare(contract, replace(simulator, target="simulator"), sandbox)
    compared = time.process_time()
    results = (*simulator.results, *sandbox.results)
    if len(results) != exchanges or comparison.findings or any(result.unobserved for result in results):
        raise RuntimeError(f"{len(results)} results, {len(comparison.findings)} findings: {comparison.findings[:1]}")
    size = len(results[-1].exchange.response_body)
    return Judging(exchanges, size, judged - began, compared - judged, _peak_mb())


def _recorded(contract: Contract) -> Night:
    """What the simulator answers; the judge's part of this is not measured, and forgotten."""
    simulator = simulator_target(contract, Simulator(contract))
    run = asyncio.run(run_target(contract, simulator, RunPlan(RUN, Redactor(b"benchmark"))))
    return Night(RUN, 0.0, "http://simulator", tuple(result.exchange for result in run.results))


def _peak_mb() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError("no VmHWM in /proc/self/status")


if __name__ == "__main__":
    print(json.dumps(asdict(judge_and_compare(int(sys.argv[1])))))
