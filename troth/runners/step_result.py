"""What one step of one scenario gave on one target: the engine makes them, comparison reads them."""

from __future__ import annotations

from dataclasses import dataclass, field

from troth.contracts.judgement import Judgement, Unobserved
from troth.contracts.matcher import Mismatch
from troth.runners.finding import RecordedExchange
from troth.runners.price import Price

__all__ = ["Outcome", "StepResult", "TargetRun"]


@dataclass(frozen=True, slots=True)
class StepResult:
    """One call (polls and repeats have one each; ``number`` counts the calls of the scenario from 1).

    ``trail`` names the step so that it lines up between targets: ``3``, ``2.repeat4``, ``1.a paid intent.2``.
    """

    scenario: str
    """Name with its case: ``declined cards say why[pm_card_visa_chargeDeclined]``."""
    number: int
    trail: str
    operation: str
    exchange: RecordedExchange
    judgement: Judgement | None
    """None when no answer came."""
    unmet: tuple[Mismatch, ...] = ()
    """Expectations of the step (``expect``, ``check``, ``eventually``, ``repeat.most``) that did not hold."""
    unobserved: Unobserved | None = None
    final: bool = True
    """False for a poll that was not the last."""
    cost: Price = field(default_factory=dict)
    """What it cost, by unit, where the contract says it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one scenario went: ``ok``, ``unobserved``, ``skipped``, ``broken``."""

    scenario: str
    outcome: str
    reason: str = ""
    seconds: float = 0.0
    leaks: tuple[str, ...] = ()
    """What cleanup could not clean, in words."""
    over_budget: bool = False
    """Skipped, or ended before its end, because of the target's ``limits``."""


@dataclass(frozen=True, slots=True)
class TargetRun:
    """All scenarios of one contract on one target."""

    target: str
    url: str
    results: tuple[StepResult, ...] = field(repr=False)
    outcomes: tuple[Outcome, ...]
    stopped: Unobserved | None = None
    """Why the whole target was given up (unauthorized, exhausted, unreachable)."""
    notes: tuple[str, ...] = field(default=())
    leftovers: tuple[tuple[str, str], ...] = ()
    """(scenario, words) of what earlier runs left here, and that could not be taken back."""
