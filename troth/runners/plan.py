"""What a run is to do: which scenarios, with which names and limits, and whom to tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from troth.contracts.contract import Case, Contract, Scenario
from troth.contracts.suggest import did_you_mean
from troth.errors import UsageError
from troth.runners.estimate import NO_ESTIMATES, Estimates
from troth.runners.events import OnEvent, silent
from troth.runners.needs import runnable
from troth.runners.redact import Redactor
from troth.runners.step_result import StepResult
from troth.runners.undo_log import MemoryUndoLog, UndoLog

__all__ = ["Planned", "RunPlan", "planned", "scenarios_of", "unheard"]


@dataclass(frozen=True, slots=True)
class Planned:
    """One scenario with one case: what pytest calls an item. ``label`` is its name in results."""

    scenario: Scenario
    label: str
    case: Case | None = None


def unheard(result: StepResult) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The same for every target of a run, so that unique names and secrets' tokens are the same too."""

    run_id: str
    redactor: Redactor
    seed: int = 0
    only: tuple[str, ...] = ()
    """Names of scenarios, with or without a case; empty: all."""
    order: tuple[str, ...] = ()
    """The names of items in the order in which they run; the others after them. Results keep the contract's order."""
    on_event: OnEvent = silent
    on_result: Callable[[StepResult], None] = unheard
    """Told of each result at once, so that what ran before a crash is not lost."""
    undo_log: UndoLog = field(default_factory=MemoryUndoLog)
    estimates: Estimates = NO_ESTIMATES
    """What the scenarios need, so that none begins that the budget does not reach."""


def planned(contract: Contract, only: Sequence[str] = ()) -> tuple[Planned, ...]:
    """Every scenario and case that runs, in the contract's order. UsageError E376 for an unknown name in ``only``."""
    items = [item for scenario in runnable(contract) for item in _items(scenario)]
    names = [name for item in items for name in (item.label, item.scenario.name)]
    for name in only:
        if name not in names:
            hint = did_you_mean(name, names, "scenarios")
            raise UsageError("E376", f"a scenario of {contract.provider}", repr(name), hint)
    return tuple(item for item in items if not only or item.label in only or item.scenario.name in only)


def _items(scenario: Scenario) -> Iterator[Planned]:
    if not scenario.cases:
        yield Planned(scenario, scenario.name)
    for case in scenario.cases:
        yield Planned(scenario, f"{scenario.name}[{case.key}]", case)


def scenarios_of(items: Sequence[Planned]) -> tuple[Scenario, ...]:
    """The scenarios of some items, each once."""
    return tuple({item.scenario.name: item.scenario for item in items}.values())
