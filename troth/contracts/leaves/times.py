"""``$timestamp``: a time in one of six formats, each with the resolution to which it tells the time.

Formats: Unix seconds and milliseconds, RFC 3339 section 5.6, RFC 2822 section 3.3, HTTP dates (the IMF-fixdate of
RFC 9110 section 5.6.7) and plain dates (the provider's, whose zone nobody knows; samples are in UTC). A whole number
whose size shows that it counts seconds where milliseconds are due, or the other way round, does not have the format.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple

from troth.contracts.expressions.timestamps import Moment, parse_timestamp
from troth.contracts.expressions.unknowns import Instant
from troth.contracts.leaves.arguments import Arguments, shown
from troth.contracts.leaves.base import BaseLeaf, Fault, same_json, wrong_type
from troth.contracts.leaves.numbers import parse_integer
from troth.contracts.matcher import Draw
from troth.contracts.suggest import did_you_mean
from troth.contracts.values import Json, Value
from troth.frozen import frozen

__all__ = ["TimestampLeaf", "build_timestamp"]

_FIRST: Final = -62_135_596_800
"""0001-01-01T00:00:00Z, Unix seconds."""
_LAST: Final = 253_402_300_799
"""9999-12-31T23:59:59Z. As seconds, today's milliseconds are far beyond it."""
_HUGE: Final = 10**300
"""Whole numbers from here on are no times: a float cannot hold them."""
_FIRST_MS: Final = 100_000_000_000
"""March 1973 in milliseconds. Today's seconds, read as milliseconds, are long before it; 0 stands for "never"."""
_ZONES: Final = (14 * 3600.0, 36 * 3600.0)
"""A day begins first at UTC+14, 14 hours before it does in UTC, and ends last at UTC-12."""

_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_RFC3339: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,12})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
)
_RFC2822: Final = re.compile(
    r"(?:([A-Z][a-z]{2}), )?[0-9]{1,2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} (?:[+-][0-9]{4}|GMT|UT)"
)
_HTTP: Final = re.compile(r"([A-Z][a-z]{2}), [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class _Format(NamedTuple):
    """How one format is read (None: not of this format) and written (from Unix seconds within the years 1 to 9999)."""

    read: Callable[[Json], Moment | None]
    write: Callable[[float], Json]
    numeric: bool
    want: str
    schema: Mapping[str, Any]


@frozen
class TimestampLeaf(BaseLeaf):
    """A time, written as ``form`` says."""

    form: str

    name = "timestamp"
    timely = True

    @property
    def _format(self) -> _Format:
        return _FORMATS[self.form]

    def moment(self, value: Json) -> Moment | None:
        """The time that a value tells (Unix seconds), and its resolution; None when it does not have the format."""
        wire = int if self._format.numeric else str
        return self._format.read(value) if value.__class__ is wire else None

    def fault(self, value: Json) -> Fault | None:
        form = _FORMATS[self.form]
        if value.__class__ is not (int if form.numeric else str):
            return wrong_type(value, form.want)
        return Fault("format", form.want) if form.read(value) is None else None

    def make(self, draw: Draw, now: Instant) -> Json:
        return self.express(now)

    def decode(self, text: str) -> Json | Fault:
        if not self._format.numeric:
            return text
        number = parse_integer(text)
        return Fault("type", self._format.want) if number is None else number

    def express(self, value: Value) -> Json:
        """An Instant in this format (its beginning, cut to the resolution).

        Numbers are Unix seconds where the format is a text, and stay as they are where it is a number itself.
        """
        form = _FORMATS[self.form]
        if value.__class__ is Instant:
            seconds = value.lo
            return form.write(seconds if 0 <= seconds <= _LAST else _within_calendar(seconds))
        if not form.numeric and _is_seconds(value):
            return form.write(_within_calendar(float(value)))
        return value

    def same(self, expected: Value, observed: Json) -> bool:
        """Can both be the same time, as exactly as the formats tell it?

        An Instant holds when the observed time, cut or rounded to its resolution, lies in it; a date, when it is that
        day then in some zone.
        """
        seen = self.moment(observed)
        if seen is None:
            return same_json(expected, observed)
        if expected.__class__ is Instant:
            before, after = _ZONES if self.form == "date" else (_cut(seen), _cut(seen))
            return bool(seen.seconds - before <= expected.hi and expected.lo <= seen.seconds + after)
        wanted = self.moment(expected)
        if wanted is None:
            if not _is_seconds(expected) or self._format.numeric:
                return False
            wanted = Moment(float(expected), 0.0)
        apart = abs(wanted.seconds - seen.seconds)
        return apart == 0 or (wanted.resolution != seen.resolution and apart < max(wanted.resolution, seen.resolution))

    def rank(self, value: Json) -> Any:
        """The time that a text tells; numbers are times already."""
        moment = None if self._format.numeric else self.moment(value)
        return value if moment is None else moment

    def schema(self) -> dict[str, Any]:
        return dict(self._format.schema)


def _cut(moment: Moment) -> float:
    """The seconds that may have been cut off: whole seconds are written with zeros too (``12:00:00.000Z``)."""
    return 1.0 if moment.resolution < 1.0 and moment.seconds % 1.0 == 0.0 else moment.resolution


def _is_seconds(value: Value) -> bool:
    if value.__class__ is int:
        return bool(-_HUGE < value < _HUGE)
    return value.__class__ in (float, Decimal) and math.isfinite(value)


def _within_calendar(seconds: float) -> float:
    return 0.0 if math.isnan(seconds) else min(max(seconds, _FIRST), _LAST)


def _read_unix(value: int) -> Moment | None:
    return Moment(value, 1.0) if _FIRST <= value <= _LAST else None


def _read_unix_ms(value: int) -> Moment | None:
    plausible = value == 0 or _FIRST_MS <= value <= _LAST * 1000 or _FIRST * 1000 <= value <= -_FIRST_MS
    return Moment(value / 1000, 0.001) if plausible else None


def _read_rfc3339(text: str) -> Moment | None:
    return parse_timestamp(text) if _RFC3339.fullmatch(text) else None


def _read_rfc2822(text: str) -> Moment | None:
    return _read_named_day(_RFC2822, text)


def _read_http(text: str) -> Moment | None:
    return _read_named_day(_HTTP, text)


def _read_named_day(form: re.Pattern[str], text: str) -> Moment | None:
    """A time whose day of the week, where it is given, is the right one."""
    found = form.fullmatch(text)
    moment = parse_timestamp(text) if found else None
    if found is None or moment is None or found[1] is None:
        return moment
    # The day is the one at the writer's place, so it is told from the digits, whatever the zone.
    day, month, year = text.split(" ")[1:4]
    return moment if _DAYS[datetime(int(year), _MONTHS.index(month) + 1, int(day)).weekday()] == found[1] else None


def _read_date(text: str) -> Moment | None:
    return parse_timestamp(text) if _DATE.fullmatch(text) else None


def _write_unix(seconds: float) -> int:
    return math.floor(seconds)


def _write_unix_ms(seconds: float) -> int:
    milliseconds = math.floor(round(seconds * 1000, 3))
    # What would look like seconds is out of this format's range; the nearest that is in it stands for it.
    return milliseconds if _read_unix_ms(milliseconds) else math.copysign(_FIRST_MS, milliseconds).__trunc__()


def _write_rfc3339(seconds: float) -> str:
    return f"{_calendar(seconds).isoformat()}Z"


def _write_rfc2822(seconds: float) -> str:
    return f"{_named_day(seconds)} +0000"


def _write_http(seconds: float) -> str:
    return f"{_named_day(seconds)} GMT"


def _write_date(seconds: float) -> str:
    return _calendar(seconds).date().isoformat()


def _named_day(seconds: float) -> str:
    when = _calendar(seconds)
    return f"{_DAYS[when.weekday()]}, {when.day:02} {_MONTHS[when.month - 1]} {when.year:04} {when.time().isoformat()}"


def _calendar(seconds: float) -> datetime:
    return datetime.fromtimestamp(math.floor(seconds), UTC).replace(tzinfo=None)


_FORMATS: Final[Mapping[str, _Format]] = {
    "unix": _Format(_read_unix, _write_unix, True, "a time in Unix seconds", {"type": "integer"}),
    "unix_ms": _Format(_read_unix_ms, _write_unix_ms, True, "a time in Unix milliseconds", {"type": "integer"}),
    "rfc3339": _Format(
        _read_rfc3339,
        _write_rfc3339,
        False,
        "an RFC 3339 time, like 2026-10-01T12:00:00Z",
        {"type": "string", "format": "date-time"},
    ),
    "rfc2822": _Format(
        _read_rfc2822,
        _write_rfc2822,
        False,
        "an RFC 2822 time, like Thu, 01 Oct 2026 12:00:00 +0000",
        {"type": "string"},
    ),
    "http": _Format(
        _read_http, _write_http, False, "an HTTP date, like Thu, 01 Oct 2026 12:00:00 GMT", {"type": "string"}
    ),
    "date": _Format(_read_date, _write_date, False, "a date, like 2026-10-01", {"type": "string", "format": "date"}),
}


def build_timestamp(args: Arguments) -> TimestampLeaf | None:
    """``$timestamp: unix`` (or ``unix_ms``, ``rfc3339``, ``rfc2822``, ``http``, ``date``)."""
    args.only()
    form = args.argument
    if not isinstance(form, str) or form not in _FORMATS:
        found = "none" if form is None else shown(form)
        fix = did_you_mean(form, _FORMATS, "formats") if isinstance(form, str) else "Write {$timestamp: unix}"
        args.problem("E257", f"one of the formats {', '.join(_FORMATS)} as the argument of $timestamp", found, fix)
        return None
    return TimestampLeaf(form) if args.ok else None
