"""Seeded draws: BLAKE2b of what is asked, so that equal requests to equal states get equal bytes.

Seeded by (tenant, request without headers, occurrence), not by call number: one more call in front must not change
every id.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from io import BytesIO
from typing import Final

from troth.contracts.exchange import Request

__all__ = ["HashDraw", "Occurrences", "request_digest"]


_NOTHING_YET: Final = BytesIO()


@lru_cache(maxsize=256)
def _table(alphabet: str) -> bytes:
    """256 letters to translate raw bytes by. Slightly uneven where 256 is no multiple: good enough for ids."""
    letters = alphabet.encode("latin-1")
    return bytes(letters[i % len(letters)] for i in range(256))


class HashDraw:
    """A stream of bytes out of a key and a salt; ``raw``, ``text`` and ``below`` take from it in turn.

    Nothing is hashed before something is drawn.
    """

    __slots__ = ("_count", "_key", "_salt", "_stream")

    def __init__(self, key: bytes, salt: bytes = b"") -> None:
        self._key = key
        self._salt = salt
        self._count = 0
        self._stream = _NOTHING_YET

    def raw(self, length: int) -> bytes:
        taken = self._stream.read(length)
        return taken if len(taken) == length else self._more(taken, length)

    def text(self, length: int, alphabet: str) -> str:
        taken = self._stream.read(length)
        if len(taken) < length:
            taken = self._more(taken, length)
        return taken.translate(_table(alphabet)).decode("latin-1")

    def _more(self, taken: bytes, length: int) -> bytes:
        """Hash on until there are ``length`` bytes."""
        while len(taken) < length:
            self._stream = BytesIO(blake2b(b"%b%d/%b" % (self._key, self._count, self._salt)).digest())
            self._count += 1
            taken += self._stream.read(length - len(taken))
        return taken

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
        return HashDraw(digest, b"%d/%d/%b" % (seed, self.next(digest), tenant.encode()))
