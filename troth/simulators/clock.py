"""A simulator's clock: real time plus an offset that a test can move forward."""

from __future__ import annotations

import time
from threading import Lock

from troth.errors import UsageError

__all__ = ["Clock"]

_LATEST = 253_402_300_799.0  # the end of the year 9999; later dates cannot be written in headers or RFC 3339


class Clock:
    """``Clock()`` follows real time; ``Clock(frozen=1767225600.0)`` stands still there until it is advanced.

    With a frozen clock the same contract, seed and order of requests give the same bytes.
    """

    __slots__ = ("_frozen", "_lock", "_offset")

    def __init__(self, frozen: float | None = None) -> None:
        self._frozen = frozen
        self._offset = 0.0
        self._lock = Lock()

    def __repr__(self) -> str:
        kind = "real" if self._frozen is None else "frozen"
        return f"Clock({kind}, now={self.now():.3f}, advanced={self._offset:g}s)"

    @property
    def frozen(self) -> bool:
        """Does it stand still between two calls of ``advance``?"""
        return self._frozen is not None

    def now(self) -> float:
        """Unix seconds."""
        frozen = self._frozen
        return (time.time() if frozen is None else frozen) + self._offset

    def advance(self, seconds: float) -> float:
        """Move forward by ``seconds`` (not negative) and return the new now. Raises UsageError E306."""
        with self._lock:
            later = self.now() + seconds
            if not seconds >= 0 or later > _LATEST:
                raise UsageError(
                    "E306",
                    "advance the clock by a number of seconds, 0 or more, not beyond the year 9999",
                    f"{seconds!r}",
                    "To go back to the start, call reset()",
                )
            self._offset += seconds
            return later

    def reset(self) -> None:
        """Back to where it began."""
        with self._lock:
            self._offset = 0.0
