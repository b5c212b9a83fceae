"""One disagreement at one place of one step, before equal ones are collapsed into findings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from troth.contracts.values import ABSENT, Value
from troth.runners.step_result import StepResult

__all__ = ["Disagreement", "Row", "about_reply", "place_named"]

_REPLY_KINDS = frozenset(
    {
        "idempotency_ignored",
        "idempotency_scope",
        "invalid_accepted",
        "loose_response",
        "response",
        "response_variant",
        "status",
        "undeclared",
        "valid_refused",
    }
)
_EXPECTATIONS = frozenset({"eventually", "expect"})


def about_reply(kind: str, path: str) -> bool:
    """Is the question which reply came, and not what is in it? Then names of responses and statuses are shown."""
    return kind in _REPLY_KINDS or (kind in _EXPECTATIONS and path in ("response", "status"))


def place_named(item: Disagreement) -> tuple[str, str]:
    """The operation and the scenario that name a finding; "" for what does not.

    A demand is named by where it is written: one of a type is the same in twenty operations, one of a response in every
    scenario that gets it. Only what a scenario itself expects belongs to the scenario.
    """
    if item.unmet or item.row in (Row.LEAK, Row.SCENARIO):
        return item.operation, item.scenario
    if about_reply(item.kind, item.path) or item.origin.startswith(f"{item.operation}."):
        return item.operation, ""
    return ("", "") if item.origin else (item.operation, item.scenario)


class Row(StrEnum):
    """Which row of the blame table a disagreement falls in: contract C, simulator S, provider's sandbox P."""

    PROVIDER = "C=S, not P"
    SIMULATOR = "C=P, not S"
    STALE = "S=P, not C"
    ALL = "C, S and P differ"
    LOOSE = "C allows both, S and P differ"
    UNOBSERVED = "P not observed"
    LEAK = "cleanup left something behind"
    ANNOUNCED = "P announces it"
    PAST = "P does otherwise than before, and C allows both"
    SCENARIO = "the scenario expects what the contract does not give"
    BROKEN = "S=P, and only one of them fits C"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """``expected``, ``simulator`` and ``sandbox`` are what contract and targets say at ``path``; ABSENT for nothing."""

    row: Row
    kind: str
    operation: str
    scenario: str
    number: int
    path: str
    origin: str
    expected: Value = ABSENT
    simulator: Value = ABSENT
    sandbox: Value = ABSENT
    want: str = ""
    names: str | None = None
    """``operation kind path`` of the earlier mismatch that the model names as the cause."""
    unmet: bool = False
    """Is it an expectation of the scenario, and not a demand of the contract?"""
    on_simulator: StepResult | None = None
    on_sandbox: StepResult | None = None
    standing: str = ""
    """What the history makes of it, where the row does not say that."""

    @property
    def name(self) -> str:
        """How a later mismatch calls this one as its cause."""
        return f"{self.operation} {self.kind} {self.path}"

    @property
    def trail(self) -> str:
        """The step that shows it, in full; "" where no step does."""
        result = self.on_sandbox or self.on_simulator
        return result.trail if result else ""

    @property
    def observed(self) -> Value:
        """What the target says that the finding is about: the sandbox, unless only the simulator is."""
        return self.simulator if self.row in (Row.SIMULATOR, Row.SCENARIO) else self.sandbox
