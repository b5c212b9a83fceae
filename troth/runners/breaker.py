"""When to give a target up."""

from __future__ import annotations

from troth.contracts.judgement import Unobserved

__all__ = ["Breaker"]

STREAK = 3
"""Failures in a row after which a target counts as not there."""
LONG_STREAK = 6
"""The same, when all of them were replies of one operation, which may be the only broken one."""


class Breaker:
    """Gives up a target that is not there, rather than waiting for it in every scenario."""

    def __init__(self) -> None:
        self.accepted = False
        """Did any reply count, so that the credentials are good?"""
        self._streak: list[tuple[str, Unobserved]] = []
        self.stopped: Unobserved | None = None
        """Why the target was given up."""

    @property
    def by_one_operation(self) -> bool:
        """Was it given up for the replies of one operation alone? Then the others may be there all the same."""
        return len(self._streak) >= LONG_STREAK and len({operation for operation, _ in self._streak}) == 1

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
