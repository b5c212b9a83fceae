"""Who disagrees with the contract at each place: the provider, the simulator, or both, and then do they agree?

The two targets line up by scenario and trail. A place is a path without list indexes, so that the third item of one
list can stand beside the first of another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from troth.contracts.json_path import root_of, schema_path, value_at
from troth.contracts.judgement import Unobserved
from troth.contracts.matcher import Mismatch
from troth.contracts.values import ABSENT, Value
from troth.runners.disagreement import Disagreement, Row, about_reply
from troth.runners.fingerprint import class_of
from troth.runners.step_result import StepResult, TargetRun
from troth.runners.symbols import Symbols

__all__ = ["FORMS", "Lined", "line_up", "mismatches", "said_at", "triangulate", "unobserved_of"]

FORMS = frozenset({"type", "null", "format", "bounds", "enum"})
"""Kinds that depend on the value alone: the same value cannot fit on one target and not on the other."""
_BY_VALUE = frozenset({"enum", "value", "stored", "decreased", "status", "response", "response_variant", "expect"})
"""Kinds where two observed values of one class may still be two different wrongs."""


@dataclass(frozen=True, slots=True)
class Lined:
    """The results of one contract on both targets, by (scenario, trail); of polls only the last are lined up."""

    simulator: Mapping[tuple[str, str], StepResult]
    sandbox: Mapping[tuple[str, str], StepResult]
    simulator_symbols: Mapping[str, Symbols]
    sandbox_symbols: Mapping[str, Symbols]
    """By scenario."""

    def symbols(self, target: str, scenario: str) -> Symbols:
        """The symbols of one scenario on ``simulator`` or ``sandbox``."""
        table = self.simulator_symbols if target == "simulator" else self.sandbox_symbols
        return table.get(scenario) or Symbols(())


def line_up(simulator: TargetRun, sandbox: TargetRun | None) -> Lined:
    """Index both runs; without a sandbox run its side is empty."""
    sandbox_results = sandbox.results if sandbox else ()
    return Lined(
        {(item.scenario, item.trail): item for item in simulator.results if item.final},
        {(item.scenario, item.trail): item for item in sandbox_results if item.final},
        _symbols(simulator.results),
        _symbols(sandbox_results),
    )


def _symbols(results: Sequence[StepResult]) -> dict[str, Symbols]:
    by_scenario: dict[str, list[StepResult]] = {}
    for result in results:
        by_scenario.setdefault(result.scenario, []).append(result)
    return {scenario: Symbols(items) for scenario, items in by_scenario.items()}


def unobserved_of(result: StepResult) -> Unobserved | None:
    """Why the answer says nothing about the contract; None when it was judged."""
    if result.unobserved is not None:
        return result.unobserved
    if result.judgement is None:
        return Unobserved("unreachable", result.exchange.error or "no answer came")
    return result.judgement.unobserved


def mismatches(result: StepResult) -> Iterator[tuple[Mismatch, bool]]:
    """Every mismatch of a step, and is it an unmet expectation; none when the answer was not judged."""
    if result.judgement is not None and unobserved_of(result) is None:
        for mismatch in result.judgement.mismatches:
            yield mismatch, False
    for mismatch in result.unmet:
        yield mismatch, True


def triangulate(simulator: TargetRun, sandbox: TargetRun | None, lined: Lined) -> list[Disagreement]:
    """Every disagreement with the contract, and every answer of the sandbox that says nothing about it."""
    found: list[Disagreement] = []
    for result in sandbox.results if sandbox else ():
        other = lined.simulator.get((result.scenario, result.trail))
        found += _of_sandbox(result, other, lined)
    for result in simulator.results:
        other = lined.sandbox.get((result.scenario, result.trail))
        found += _of_simulator(result, other)
    return found


def _of_sandbox(result: StepResult, other: StepResult | None, lined: Lined) -> Iterator[Disagreement]:
    unobserved = unobserved_of(result)
    if unobserved is not None:
        yield _unobserved(result, other, unobserved)
        return
    symbols = lined.symbols("sandbox", result.scenario), lined.symbols("simulator", result.scenario)
    for mismatch, unmet in mismatches(result):
        twin = _twin(mismatch, unmet, other, symbols)
        yield Disagreement(
            row=_row(mismatch, unmet, twin, (result, other), symbols),
            kind=mismatch.kind,
            operation=result.operation,
            scenario=result.scenario,
            number=result.number,
            path=mismatch.path,
            origin=str(mismatch.origin),
            expected=mismatch.expected,
            simulator=_told(twin, other) if twin and other else said_at(other, mismatch, result),
            sandbox=_told(mismatch, result),
            want=mismatch.want,
            names=mismatch.caused_by,
            unmet=unmet,
            on_simulator=other,
            on_sandbox=result,
        )


def _row(
    mismatch: Mismatch,
    unmet: bool,
    twin: Mismatch | None,
    pair: tuple[StepResult, StepResult | None],
    symbols: tuple[Symbols, Symbols],
) -> Row:
    if mismatch.kind == "broken" or (twin is not None and twin.kind == "broken"):
        return Row.BROKEN
    if twin is None:
        return Row.BROKEN if not unmet and _contradicts(mismatch, *pair) else Row.PROVIDER
    if unmet:
        return Row.SCENARIO
    return Row.STALE if _same_observed(mismatch, twin, *symbols) else Row.ALL


def _of_simulator(result: StepResult, other: StepResult | None) -> Iterator[Disagreement]:
    observed = other is not None and unobserved_of(other) is None
    for mismatch, unmet in mismatches(result):
        if observed and _twin(mismatch, unmet, other) is not None:
            continue  # told from the sandbox's side
        yield Disagreement(
            row=_row_of_simulator(mismatch, unmet, result, other if observed else None),
            kind=mismatch.kind,
            operation=result.operation,
            scenario=result.scenario,
            number=result.number,
            path=mismatch.path,
            origin=str(mismatch.origin),
            expected=mismatch.expected,
            simulator=_told(mismatch, result),
            sandbox=said_at(other, mismatch, result) if observed else ABSENT,
            want=mismatch.want,
            names=mismatch.caused_by,
            unmet=unmet,
            on_simulator=result,
            on_sandbox=other,
        )


def _row_of_simulator(mismatch: Mismatch, unmet: bool, result: StepResult, other: StepResult | None) -> Row:
    if mismatch.kind == "broken":
        return Row.BROKEN
    if unmet:
        # Met by the sandbox, so it can be met; otherwise nothing shows that the contract itself gives what it expects.
        return Row.SIMULATOR if other is not None else Row.SCENARIO
    return Row.BROKEN if _contradicts(mismatch, result, other) else Row.SIMULATOR


def _unobserved(result: StepResult, other: StepResult | None, why: Unobserved) -> Disagreement:
    judged = other.judgement if other else None
    return Disagreement(
        row=Row.UNOBSERVED,
        kind="unobserved",
        operation=result.operation,
        scenario=result.scenario,
        number=result.number,
        path="status",
        origin=why.verdict,
        simulator=judged.response if judged and judged.response else ABSENT,
        want=why.reason,
        on_simulator=other,
        on_sandbox=result,
    )


def _twin(
    mismatch: Mismatch, unmet: bool, other: StepResult | None, symbols: tuple[Symbols, Symbols] | None = None
) -> Mismatch | None:
    """What the other target did wrong at the same place: the same if it did, else of the same kind, else anything.

    ``symbols`` are the ids of this target and of the other; without them it is not looked for the same.
    """
    if other is None:
        return None
    place = schema_path(mismatch.path)
    there = [item for item, is_unmet in mismatches(other) if is_unmet == unmet and schema_path(item.path) == place]
    alike = [item for item in there if symbols and _same_observed(mismatch, item, *symbols)]
    kin = [item for item in there if item.kind == mismatch.kind]
    return next(iter([*alike, *kin, *there]), None)


def _same_observed(mine: Mismatch, theirs: Mismatch, here: Symbols, there: Symbols) -> bool:
    """Do both targets do the same wrong thing? Ids compare by what they stand for, times by how far they are off."""
    if mine.kind != theirs.kind or class_of(mine.observed) != class_of(theirs.observed):
        return False
    if mine.kind not in _BY_VALUE or here.value(mine.observed) == there.value(theirs.observed):
        return True
    offsets = [_offset(item) for item in (mine, theirs)]
    return None not in offsets and mine.expected != theirs.expected and offsets[0] == offsets[1]


def _offset(mismatch: Mismatch) -> int | None:
    """How far a number is from the expected one; in whole minutes when they look like times, for seconds pass."""
    ends = (mismatch.observed, mismatch.expected)
    if not all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends):
        return None
    return round((ends[0] - ends[1]) / 60) if ends[1] > 1e9 else int(ends[0] - ends[1])


def _contradicts(mismatch: Mismatch, result: StepResult, other: StepResult | None) -> bool:
    """Was the very same value, under the very same demand, found to fit on the other target?"""
    mine, theirs = result.judgement, other.judgement if other else None
    if mine is None or theirs is None or mismatch.kind not in FORMS or mine.response != theirs.response:
        return False
    if mismatch.path.count("[") or mismatch.origin not in theirs.agreed or root_of(mismatch.path) != "$":
        return False
    there = value_at(theirs.body, mismatch.path)
    return class_of(there) == class_of(mismatch.observed) and bool(there == mismatch.observed)


def _told(mismatch: Mismatch, result: StepResult) -> Value:
    """What the target itself says: a response by its name where it has one, else what the mismatch holds."""
    by_status = isinstance(mismatch.observed, str) and mismatch.observed.startswith("status ")
    if by_status and about_reply(mismatch.kind, mismatch.path) and result.judgement and result.judgement.response:
        return result.judgement.response
    return mismatch.observed


def _reply(other: StepResult, mismatch: Mismatch) -> Value:
    """Which reply came: the response's name where it has one; its status where the mismatch is about statuses."""
    status, name = other.exchange.status, other.judgement.response if other.judgement else None
    if isinstance(mismatch.expected, int):
        return status
    return f"status {status}" if name is None else name


def said_at(other: StepResult | None, mismatch: Mismatch, result: StepResult) -> Value:
    """What the other target says where ``mismatch`` is: a response's name, a status, a header, a value of the body."""
    if other is None or other.judgement is None:
        return ABSENT
    if about_reply(mismatch.kind, mismatch.path):
        return _reply(other, mismatch)
    root = root_of(mismatch.path)
    if root == "headers":
        name = mismatch.path.partition(".")[2].lower().replace("-", "_")
        return other.judgement.headers.get(name, ABSENT)
    same = result.judgement is not None and result.judgement.response == other.judgement.response
    return value_at(other.judgement.body, mismatch.path) if same else ABSENT
