"""Walks one scenario on one target, step by step, and cleans up after it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from troth.contracts.contract import Operation, Scenario, Step
from troth.contracts.expressions.expression import Expression
from troth.contracts.expressions.expression_error import ExpressionError
from troth.contracts.expressions.said import Said
from troth.contracts.given import Given
from troth.contracts.judgement import Unobserved
from troth.contracts.matcher import Mismatch, Origin
from troth.contracts.values import ABSENT, Unknown, Value
from troth.errors import TrothError
from troth.runners.budget import BUDGET, Spent
from troth.runners.caller import Ask, Called, Caller, where
from troth.runners.cleanup import Cleanup
from troth.runners.expectations import unmet_checks, unmet_expectations, what_is_read
from troth.runners.plan import Planned
from troth.runners.scope import StepScope
from troth.runners.session import Session
from troth.runners.step_result import Outcome

__all__ = ["Walk"]

CLEANUP_SECONDS = 120.0
FIRST_POLL = 0.25
POLL_GROWTH = 1.6


class _End(Exception):
    """The scenario cannot go on."""

    def __init__(self, outcome: str, reason: str, *, over_budget: bool = False) -> None:
        self.outcome, self.reason, self.over_budget = outcome, reason, over_budget
        super().__init__(reason)


@dataclass
class _Frame:
    """The names of a scenario, or of a part while it is included: neither sees the other's."""

    scenario: Scenario
    prefix: str = ""
    """In front of the numbers of its steps: ``1.a paid intent.``."""
    names: dict[str, Value] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    """Names that a step was to keep and could not, and why."""


class Walk:
    """One scenario with its case."""

    def __init__(self, session: Session, planned: Planned) -> None:
        self._session = session
        self._planned = planned
        self._caller = Caller(session, planned.label)
        self._cleanup = Cleanup(session, self._caller, planned.label)
        self._cleaning = False
        self._frames: list[_Frame] = []
        """Every scenario and part that was entered, for their ``cleanup`` steps."""

    async def run(self) -> Outcome:
        """Walk all steps, then clean up: also after a failure, and when the run is cancelled."""
        clock = asyncio.get_running_loop().time
        started = clock()
        outcome, reason, over_budget = "ok", "", False
        try:
            async with asyncio.timeout(self._limit()):
                await self._enter(self._frame(self._planned.scenario))
        except _End as end:
            outcome, reason, over_budget = end.outcome, end.reason, end.over_budget
        except TimeoutError:
            outcome, reason = "unobserved", f"it took longer than {self._limit():g} seconds"
        except TrothError as error:
            outcome, reason = "broken", str(error)
        except Exception as error:
            # Our own fault: this scenario is broken, the others still run.
            outcome, reason = "broken", where(error)
        finally:
            await self._clean()
        reason = self._session.plan.redactor.text(reason)
        leaks = tuple(self._cleanup.leaks)
        return Outcome(self._planned.label, outcome, reason, clock() - started, leaks, over_budget)

    def _limit(self) -> float:
        """Seconds for the whole scenario: ten minutes, and what it says itself that it waits."""
        return 600.0 + _waits(self._planned.scenario.steps, self._session.contract.scenarios)

    def _frame(self, scenario: Scenario, prefix: str = "", names: Mapping[str, Value] | None = None) -> _Frame:
        frame = _Frame(scenario, prefix, dict(names or {}))
        case = self._planned.case
        if case is not None and scenario is self._planned.scenario:
            frame.names.update(case.row)
            frame.names["case"] = {**case.row, "key": case.key}
        self._frames.append(frame)
        return frame

    async def _enter(self, frame: _Frame) -> None:
        self._foresee_wires(frame)
        for given in frame.scenario.given:
            self._give(given, frame)
        for number, step in enumerate(frame.scenario.steps, 1):
            await self._step(step, frame, f"{frame.prefix}{number}")
        self._keep(frame.scenario.keep, frame, {}, f"{frame.prefix}keep")

    def _give(self, given: Given, frame: _Frame) -> None:
        """Let target and judge know a record that is there before the first step."""
        session = self._session
        values = self._resolve(given.values, frame, f"{frame.prefix}given.{given.name}", {})
        if session.contract.collections[given.collection].key not in values:
            raise _End("unobserved", f"given {given.name!r} has no key")
        if session.target.give is not None:
            session.target.give(given.collection, **values)
        session.model.given(given.collection, values, session.target.clock.now())
        frame.names[given.name] = values

    async def _step(self, step: Step, frame: _Frame, trail: str) -> None:
        stopped = self._session.breaker.stopped
        if stopped is not None and not self._cleaning:
            raise _End("unobserved", stopped.reason)
        if step.wait is not None:
            self._session.waiting(self._planned.label, step.wait, f"step {trail} waits")
            await self._session.target.clock.sleep(step.wait)
        elif step.include is not None:
            await self._include(step, step.include, frame, trail)
        elif step.repeat is not None:
            await self._repeat(step, frame, trail)
        elif step.eventually is not None:
            await self._eventually(step, step.eventually, frame, trail)
        else:
            await self._once(step, self._values(step, frame, trail), frame, trail)

    async def _include(self, step: Step, name: str, frame: _Frame, trail: str) -> None:
        given = self._resolve(step.include_values, frame, trail, {})
        part = self._frame(self._session.contract.scenarios[name], f"{trail}.{name}.", given)
        await self._enter(part)
        if step.as_:
            kept = {key: value for key, value in part.names.items() if key not in given}
            frame.names[step.as_] = kept
            frame.missing.update({f"{step.as_}.{key}": why for key, why in part.missing.items()})

    # Calls

    async def _once(self, step: Step, values: dict[str, Value], frame: _Frame, trail: str) -> Called:
        called = await self._call(step, values, frame, trail)
        unmet = self._unmet(step, called, frame)
        self._caller.record(called, unmet)
        self._go_on(called, trail)
        self._keep(step.keep, frame, called.names, trail)
        return called

    async def _call(self, step: Step, values: dict[str, Value], frame: _Frame, trail: str) -> Called:
        assert step.call is not None
        operation = self._on_wire(step, frame, self._session.contract.operations[step.call.operation], trail)
        ask = Ask(trail, operation, values, step.expect, step.call.auth, self._cleaning)
        entry = self._cleanup.intend(ask)
        called: Called | Unobserved | None = None
        try:
            called = await self._caller.call(ask)
        except TrothError as error:
            called = Unobserved("unreachable", f"nothing was sent: {error}")
            raise
        finally:
            self._cleanup.settle(entry, called)
        if isinstance(called, Spent):
            raise _End("skipped", f"{BUDGET}: {called.reason}, before step {trail}", over_budget=True)
        if isinstance(called, Unobserved):
            raise _End("unobserved", called.reason)
        return called

    def _on_wire(self, step: Step, frame: _Frame, operation: Operation, trail: str) -> Operation:
        """The operation on the wire that the step names."""
        said, target = step.call.wire if step.call is not None else None, self._session.target
        if said is None:
            found = target.spoken(operation)
            if found is None:
                why = f"step {trail}: {operation.name} is on none of the wires of {target.name}"
                raise _End("skipped", f"{why} ({', '.join(target.wires)})")
            return found
        wire = said.value(self._scope(frame, {}))
        if wire not in operation.wires:
            raise _End("broken", f"step {trail}: {operation.name} has no wire {wire!r}")
        if not target.speaks(str(wire)):
            raise _End("skipped", f"step {trail}: {target.name} does not speak the wire {wire}")
        return operation.on(str(wire))

    def _foresee_wires(self, frame: _Frame) -> None:
        """Skip a scenario that the target cannot do to its end before anything is made there."""
        for number, step in enumerate(frame.scenario.steps, 1):
            if step.call is not None and self._session.target.wires:
                operation = self._session.contract.operations[step.call.operation]
                try:
                    self._on_wire(step, frame, operation, f"{frame.prefix}{number}")
                except _End as end:
                    if end.outcome == "skipped":
                        raise
                except ExpressionError:
                    continue  # known only when earlier steps ran

    def _unmet(self, step: Step, called: Called, frame: _Frame) -> tuple[Mismatch, ...]:
        """What the step expects and did not get; nothing when the reply says nothing."""
        if called.judgement is None or called.unobserved is not None:
            return ()
        operation = called.ask.operation
        scope = self._scope(frame, called.names)
        try:
            wrong = unmet_expectations(step.expect, operation, called.judgement, called.status or 0, scope)
        except ExpressionError as error:
            raise _End("unobserved", f"step {called.ask.trail}: its `expect` cannot be worked out: {error}") from None
        if wrong or not step.check:
            return wrong
        kept = self._kept(step.keep, frame, called.names)
        return unmet_checks(step, operation, called.judgement, self._scope(frame, {**called.names, **kept}))

    def _go_on(self, called: Called, trail: str) -> None:
        """After a reply that says nothing, later steps would only repeat that."""
        if called.broken:
            raise _End("broken", f"step {trail}: {called.broken}")
        if called.unobserved is not None:
            raise _End("unobserved", f"step {trail}: {called.unobserved.reason}")

    async def _repeat(self, step: Step, frame: _Frame, trail: str) -> None:
        repeat = step.repeat
        assert repeat is not None
        most = repeat.times if repeat.times is not None else repeat.most
        names: dict[str, Value] = {}
        for turn in range(1, most + 1):
            here = f"{trail}.repeat{turn}"
            values = self._values(step, frame, here)
            if turn > 1:
                values |= self._resolve(repeat.values, frame, here, names)
            called = await self._call(step, values, frame, here)
            kept = self._kept(step.keep, frame, called.names)
            names = {**called.names, **kept}
            over = repeat.until is not None and repeat.until.decide(self._scope(frame, names)) is True
            unmet = self._unmet(step, called, frame)
            if repeat.until is not None and turn == most and not over:
                shown = what_is_read(repeat.until, self._scope(frame, names))
                unmet += (_not_in_time(called, repeat.until.source, shown, f"{most} calls"),)
            self._caller.record(called, unmet)
            self._go_on(called, here)
            self._keep(step.keep, frame, called.names, here)
            if over:
                return

    async def _eventually(self, step: Step, seconds: float, frame: _Frame, trail: str) -> None:
        """Poll, ever more slowly, until the expectations hold or the time is up."""
        clock = self._session.target.clock
        values = self._values(step, frame, trail)
        end, wait = clock.now() + seconds, FIRST_POLL
        while True:
            called = await self._call(step, values, frame, trail)
            unmet = self._unmet(step, called, frame)
            left = end - clock.now()
            met = not unmet and called.unobserved is None
            if met or left <= 0 or called.broken or self._session.breaker.stopped is not None:
                break
            self._caller.record(called, final=False)
            await clock.sleep(min(wait, left))
            wait = min(wait * POLL_GROWTH, max(2.0, seconds / 20))
        if unmet:
            unmet = tuple(replace(mismatch, kind="eventually", want=_in_time(mismatch, seconds)) for mismatch in unmet)
        self._caller.record(called, unmet)
        self._go_on(called, trail)
        self._keep(step.keep, frame, called.names, trail)

    # Values

    def _values(self, step: Step, frame: _Frame, trail: str) -> dict[str, Value]:
        assert step.call is not None
        return self._resolve(step.call.values, frame, trail, {})

    def _resolve(
        self, values: Mapping[str, Said], frame: _Frame, trail: str, more: Mapping[str, Value]
    ) -> dict[str, Value]:
        """What the step sends. A value that needs something which was never kept ends the scenario."""
        out: dict[str, Value] = {}
        for name, said in values.items():
            for expression in said.expressions:
                self._check_kept(expression, frame, trail)
            unique = self._session.names.at(self._planned.label, trail, name)
            try:
                value = said.value(self._scope(frame, {**more, "unique": unique}))
            except ExpressionError as error:
                raise _End("unobserved", f"step {trail}: {name} cannot be worked out: {error}") from None
            if value.__class__ is Unknown:
                raise _End("unobserved", f"step {trail}: {name} is not known")
            if value is not ABSENT:
                out[name] = value
        return out

    def _check_kept(self, expression: Expression, frame: _Frame, trail: str) -> None:
        if not frame.missing or _tolerates_absence(expression):
            return
        # What a part keeps is read through the name that it was included as: `paid.id`.
        parts = {".".join(path[:length]) for path in expression.reads for length in range(1, len(path) + 1)}
        for name in sorted(expression.names | parts):
            if name in frame.missing:
                raise _End("unobserved", f"step {trail} needs {name!r}: {frame.missing[name]}")

    def _keep(self, wanted: Mapping[str, Expression], frame: _Frame, names: Mapping[str, Value], trail: str) -> None:
        kept = self._kept(wanted, frame, names)
        frame.names.update(kept)
        for name, expression in wanted.items():
            if name in kept:
                frame.missing.pop(name, None)
            else:
                frame.missing[name] = f"step {trail} gave no {expression.source}"

    def _kept(self, wanted: Mapping[str, Expression], frame: _Frame, names: Mapping[str, Value]) -> dict[str, Value]:
        """Evaluate ``keep`` in order, so that a name may build on the one before."""
        kept: dict[str, Value] = {}
        for name, expression in wanted.items():
            try:
                value = expression.value(self._scope(frame, {**names, **kept}))
            except ExpressionError:
                continue
            if value is not ABSENT and value.__class__ is not Unknown:
                kept[name] = value
        return kept

    def _scope(self, frame: _Frame, more: Mapping[str, Value]) -> StepScope:
        names = {**self._session.common_names(), **frame.names, **more}
        return StepScope(names, self._session.target.clock.now())

    # Cleaning up

    async def _clean(self) -> None:
        self._cleaning = True
        try:
            async with asyncio.timeout(CLEANUP_SECONDS):
                for frame in reversed(self._frames):
                    await self._own_cleanup(frame)
                await self._cleanup.run()
        except TimeoutError:
            self._cleanup.abandon(f"cleaning up took longer than {CLEANUP_SECONDS:g} seconds")
        except Exception as error:
            self._cleanup.abandon(where(error))

    async def _own_cleanup(self, frame: _Frame) -> None:
        """The ``cleanup`` steps; one that needs what was never made is left out, one that fails is a leak."""
        for number, step in enumerate(frame.scenario.cleanup, 1):
            trail = f"{frame.prefix}cleanup.{number}"
            if not self._ready(step, frame):
                continue
            try:
                await self._step(step, frame, trail)
            except _End as end:
                self._cleanup.leaks.append(self._session.plan.redactor.text(f"{trail}: {end.reason}"))

    def _ready(self, step: Step, frame: _Frame) -> bool:
        values = [*(step.call.values.values() if step.call else ()), *step.include_values.values()]
        used = {name for said in values for expression in said.expressions for name in expression.names}
        made = {name for kept in _kept_by(frame.scenario.steps) for name in kept}
        return all(name in frame.names for name in used & made)


def _kept_by(steps: tuple[Step, ...]) -> list[tuple[str, ...]]:
    return [(*step.keep, *((step.as_,) if step.as_ else ())) for step in steps]


def _tolerates_absence(expression: Expression) -> bool:
    """Does the author say what to do without the value?"""
    return "default" in expression.source or "absent" in expression.source


def _not_in_time(called: Called, source: str, shown: dict[str, Value], limit: str) -> Mismatch:
    operation = called.ask.operation.name
    origin = Origin(f"{operation}.{called.response}" if called.response else operation)
    return Mismatch("eventually", "repeat.until", source, shown, origin, f"this to hold within {limit}")


def _in_time(mismatch: Mismatch, seconds: float) -> str:
    return f"{mismatch.want or 'this'} within {seconds:g} s"


def _waits(steps: tuple[Step, ...], scenarios: Mapping[str, Scenario]) -> float:
    """Seconds that steps say they wait, parts included."""
    total = 0.0
    for step in steps:
        total += (step.wait or 0.0) + (step.eventually or 0.0)
        if step.include is not None and step.include in scenarios:
            total += _waits(scenarios[step.include].steps, scenarios)
    return total
