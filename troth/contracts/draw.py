"""Seeded draws: one keyed BLAKE2b, so that equal requests to equal states get equal bytes.

Seeded by (tenant, request without headers, occurrence), not by call number: one more call in front must not change
every id.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from troth.contracts.exchange import Request

__all__ = ["HashDraw", "Occurrences", "request_digest"]


@lru_cache(maxsize=256)
def _table(alphabet: str) -> bytes:
    """256 letters to translate raw bytes by. Slightly uneven where 256 is no multiple: good enough for ids."""
    letters = alphabet.encode("latin-1")
    return bytes(letters[i % len(letters)] for i in range(256))


class HashDraw:
    """A stream of bytes out of a key; ``raw``, ``text`` and ``below`` take from it in turn."""

    __slots__ = ("_at", "_buffer", "_count", "_key")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._count = 0
        self._buffer = b""
        self._at = 0

    def raw(self, length: int) -> bytes:
        while len(self._buffer) - self._at < length:
            self._buffer = self._buffer[self._at :] + blake2b(self._count.to_bytes(8, "big"), key=self._key).digest()
            self._at = 0
            self._count += 1
        taken = self._buffer[self._at : self._at + length]
        self._at += length
        return taken

    def text(self, length: int, alphabet: str) -> str:
        return self.raw(length).translate(_table(alphabet)).decode("latin-1")

    def below(self, n: int) -> int:
        return int.from_bytes(self.raw(8), "big") % n if n > 1 else 0


def request_digest(request: Request) -> bytes:
    """16 bytes that name the request, headers left out."""
    head = f"{request.method} {request.path}?{request.query}\n".encode("utf-8", "surrogateescape")
    return blake2b(head + request.body, digest_size=16).digest()


class Occurrences:
    """How often each request came before; the oldest half is forgotten past ``limit``."""

    __slots__ = ("_counts", "dropped", "limit")

    def __init__(self, limit: int = 20_000) -> None:
        self._counts: dict[bytes, int] = {}
        self.limit = limit
        self.dropped = 0

    def next(self, digest: bytes) -> int:
        """0 for the first time."""
        count = self._counts.get(digest, 0)
        self._counts[digest] = count + 1
        if len(self._counts) > self.limit:
            for old in list(self._counts)[: self.limit // 2]:
                del self._counts[old]
            self.dropped += self.limit // 2
        return count

    def draw(self, seed: int, tenant: str, digest: bytes) -> HashDraw:
        """The draw for this request, this time."""
        count = self.next(digest)
        key = blake2b(b"%d/%d/" % (seed, count) + tenant.encode() + b"/" + digest, digest_size=32).digest()
        return HashDraw(key)
