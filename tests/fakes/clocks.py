"""A clock that tests turn by hand."""

from __future__ import annotations

import asyncio

__all__ = ["HandClock"]


class HandClock:
    """Stands still until somebody sleeps on it or sets ``time``; ``slept`` holds every sleep."""

    def __init__(self, time: float = 1_796_007_600.0) -> None:
        self.time = time
        self.slept: list[float] = []

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += seconds
        await asyncio.sleep(0)
