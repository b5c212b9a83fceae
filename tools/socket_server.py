"""An HTTP/1.1 server on a real socket and a free port, in a thread of its own; what it answers is for its heirs to say.

It reads requests and keeps connections, and no more: an heir writes what it likes, down to half a reply.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
import threading
from abc import ABC, abstractmethod
from types import TracebackType
from typing import NamedTuple, Self

__all__ = ["Message", "SocketServer", "reset_at_close"]


class Message(NamedTuple):
    """One request as it came in; header names in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


class SocketServer(ABC):
    """Serves on ``url`` from ``with`` to its end. Everything but ``url`` belongs to its own thread."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.url = ""
        self._tls = tls
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name=type(self).__name__, daemon=True)
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self._open: set[asyncio.Task[None]] = set()

    @abstractmethod
    async def answer(self, message: Message, writer: asyncio.StreamWriter) -> bool:
        """Write what answers ``message``; may another request follow on this connection?"""

    async def stopped(self) -> None:
        """Until the server stops."""
        await self._stop.wait()

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(10):
            raise TimeoutError(f"{type(self).__name__} did not start")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        if self._thread.is_alive():
            raise TimeoutError(f"{type(self).__name__} did not stop")

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._main())
        finally:
            self._loop.close()

    async def _main(self) -> None:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=self._tls)
        self.url = f"http{'s' if self._tls else ''}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        await asyncio.sleep(0)  # aborted transports close their sockets in the next turn

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = self._loop.create_task(self._talk(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                while (message := await _read(reader)) is not None and await self.answer(message, writer):
                    await writer.drain()
            writer.close()
        finally:
            if not writer.is_closing():
                writer.transport.abort()


async def _read(reader: asyncio.StreamReader) -> Message | None:
    """The next request; None when there is none."""
    start = await reader.read(1)
    if not start.isalpha():
        return None  # the beginning of TLS, which may have no end of a line for long
    first = (start + await reader.readline()).decode("latin-1").split()
    if len(first) < 2:
        return None
    headers: dict[str, str] = {}
    while (line := (await reader.readline()).decode("latin-1").strip()) != "":
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Message(first[0], first[1], headers, body)


def reset_at_close(writer: asyncio.StreamWriter) -> None:
    """The client of this connection sees a reset once it is closed."""
    raw: socket.socket = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
