"""What comes before what: for samples a total order, for judges only what every provider would agree on.

A matcher says by what a value ranks (``Node.rank``): a decimal text by its number, a timestamp by its time. Where
nothing stands in an order, and how texts of different case are collated, a contract does not say.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from typing import Any, Final, NamedTuple

from troth.contracts.expressions.timestamps import Moment
from troth.contracts.values import ABSENT, Json, Unknown

__all__ = ["Listed", "compare", "sort_value"]

_RUNS: Final = re.compile(r"\d+|\D+")


class Listed(NamedTuple):
    """A member of an enumeration: the list may tell what comes first, or the members themselves."""

    at: int
    member: Json


def sort_value(rank: Json | Moment) -> tuple[int, Any]:
    """A total order over ranks: nothing, null, booleans, numbers, texts by code point, times."""
    if rank is ABSENT or rank.__class__ is Unknown:
        return (0, 0)
    if rank is None:
        return (1, 0)
    if isinstance(rank, bool):
        return (2, rank)
    if isinstance(rank, int | float | Decimal):
        return (3, rank)
    if isinstance(rank, Moment):
        return (5, rank)
    return sort_value(rank.member) if isinstance(rank, Listed) else (4, str(rank))


def compare(a: Json | Moment, b: Json | Moment) -> int | None:
    """Negative: a comes before b; 0: either order; positive: after. None where nobody can say."""
    if a is None and b is None:
        return 0
    if isinstance(a, Moment) and isinstance(b, Moment):
        return _times(a, b)
    if isinstance(a, Listed) and isinstance(b, Listed):
        return _agreed(_sign(a.at, b.at), compare(a.member, b.member))
    if isinstance(a, bool) or isinstance(b, bool):
        return _sign(a, b) if a.__class__ is b.__class__ else None
    if isinstance(a, int | float | Decimal) and isinstance(b, int | float | Decimal):
        return _sign(a, b)
    return _texts(a, b) if isinstance(a, str) and isinstance(b, str) else None


def _sign(a: Any, b: Any) -> int:
    return int(a > b) - int(a < b)


def _times(a: Moment, b: Moment) -> int | None:
    """Of two times told to different digits, the one that is cut off may be any within its resolution."""
    if a.resolution == b.resolution:
        return _sign(a.seconds, b.seconds)
    if a.seconds + a.resolution <= b.seconds:
        return -1
    return 1 if b.seconds + b.resolution <= a.seconds else None


def _texts(a: str, b: str) -> int | None:
    """By code point, by letters and digits alone whatever their case, with numbers by value: do all agree?"""
    if a == b:
        return 0
    return _agreed(_sign(a, b), _sign(_folded(a), _folded(b)), _sign(_natural(a), _natural(b)))


def _agreed(*signs: int | None) -> int | None:
    return signs[0] if len(set(signs)) == 1 else None


def _folded(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", text.casefold())))


def _natural(text: str) -> list[tuple[int, int, str]]:
    """Runs of digits as numbers, before all else; no run that a number could not hold."""
    return [
        (0, int(run), "") if run.isdecimal() and len(run) < 1_000 else (1, 0, run)
        for run in _RUNS.findall(_folded(text))
    ]
