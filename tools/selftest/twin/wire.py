"""HTTP/1.1 on a free port of 127.0.0.1, in a thread of its own. How bytes travel can be varied: see ``Manners``."""

from __future__ import annotations

import asyncio
import random
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeAlias

from socket_server import Message, SocketServer, reset_at_close

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


class Wire(SocketServer):
    """Serves from ``with`` to its end."""

    def __init__(self, handle: Handle, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(tls)
        self.handle = handle
        self.manners = Manners()
        self.random = random.Random(0)
        self.defects: list[Exception] = []
        """What went wrong in the twin itself; whoever uses it must look."""

    async def answer(self, message: Message, writer: asyncio.StreamWriter) -> bool:
        try:
            answer = self.handle(Asked(*message))
        except Exception as error:
            self.defects.append(error)
            raise
        if isinstance(answer, Raw):
            await self._raw(answer, writer)
            return False
        if self.manners.latency:
            await asyncio.sleep(self.random.uniform(0, self.manners.latency))
        await self._write(message.method, answer, writer)
        return not self.manners.closes

    async def _raw(self, answer: Raw, writer: asyncio.StreamWriter) -> None:
        if answer.wire:
            writer.write(answer.wire)
            await writer.drain()
        if answer.silent:
            await self.stopped()
        elif not answer.wire:
            reset_at_close(writer)

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
