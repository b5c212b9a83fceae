"""A seeded source of choices for tests: the same seed gives the same draws."""

from __future__ import annotations

import random


class SeededDraw:
    """Draws from Python's random numbers; slow, plain, and independent of how the product draws."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1."""
        return self._random.randrange(n)

    def text(self, length: int, alphabet: str) -> str:
        """``length`` characters out of ``alphabet``."""
        return "".join(self._random.choice(alphabet) for _ in range(length))

    def raw(self, length: int) -> bytes:
        """``length`` bytes."""
        return self._random.randbytes(length)
