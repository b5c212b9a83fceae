"""The work of a drift run for one provider: the simulator, then the gate, then the sandbox.

What was done is kept as it comes, so that the result can be taken at any time, also after an interruption.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from troth.contracts.accepted import accepted_of
from troth.contracts.contract import Contract
from troth.contracts.document.accepted_document import AcceptanceDoc
from troth.errors import ContractError, RefusedCredential, TrothError, UsageError
from troth.runners.caller import where
from troth.runners.compare import compare
from troth.runners.drift_settings import DriftSettings
from troth.runners.engine import run_session, run_target
from troth.runners.estimate import NO_ESTIMATES, Estimates, estimates_of
from troth.runners.events import Event, OnEvent, ScenarioFinished
from troth.runners.finding import Verdict
from troth.runners.gate import Decision, Open, Passport, Shut, open_gate, target_of
from troth.runners.habits import Habits, habits_of, showings_of
from troth.runners.loose import loose
from troth.runners.past_self import doubtful
from troth.runners.plan import Planned, RunPlan, scenarios_of
from troth.runners.progress import Done, Progress, with_done
from troth.runners.recorder import INTERRUPTED, Recorder
from troth.runners.redact import Redactor
from troth.runners.rerun import Reruns
from troth.runners.schemathesis_adapter import Fuzzed, fuzz_simulator
from troth.runners.session import Session
from troth.runners.step_result import Outcome, TargetRun
from troth.runners.target import RunTarget, sandbox_target, simulator_target
from troth.runners.triangulate import line_up
from troth.runners.undo_log import FileUndoLog, MemoryUndoLog, UndoLog
from troth.runners.volatility import unsettled
from troth.simulators.simulator import Simulator

__all__ = ["ProviderWork", "Shared"]


@dataclass(frozen=True, slots=True)
class Shared:
    """What all providers of a run have in common."""

    run_id: str
    settings: DriftSettings
    on_event: OnEvent
    redactor: Redactor = field(default_factory=lambda: Redactor(os.urandom(16)))
    progress: Progress = field(default_factory=lambda: Progress(None))
    """What was done on sandboxes, for a run that goes on after this one is cut off."""


@dataclass
class ProviderWork:
    """One contract. ``run`` does the work; the rest is what came of it so far."""

    contract: Contract
    items: tuple[Planned, ...]
    shared: Shared
    order: tuple[str, ...] = ()
    """The names of the items in the order in which they run."""
    decision: Decision = field(default_factory=lambda: Shut(Verdict.SKIPPED, INTERRUPTED))
    error: str = ""
    """Why the work could not be done at all: our own fault, or (``refused``) the user's."""
    refused: bool = False
    notes: list[str] = field(default_factory=list)
    fuzzed: Fuzzed | None = None
    accepted: tuple[AcceptanceDoc, ...] = ()
    """The findings of this provider that somebody answers for."""
    reruns: Reruns | None = None
    """The further runs of what disagreed; None where there were none."""
    habits: Callable[[str], tuple[Habits, ...]] = lambda provider: ()
    """What the sandbox of a provider did on earlier nights."""
    _runs: dict[str, TargetRun] = field(default_factory=dict)
    _recorders: dict[str, Recorder] = field(default_factory=dict)
    _estimates: Estimates = NO_ESTIMATES
    _done: Mapping[str, Done] = field(default_factory=dict)
    """What an earlier part of the run did on the sandbox, by scenario."""

    async def run(self) -> None:
        """Do all of it. Whatever goes wrong is this provider's alone; only an interruption gets through."""
        try:
            self.accepted = accepted_of(self.contract, self.shared.settings.root)
            if self.shared.settings.resume:
                self._take_up(self._decide())
            if self.items:  # to the engine, none chosen means all
                await self._simulate()
            self.decision = self._decide()
            if isinstance(self.decision, Open) and self.items:
                await self._call_sandbox(self.decision)
            if self.shared.settings.fuzz:
                self.fuzzed = await fuzz_simulator(self.contract, self.shared.settings.seed)
        except (UsageError, RefusedCredential, ContractError) as error:
            self.error, self.refused = str(error), True
        except TrothError as error:
            self.error = str(error)
        except Exception as error:  # a defect must not cost the other providers their results
            self.error = f"E415 Troth itself failed: {where(error)}"

    @property
    def simulator(self) -> TargetRun:
        """What the simulator gave so far."""
        return self._so_far("simulator") or TargetRun("simulator", "", (), ())

    @property
    def sandbox(self) -> TargetRun | None:
        """What the sandbox gave so far; None when it was not called."""
        return self._so_far("sandbox")

    @property
    def earlier(self) -> frozenset[str]:
        """The ids of the runs that this one goes on with."""
        return frozenset(done.run for done in self._done.values())

    def _so_far(self, side: str) -> TargetRun | None:
        recorder = self._recorders.get(side)
        run = self._runs.get(side) or (recorder.so_far() if recorder else None)
        if run is None or side != "sandbox":
            return run
        return with_done(run, self._done, [item.label for item in self.items])

    def _take_up(self, decision: Decision) -> None:
        """What an earlier part of the run did, where the gate is open for more."""
        settings = self.shared.settings
        if not isinstance(decision, Open):
            return
        known = self.shared.progress.of(self.contract, decision.url, settings.seed, time.time())
        self._done = {item.label: known[item.label] for item in self.items if item.label in known}
        if self._done:
            runs = ", ".join(dict.fromkeys(done.run for done in self._done.values()))
            self.notes.append(f"goes on with run {runs}: {len(self._done)} of {len(self.items)} scenarios are its")
        else:
            self.notes.append("there was no run to go on with: nothing is known of one with this contract and address")

    async def _simulate(self) -> None:
        """With the unique names that the sandbox got, or gets."""
        target = self._simulator()
        async with target.client:
            await self._walk("simulator", target, MemoryUndoLog())
        self._estimates = estimates_of(self.simulator.results)
        earlier = [await self._simulated(run) for run in dict.fromkeys(done.run for done in self._done.values())]
        labels = [item.label for item in self.items]
        if earlier:
            self._runs["simulator"] = _joined(self._runs["simulator"], earlier, labels)
            self._estimates = estimates_of(self.simulator.results)

    async def _simulated(self, run: str) -> TargetRun:
        labels = tuple(label for label, done in self._done.items() if done.run == run)
        plan = RunPlan(run, self.shared.redactor, self.shared.settings.seed, labels, self.order)
        return await run_target(self.contract, self._simulator(), plan)

    def _simulator(self) -> RunTarget:
        simulator = Simulator(self.contract, seed=self.shared.settings.seed)
        compared = target_of(self.contract, Passport(True, self.shared.settings.environment))
        return simulator_target(self.contract, simulator, compared.wires)

    def _decide(self) -> Decision:
        settings = self.shared.settings
        passport = Passport(settings.sandbox, settings.environment, settings.urls.get(self.contract.provider))
        decision = open_gate(self.contract, scenarios_of(self.items), passport)
        if isinstance(decision, Shut):
            self.refused = isinstance(decision.error, RefusedCredential | UsageError)
        return decision

    async def _call_sandbox(self, opened: Open) -> None:
        target = sandbox_target(opened, self.shared.settings.limits)
        async with target.client:
            session = await self._walk("sandbox", target, self._undo_log())
            await self._look_again(session)

    async def _look_again(self, session: Session) -> None:
        """Run what disagreed once more, as often as it takes."""
        rule, sandbox = self.shared.settings.confirm, self.sandbox
        if rule.most == 1 or sandbox is None:
            return
        self.reruns = Reruns(compare(self.contract, self.simulator, sandbox), rule, self._unsure())
        await self.reruns.run(session, self._simulator)
        for note in dict.fromkeys(note for run in self.reruns.runs for note in run.sandbox.notes):
            if note not in (*sandbox.notes, *self.notes):
                self.notes.append(note)

    def _unsure(self) -> Callable[[Sequence[TargetRun]], Sequence[str]]:
        """Gives the scenarios that must be repeated to know whether the sandbox differs from itself, or has changed."""
        simulator, sandbox = self.simulator, self.sandbox
        assert sandbox is not None
        before, simulated = self.habits(self.contract.provider), showings_of(simulator)
        differing = list(loose(line_up(simulator, sandbox), self.contract))

        def unsure(later: Sequence[TargetRun]) -> Sequence[str]:
            nights = (*before, habits_of(self.shared.run_id, self.contract.content_hash, [sandbox, *later]))
            once = () if later else unsettled(differing, nights)
            return (*doubtful(nights, simulated), *once)

        return unsure

    async def _walk(self, side: str, target: RunTarget, undo_log: UndoLog) -> Session:
        labels = tuple(item.label for item in self.items if item.label not in self._done)
        recorder = self._recorders[side] = Recorder(labels, self._noting(side, target))
        plan = RunPlan(
            run_id=self.shared.run_id,
            redactor=self.shared.redactor,
            seed=self.shared.settings.seed,
            only=labels,
            order=self.order,
            on_event=recorder.on_event,
            on_result=recorder.on_result,
            undo_log=undo_log,
            estimates=self._estimates,
        )
        session = Session(self.contract, target, plan)
        self._runs[side] = await run_session(session) if labels else TargetRun(target.name, target.url, (), ())
        return session

    def _noting(self, side: str, target: RunTarget) -> OnEvent:
        """Passes events on, and notes what is done on the sandbox."""
        shared = self.shared
        if side != "sandbox":
            return shared.on_event

        ended: set[str] = set()

        def heard(event: Event) -> None:
            # Further runs of a scenario tell of their ends too, and are none of the results that are kept.
            if isinstance(event, ScenarioFinished) and event.scenario not in ended:
                ended.add(event.scenario)
                if event.outcome == "ok":
                    outcome = Outcome(event.scenario, event.outcome, event.reason)
                    done = Done(shared.run_id, time.time(), outcome, self._recorders[side].of(event.scenario))
                    shared.progress.add(self.contract, target.url, shared.settings.seed, done)
            shared.on_event(event)

        return heard

    def _undo_log(self) -> UndoLog:
        """Beside the store; in memory, and said to be, where nothing can be written."""
        store = self.shared.settings.store
        if store is None:
            return MemoryUndoLog()
        path = store.parent / "undo.jsonl"
        if not _writable(path.parent):
            self.notes.append(f"after a crash of this run nobody would know what to clean up: {path} cannot be written")
            return MemoryUndoLog()
        return FileUndoLog(path)


def _joined(run: TargetRun, others: Sequence[TargetRun], labels: Sequence[str]) -> TargetRun:
    """Several runs of a simulator as one."""
    done = {
        outcome.scenario: Done(
            "", 0.0, outcome, tuple(item for item in other.results if item.scenario == outcome.scenario)
        )
        for other in others
        for outcome in other.outcomes
    }
    return with_done(run, done, labels)


def _writable(folder: Path) -> bool:
    probe = folder / f".troth-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
    except OSError:
        return False
    with suppress(OSError):
        probe.unlink()
    return True
