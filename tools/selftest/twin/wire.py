"""HTTP/1.1 on a free port of 127.0.0.1, in a thread of its own. How bytes travel can be varied: see ``Manners``."""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import Self, TypeAlias

from .talk import Answer, Asked, Raw

__all__ = ["Handle", "Manners", "Wire"]

Handle: TypeAlias = Callable[[Asked], Answer | Raw]


@dataclass(frozen=True, slots=True)
class Manners:
    """How answers travel. None of it changes what they say."""

    chunked: bool = False
    """In chunks of any size, instead of with a length."""
    pieces: bool = False
    """In several writes."""
    header_case: str = ""
    """``upper`` or ``lower``: how header names are spelled; "" as they are."""
    spaced: bool = False
    """JSON with spaces and line breaks."""
    ascii: bool = False
    """JSON with everything beyond ASCII escaped."""
    latency: float = 0.0
    """Seconds that an answer is held back at most."""
    closes: bool = False
    """The connection is closed after each answer."""


class Wire:
    """Serves from ``with`` to its end."""

    def __init__(self, handle: Handle, tls: ssl.SSLContext | None = None) -> None:
        self.handle = handle
        self.manners = Manners()
        self.random = random.Random(0)
        self.url = ""
        self.defects: list[Exception] = []
        """What went wrong in the twin itself; whoever uses it must look."""
        self._tls = tls
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="twin", daemon=True)
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self._open: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(10):
            raise TimeoutError("the twin did not start")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._main())
        finally:
            self._loop.close()

    async def _main(self) -> None:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=self._tls)
        scheme = "https" if self._tls else "http"
        self.url = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
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
                while await self._one(reader, writer):
                    pass
            writer.close()
        finally:
            if not writer.is_closing():
                writer.transport.abort()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; may another follow on this connection?"""
        start = await reader.read(1)
        if not start.isalpha():
            return False  # the beginning of TLS, which may have no end of a line for long
        first = (start + await reader.readline()).decode("latin-1").split()
        if len(first) < 2:
            return False
        headers: dict[str, str] = {}
        while (line := (await reader.readline()).decode("latin-1").strip()) != "":
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        try:
            answer = self.handle(Asked(first[0], first[1], headers, body))
        except Exception as error:
            self.defects.append(error)
            raise
        if isinstance(answer, Raw):
            await self._raw(answer, writer)
            return False
        if self.manners.latency:
            await asyncio.sleep(self.random.uniform(0, self.manners.latency))
        await self._write(first[0], answer, writer)
        return not self.manners.closes

    async def _raw(self, answer: Raw, writer: asyncio.StreamWriter) -> None:
        if answer.wire:
            writer.write(answer.wire)
            await writer.drain()
        if answer.silent:
            await self._stop.wait()
        elif not answer.wire:
            # Gone at once: the client sees a reset.
            raw: socket.socket = writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    async def _write(self, method: str, answer: Answer, writer: asyncio.StreamWriter) -> None:
        manners = self.manners
        payload = answer.payload(spaced=manners.spaced, ascii=manners.ascii)
        headers = dict(answer.headers)
        bodiless = answer.status in (204, 304) or method == "HEAD"
        if bodiless:
            payload = b""
        elif manners.chunked:
            headers["Transfer-Encoding"] = "chunked"
        else:
            headers["Content-Length"] = str(len(payload))
        if manners.closes:
            headers["Connection"] = "close"
        head = f"HTTP/1.1 {answer.status} {_reason(answer.status)}\r\n"
        head += "".join(f"{self._spelled(name)}: {value}\r\n" for name, value in headers.items())
        wire = head.encode("latin-1") + b"\r\n"
        wire += self._chunks(payload) if manners.chunked and not bodiless else payload
        for piece in self._pieces(wire):
            writer.write(piece)
            await writer.drain()

    def _spelled(self, name: str) -> str:
        match self.manners.header_case:
            case "upper":
                return name.upper()
            case "lower":
                return name.lower()
            case _:
                return name

    def _chunks(self, payload: bytes) -> bytes:
        out, start = b"", 0
        while start < len(payload):
            size = self.random.randint(1, 200)
            piece = payload[start : start + size]
            out += f"{len(piece):x}\r\n".encode() + piece + b"\r\n"
            start += size
        return out + b"0\r\n\r\n"

    def _pieces(self, wire: bytes) -> list[bytes]:
        if not self.manners.pieces or len(wire) < 3:
            return [wire]
        cut = self.random.randint(1, len(wire) - 1)
        return [wire[:cut], wire[cut:]]


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Status"
