"""Recognises a request whose headers came before, byte for byte: most clients repeat themselves.

It is a shortcut past the parser, and only that: a block of headers is learned from a request that the parser accepted,
and the request line must fit a pattern that is narrower than the parser's own. Requests that share a block share one
tuple of headers, which also keeps a journal small.
"""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

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


_Opening: TypeAlias = tuple[str, str, str, _Head]
"""Method, path, query, headers: a plain tuple, since one is made for most requests."""


class KnownHeads:
    """One per server; keeps at most 64 blocks of at most 4 kB, and as many together with their request lines."""

    __slots__ = ("_heads", "_openings")

    def __init__(self) -> None:
        self._heads: dict[bytes, _Head] = {}
        self._openings: dict[bytes, _Opening] = {}

    def find(self, data: bytes) -> Request | None:
        """The one request that ``data`` is, if it is exactly one and its headers are known."""
        end = data.find(b"\r\n\r\n")
        body = data[end + 4 :]
        # What has no body is seldom asked for twice in the same words.
        opening = self._with_body(data[:end]) if body else self._opening(data, end)
        if opening is None:
            return None
        method, path, query, (headers, host, length) = opening
        return Request(method, path, query, headers, body, host) if len(body) == length else None

    def _with_body(self, start: bytes) -> _Opening | None:
        opening = self._openings.get(start)
        if opening is None:
            opening = self._opening(start, len(start))
            if opening is not None:
                if len(self._openings) >= _MOST:
                    self._openings.clear()
                self._openings[start] = opening
        return opening

    def _opening(self, data: bytes, end: int) -> _Opening | None:
        line = _LINE.match(data)
        head = None if line is None else self._heads.get(data[line.end() : end])
        if line is None or head is None:
            return None
        method, path, query = line.groups(b"")
        return _METHODS[method], path.decode(), query.decode(), head

    def learn(self, data: bytes, request: Request) -> None:
        """``data`` was exactly ``request``, in HTTP/1.1, kept alive, with a body of stated length or none."""
        line = _LINE.match(data)
        end = data.find(b"\r\n\r\n")
        if line is None or end - line.end() > _LONGEST:
            return
        if len(self._heads) >= _MOST:
            self._heads.clear()
            self._openings.clear()
        self._heads[data[line.end() : end]] = _Head(request.headers, request.host, len(request.body))
