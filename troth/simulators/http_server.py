"""An HTTP/1.1 server for one handler that answers at once, on asyncio (uvloop where it is installed).

Keep-alive and pipelining in order; 100-continue; chunked bodies; HTTP/1.0; limits with an answer each (``Limits``);
clients that read or write slowly hold up nobody but themselves.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from socket import socket

from troth.simulators.http_connection import HttpConnection
from troth.simulators.known_heads import KnownHeads
from troth.simulators.limits import Limits
from troth.simulators.listener import listen, url_of
from troth.simulators.replier import Handler, Replier
from troth.simulators.turns import Turns

__all__ = ["HttpServer", "serve"]


class HttpServer:
    """Accepts connections on one socket and counts them. Everything in it runs on the loop that called ``start``."""

    def __init__(self, handler: Handler, limits: Limits | None = None, now: Callable[[], float] = time.time) -> None:
        self._limits = limits or Limits()
        self._replier = Replier(handler, now)
        self._known = KnownHeads()
        self._connections: set[HttpConnection] = set()
        self._server: asyncio.Server | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._turns: Turns | None = None
        self.url = ""

    @property
    def connections(self) -> int:
        """How many are open."""
        return len(self._connections)

    async def start(self, sock: socket) -> None:
        """Accept on ``sock``, which listens already (see ``listen``) and is closed by ``stop``."""
        loop = asyncio.get_running_loop()
        self.url = url_of(sock)
        self._turns = Turns(loop)
        self._server = await loop.create_server(self._connect, sock=sock)

    async def stop(self, grace: float = 1.0) -> None:
        """Accept no more, flush what is written, and close every connection; after ``grace`` seconds by force."""
        if self._server is None:
            return
        self._server.close()
        self._server = None
        if self._timer is not None:
            self._timer.cancel()
        for connection in tuple(self._connections):
            connection.close()
        if not await self._all_gone(grace):
            for connection in tuple(self._connections):
                connection.abort()
            await self._all_gone(1.0)

    async def _all_gone(self, seconds: float) -> bool:
        """Closing is a few turns of the loop; only a client that does not read makes us wait."""
        end = time.monotonic() + seconds
        pause = 0.0
        while self._connections and time.monotonic() < end:
            await asyncio.sleep(pause)
            pause = min(0.02, pause + 0.001)
        await asyncio.sleep(0)  # the listening socket is closed in the turn after Server.close()
        return not self._connections

    def _connect(self) -> HttpConnection:
        if self._timer is None:
            self._arm()
        assert self._turns is not None
        return HttpConnection(self._replier, self._limits, self._known, self._connections, self._turns)

    def _arm(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(self._limits.sweep_seconds, self._sweep)

    def _sweep(self) -> None:
        self._timer = None
        now = time.monotonic()
        for connection in tuple(self._connections):
            connection.look_at_time(now)
        if self._connections and self._server is not None:
            self._arm()


async def serve(handler: Handler, host: str = "127.0.0.1", port: int = 0, limits: Limits | None = None) -> HttpServer:
    """Listen, start and return the server; its ``url`` says where. Raises as ``listen`` does."""
    server = HttpServer(handler, limits)
    await server.start(listen(host, port))
    return server
