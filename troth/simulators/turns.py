"""Reads, answers and sends in turns: first everything that came in, then all answers, one after another.

A server that goes from one socket to the next does each of them cold: what the kernel does in between costs an answer
as much as a fifth of its time, and to send wakes the client, which takes longer still and is done once in a turn here.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop
from typing import Protocol

__all__ = ["Turns", "Waiting"]


class Waiting(Protocol):
    """A connection that has received something."""

    def answer(self) -> None:
        """Work out what there is to send."""
        ...

    def send(self) -> None:
        """Send it."""
        ...


class Turns:
    """One per server; everything happens on its loop."""

    __slots__ = ("_loop", "_waiting")

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: list[Waiting] = []

    def join(self, connection: Waiting) -> None:
        """Let the connection answer and send once the loop has read what there is to read."""
        self._waiting.append(connection)
        if len(self._waiting) == 1:
            self._loop.call_soon(self._take)

    def _take(self) -> None:
        waiting, self._waiting = self._waiting, []
        for connection in waiting:
            connection.answer()
        for connection in waiting:
            connection.send()
