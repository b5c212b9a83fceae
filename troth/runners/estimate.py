"""What a run needs, estimated before: the scenarios ran on the simulator, and their calls are counted and priced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from troth.runners.price import Price
from troth.runners.step_result import StepResult
from troth.runners.trails import phase_of

__all__ = ["NO_ESTIMATES", "Estimate", "Estimates", "estimates_of"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """Requests of the steps, requests that take back what they made, and what all of them cost.

    A poll counts once: how often a sandbox has to be asked, the simulator does not show.
    """

    requests: int = 0
    cleanup: int = 0
    cost: Price = field(default_factory=dict)

    @property
    def whole(self) -> int:
        """Every request."""
        return self.requests + self.cleanup

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(self.requests + other.requests, self.cleanup + other.cleanup, _sum((self.cost, other.cost)))


@dataclass(frozen=True, slots=True)
class Estimates:
    """By scenario (with its case), and what one call of an operation cost at most."""

    scenarios: Mapping[str, Estimate] = field(default_factory=dict)
    calls: Mapping[str, Price] = field(default_factory=dict)

    def of(self, scenario: str) -> Estimate:
        """What a scenario needs; nothing where nobody knows."""
        return self.scenarios.get(scenario, NOTHING)

    def price(self, operation: str) -> Price:
        """What a call costs at most."""
        return self.calls.get(operation, {})

    @property
    def whole(self) -> Estimate:
        """What all scenarios need together."""
        return sum(self.scenarios.values(), NOTHING)


NOTHING = Estimate()
NO_ESTIMATES = Estimates()


def estimates_of(results: Iterable[StepResult]) -> Estimates:
    """From the results of a run on the simulator."""
    scenarios: dict[str, Estimate] = {}
    calls: dict[str, Price] = {}
    for result in results:
        known = calls.get(result.operation, {})
        calls[result.operation] = {
            unit: max(known.get(unit, 0.0), result.cost.get(unit, 0.0)) for unit in {**known, **result.cost}
        }
        if result.final:
            own = phase_of(result.trail) == 0
            one = Estimate(int(own), int(not own), result.cost)
            scenarios[result.scenario] = scenarios.get(result.scenario, NOTHING) + one
    return Estimates(scenarios, calls)


def _sum(prices: Iterable[Price]) -> Price:
    whole: Counter[str] = Counter()
    for price in prices:
        whole.update(price)
    return dict(whole)
