"""Is a disagreement there, or was it a fluke? Wald's sequential test over several runs of the same scenario.

Each run that shows the finding counts one up, each that does not one down; ``sightings`` up confirm it, ``misses`` down
dismiss it. With 3 and 2, a real change that shows in 90 % of the runs is confirmed and a fluke that shows in 10 % is
not, with an error of at most 1 % of flukes confirmed and 5 % of changes dismissed: one run moves the log of the
likelihood ratio by ln 9 = 2.2, and the bounds are ln(0.95/0.01) = 4.6 and ln(0.05/0.99) = -3.0 (A. Wald, Sequential
Tests of Statistical Hypotheses, 1945).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Rule", "Steadiness", "Trial"]


class Steadiness(StrEnum):
    """What came of looking again at a finding."""

    CONFIRMED = "confirmed"
    INTERMITTENT = "intermittent"
    """It comes and goes: a fault of its own, such as a change that is on half of the provider's servers."""
    DISMISSED = "dismissed"
    """It did not come again. It stays in the report: one green run erases nothing, and neither do two."""
    UNCONFIRMED = "unconfirmed"
    """Nobody could look again often enough, so it counts as seen."""


@dataclass(frozen=True, slots=True)
class Rule:
    """When a finding is confirmed or dismissed. ``sightings`` 1: as soon as it is seen, without another run.

    ``over`` spreads the further runs over so many seconds.
    """

    sightings: int = 3
    misses: int = 2
    over: float = 0.0

    @property
    def most(self) -> int:
        """Runs after which nothing is decided any more, the first included."""
        return self.sightings + self.misses if self.sightings > 1 else 1


@dataclass(frozen=True, slots=True)
class Trial:
    """The runs of one finding's scenario in order: did each show it? Usually the first did."""

    shown: tuple[bool, ...] = (True,)

    def after(self, shown: bool) -> Trial:
        """With one more run."""
        return Trial((*self.shown, shown))

    def decided(self, rule: Rule) -> Steadiness | None:
        """What the runs so far say; None when more are needed."""
        lead = 0
        for shown in self.shown:
            lead += 1 if shown else -1
            if lead >= rule.sightings:
                return Steadiness.CONFIRMED
            if lead <= -rule.misses:
                # What only a later run showed has come, and not gone.
                return Steadiness.DISMISSED if self.shown[0] else Steadiness.INTERMITTENT
        return Steadiness.INTERMITTENT if len(self.shown) >= rule.most else None

    @property
    def seen(self) -> int:
        """Runs that showed it."""
        return sum(self.shown)
