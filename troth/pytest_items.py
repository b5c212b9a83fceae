"""Scenarios as pytest items: each runs on a simulator of its own, and with the gate open on the sandbox."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import time
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from troth.contracts.contract import Contract
from troth.contracts.loader import load
from troth.contracts.matcher import Mismatch
from troth.contracts.values import ABSENT, Json
from troth.errors import ContractError, TrothError
from troth.runners.engine import run_target
from troth.runners.gate import Open, Passport, open_gate
from troth.runners.names import run_id
from troth.runners.plan import Planned, RunPlan, planned
from troth.runners.redact import Redactor
from troth.runners.step_result import StepResult, TargetRun
from troth.runners.target import RunTarget, sandbox_target, simulator_target
from troth.simulators.simulator import Simulator

__all__ = ["ContractFile", "ScenarioFailed", "ScenarioItem", "failures"]

_LONGEST = 300


class ScenarioFailed(Exception):
    """A scenario that did not go as the contract says, or could not be checked; the text says what and where."""


class ContractFile(pytest.File):
    """A contract; its items are its scenarios, one for each row of their ``cases`` and for each target."""

    sandbox: bool = False
    """Is the gate open?"""

    def collect(self) -> Iterator[ScenarioItem]:
        """The items, in the contract's order."""
        contract = load(self.path)
        for scenario in planned(contract):
            yield self._item(contract, scenario, "simulator")
            if self.sandbox:
                yield self._item(contract, scenario, "sandbox")

    def _item(self, contract: Contract, scenario: Planned, target: str) -> ScenarioItem:
        item: ScenarioItem = ScenarioItem.from_parent(self, name=f"{scenario.label}[{target}]")
        item.contract, item.scenario, item.target = contract, scenario, target
        return item

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]
        """A contract with errors is shown as these errors."""
        if isinstance(excinfo.value, ContractError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class ScenarioItem(pytest.Item):
    """One scenario on one target."""

    contract: Contract
    scenario: Planned
    target: str

    def runtest(self) -> None:
        """Run the scenario; raises ScenarioFailed."""
        if self.target == "simulator":
            target = simulator_target(self.contract, Simulator(self.contract))
        else:
            target = self._sandbox()
        found = failures(asyncio.run(self._run(target)))
        if found:
            raise ScenarioFailed("\n".join(found))

    async def _run(self, target: RunTarget) -> TargetRun:
        plan = RunPlan(
            run_id(time.time(), secrets.token_bytes(4)),
            Redactor(secrets.token_bytes(16)),
            only=(self.scenario.label,),
        )
        return await run_target(self.contract, target, plan)

    def _sandbox(self) -> RunTarget:
        passport = Passport(flag=True, environment=os.environ)
        decision = open_gate(self.contract, [self.scenario.scenario], passport)
        if isinstance(decision, Open):
            return sandbox_target(decision)
        # The gate was opened on purpose, and a check that did not run is never a pass.
        raise ScenarioFailed(f"not checked: {decision.verdict}: {decision.reason}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]
        """What went wrong in the scenario; nothing of how it was run."""
        if isinstance(excinfo.value, ScenarioFailed | TrothError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[os.PathLike[str], int | None, str]:
        """The file, the scenario's line, and its name."""
        line = self.scenario.scenario.place.line
        return self.path, line - 1 if line else None, self.name


def failures(run: TargetRun) -> list[str]:
    """Everything that went wrong in a run, in lines of text."""
    return [*_stopped(run), *_outcomes(run), *(line for result in run.results for line in _of(result))]


def _stopped(run: TargetRun) -> Iterator[str]:
    if run.stopped is not None:
        yield f"not checked: {run.stopped.verdict}: {run.stopped.reason}"


def _outcomes(run: TargetRun) -> Iterator[str]:
    for outcome in run.outcomes:
        if outcome.outcome in ("broken", "skipped") or (outcome.outcome == "unobserved" and run.stopped is None):
            yield f"{outcome.outcome}: {outcome.reason}"
        yield from outcome.leaks


def _of(result: StepResult) -> Iterator[str]:
    mismatches = list(_mismatches(result))
    if mismatches:
        exchange = result.exchange
        yield f"step {result.trail}, {result.operation}: {exchange.method} {exchange.url} gave {exchange.status}"
        yield from (f"  {_words(mismatch)}" for mismatch in mismatches)
        if exchange.response_body:
            yield f"  body: {_short(exchange.response_body)}"


def _mismatches(result: StepResult) -> Iterable[Mismatch]:
    if result.judgement is not None:
        yield from result.judgement.mismatches
    yield from result.unmet


def _words(mismatch: Mismatch) -> str:
    wanted = mismatch.want or _shown(mismatch.expected)
    return f"{mismatch.path}: {mismatch.kind}: wanted {wanted}, got {_shown(mismatch.observed)}"


def _shown(value: Json) -> str:
    if value is ABSENT:
        return "nothing"
    return _short(json.dumps(value, ensure_ascii=False, default=str))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"
