"""Recognises a request whose headers came before, byte for byte: most clients repeat themselves.

It is a shortcut past the parser, and only that: a block of headers is learned from a request that the parser accepted,
and the request line must fit a pattern that is narrower than the parser's own. Requests that share a block share one
tuple of headers, which also keeps a journal small.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from troth.contracts.exchange import Headers, Request

__all__ = ["KnownHeads"]

_MOST = 64
_LONGEST = 4096
_METHODS = {name.encode(): name for name in ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")}
_LINE = re.compile(b"(" + b"|".join(_METHODS) + rb") (/[!\"$->@-~]*)(?:\?([!\"$-~]*))? HTTP/1\.1\r\n")


class _Head(NamedTuple):
    headers: Headers
    host: str
    length: int


class KnownHeads:
    """One per server; keeps at most 64 blocks of at most 4 kB."""

    __slots__ = ("_heads",)

    def __init__(self) -> None:
        self._heads: dict[bytes, _Head] = {}

    def find(self, data: bytes) -> Request | None:
        """The one request that ``data`` is, if it is exactly one and its headers are known."""
        line = _LINE.match(data)
        if line is None:
            return None
        start, end = line.end(), data.find(b"\r\n\r\n")
        head = self._heads.get(data[start:end])
        if head is None or len(data) != end + 4 + head.length:
            return None
        method, path, query = line.groups(b"")
        return Request(
            _METHODS[method],
            path.decode(),
            query.decode() if query else "",
            head.headers,
            data[end + 4 :],
            head.host,
        )

    def learn(self, data: bytes, request: Request) -> None:
        """``data`` was exactly ``request``, in HTTP/1.1, kept alive, with a body of stated length or none."""
        line = _LINE.match(data)
        end = data.find(b"\r\n\r\n")
        if line is None or end - line.end() > _LONGEST:
            return
        if len(self._heads) >= _MOST:
            self._heads.clear()
        self._heads[data[line.end() : end]] = _Head(request.headers, request.host, len(request.body))
