"""Runs a contract on a target the way that the commands do, in one line."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from fakes.acmepay import KEY

from troth.contracts.contract import Contract, Target
from troth.runners.client import Client, RequestLimits
from troth.runners.clock import Clock, Skew
from troth.runners.credentials import Credentials
from troth.runners.engine import run_target
from troth.runners.gate import Open
from troth.runners.plan import RunPlan
from troth.runners.redact import Redactor
from troth.runners.step_result import TargetRun
from troth.runners.target import RunTarget, sandbox_target, simulator_target
from troth.simulators.simulator import Simulator

__all__ = ["PATIENT", "QUICK", "clocked", "findings", "on_clock", "on_sandbox", "on_simulator", "outcomes", "plan"]

PATIENT = RequestLimits(connect=10.0, read=30.0, total=60.0)
"""A busy machine may be slow; no test waits so long."""
QUICK = RequestLimits(connect=10.0, read=0.3, total=60.0)
"""For targets that never answer."""


def plan(**changes: Any) -> RunPlan:
    """A plan with a fixed run id."""
    return replace(RunPlan("20261130T0300-k3f9-1", Redactor(b"key of the run")), **changes)


def on_sandbox(
    contract: Contract,
    url: str,
    given: RunPlan | None = None,
    limits: Target | None = None,
    key: str = KEY,
    requests: RequestLimits = PATIENT,
) -> TargetRun:
    """Run on a provider at ``url``."""
    opened = Open(limits or Target("sandbox"), url, {}, Credentials({"key": key}))

    async def run() -> TargetRun:
        return await run_target(contract, sandbox_target(opened, requests), given or plan())

    return asyncio.run(run())


def on_clock(
    contract: Contract, url: str, clock: Clock, given: RunPlan | None = None, limits: Target | None = None
) -> TargetRun:
    """Run on a provider at ``url``, with time that a test turns."""

    async def run() -> TargetRun:
        return await run_target(contract, clocked(url, clock, limits), given or plan())

    return asyncio.run(run())


def clocked(url: str, clock: Clock, limits: Target | None = None) -> RunTarget:
    """A sandbox on which time is that of ``clock``; make it in the loop that uses it."""
    credentials = Credentials({"key": KEY})
    client = Client(credentials, clock, PATIENT)
    return RunTarget("sandbox", url, client, clock, credentials, Skew(), limits or Target("sandbox"))


def on_simulator(contract: Contract, given: RunPlan | None = None) -> TargetRun:
    """Run on a simulator in this process."""

    async def run() -> TargetRun:
        return await run_target(contract, simulator_target(contract, Simulator(contract)), given or plan())

    return asyncio.run(run())


def findings(run: TargetRun) -> list[str]:
    """``trail kind path`` of every mismatch, expectations first."""
    found = []
    for result in run.results:
        mismatches = (*result.unmet, *(result.judgement.mismatches if result.judgement else ()))
        found += [f"{result.trail} {mismatch.kind} {mismatch.path}" for mismatch in mismatches]
    return found


def outcomes(run: TargetRun) -> dict[str, str]:
    """Scenario to outcome."""
    return {outcome.scenario: outcome.outcome for outcome in run.outcomes}
