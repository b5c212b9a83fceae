"""Five-field cron schedules, as people write them: checked when the settings are read, not when the night comes.

Weekdays must be names. Numbers mean Sunday = 0 in a crontab and Monday = 0 in the scheduler that runs ours, so a
digit would fire on the wrong day for half of its readers.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["crontab_fault"]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_PART = re.compile(r"(?P<first>\*|\w+)(?:-(?P<last>\w+))?(?:/(?P<step>\w+))?")


class _Field(NamedTuple):
    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()
    digits: bool = True


_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of the month", 1, 31),
    _Field("month", 1, 12, _MONTHS),
    _Field("day of the week", 0, 6, _DAYS, digits=False),
)


def crontab_fault(text: str) -> str | None:
    """What is wrong with the schedule ``text``, in words; None when nothing is.

    Allowed in each field: ``*``, ``5``, ``1-5``, ``*/10``, ``8-18/2``, and lists of these. Months may be names,
    weekdays must be.
    """
    written = text.split()
    if len(written) != len(_FIELDS):
        return f"{len(written)} fields instead of 5 (minute, hour, day of the month, month, day of the week)"
    for field, value in zip(_FIELDS, written, strict=True):
        for part in value.split(","):
            fault = _part_fault(field, part.lower())
            if fault:
                return fault
    return None


def _part_fault(field: _Field, part: str) -> str | None:
    match = _PART.fullmatch(part)
    if match is None:
        return f"{part!r} as {field.name}"
    first, last, step = match.group("first", "last", "step")
    if step is not None and (not step.isdecimal() or int(step) == 0):
        return f"the step {step!r} in {field.name} {part!r}"
    if first == "*":
        return None if last is None else f"{part!r} as {field.name}"
    ends = [_number(field, end) for end in (first, last) if end is not None]
    if None in ends:
        return _end_fault(field, part)
    if len(ends) == 2 and ends[0] > ends[1]:  # type: ignore[operator]
        return f"the {field.name} {part!r}, which ends before it begins"
    return None


def _number(field: _Field, written: str) -> int | None:
    if written in field.names:
        return field.names.index(written) + field.low
    if field.digits and written.isdecimal() and field.low <= int(written) <= field.high:
        return int(written)
    return None


def _end_fault(field: _Field, part: str) -> str:
    if not field.digits:
        return f"{part!r} as {field.name}; write names ({', '.join(field.names)}), numbers are counted in two ways"
    return f"{part!r} as {field.name}; {field.low} to {field.high} are allowed"
