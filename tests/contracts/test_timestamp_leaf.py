"""``$timestamp``: strict about the format, and exactly as exact as the format is."""

from __future__ import annotations

from typing import Any

import pytest

from troth.contracts.expressions.unknowns import Instant
from troth.contracts.leaves import Leaf, build_leaf
from troth.errors import Place, Problems

FORMS = ("unix", "unix_ms", "rfc3339", "rfc2822", "http", "date")
AT = 1_793_534_400.0


def leaf_of(form: str) -> Leaf:
    """The timestamp leaf of a format."""
    leaf = build_leaf("timestamp", form, {}, Place(), Problems())
    assert leaf is not None
    return leaf


SPELLED: dict[str, Any] = {
    "unix": 1_793_534_400,
    "unix_ms": 1_793_534_400_000,
    "rfc3339": "2026-11-01T12:00:00Z",
    "rfc2822": "Sun, 01 Nov 2026 12:00:00 +0000",
    "http": "Sun, 01 Nov 2026 12:00:00 GMT",
    "date": "2026-11-01",
}


@pytest.mark.parametrize("form", FORMS)
def test_each_format_is_spelled_and_read(form: str) -> None:
    """An instant is expressed as the format wants it, and the result fits."""
    leaf = leaf_of(form)
    assert leaf.express(Instant(AT, AT)) == SPELLED[form]
    assert leaf.fault(SPELLED[form]) is None


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("other", FORMS)
def test_no_format_is_taken_for_another(form: str, other: str) -> None:
    """Seconds are not milliseconds, and a GMT date is an RFC 2822 one by its obsolete zone only."""
    fault = leaf_of(form).fault(SPELLED[other])
    if form == other or (form, other) == ("rfc2822", "http"):
        assert fault is None
    else:
        assert fault is not None
        same_wire = type(SPELLED[form]) is type(SPELLED[other])
        assert fault.kind == ("format" if same_wire else "type")


@pytest.mark.parametrize(
    ("form", "value", "fits"),
    [
        ("unix", 0, True),
        ("unix", -1, True),
        ("unix", 253_402_300_799, True),
        ("unix", 253_402_300_800, False),
        ("unix", 1_793_534_400_000, False),
        ("unix", 1_793_534_400.0, False),
        ("unix", True, False),
        ("unix_ms", 0, True),
        ("unix_ms", 99_999_999_999, False),
        ("unix_ms", 100_000_000_000, True),
        ("unix_ms", 1_793_534_400_000_000, False),
        ("rfc3339", "2026-11-01T12:00:00.123456789Z", True),
        ("rfc3339", "2026-11-01T12:00:00+05:30", True),
        ("rfc3339", "2016-12-31T23:59:60Z", True),
        ("rfc3339", "2026-11-01T12:00:00", False),
        ("rfc3339", "2026-11-01 12:00:00Z", False),
        ("rfc3339", "2026-11-01", False),
        ("rfc3339", "2026-02-30T12:00:00Z", False),
        ("rfc3339", "2026-11-01T25:00:00Z", False),
        ("rfc3339", "2026-11-01T12:00:00+0530", False),
        ("rfc2822", "Tue, 31 Aug 2010 20:36:28 +0000", True),
        ("rfc2822", "31 Aug 2010 20:36:28 +0200", True),
        ("rfc2822", "Mon, 31 Aug 2010 20:36:28 +0000", False),
        ("rfc2822", "Tue, 31 Agu 2010 20:36:28 +0000", False),
        ("rfc2822", "Tue, 31 Aug 10 20:36:28 +0000", False),
        ("http", "Sun, 06 Nov 1994 08:49:37 GMT", True),
        ("http", "Sun, 6 Nov 1994 08:49:37 GMT", False),
        ("http", "Sun Nov  6 08:49:37 1994", False),
        ("http", "Mon, 06 Nov 1994 08:49:37 GMT", False),
        ("http", "Sun, 06 Nov 1994 08:49:37 +0000", False),
        ("date", "2026-11-31", False),
        ("date", "2026-11-1", False),
    ],
)
def test_strictness(form: str, value: Any, fits: bool) -> None:
    """Unit, calendar, weekday, zone: a time that is not quite in the format is not in it."""
    assert (leaf_of(form).fault(value) is None) is fits


@pytest.mark.parametrize(
    ("form", "early", "late"),
    [
        ("unix", SPELLED["unix"] - 2, SPELLED["unix"] + 2),
        ("unix_ms", SPELLED["unix_ms"] - 2, SPELLED["unix_ms"] + 2),
        ("rfc3339", "2026-11-01T11:59:58Z", "2026-11-01T12:00:02Z"),
        ("rfc3339", "2026-11-01T11:59:59.998Z", "2026-11-01T12:00:00.002Z"),
        ("rfc2822", "Sun, 01 Nov 2026 11:59:58 +0000", "Sun, 01 Nov 2026 12:00:02 +0000"),
        ("http", "Sun, 01 Nov 2026 11:59:58 GMT", "Sun, 01 Nov 2026 12:00:02 GMT"),
        ("date", "2026-10-30", "2026-11-03"),
    ],
)
def test_an_instant_holds_to_the_resolution_and_no_further(form: str, early: Any, late: Any) -> None:
    """Cut off or rounded, the observed time lies in the interval; one step beyond it does not."""
    leaf = leaf_of(form)
    now = Instant(AT, AT)
    assert leaf.same(now, SPELLED[form])
    assert not leaf.same(now, early)
    assert not leaf.same(now, late)


def test_an_interval_holds_what_lies_in_it() -> None:
    """On a sandbox ``now`` is the span in which the provider worked."""
    leaf = leaf_of("unix")
    span = Instant(1_000_000.4, 1_000_010.6)
    inside = [second for second in range(999_990, 1_000_020) if leaf.same(span, second)]
    assert inside == list(range(1_000_000, 1_000_012))
    fine = leaf_of("rfc3339")
    assert fine.same(Instant(AT - 5, AT + 5), "2026-11-01T12:00:04.5Z")
    assert not fine.same(Instant(AT - 5, AT + 5), "2026-11-01T12:00:05.2Z")


def test_a_date_is_right_in_every_zone() -> None:
    """A plain date has no zone: it holds while it is that day somewhere, from UTC+14 to UTC-12."""
    leaf = leaf_of("date")
    hour = 3600.0
    one_o_clock = Instant(AT + hour, AT + hour)
    assert [day for day in ("10-31", "11-01", "11-02") if leaf.same(one_o_clock, f"2026-{day}")] == ["11-01", "11-02"]
    assert leaf.same(Instant(AT - 2 * hour, AT - 2 * hour), "2026-10-31")
    assert not leaf.same(Instant(AT - 3 * hour, AT - 3 * hour), "2026-11-02")


def test_stored_times_are_the_same_time_in_another_spelling() -> None:
    """What was seen before may come back with another zone or fewer digits, but not as another time."""
    leaf = leaf_of("rfc3339")
    assert leaf.same("2026-11-01T12:00:00Z", "2026-11-01T13:00:00+01:00")
    assert leaf.same("2026-11-01T12:00:00.750Z", "2026-11-01T12:00:00Z")
    assert not leaf.same("2026-11-01T12:00:00.750Z", "2026-11-01T12:00:00.751Z")
    assert not leaf.same("2026-11-01T12:00:00Z", "2026-11-01T12:00:01Z")
    assert not leaf_of("unix").same(1_700_000_000, 1_700_000_001)
    assert not leaf_of("unix").same("2026-11-01T12:00:00Z", 1_793_534_400)


def test_numbers_are_unix_seconds_where_the_format_is_a_text() -> None:
    """``{{ charge.created + 3600 }}`` in an RFC 3339 field; where the format is a number it stays one."""
    assert leaf_of("rfc3339").express(AT) == SPELLED["rfc3339"]
    assert leaf_of("rfc3339").same(AT, SPELLED["rfc3339"])
    assert leaf_of("unix_ms").express(7) == 7
    assert leaf_of("unix").express("2026") == "2026"


def test_instants_beyond_the_calendar_are_its_ends() -> None:
    """Nothing in an expression makes a sample impossible to write."""
    assert leaf_of("rfc3339").express(Instant(-1e30, 1e30)) == "0001-01-01T00:00:00Z"
    assert leaf_of("date").express(Instant(1e30, 1e30)) == "9999-12-31"
    assert leaf_of("unix").express(Instant(float("nan"), float("nan"))) == 0


def test_a_sample_is_cut_not_rounded() -> None:
    """What a simulator says at 0.999 s is the second that has begun."""
    assert leaf_of("unix").express(Instant(1_000_000.999, 1_000_000.999)) == 1_000_000
    assert leaf_of("unix_ms").express(Instant(1_700_000_000.123, 1_700_000_000.123)) == 1_700_000_000_123
    assert leaf_of("unix").express(Instant(-0.5, -0.5)) == -1


@pytest.mark.parametrize(
    ("form", "whole", "part"),
    [
        ("rfc3339", "2025-06-15T15:06:40.000Z", "2025-06-15T15:06:40.001Z"),
        ("unix_ms", 1_750_000_000_000, 1_750_000_000_001),
    ],
)
def test_whole_seconds_may_be_cut_off_although_they_are_told_to_the_millisecond(
    form: str, whole: Any, part: Any
) -> None:
    """A database of whole seconds behind a format with fractions: it was 0.9 s later."""
    leaf = leaf_of(form)
    now = Instant(1_750_000_000.9, 1_750_000_000.95)

    assert leaf.same(now, whole)
    assert not leaf.same(now, part)
    assert not leaf.same(Instant(1_750_000_001.1, 1_750_000_001.2), whole)
