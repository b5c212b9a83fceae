"""Runs servers on a loop of its own, in a daemon thread of its own: a test's own loop, if any, stays out of it."""

from __future__ import annotations

import asyncio
from asyncio import AbstractEventLoop
from collections.abc import Callable, Sequence
from socket import socket
from threading import Event, Thread

from troth.errors import Broken
from troth.simulators.http_server import HttpServer
from troth.simulators.loops import new_loop

__all__ = ["ServerThread"]

_PATIENCE = 10.0
_GRACE = 0.25


class ServerThread:
    """Starts each server on its socket (from ``listen``) at once; ``stop`` ends thread, loop and connections."""

    def __init__(
        self,
        servers: Sequence[tuple[HttpServer, socket]],
        name: str,
        loops: Callable[[], AbstractEventLoop] = new_loop,
    ) -> None:
        self._loops = loops
        self._servers = servers
        self._loop: AbstractEventLoop | None = None
        self._ready = Event()
        self._failures: list[BaseException] = []
        self._thread = Thread(target=self._run, name=f"troth-{name}", daemon=True)
        self._thread.start()
        if not self._ready.wait(_PATIENCE) or self._failures:
            raise Broken("E307", "start a simulator's thread", repr(self._failures or "no answer from it"))

    def stop(self) -> None:
        """Close everything and wait until the thread has ended. Safe to call twice, and from any thread but its own."""
        loop = self._loop
        if loop is not None and self._thread.is_alive():
            loop.call_soon_threadsafe(loop.stop)
        self._thread.join(_PATIENCE)
        if self._thread.is_alive():
            raise Broken("E307", "stop a simulator's thread", f"it still runs after {_PATIENCE:g} seconds")

    def _run(self) -> None:
        loop = self._loop = self._loops()
        try:
            for server, sock in self._servers:
                loop.run_until_complete(server.start(sock))
            self._ready.set()
            loop.run_forever()
            loop.run_until_complete(self._stop_servers())
        except BaseException as error:
            self._failures.append(error)
            for _, sock in self._servers:
                sock.close()
        finally:
            loop.close()
            self._ready.set()

    async def _stop_servers(self) -> None:
        await asyncio.gather(*(server.stop(_GRACE) for server, _ in self._servers))
