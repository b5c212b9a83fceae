"""From a request to the bytes of its answer, whatever happens in between."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeAlias

from troth.contracts.exchange import Request, Response
from troth.simulators.refusal import Refusal, broken_response, refusal_response, where_it_failed
from troth.simulators.response_writer import ResponseWriter

__all__ = ["Handler", "Replier"]

Handler: TypeAlias = Callable[[Request], Response]
"""Answers at once, on the server's thread; it must not wait for anything."""

_log = logging.getLogger("troth.simulators")


class Replier:
    """Calls the handler; its failure becomes a 500 in Troth's own name and one line in the log, without any value."""

    __slots__ = ("_handler", "_now", "_writer")

    def __init__(self, handler: Handler, now: Callable[[], float]) -> None:
        self._handler = handler
        self._now = now
        self._writer = ResponseWriter()

    def reply(self, request: Request, keep_alive: bool, version: str) -> bytes:
        """The message that answers ``request``."""
        now = self._now()
        try:
            return self._writer.write(self._handler(request), request.method, now, keep_alive, version)
        except Exception as error:
            _log.error("a request could not be answered: %s", where_it_failed(error))
            return self._writer.write(broken_response(), request.method, now, keep_alive, version)

    def refuse(self, refusal: Refusal) -> bytes:
        """The message that refuses a request; the connection ends with it."""
        return self._writer.write(refusal_response(refusal), "", self._now(), keep_alive=False, version="1.1")
