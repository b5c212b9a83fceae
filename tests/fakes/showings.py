"""Nights of a sandbox in memory: what each run of a scenario showed where the contract leaves something open."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from fakes.target_runs import run, step

from troth.runners.habits import Habits, habits_of
from troth.runners.step_result import StepResult, TargetRun

__all__ = ["answer", "night", "sandbox"]


def answer(
    body: Any,
    *,
    scenario: str = "a charge is kept",
    headers: Mapping[str, str] | None = None,
    took: float = 0.1,
    **more: Any,
) -> StepResult:
    """The sandbox's answer to ``charge`` in a scenario."""
    result = step(body=body, scenario=scenario, **more)
    pairs = tuple((headers or {}).items())
    exchange = replace(result.exchange, response_headers=pairs, elapsed=took, response_body=json.dumps(body))
    return replace(result, exchange=exchange)


def sandbox(*answers: StepResult) -> TargetRun:
    """One run of all scenarios."""
    return run(*answers)


def night(number: int, runs: Iterable[TargetRun], contract_hash: str = "hash") -> Habits:
    """What a night showed."""
    return replace(habits_of(f"run-{number}", contract_hash, runs), night=number)
