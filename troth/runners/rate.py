"""How often something may happen that was seen ``seen`` times in ``tries``: exact bounds, with 95 % confidence.

One-sided bounds of C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the case of
the binomial, Biometrika 26 (1934). What was never seen in 10 tries may still happen in up to 26 % of them, in 30 tries
in up to 9.5 %; the "rule of three" (3 / tries) is this bound, rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import comb

__all__ = ["CONFIDENCE", "at_least", "at_most", "by_chance"]

CONFIDENCE = 0.95
_STEPS = 40
"""Halvings of the interval: more than a float can tell apart."""


@lru_cache(4096)
def at_most(seen: int, tries: int) -> float:
    """The highest rate that is not ruled out; 1.0 without tries."""
    if seen >= tries:
        return 1.0
    return _root(lambda rate: _tail(seen, tries, rate) > 1 - CONFIDENCE)


@lru_cache(4096)
def at_least(seen: int, tries: int) -> float:
    """The lowest rate that is not ruled out; 0.0 for what was never seen."""
    if seen == 0:
        return 0.0
    return _root(lambda rate: 1 - _tail(seen - 1, tries, rate) < 1 - CONFIDENCE)


def by_chance(before: int, after: int) -> float:
    """How likely it is at most that something which happens at random did not in the first ``before`` tries and did in
    all ``after`` later ones, whatever its rate is: the likelihood at the rate that makes this likeliest.
    """
    tries = before + after
    if not before or not after:
        return 1.0
    return float((before / tries) ** before * (after / tries) ** after)


def _tail(seen: int, tries: int, rate: float) -> float:
    """How likely at most ``seen`` of ``tries`` are."""
    return sum(comb(tries, count) * rate**count * (1 - rate) ** (tries - count) for count in range(seen + 1))


def _root(below: Callable[[float], bool]) -> float:
    """Where ``below`` turns from True to False, between 0 and 1."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return (low + high) / 2
