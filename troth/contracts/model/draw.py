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
    """Bytes and letters out of a seed; ``raw``, ``text`` and ``below`` take from them in turn.

    Nothing is hashed before something is drawn.
    """

    __slots__ = ("_alphabet", "_at", "_count", "_letters", "_seed", "_stream")

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._count = 0
        self._stream = _NOTHING_YET
        self._alphabet = self._letters = ""
        self._at = 0

    def raw(self, length: int) -> bytes:
        taken = self._stream.read(length)
        while len(taken) < length:
            self._stream = BytesIO(self._hash())
            taken += self._stream.read(length - len(taken))
        return taken

    def text(self, length: int, alphabet: str) -> str:
        start = self._at
        end = self._at = start + length
        if alphabet != self._alphabet or end > len(self._letters):
            return self._spell(length, alphabet)
        return self._letters[start:end]

    def _spell(self, length: int, alphabet: str) -> str:
        """Fresh letters: many at once, since most texts of one reply have the same alphabet."""
        table = _table(alphabet)
        letters = self._hash().translate(table)
        while len(letters) < length:
            letters += self._hash().translate(table)
        self._alphabet = alphabet
        self._letters = letters.decode("latin-1")
        self._at = length
        return self._letters[:length]

    def _hash(self) -> bytes:
        self._count += 1
        return blake2b(self._seed + self._count.to_bytes(4, "big")).digest()

    def below(self, n: int) -> int:
        return int.from_bytes(self.raw(8), "big") % n if n > 1 else 0


def request_digest(request: Request) -> bytes:
    """16 bytes that name the request, headers left out."""
    head = f"{request.method} {request.path}?{request.query}\n".encode("utf-8", "surrogateescape")
    return blake2b(head + request.body, digest_size=16).digest()


class Occurrences:
    """How often each request came before; the oldest half is forgotten past ``limit``."""

    __slots__ = ("_counts", "_start", "dropped", "limit")

    def __init__(self, limit: int = 20_000) -> None:
        self._counts: dict[bytes, int] = {}
        self._start = 0
        self.limit = limit
        self.dropped = 0

    def draw(self, origin: bytes, digest: bytes) -> HashDraw:
        """The draw for this request, this time; ``origin`` names whose it is."""
        counts = self._counts
        count = counts.get(digest, self._start)
        counts[digest] = count + 1
        if len(counts) > self.limit:
            self._forget()
        return HashDraw(origin + digest + count.to_bytes(8, "big"))

    def _forget(self) -> None:
        for old in list(self._counts)[: self.limit // 2]:
            del self._counts[old]
        self.dropped += self.limit // 2
        # A request that was forgotten must not get the draws of its first time again: its ids are taken.
        self._start += 1 << 32
