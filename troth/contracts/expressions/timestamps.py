"""Texts that stand for times and for spans of time.

Formats: RFC 3339 date-times (``2026-10-01T12:00:00.5Z``), RFC 2822 and HTTP dates
(``Thu, 01 Oct 2026 12:00:00 +0000``, ``... GMT``: RFC 2822 section 3.3, RFC 9110 section 5.6.7), plain dates
(``2026-10-01``, UTC), and durations as contracts write them (``250ms``, ``10s``, ``5m``, ``24h``, ``3d``).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final, NamedTuple

from troth.contracts.quantity import QuantityError, duration

__all__ = ["Moment", "parse_duration", "parse_timestamp"]


class Moment(NamedTuple):
    """A time as a text tells it: ``seconds`` since 1970 (Unix), cut off after ``resolution`` seconds."""

    seconds: float
    resolution: float


_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_RFC3339: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,12}))?([Zz]|[+-]\d\d:?\d\d))?", re.ASCII
)
_RFC2822: Final = re.compile(
    r"(?:[A-Z][a-z]{2}, )?(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) ([+-]\d{4}|GMT|UTC|UT)", re.ASCII
)


def parse_duration(text: str) -> float | None:
    """Seconds of ``5m``; None when the text is not a duration."""
    try:
        return duration(text)
    except QuantityError:
        return None


def parse_timestamp(text: str) -> Moment | None:
    """The time that an RFC 3339, RFC 2822 or HTTP date tells; None when the text is none of these."""
    found = _RFC3339.fullmatch(text)
    if found:
        return _rfc3339(found)
    found = _RFC2822.fullmatch(text)
    if found and found[2] in _MONTHS:
        day, month, year = int(found[1]), _MONTHS.index(found[2]) + 1, int(found[3])
        return _moment((year, month, day, int(found[4]), int(found[5]), int(found[6])), found[7], 1.0)
    return None


def _rfc3339(found: re.Match[str]) -> Moment | None:
    date = (int(found[1]), int(found[2]), int(found[3]))
    if found[4] is None:
        return _moment((*date, 0, 0, 0), "Z", 86400.0)
    digits = found[7] or ""
    moment = _moment((*date, int(found[4]), int(found[5]), int(found[6])), found[8], 10.0 ** -len(digits))
    return moment and Moment(moment.seconds + (float(f"0.{digits}") if digits else 0.0), moment.resolution)


def _moment(parts: tuple[int, int, int, int, int, int], offset: str, resolution: float) -> Moment | None:
    year, month, day, hour, minute, second = parts
    leap = second == 60  # RFC 3339 allows leap seconds; Unix time has none
    try:
        when = datetime(year, month, day, hour, minute, second - leap, tzinfo=_zone(offset))
        return Moment(when.timestamp() + leap, resolution)
    except (ValueError, OverflowError):
        return None


def _zone(offset: str) -> timezone:
    if offset[0] not in "+-":
        return UTC
    minutes = int(offset[1:3]) * 60 + int(offset[-2:])
    return timezone(timedelta(minutes=-minutes if offset[0] == "-" else minutes))
