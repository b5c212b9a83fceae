"""Quantities as contracts write them: ``250ms``, ``0s..60s``, ``5/s``, ``5MB``, ``1..10``, ``1/4``.

Each function takes what stands in the YAML and gives a plain number (seconds, per second, bytes). ``QuantityError``
says what was asked and what was found.
"""

from __future__ import annotations

import math
import re
from typing import Any

from troth.contracts.describe import describe

__all__ = [
    "COUNT_RANGE",
    "DURATION",
    "DURATION_RANGE",
    "FRACTION",
    "RATE",
    "SIZE",
    "QuantityError",
    "count_range",
    "duration",
    "duration_range",
    "fraction",
    "rate",
    "size",
]

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {
    "B": 1, "kB": 1000, "MB": 1000**2, "GB": 1000**3, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3,
}  # fmt: skip

_AMOUNT = r"[0-9]{1,15}(?:\.[0-9]{1,9})?"
DURATION = rf"{_AMOUNT}(?:ms|s|m|h|d)"
"""Regular expressions (to be matched whole) of each kind, for the editor's schema."""
DURATION_RANGE = rf"{DURATION}\.\.{DURATION}"
RATE = rf"{_AMOUNT}/(?:[0-9]{{1,9}})?(?:ms|s|m|h|d)"
SIZE = rf"{_AMOUNT}(?:B|kB|MB|GB|KiB|MiB|GiB)"
COUNT_RANGE = r"[0-9]{1,15}\.\.(?:[0-9]{1,15})?"
FRACTION = r"[0-9]{1,9}/[0-9]{1,9}"

_UNIT = re.compile(rf"({_AMOUNT})([A-Za-z]+)", re.ASCII)


class QuantityError(ValueError):
    """A quantity that cannot be read: ``code``, ``asked``, ``found``, ``fix`` as in a Problem."""

    def __init__(self, code: str, asked: str, found: object, fix: str = "") -> None:
        self.code, self.asked, self.found, self.fix = code, asked, describe(found), fix
        super().__init__(f"{code} {asked}; found {self.found}" + (f". {fix}" if fix else ""))


def duration(value: Any) -> float:
    """Seconds of ``250ms``, ``10s``, ``5m``, ``2h``, ``3d``. Raises QuantityError (E040)."""
    return _duration(value, "E040", "a duration like 250ms, 10s, 5m, 2h or 3d")


def duration_range(value: Any) -> tuple[float, float]:
    """Least and most seconds of ``0s..60s``. Raises QuantityError (E041)."""
    asked = "a range of durations like 0s..60s"
    low, dots, high = value.partition("..") if isinstance(value, str) else ("", "", "")
    if not dots:
        fix = (
            f"For exactly that long write {value}..{value}" if isinstance(value, str) and _UNIT.fullmatch(value) else ""
        )
        raise QuantityError("E041", asked, value, fix)
    least, most = _duration(low, "E041", asked), _duration(high, "E041", asked)
    if most < least:
        raise QuantityError("E041", asked, value, f"Write the shorter first: {high}..{low}")
    return least, most


def rate(value: Any) -> float:
    """How many a second, of ``5/s``, ``100/m``, ``500/1m``. Raises QuantityError (E042)."""
    asked = "a rate like 5/s, 100/m or 500/1h"
    if not isinstance(value, str) or not re.fullmatch(RATE, value, re.ASCII):
        raise QuantityError("E042", asked, value)
    amount, _, per = value.partition("/")
    seconds = duration(per if per[0].isdigit() else f"1{per}")
    if not float(amount) or not seconds:
        raise QuantityError("E042", f"{asked}, above zero", value)
    return float(amount) / seconds


def size(value: Any) -> int:
    """Bytes of ``100kB``, ``5MB``, ``1MiB``; a whole number is bytes already. Raises QuantityError (E043)."""
    asked = "a size like 100kB, 5MB or 1MiB"
    if type(value) is int and value >= 0:
        return value
    match = _UNIT.fullmatch(value) if isinstance(value, str) else None
    if not match or match[2] not in _BYTES:
        near = {unit.lower(): unit for unit in _BYTES}.get(match[2].lower()) if match else None
        raise QuantityError("E043", asked, value, f"Write {match[1]}{near}" if match and near else "")
    count = float(match[1]) * _BYTES[match[2]]
    if count != int(count):
        raise QuantityError("E043", f"{asked}, a whole number of bytes", value)
    return int(count)


def count_range(value: Any) -> tuple[int, int | None]:
    """Least and most of ``3`` (exactly), ``1..10`` or ``1..`` (most is None). Raises QuantityError (E044)."""
    asked = "a number of items like 3, 1..10 or 1.."
    if type(value) is int and value >= 0:
        return value, value
    if not isinstance(value, str) or not re.fullmatch(COUNT_RANGE, value, re.ASCII):
        raise QuantityError("E044", asked, value)
    low, _, high = value.partition("..")
    least, most = int(low), int(high) if high else None
    if most is not None and most < least:
        raise QuantityError("E044", asked, value, f"Write the smaller first: {most}..{least}")
    return least, most


def fraction(value: Any) -> float:
    """A share of the whole, of ``1/4`` or ``0.25``: above 0, at most 1. Raises QuantityError (E045)."""
    asked = "a share like 1/4 or 0.25, above 0 and at most 1"
    share = math.nan
    if isinstance(value, str) and re.fullmatch(FRACTION, value, re.ASCII):
        part, _, whole = value.partition("/")
        share = int(part) / int(whole) if int(whole) else math.nan
    elif type(value) in (int, float):
        share = float(value)
    if not 0 < share <= 1:
        raise QuantityError("E045", asked, value)
    return share


def _duration(value: Any, code: str, asked: str) -> float:
    match = _UNIT.fullmatch(value) if isinstance(value, str) else None
    if match and match[2] in _SECONDS:
        return round(float(match[1]) * _SECONDS[match[2]], 6)
    fix = ""
    if type(value) in (int, float):
        fix = f"Write the unit: {value}s"
    elif match:
        fix = "The units are ms, s, m (minutes), h and d"
    raise QuantityError(code, asked, value, fix)
