"""How much a run may do to one target: rate, number of requests, time; and when to give a target up."""

from __future__ import annotations

from collections.abc import Callable

from troth.contracts.contract import Target
from troth.contracts.judgement import Unobserved
from troth.runners.clock import Clock

__all__ = ["Breaker", "Budget"]

STREAK = 3
"""Failures in a row after which a target counts as not there."""
LONG_STREAK = 6
"""The same, when all of them were replies of one operation, which may be the only broken one."""


class Budget:
    """What a target's ``limits`` leave. Cleanup does not draw on the number of requests, so that it always runs."""

    def __init__(self, target: Target, clock: Clock, waiting: Callable[[float, str], None]) -> None:
        self._gap = 1.0 / target.rate if target.rate else 0.0
        self._requests = target.requests
        self._seconds = target.seconds
        self._clock = clock
        self._waiting = waiting
        self._started: float | None = None
        self._next = 0.0
        self.used = 0
        """Requests sent, cleanup included."""

    async def take(self, *, cleanup: bool = False) -> Unobserved | None:
        """Wait for the rate and count one request; the reason when a limit is reached and nothing may be sent."""
        now = self._clock.now()
        if self._started is None:
            self._started = now
        if not cleanup:
            spent = self._spent(now)
            if spent is not None:
                return spent
        self.used += 1
        if self._next - now > 100 * self._gap:
            # The clock was set back; nobody queues that long.
            self._next = now
        wait = self._next - now
        self._next = max(self._next, now) + self._gap
        if wait > 0:
            if wait > 1.0:
                self._waiting(wait, "rate limit of the target")
            await self._clock.sleep(wait)
        return None

    @property
    def left(self) -> float | None:
        """Seconds until the target's time is used up; None without such a limit."""
        if self._seconds is None or self._started is None:
            return None
        return max(0.0, self._started + self._seconds - self._clock.now())

    def _spent(self, now: float) -> Unobserved | None:
        if self._requests is not None and self.used >= self._requests:
            return Unobserved("exhausted", f"the limit of {self._requests} requests to this target is used up")
        if self._seconds is not None and self._started is not None and now - self._started >= self._seconds:
            return Unobserved("exhausted", f"the limit of {self._seconds:g} seconds on this target is used up")
        return None


class Breaker:
    """Gives up a target that is not there, rather than waiting for it in every scenario."""

    def __init__(self) -> None:
        self.accepted = False
        """Did any reply count, so that the credentials are good?"""
        self._streak: list[tuple[str, Unobserved]] = []
        self.stopped: Unobserved | None = None
        """Why the target was given up."""

    def fine(self) -> None:
        """A reply that could be judged."""
        self.accepted = True
        self._streak.clear()

    def stop(self, why: Unobserved) -> None:
        """Give the target up at once."""
        self.stopped = self.stopped or why

    def failed(self, operation: str, why: Unobserved, *, status: int | None) -> None:
        """A reply that says nothing, or none (``status`` None). May stop the target."""
        self._streak.append((operation, why))
        if self.stopped is None and self._hopeless(why, status):
            count = len(self._streak)
            times = f" ({count} times in a row)" if count > 1 else ""
            self.stopped = Unobserved(why.verdict, why.reason + times)

    def _hopeless(self, why: Unobserved, status: int | None) -> bool:
        if why.verdict == "exhausted":
            return True
        if why.verdict == "unauthorized" and status != 403 and not self.accepted:
            return True
        if len(self._streak) < STREAK:
            return False
        several = len({operation for operation, _ in self._streak}) > 1
        return status is None or several or len(self._streak) >= LONG_STREAK
