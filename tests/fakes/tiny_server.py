"""A very small HTTP server on a real socket, in a thread of its own: what a test says is what a client gets.

``with TinyServer(handler) as server: ... server.url``. The handler gets a ``Seen`` and gives a ``Reply``, or bytes that
are written as they are, or ``SILENCE`` (no answer until the server stops), or ``HANG_UP`` (the connection is closed),
or ``BREAK_OFF`` (it is reset).
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl

from socket_server import Message, SocketServer, reset_at_close

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


class TinyServer(SocketServer):
    """Serves on a free port of 127.0.0.1 from ``with`` to its end; ``seen`` holds every request."""

    def __init__(self, handler: Callable[[Seen], Any], tls: ssl.SSLContext | None = None) -> None:
        super().__init__(tls)
        self._handler = handler
        self.seen: list[Seen] = []

    async def answer(self, message: Message, writer: asyncio.StreamWriter) -> bool:
        seen = Seen(*message)
        self.seen.append(seen)
        answer = self._handler(seen)
        if answer is SILENCE:
            await self.stopped()
            return False
        if answer is BREAK_OFF:
            reset_at_close(writer)
        if answer is HANG_UP or answer is BREAK_OFF:
            return False
        writer.write(answer if isinstance(answer, bytes) else answer.wire())
        return isinstance(answer, Reply)
