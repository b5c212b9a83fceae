"""``troth check`` beyond reading: run the scenarios on a simulator, walk about at random, judge every answer.

A sample that a fresh judge refuses is an asymmetry: something in the contract (or in Troth) works in one direction
only. Nothing here raises: what goes wrong on the way is a problem as well.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from troth.contracts.contract import Contract, Operation
from troth.contracts.exchange import Request
from troth.contracts.judgement import Judgement
from troth.contracts.matcher import Mismatch
from troth.contracts.model.explore import START, Explored, Explorer
from troth.contracts.model.lint_model import lint_model, unproven
from troth.contracts.model.model import Model
from troth.errors import Place, Problem, TrothError
from troth.runners.caller import where
from troth.runners.credentials import fitting
from troth.runners.engine import run_target
from troth.runners.names import run_id
from troth.runners.plan import RunPlan
from troth.runners.redact import Redactor
from troth.runners.step_result import TargetRun
from troth.runners.target import simulator_target
from troth.simulators.simulator import Simulator

__all__ = ["DEFECT", "prove"]

DEFECT = "E189"
"""The code of a problem that is Troth's fault and not the contract's."""
WALKS = 4
STEPS = 150
"""Requests in one walk of a small contract."""
EACH = 40
"""Requests that each operation of a larger one gets, in all walks together."""
SECONDS = 20.0
"""When walking ends, wherever it is."""
ENOUGH = 15
"""Requests after which an operation counts as explored."""


def prove(contract: Contract, clock: Callable[[], float] = time.monotonic) -> list[Problem]:
    """Every doubt that only running the contract shows: E180 to E189, W020 to W025. Sends nothing anywhere."""
    proof = _Proof(contract, clock)
    for part in (proof.read, proof.run, proof.walk, proof.look_back):
        try:
            part()
        except TrothError as error:
            proof.note("E188", contract_place(contract), f"a check of {contract.provider}", str(error))
        except Exception as error:
            proof.defect(contract_place(contract), f"checking {contract.provider}", error)
    return proof.problems


def contract_place(contract: Contract) -> Place:
    """The contract as a whole."""
    return Place(str(contract.path), 1, 1)


@dataclass
class _Proof:
    """What was found so far."""

    contract: Contract
    clock: Callable[[], float]
    problems: list[Problem] = field(default_factory=list)
    reached: set[str] = field(default_factory=set)
    """``operation.response`` that a scenario has seen."""
    walked: set[str] = field(default_factory=set)
    """The same of the walks."""
    tried: Counter[str] = field(default_factory=Counter)
    _seen: set[tuple[str, str]] = field(default_factory=set)

    def note(self, code: str, place: Place, asked: str, found: str, fix: str = "") -> None:
        self.problems.append(Problem(code, place, asked, found, fix))

    def defect(self, place: Place, doing: str, error: Exception) -> None:
        """Troth's own fault; its text is left out, because it may quote anything."""
        fix = "This is a defect in Troth and says nothing about the contract. Please report it"
        self.note(DEFECT, place, f"{doing} to go well", where(error), fix)

    # Reading

    def read(self) -> None:
        """What can be seen without running anything."""
        self.problems += lint_model(self.contract)

    # Scenarios

    def run(self) -> None:
        """Every scenario, on the contract's own simulator."""
        simulator = Simulator(self.contract)
        plan = RunPlan(run_id(0.0, b"check"), Redactor(b"check"))
        run = asyncio.run(run_target(self.contract, simulator_target(self.contract, simulator), plan))
        self.problems += self._failed(run, [entry.failure for entry in simulator.journal.entries if entry.failure])
        for result in run.results:
            if result.judgement is not None and result.judgement.response is not None:
                self.reached.add(f"{result.operation}.{result.judgement.response}")
        self.problems += unproven(self.contract, self.reached)

    def _failed(self, run: TargetRun, failures: list[str]) -> Iterator[Problem]:
        """Scenarios that their own simulator does not pass."""
        for result in run.results:
            found = list(result.unmet)
            if result.judgement is not None:
                found += result.judgement.mismatches
            for mismatch in found:
                asked = f"the scenario {result.scenario!r} to pass on its own simulator (step {result.trail})"
                yield Problem("E181", self._place(result.scenario), asked, _words(result.operation, mismatch))
        for outcome in run.outcomes:
            if outcome.outcome not in ("ok", "skipped"):
                asked = f"the scenario {outcome.scenario!r} to run to its end on its own simulator"
                # The reasons are those of a sandbox run; here the simulator stands in for the provider.
                reason = (outcome.reason or outcome.outcome).replace("the provider", "the simulator")
                found_there = "; ".join(dict.fromkeys([reason, *failures]))
                yield Problem("E182", self._place(outcome.scenario), asked, found_there)

    def _place(self, label: str) -> Place:
        scenario = self.contract.scenarios.get(label) or self.contract.scenarios.get(label.partition("[")[0])
        return scenario.place if scenario is not None else contract_place(self.contract)

    # Walks

    def walk(self) -> None:
        """At random through the contract, until there were requests enough, or the time is over."""
        credentials, auth = fitting(self.contract), self.contract.auth

        def sign(request: Request, operation: Operation) -> Request:
            return credentials.sign(request, operation.auth or auth, START)

        steps = max(STEPS, len(self.contract.operations) * EACH // WALKS)
        end = self.clock() + SECONDS
        for seed in range(WALKS):
            explorer = Explorer(self.contract, seed, sign)
            self._walk(explorer.walk(steps), end)
            self.tried.update(explorer.tried)
        made = self.tried.total()
        if made < WALKS * steps:
            asked = f"{WALKS * steps} random requests in {SECONDS:g} seconds"
            self.note("W025", contract_place(self.contract), asked, f"time for {made}", "See what makes it slow")

    def _walk(self, steps: Iterator[Explored], end: float) -> None:
        judge = Model(self.contract, world="open")
        while self.clock() < end:
            step = next(steps, None)
            if step is None:
                return
            self._look(step, judge)

    def _look(self, step: Explored, judge: Model) -> None:
        operation = step.operation
        if step.error is not None:
            self._unanswered(operation, step.error)
            return
        if step.name is None:
            return
        name = f"{operation.name}.{step.name}"
        self.walked.add(name)
        try:
            judgement = judge.judge(step.request, step.response, step.when, operation.name, (step.name,))
        except Exception as error:
            if self._first(name, type(error).__name__):
                self.defect(operation.place, f"judging a sample of {name}", error)
            return
        self._asymmetries(operation, step.name, judgement)

    def _unanswered(self, operation: Operation, error: Exception) -> None:
        """The contract sets no bound to something, or does not ask whether it is there."""
        if not self._first(operation.name, type(error).__name__):
            return
        if isinstance(error, TrothError):
            asked = f"an answer of the simulator to every request of {operation.name}"
            self.note("E188", operation.place, asked, str(error))
        else:
            self.defect(operation.place, f"answering a request of {operation.name}", error)

    def _asymmetries(self, operation: Operation, response: str, judgement: Judgement) -> None:
        """What a judge finds in the model's own samples, each place once."""
        name = f"{operation.name}.{response}"
        shape = operation.response(response)
        place = shape.place if shape is not None else operation.place
        for mismatch in judgement.mismatches:
            if self._first(name, str(mismatch.origin)):
                self.note("E180", place, f"samples of {name} that a judge accepts", _words(operation.name, mismatch))

    def _first(self, name: str, what: str) -> bool:
        if (name, what) in self._seen:
            return False
        self._seen.add((name, what))
        return True

    # What is left

    def look_back(self) -> None:
        """Responses that neither a scenario nor any walk reached: is their condition ever true?"""
        for operation in self.contract.operations.values():
            tried = self.tried[operation.name]
            for shape in operation.responses if tried >= ENOUGH else ():
                name = f"{operation.name}.{shape.name}"
                if name not in self.reached | self.walked and not shape.inherited and shape.means is None:
                    found = f"none in {tried} random requests of it"
                    self.note("W024", shape.place, f"a way to reach {name}", found, "Is `when` right?")


def _words(operation: str, mismatch: Mismatch) -> str:
    wanted = f", {mismatch.want}" if mismatch.want else ""
    return f"{operation} {mismatch.path}: {mismatch.kind}{wanted}; {mismatch.observed!r} for {mismatch.expected!r}"
