"""Puts off what connections have to send until everything that came in has been read.

To send wakes the client, which costs as much as answering. Answers that are sent one after another wake it once.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop
from collections.abc import Callable

__all__ = ["Outbox"]


class Outbox:
    """One per server: calls what was put in soon, in order, on the server's loop."""

    __slots__ = ("_loop", "_waiting")

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: list[Callable[[], None]] = []

    def put(self, send: Callable[[], None]) -> None:
        """Call ``send`` once the loop has read what is there to read."""
        waiting = self._waiting
        waiting.append(send)
        if len(waiting) == 1:
            self._loop.call_soon(self._empty)

    def _empty(self) -> None:
        waiting, self._waiting = self._waiting, []
        for send in waiting:
            send()
