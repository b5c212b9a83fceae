"""What a target's ``limits`` leave of a run: its rate, and how many requests, how much time and what cost.

What is over the budget is not sent. A scenario begins only when what it needs, by the run on the simulator, still fits
beside those that are under way; so a budget that is too small for all of them is spent on whole scenarios. Cleaning up
is counted and never refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from troth.contracts.contract import Target
from troth.contracts.judgement import Unobserved
from troth.runners.clock import Clock
from troth.runners.estimate import NO_ESTIMATES, Estimate, Estimates
from troth.runners.price import Price

__all__ = ["BUDGET", "Budget", "Spent"]

BUDGET = "budget"
"""How the reason begins that a scenario was skipped for."""

_CRUMB = 1e-9
"""Sums of decimal fractions may be off by so much."""


class Spent(Unobserved):
    """Nothing was sent, because the budget of the target is used up: our own limit, not the provider's."""


class Budget:
    """``estimates`` are what the simulator says that each scenario needs."""

    def __init__(
        self,
        target: Target,
        clock: Clock,
        waiting: Callable[[float, str], None],
        estimates: Estimates = NO_ESTIMATES,
    ) -> None:
        self._gap = 1.0 / target.rate if target.rate else 0.0
        self._target = target
        self._clock = clock
        self._waiting = waiting
        self._estimates = estimates
        self._started: float | None = None
        self._next = 0.0
        self._running: dict[str, _Account] = {}
        self.used = 0
        """Requests sent, cleanup included."""
        self.cost: Counter[str] = Counter()
        """What they cost, by unit, as far as the contract says it."""

    def begin(self, scenario: str) -> Spent | None:
        """Set aside what a scenario needs; the reason when that is no longer there."""
        spent = self._spent(self._clock.now()) or self._lacking(self._estimates.of(scenario))
        if spent is None:
            self._running[scenario] = _Account(self._estimates.of(scenario))
        return spent

    def end(self, scenario: str) -> None:
        """What it did not use is free again."""
        self._running.pop(scenario, None)

    async def take(self, *, scenario: str = "", operation: str = "", cleanup: bool = False) -> Spent | None:
        """Wait for the rate and count one request; the reason when a limit is reached and nothing may be sent."""
        now = self._clock.now()
        if self._started is None:
            self._started = now
        if not cleanup:
            spent = self._spent(now) or self._too_dear(self._estimates.price(operation))
            if spent is not None:
                return spent
        self.used += 1
        if scenario in self._running:
            self._running[scenario].requests += 1
        await self._rated(now)
        return None

    def pay(self, price: Price, *, scenario: str = "", operation: str = "") -> None:
        """Count what a call cost; of units that ``price`` leaves out, what the simulator's call did."""
        whole = {**self._estimates.price(operation), **price}
        self.cost.update(whole)
        if scenario in self._running:
            self._running[scenario].cost.update(whole)

    @property
    def left(self) -> float | None:
        """Seconds until the target's time is used up; None without such a limit."""
        if self._target.seconds is None or self._started is None:
            return None
        return max(0.0, self._started + self._target.seconds - self._clock.now())

    async def _rated(self, now: float) -> None:
        if self._next - now > 100 * self._gap:
            # The clock was set back; nobody queues that long.
            self._next = now
        wait = self._next - now
        self._next = max(self._next, now) + self._gap
        if wait > 0:
            if wait > 1.0:
                self._waiting(wait, "rate limit of the target")
            await self._clock.sleep(wait)

    def _spent(self, now: float) -> Spent | None:
        """What is used up by now."""
        target = self._target
        if target.requests is not None and self.used >= target.requests:
            return _used_up(f"{target.requests} requests to this target")
        if target.seconds is not None and self._started is not None and now - self._started >= target.seconds:
            return _used_up(f"{target.seconds:g} seconds on this target")
        for unit, most in target.cost.items():
            if self.cost[unit] > most + _CRUMB:
                return _used_up(f"{most:g} {unit} on this target")
        return None

    def _lacking(self, need: Estimate) -> Spent | None:
        """What is left, less what scenarios under way will still use, and is not enough for one more."""
        running = self._running.values()
        target = self._target
        if target.requests is not None:
            left = target.requests - self.used - sum(each.outstanding for each in running)
            if need.whole > left:
                return _not_enough(f"{need.whole} requests", f"{max(left, 0)} of {target.requests}")
        if self.left is not None and need.whole * self._gap > self.left:
            return _not_enough(f"{need.whole * self._gap:.0f} seconds", f"{self.left:.0f} of {target.seconds:g}")
        for unit, most in target.cost.items():
            rest = most - self.cost[unit] - sum(each.owing(unit) for each in running)
            if need.cost.get(unit, 0.0) > rest + _CRUMB:
                return _not_enough(f"{need.cost[unit]:g} {unit}", f"{max(rest, 0.0):g} of {most:g}")
        return None

    def _too_dear(self, price: Price) -> Spent | None:
        for unit, most in self._target.cost.items():
            if self.cost[unit] + price.get(unit, 0.0) > most + _CRUMB:
                return _used_up(f"{most:g} {unit} on this target")
        return None


class _Account:
    """What a scenario under way needs and has used."""

    def __init__(self, need: Estimate) -> None:
        self._need = need
        self.requests = 0
        self.cost: Counter[str] = Counter()

    @property
    def outstanding(self) -> int:
        return max(0, self._need.whole - self.requests)

    def owing(self, unit: str) -> float:
        return max(0.0, self._need.cost.get(unit, 0.0) - self.cost[unit])


def _used_up(limit: str) -> Spent:
    return Spent("exhausted", f"the limit of {limit} is used up")


def _not_enough(need: str, left: str) -> Spent:
    return Spent("exhausted", f"it needs {need}, and {left} are left")
