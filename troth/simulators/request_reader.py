"""Reads requests out of the bytes of one connection. No I/O: any split of the same bytes gives the same requests.

llhttp (through httptools) reads the grammar strictly: Content-Length beside Transfer-Encoding, two Content-Lengths,
folded headers, bare line feeds and the like are errors, so nothing can be smuggled. This module adds the limits and
the rules of RFC 9110 and 9112 that a parser leaves to its server.
"""

from __future__ import annotations

from typing import Protocol

from httptools import HttpParserCallbackError, HttpParserError, HttpParserUpgrade, HttpRequestParser

from troth.contracts.exchange import Request
from troth.simulators.known_heads import KnownHeads
from troth.simulators.limits import Limits
from troth.simulators.refusal import Refused

__all__ = ["RequestReader", "Sink"]

_FRAMING = frozenset((b"host", b"content-length", b"transfer-encoding", b"expect"))
_TLS_HANDSHAKE = b"\x16\x03"


class Sink(Protocol):
    """Where requests go, in the order in which they were sent."""

    def on_request(self, request: Request, keep_alive: bool, version: str) -> None:
        """A whole request; after one with ``keep_alive`` false there will be no other."""
        ...

    def on_continue(self) -> None:
        """The client waits for ``100 Continue`` before it sends the body."""
        ...


class RequestReader:
    """One per connection. After ``feed`` raised Refused, or a request without keep-alive, it reads nothing more."""

    __slots__ = (
        "_body",
        "_headers",
        "_host",
        "_idle_bytes",
        "_known",
        "_last",
        "_limits",
        "_parser",
        "_progress",
        "_sink",
        "_target",
        "_trailers",
        "_usual",
        "_version",
        "count",
        "finished",
        "in_head",
        "reading",
    )

    def __init__(self, limits: Limits, sink: Sink, known: KnownHeads) -> None:
        self._limits = limits
        self._known = known
        self._sink: Sink | None = sink
        self._parser: HttpRequestParser | None = HttpRequestParser(self)
        self._body: bytes | bytearray = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._target = b""
        self._host = b""
        self._version = "1.1"
        self._idle_bytes = 0
        self._trailers = 0
        self._progress = False
        self._last: Request | None = None
        self._usual = True
        """Is the body's length stated, or none? Then the headers may be learned."""
        self.count = 0
        """Whole requests read so far."""
        self.reading = False
        """Has a request begun that is not complete?"""
        self.in_head = False
        """Is it still in its request line or headers?"""
        self.finished = False
        """Was the last request one without keep-alive?"""

    def close(self) -> None:
        """Let go of the parser, which holds on to this reader, and of the sink."""
        self._parser = self._sink = None

    def feed(self, data: bytes) -> None:
        """Read ``data``, giving each whole request to the sink. Raises Refused, after the requests before it."""
        if self.finished:
            return
        if self.reading:
            self._parse(data)
            return
        request = self._known.find(data)
        if request is not None:
            self.count += 1
            self._version = "1.1"
            self._give(request, keep_alive=True)
            return
        before = self.count
        self._last = None
        self._parse(data)
        self._learn(data, before)

    def _learn(self, data: bytes, before: int) -> None:
        """Remember the headers of ``data`` if it was exactly one request."""
        if self._last is not None and not self.reading and self.count == before + 1:
            self._known.learn(data, self._last)

    def _parse(self, data: bytes) -> None:
        rest: bytes | None = data
        while rest is not None and self._parser is not None:
            rest = self._step(self._parser, rest)

    def _step(self, parser: HttpRequestParser, data: bytes) -> bytes | None:
        """Feed the parser; what it left over, if anything, is for its successor."""
        self._progress = False
        over: int | None = None
        try:
            parser.feed_data(data)
        except HttpParserUpgrade as upgrade:
            over = upgrade.args[0]
        except HttpParserCallbackError as error:
            raise _cause(error) from None
        except HttpParserError as error:
            if not self.finished:  # bytes after a request that ended the connection are nobody's
                raise _malformed(data, error, self.count) from None
        if over is not None:
            return self._without_upgrade() + data[over:]
        self._bound(len(data))
        return None

    def _bound(self, size: int) -> None:
        """Bytes that bring neither a body nor a whole request (headers, trailers, chunk extensions) are limited."""
        if not self.reading or self._progress:
            self._idle_bytes = 0
            return
        self._idle_bytes += size
        if self._idle_bytes > self._limits.head_bytes:
            raise self._head_too_large()

    def _head_too_large(self) -> Refused:
        status = 431 if self._headers or not self.in_head else 414
        found = f"request line and headers are longer than {self._limits.head_bytes} bytes"
        return Refused(status, "E313", found, "Raise Limits.head_bytes")

    def _without_upgrade(self) -> bytes:
        """A server may ignore ``Upgrade``; this parser cannot, so the next one is given the request without it."""
        lines = [f"{self._method()} ".encode() + self._target + f" HTTP/{self._version}".encode()]
        lines += [b"%b: %b" % (name, value) for name, value in self._headers if name.lower() != b"upgrade"]
        self._parser = HttpRequestParser(self)
        return b"\r\n".join(lines) + b"\r\n\r\n"

    def _method(self) -> str:
        parser = self._parser
        return parser.get_method().decode("ascii") if parser else ""

    # What the parser calls

    def on_message_begin(self) -> None:
        self.reading = self.in_head = True
        self._headers = []
        self._target = self._body = self._host = b""
        self._trailers = 0

    def on_url(self, piece: bytes) -> None:
        self._target += piece

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.in_head:
            self._drop_trailer(len(name) + len(value))
            return
        headers = self._headers
        headers.append((name, value.rstrip(b" \t")))  # the parser drops the blanks before a value only
        if len(headers) > self._limits.headers:
            raise Refused(431, "E313", f"more than {self._limits.headers} headers", "Raise Limits.headers")

    def _drop_trailer(self, size: int) -> None:
        self._trailers += size
        if self._trailers > self._limits.head_bytes:
            raise self._head_too_large()

    def on_headers_complete(self) -> None:
        self.in_head = False
        parser = self._parser
        assert parser is not None
        self._version = parser.get_http_version()
        size = len(self._target)
        framing: dict[bytes, bytes] = {}
        hosts = 0
        for name, value in self._headers:
            size += len(name) + len(value)
            lower = name.lower()
            if lower in _FRAMING:
                framing[lower] = value
                hosts += lower == b"host"
        if size > self._limits.head_bytes:
            self.in_head = True
            raise self._head_too_large()
        if parser.should_upgrade():
            self._check_upgrade()
            return
        self._host = framing.get(b"host", b"")
        self._check_version(hosts)
        self._usual = b"transfer-encoding" not in framing and b"expect" not in framing
        if len(framing) > 1 or not hosts:
            self._check_framing(framing)

    def _check_upgrade(self) -> None:
        if self._method() == "CONNECT":
            found = "CONNECT asks for a proxy, and a simulator is none"
            raise Refused(501, "E320", found, "Set the client's base URL instead")

    def _check_version(self, hosts: int) -> None:
        if self._version not in ("1.1", "1.0"):
            raise Refused(505, "E319", f"this is HTTP/{self._version}; the simulator speaks HTTP/1.1 and 1.0")
        if hosts != 1 and (hosts or self._version == "1.1"):
            raise Refused(400, "E312", f"{hosts or 'no'} Host headers where HTTP/1.1 demands exactly one")

    def _check_framing(self, framing: dict[bytes, bytes]) -> None:
        coding = framing.get(b"transfer-encoding")
        if coding is not None:
            if self._version == "1.0":
                raise Refused(400, "E312", "HTTP/1.0 has no Transfer-Encoding")
            if coding.strip().lower() != b"chunked":
                raise Refused(501, "E316", f"transfer coding {coding.decode('latin-1')!r}; only 'chunked' is known")
        length = int(framing.get(b"content-length", b"0"))
        if length > self._limits.body_bytes:
            raise self._body_too_large(f"Content-Length is {length}")
        expect = framing.get(b"expect")
        if expect is not None and self._version == "1.1":
            self._check_expect(expect, awaited=bool(length or coding))

    def _check_expect(self, expect: bytes, awaited: bool) -> None:
        if expect.strip().lower() != b"100-continue":
            raise Refused(417, "E317", f"expectation {expect.decode('latin-1')!r}; only '100-continue' is known")
        if awaited and self._sink is not None:
            self._sink.on_continue()

    def _body_too_large(self, found: str) -> Refused:
        most = self._limits.body_bytes
        return Refused(413, "E314", f"{found}; at most {most} bytes are taken", "Raise Limits.body_bytes")

    def on_body(self, chunk: bytes) -> None:
        self._progress = True
        body = self._body
        if not body:
            body = chunk
        elif isinstance(body, bytes):
            body = bytearray(body) + chunk
        else:
            body += chunk
        if len(body) > self._limits.body_bytes:
            raise self._body_too_large(f"the body has reached {len(body)} bytes")
        self._body = body

    def on_message_complete(self) -> None:
        parser = self._parser
        assert parser is not None
        if parser.should_upgrade():
            return  # comes again, from _without_upgrade
        self.reading = False
        self._progress = True
        self.count += 1
        path, host = self._path_and_host()
        path, _, query = path.partition("?")
        body = self._body
        request = Request(
            parser.get_method().decode("ascii"),
            path,
            query,
            tuple(self._headers),
            body if isinstance(body, bytes) else bytes(body),
            host,
        )
        keep_alive = parser.should_keep_alive()
        self.finished = not keep_alive
        self._last = request if keep_alive and self._usual and self._version == "1.1" else None
        self._give(request, keep_alive)

    def _give(self, request: Request, keep_alive: bool) -> None:
        if self._sink is not None:
            self._sink.on_request(request, keep_alive, self._version)

    def _path_and_host(self) -> tuple[str, str]:
        target = self._target.decode("latin-1")
        host = self._host.decode("latin-1")
        if target[0] == "/" or "://" not in target:
            return target, host
        # The absolute form, as sent to a proxy: its host counts, not the header's (RFC 9112, 3.2.2)
        host, mark, query = target.partition("://")[2].partition("?")
        host, _, path = host.partition("/")
        return f"/{path}{mark}{query}", host


def _cause(error: HttpParserCallbackError) -> BaseException:
    """What one of the methods above raised while the parser called it."""
    return error.__context__ or error


def _malformed(data: bytes, error: HttpParserError, count: int) -> Refused:
    if not count and data.startswith(_TLS_HANDSHAKE):
        found = "a TLS handshake, and this port speaks plain HTTP"
        return Refused(400, "E312", found, "Use http:// in the client's base URL")
    return Refused(400, "E312", f"not a well-formed HTTP/1.1 request: {error}")
