"""A model that needs no contract: what a simulator asks, it remembers and answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from troth.contracts.exchange import Request, Response
from troth.contracts.judgement import Answer, NearMiss

NEAR = (NearMiss("ping", "GET", "/ping", (("path", "/ping", "/pong"),)),)


class FakeModel:
    """Counts requests to ``/count`` and echoes the body of ``/echo``; ``answers`` adds or replaces paths."""

    def __init__(self, answers: dict[str, Callable[[Request], Answer]] | None = None) -> None:
        self.answers = answers or {}
        self.asked: list[tuple[str, float, tuple[str, ...] | None]] = []
        self.count = 0

    def respond(self, request: Request, now: float, steer: Sequence[str] | None = None) -> Answer:
        self.asked.append((request.path, now, tuple(steer) if steer else None))
        if request.path in self.answers:
            return self.answers[request.path](request)
        if request.path == "/count":
            self.count += 1
            return Answer(Response(200, [(b"Content-Type", b"text/plain")], b"%d" % self.count), "count", "counted")
        if request.path == "/echo":
            return Answer(Response(200, [(b"X-Echo", b"yes")], request.body), "echo", "echoed")
        return Answer(Response(501), None, None, NEAR)

    def reset(self) -> None:
        self.count = 0
        self.asked.clear()


def failing(request: Request) -> Answer:
    """An answer that cannot be made; the error quotes what the client sent."""
    raise RuntimeError(f"broke on {request.query}")
