"""Keeps what a target run gives while it goes on, so that an interrupted one is not lost."""

from __future__ import annotations

from collections.abc import Sequence

from troth.contracts.judgement import Unobserved
from troth.runners.events import Event, OnEvent, ScenarioFinished, TargetFinished, TargetStarted
from troth.runners.step_result import Outcome, StepResult, TargetRun

__all__ = ["INTERRUPTED", "Recorder"]

INTERRUPTED = "the run was interrupted"


class Recorder:
    """Listens to one target run, passes its events on, and gives what there is at any time."""

    def __init__(self, labels: Sequence[str], pass_on: OnEvent) -> None:
        self._labels = tuple(labels)
        self._pass_on = pass_on
        self._results: list[StepResult] = []
        self._finished: dict[str, ScenarioFinished] = {}
        self._started: TargetStarted | None = None
        self._stopped: Unobserved | None = None

    def on_result(self, result: StepResult) -> None:
        """One call was made."""
        self._results.append(result)

    def on_event(self, event: Event) -> None:
        """Something happened."""
        match event:
            case TargetStarted():
                self._started = event
            case ScenarioFinished():
                self._finished[event.scenario] = event
            case TargetFinished():
                self._stopped = event.stopped
            case _:
                pass
        self._pass_on(event)

    def of(self, scenario: str) -> tuple[StepResult, ...]:
        """The results of one scenario."""
        return tuple(result for result in self._results if result.scenario == scenario)

    def so_far(self) -> TargetRun | None:
        """The run as far as it went; None when it had not begun. Scenarios that did not end count as skipped."""
        if self._started is None:
            return None
        outcomes = tuple(self._outcome(label) for label in self._labels)
        order = {label: index for index, label in enumerate(self._labels)}
        results = sorted(self._results, key=lambda item: (order.get(item.scenario, len(order)), item.number))
        return TargetRun(
            self._started.target,
            self._started.url,
            tuple(results),
            outcomes,
            self._stopped,
        )

    def _outcome(self, label: str) -> Outcome:
        event = self._finished.get(label)
        if event is None:
            return Outcome(label, "skipped", INTERRUPTED)
        return Outcome(label, event.outcome, event.reason, over_budget=event.over_budget)
