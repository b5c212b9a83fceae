"""What a simulator asks for answers: the model of a contract, or anything else that answers like one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from troth.contracts.exchange import Request
from troth.contracts.judgement import Answer

__all__ = ["Responder"]


@runtime_checkable
class Responder(Protocol):
    """Never called by two threads at once: the simulator sees to that."""

    def respond(self, request: Request, now: float, steer: Sequence[str] | None = None) -> Answer:
        """The answer at ``now`` (Unix seconds); one of the responses ``steer`` where that can be. Changes state."""
        ...

    def reset(self) -> None:
        """Back to the state before the first request."""
        ...
