"""A very small HTTP server on a real socket, in a thread of its own: what a test says is what a client gets.

``with TinyServer(handler) as server: ... server.url``. The handler gets a ``Seen`` and gives a ``Reply``, or bytes that
are written as they are, or ``SILENCE`` (no answer until the server stops), or ``HANG_UP`` (the connection is closed),
or ``BREAK_OFF`` (it is reset).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final
from urllib.parse import parse_qsl

SILENCE: Final = object()
HANG_UP: Final = object()
BREAK_OFF: Final = object()


@dataclass(frozen=True)
class Seen:
    """One request as it came in."""

    method: str
    target: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(self.target.partition("?")[2]))

    @property
    def json(self) -> Any:
        return json.loads(self.body) if self.body else None


@dataclass(frozen=True)
class Reply:
    """What to answer. A dict or list as ``body`` is sent as JSON."""

    status: int = 200
    body: Any = b""
    headers: dict[str, str] = field(default_factory=dict)

    def wire(self) -> bytes:
        headers = dict(self.headers)
        body = self.body
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        headers.setdefault("Content-Length", str(len(body)))
        head = f"HTTP/1.1 {self.status} X\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return head.encode("latin-1") + b"\r\n" + body


class TinyServer:
    """Serves on a free port of 127.0.0.1 from ``with`` to its end; ``seen`` holds every request."""

    def __init__(self, handler: Callable[[Seen], Any], tls: ssl.SSLContext | None = None) -> None:
        self._handler = handler
        self._tls = tls
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._ready = threading.Event()
        self._stop: asyncio.Event
        self.seen: list[Seen] = []
        self.url = ""

    def __enter__(self) -> TinyServer:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        assert not self._thread.is_alive()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._main())
        finally:
            self._loop.close()

    async def _main(self) -> None:
        self._stop = asyncio.Event()
        self._open: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=self._tls)
        self.url = f"http{'s' if self._tls else ''}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)
        # One more turn of the loop, so that aborted transports close their sockets.
        await asyncio.sleep(0)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = self._loop.create_task(self._talk(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                while await self._one(reader, writer):
                    await writer.drain()
            writer.close()
        finally:
            if not writer.is_closing():
                writer.transport.abort()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        start = await reader.read(1)
        if not start.isalpha():
            return False  # the beginning of TLS, which may have no end of a line for long
        line = (start + await reader.readline()).decode("latin-1").split()
        if len(line) < 2:
            return False
        headers: dict[str, str] = {}
        while (raw := (await reader.readline()).decode("latin-1").strip()) != "":
            name, _, value = raw.partition(":")
            headers[name.lower()] = value.strip()
        seen = Seen(line[0], line[1], headers, await reader.readexactly(int(headers.get("content-length", 0))))
        self.seen.append(seen)
        answer = self._handler(seen)
        if answer is SILENCE:
            await self._stop.wait()
            return False
        if answer is BREAK_OFF:
            raw_socket = writer.get_extra_info("socket")
            raw_socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if answer is HANG_UP or answer is BREAK_OFF:
            return False
        writer.write(answer if isinstance(answer, bytes) else answer.wire())
        return isinstance(answer, Reply)
