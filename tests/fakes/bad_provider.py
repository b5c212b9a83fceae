"""Providers that misbehave in every way that a nightly run meets, on real sockets.

``with BadProvider("html") as provider: ... provider.url``; ``KINDS`` lists the ways. ``down()`` gives an address where
nobody answers.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from fakes.tiny_server import BREAK_OFF, HANG_UP, SILENCE, Reply, Seen, TinyServer

__all__ = ["KINDS", "BadProvider", "bad_answer", "down"]

_JSON = {"Content-Type": "application/json"}
_HTML = {"Content-Type": "text/html; charset=utf-8"}

KINDS: dict[str, Callable[[Seen], Any]] = {
    "html": lambda seen: Reply(200, b"<!doctype html><title>Maintenance</title><h1>Back soon</h1>", _HTML),
    "bad_gateway": lambda seen: Reply(502, b"<html><body>Bad gateway</body></html>", _HTML),
    "closes": lambda seen: HANG_UP,
    "resets": lambda seen: BREAK_OFF,
    "silent": lambda seen: SILENCE,
    "garbage": lambda seen: b"220 mail.example ESMTP ready\r\n\r\n",
    "truncated": lambda seen: b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{",
    "login": lambda seen: Reply(302, b"", {"Location": "https://login.acmepay.example/?back=CANARYback"}),
    "401": lambda seen: Reply(401, {"error": "no such key"}),
    "402": lambda seen: Reply(402, {"error": "no credit"}),
    "403": lambda seen: Reply(403, {"error": "locked"}),
    "429": lambda seen: Reply(429, {"error": "slow down"}, {"Retry-After": "3600"}),
    "500": lambda seen: Reply(500, {"error": "oops"}),
    "huge": lambda seen: Reply(200, b'{"a": "' + b"x" * 10_000_000 + b'"}', _JSON),
    "bad_utf8": lambda seen: Reply(200, b'{"name": "\xff\xfe\xc3"}', _JSON),
    "bad_json": lambda seen: Reply(200, b'{"id": "1", "amount": ', _JSON),
    "bad_gzip": lambda seen: Reply(200, b"not gzip at all", {**_JSON, "Content-Encoding": "gzip"}),
}


def bad_answer(kind: str, seen: Seen) -> Any:
    """What the bad provider ``kind`` answers; for handlers that are bad only now and then."""
    return KINDS[kind](seen)


class BadProvider(TinyServer):
    """A provider that is bad in the way ``kind`` says, to every request."""

    def __init__(self, kind: str) -> None:
        super().__init__(KINDS[kind])


@contextmanager
def down() -> Iterator[str]:
    """The URL of a port that is taken (so that nobody else gets it) and on which nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"
