"""``troth check`` beyond reading: run the scenarios on a simulator, walk about at random, judge every answer.

A sample that a fresh judge refuses is an asymmetry: something in the contract (or in Troth) works in one direction
only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from troth.contracts.contract import Contract
from troth.contracts.explore import Explorer
from troth.contracts.lint_model import lint_model, unproven
from troth.contracts.matcher import Mismatch
from troth.contracts.model import Model
from troth.errors import Place, Problem
from troth.runners.credentials import fitting
from troth.runners.engine import run_target
from troth.runners.names import run_id
from troth.runners.plan import RunPlan
from troth.runners.redact import Redactor
from troth.runners.step_result import TargetRun
from troth.runners.target import simulator_target
from troth.simulators.simulator import Simulator

__all__ = ["prove"]

WALKS = 4
STEPS = 150


def prove(contract: Contract) -> list[Problem]:
    """Every doubt that only running the contract shows: E180 to E182, W020 to W024. Sends nothing anywhere."""
    problems = lint_model(contract)
    run = _scenarios(contract)
    problems += _failed(contract, run)
    reached = _reached(run)
    problems += unproven(contract, reached)
    walked: set[str] = set()
    problems += _asymmetries(contract, walked)
    problems += _unreached(contract, reached | walked)
    return problems


def _scenarios(contract: Contract) -> TargetRun:
    simulator = Simulator(contract)
    plan = RunPlan(run_id(0.0, b"check"), Redactor(b"check"))
    return asyncio.run(run_target(contract, simulator_target(contract, simulator), plan))


def _reached(run: TargetRun) -> set[str]:
    found = set()
    for result in run.results:
        if result.judgement is not None and result.judgement.response is not None:
            found.add(f"{result.operation}.{result.judgement.response}")
    return found


def _failed(contract: Contract, run: TargetRun) -> Iterator[Problem]:
    """Scenarios that their own simulator does not pass."""
    for result in run.results:
        scenario = result.scenario.partition("[")[0]
        place = contract.scenarios[scenario].place if scenario in contract.scenarios else Place(str(contract.path))
        found = list(result.unmet)
        if result.judgement is not None:
            found += result.judgement.mismatches
        for mismatch in found:
            asked = f"the scenario {result.scenario!r} to pass on its own simulator (step {result.trail})"
            yield Problem("E181", place, asked, _words(result.operation, mismatch))
    for outcome in run.outcomes:
        if outcome.outcome not in ("ok", "skipped"):
            scenario = outcome.scenario.partition("[")[0]
            place = contract.scenarios[scenario].place if scenario in contract.scenarios else Place(str(contract.path))
            asked = f"the scenario {outcome.scenario!r} to run to its end on its own simulator"
            yield Problem("E182", place, asked, outcome.reason or outcome.outcome)


def _asymmetries(contract: Contract, walked: set[str]) -> Iterator[Problem]:
    """What a judge finds in the model's own samples, each place once."""
    seen: set[tuple[str, str]] = set()
    header = fitting(contract).header(contract.auth)
    credentials = () if header is None else ((b"Authorization", header),)
    for seed in range(WALKS):
        judge = Model(contract, world="open")
        for step in Explorer(contract, seed, credentials).walk(STEPS):
            if step.name is None:
                continue
            name = f"{step.operation.name}.{step.name}"
            walked.add(name)
            judgement = judge.judge(step.request, step.response, step.when, step.operation.name, (step.name,))
            for mismatch in judgement.mismatches:
                if (name, str(mismatch.origin)) in seen:
                    continue
                seen.add((name, str(mismatch.origin)))
                shape = step.operation.response(step.name)
                place = shape.place if shape is not None else step.operation.place
                asked = f"samples of {name} that a judge accepts"
                yield Problem("E180", place, asked, _words(step.operation.name, mismatch))


def _words(operation: str, mismatch: Mismatch) -> str:
    wanted = f", {mismatch.want}" if mismatch.want else ""
    return f"{operation} {mismatch.path}: {mismatch.kind}{wanted}; {mismatch.observed!r} for {mismatch.expected!r}"


def _unreached(contract: Contract, reached: set[str]) -> Iterator[Problem]:
    """Responses that neither a scenario nor any walk reached: is their condition ever true?"""
    for operation in contract.operations.values():
        for shape in operation.responses:
            name = f"{operation.name}.{shape.name}"
            if name not in reached and not shape.inherited and shape.means is None:
                asked = f"a way to reach {name}"
                yield Problem(
                    "W024", shape.place, asked, f"none in {WALKS * STEPS} random requests", "Is `when` right?"
                )
