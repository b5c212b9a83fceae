"""Time on a target: real for a sandbox, the simulator's own for a simulator; and how far apart the clocks are."""

from __future__ import annotations

import asyncio
import time
from email.utils import parsedate_to_datetime
from typing import Protocol

from troth.contracts.exchange import Interval, Response, header

__all__ = ["Clock", "RealClock", "Skew"]

BASE_SKEW = 1.0
"""Seconds that two well-kept clocks may differ without anything being wrong."""


class Clock(Protocol):
    """Time as it passes on one target."""

    def now(self) -> float:
        """Unix seconds."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Let ``seconds`` pass: by waiting on a sandbox, by turning the clock on a simulator."""
        ...


class RealClock:
    """The clock of this machine."""

    def now(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class Skew:
    """How far a target's clock may be from ours, learnt from the ``Date`` of its replies. It only ever grows."""

    def __init__(self, base: float = BASE_SKEW) -> None:
        self._base = base
        self._seen = 0.0

    @property
    def seconds(self) -> float:
        """The tolerance, in seconds: what is always allowed, and what was seen on top.

        What was seen is the least that the clocks can differ; a ``Date`` is cut to whole seconds, so it may be one
        more.
        """
        return self._base + self._seen + 1.0 if self._seen else self._base

    @property
    def seen(self) -> float:
        """The largest gap between a ``Date`` and the time in which that reply was made; 0.0 when they agree."""
        return self._seen

    def learn(self, response: Response, sent: float, received: float) -> None:
        """Look at the ``Date`` of a reply that was made between ``sent`` and ``received``."""
        date = _date(header(response.headers, b"date"))
        if date is None:
            return
        # A Date of whole seconds stands for the second that it begins.
        gap = max(sent - (date + 1.0), date - received, 0.0)
        self._seen = max(self._seen, gap)

    def interval(self, sent: float, received: float) -> Interval:
        """When the target made a reply, on its own clock."""
        return Interval(sent - self.seconds, received + self.seconds)


def _date(text: str | None) -> float | None:
    try:
        return None if text is None else parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
