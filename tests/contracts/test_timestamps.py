"""Texts that stand for times and spans of time."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troth.contracts.expressions.timestamps import Moment, parse_duration, parse_timestamp


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("1970-01-01T00:00:00Z", Moment(0, 1)),
        ("1970-01-01t00:00:01z", Moment(1, 1)),
        ("1970-01-01 00:00:01Z", Moment(1, 1)),
        ("1970-01-01T01:00:00+01:00", Moment(0, 1)),
        ("1969-12-31T23:30:00-0030", Moment(0, 1)),
        ("1970-01-01T00:00:00.250Z", Moment(0.25, 0.001)),
        ("1970-01-01T00:00:00.5Z", Moment(0.5, 0.1)),
        ("1970-01-02", Moment(86400, 86400)),
        ("2016-12-31T23:59:60Z", Moment(1483228800, 1)),
        ("Thu, 01 Jan 1970 00:00:10 GMT", Moment(10, 1)),
        ("Thu, 01 Jan 1970 01:00:00 +0100", Moment(0, 1)),
        ("1 Jan 1970 00:00:00 UT", Moment(0, 1)),
    ],
)
def test_timestamps(text, moment):
    assert parse_timestamp(text) == pytest.approx(moment)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1970",
        "1970-01-01T00:00:00",
        "1970-13-01",
        "1970-02-30T00:00:00Z",
        "1970-01-01T24:00:00Z",
        "1970-01-01T00:00:61Z",
        "0000-01-01",
        "1970-01-01T00:00:00+99:00",
        "Thu, 01 Foo 1970 00:00:10 GMT",
        "01 Jan 1970",
        "١٩٧٠-01-01",
        " 1970-01-01",
    ],
)
def test_other_texts_are_no_timestamps(text):
    assert parse_timestamp(text) is None


@given(st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)))
def test_what_python_writes_is_read_back(when):
    """RFC 3339 to the microsecond, RFC 2822 to the second."""
    exact, whole = parse_timestamp(when.isoformat()), parse_timestamp(format_datetime(when))
    assert exact is not None
    assert whole is not None
    assert exact.seconds == pytest.approx(when.timestamp(), abs=1e-6)
    assert whole.seconds == when.replace(microsecond=0).timestamp()


@pytest.mark.parametrize(
    ("text", "seconds"), [("250ms", 0.25), ("10s", 10), ("5m", 300), ("1.5h", 5400), ("3d", 259200)]
)
def test_durations(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "5", "m", "5 m", "-5m", "5min", "5m5"])
def test_other_texts_are_no_durations(text):
    assert parse_duration(text) is None
