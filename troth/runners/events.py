"""What a run tells while it goes on. Shells print these; the runner prints nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from troth.contracts.judgement import Unobserved

__all__ = [
    "CallFinished",
    "Event",
    "OnEvent",
    "Rerunning",
    "ScenarioFinished",
    "ScenarioStarted",
    "TargetFinished",
    "TargetStarted",
    "Waiting",
    "silent",
]


@dataclass(frozen=True, slots=True)
class TargetStarted:
    """A target's first scenario is about to run."""

    provider: str
    target: str
    url: str
    scenarios: int


@dataclass(frozen=True, slots=True)
class ScenarioStarted:
    """One scenario (with its case) begins."""

    provider: str
    target: str
    scenario: str


@dataclass(frozen=True, slots=True)
class CallFinished:
    """One call was answered, or failed. ``mismatches`` counts findings and unmet expectations."""

    provider: str
    target: str
    scenario: str
    trail: str
    operation: str
    status: int | None
    response: str | None
    mismatches: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """The run waits: for a step's ``wait``, for a rate limit, between two polls."""

    provider: str
    target: str
    scenario: str
    seconds: float
    why: str


@dataclass(frozen=True, slots=True)
class ScenarioFinished:
    """One scenario ended: ``ok``, ``unobserved``, ``skipped`` or ``broken``."""

    provider: str
    target: str
    scenario: str
    outcome: str
    reason: str
    mismatches: int
    over_budget: bool = False


@dataclass(frozen=True, slots=True)
class Rerunning:
    """Scenarios that disagreed are run once more; ``attempt`` counts their runs, the first included."""

    provider: str
    target: str
    scenarios: int
    attempt: int


@dataclass(frozen=True, slots=True)
class TargetFinished:
    """All scenarios of a target ended, or the target was given up."""

    provider: str
    target: str
    stopped: Unobserved | None


Event: TypeAlias = (
    TargetStarted | ScenarioStarted | CallFinished | Waiting | ScenarioFinished | Rerunning | TargetFinished
)
OnEvent: TypeAlias = Callable[[Event], None]


def silent(event: Event) -> None:
    """Says nothing."""
