"""``python -m benchmarks.throughput URL CONTRACT ROUNDS``: the runner beside bare httpx, in one process, in turns.

Both send the same requests to the same server, at most 50 at once: an order is made and read nine times, by as many
clients of httpx's as there are scenarios of the runner's. Prints the requests a second of each round as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

import httpx

from benchmarks.runner_contract import CALLS, KEY, LINES
from troth.contracts.contract import Contract
from troth.contracts.loader import load
from troth.runners.credentials import Credentials
from troth.runners.engine import run_target
from troth.runners.gate import Open
from troth.runners.plan import RunPlan
from troth.runners.redact import Redactor
from troth.runners.target import sandbox_target

__all__ = ["AT_ONCE", "bare", "by_runner"]

AT_ONCE = 50


async def bare(url: str, cases: int) -> float:
    """Requests a second of httpx alone; each answer is read, and its JSON decoded where the next request needs it."""
    limits = httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=AT_ONCE)
    turn = asyncio.Semaphore(AT_ONCE)

    async with httpx.AsyncClient(limits=limits, headers={"Authorization": f"Bearer {KEY}"}, trust_env=False) as client:

        async def case(number: int) -> None:
            async with turn:
                made = await client.post(f"{url}/orders", json={"reference": f"r-{number}", "lines": LINES})
                key = made.raise_for_status().json()["id"]
                for _ in range(CALLS - 1):
                    (await client.get(f"{url}/orders/{key}")).raise_for_status()

        began = time.perf_counter()
        await asyncio.gather(*(case(number) for number in range(cases)))
        return cases * CALLS / (time.perf_counter() - began)


async def by_runner(contract: Contract, url: str, number: int) -> float:
    """Requests a second of the runner, with everything that it does to each."""
    target = contract.targets["sandbox"]
    opened = Open(target, url, {}, Credentials({"key": KEY}))
    plan = RunPlan(f"20261130T0300-k3f9-{number}", Redactor(b"benchmark"))
    began = time.perf_counter()
    run = await run_target(contract, sandbox_target(opened), plan)
    taken = time.perf_counter() - began
    if any(outcome.outcome != "ok" for outcome in run.outcomes):
        raise RuntimeError(f"the run did not end well: {run.outcomes[:3]}")
    return len(run.results) / taken


async def _rounds(url: str, contract: Contract, rounds: int) -> dict[str, list[float]]:
    cases = len(contract.scenarios["an order is kept"].cases)
    found: dict[str, list[float]] = {"httpx": [], "runner": []}
    await bare(url, cases // 5)
    for number in range(1, rounds + 1):
        found["httpx"].append(await bare(url, cases))
        found["runner"].append(await by_runner(contract, url, number))
    return found


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_rounds(sys.argv[1], load(sys.argv[2]), int(sys.argv[3])))))
