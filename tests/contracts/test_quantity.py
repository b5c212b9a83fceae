"""Quantities: what they mean, and what is refused."""

import pytest

from troth.contracts.quantity import (
    QuantityError,
    count_range,
    duration,
    duration_range,
    fraction,
    rate,
    size,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("250ms", 0.25), ("10s", 10), ("5m", 300), ("2h", 7200), ("3d", 259200), ("0s", 0), ("1.5s", 1.5), ("1ms", 0.001)],
)
def test_duration(text: str, seconds: float) -> None:
    """Durations are seconds."""
    assert duration(text) == seconds


@pytest.mark.parametrize(
    ("value", "fix"),
    [
        (6, "Write the unit: 6s"),
        ("6", ""),
        ("6 s", ""),
        ("-1s", ""),
        ("6sec", "The units are ms, s, m (minutes), h and d"),
        ("6M", "The units are"),
        ("1h30m", ""),
        ("1e3s", ""),
        ("٣s", ""),
        (True, ""),
        (None, ""),
        ("", ""),
        ("9" * 400 + "s", ""),
    ],
)
def test_no_duration(value: object, fix: str) -> None:
    """A number without a unit says nothing."""
    with pytest.raises(QuantityError) as caught:
        duration(value)

    assert (caught.value.code, caught.value.fix[: len(fix)]) == ("E040", fix)


def test_found_is_said_in_the_words_of_the_file() -> None:
    """People wrote null and true, not None and True."""
    with pytest.raises(QuantityError, match="found null"):
        duration(None)
    with pytest.raises(QuantityError, match="found true"):
        size(True)


@pytest.mark.parametrize(
    ("text", "span"), [("0s..60s", (0, 60)), ("500ms..2s", (0.5, 2)), ("4d..5d", (345600, 432000))]
)
def test_duration_range(text: str, span: tuple[float, float]) -> None:
    """A range is its least and its most seconds."""
    assert duration_range(text) == span


@pytest.mark.parametrize(
    ("value", "fix"),
    [
        ("15s", "For exactly that long write 15s..15s"),
        ("60s..0s", "Write the shorter first: 0s..60s"),
        ("0..60s", ""),
        ("0s..", ""),
        ("0s...60s", ""),
        (15, ""),
        ([], ""),
    ],
)
def test_no_duration_range(value: object, fix: str) -> None:
    """Both ends, each with a unit, the shorter first."""
    with pytest.raises(QuantityError) as caught:
        duration_range(value)

    assert (caught.value.code, caught.value.fix) == ("E041", fix)


@pytest.mark.parametrize(
    ("text", "per_second"), [("5/s", 5), ("60/m", 1), ("500/1m", 500 / 60), ("2.5/s", 2.5), ("10/500ms", 20)]
)
def test_rate(text: str, per_second: float) -> None:
    """A rate is requests a second."""
    assert rate(text) == per_second


@pytest.mark.parametrize("value", [5, "5", "5/", "/s", "0/s", "5/0s", "5 / s", "5/sec", None])
def test_no_rate(value: object) -> None:
    """A rate has a time, and is above zero."""
    with pytest.raises(QuantityError) as caught:
        rate(value)

    assert caught.value.code == "E042"


@pytest.mark.parametrize(
    ("value", "count"),
    [("0B", 0), ("100kB", 100_000), ("5MB", 5_000_000), ("1.5kB", 1500), ("1KiB", 1024), ("2MiB", 2_097_152), (17, 17)],
)
def test_size(value: object, count: int) -> None:
    """kB is a thousand, KiB 1,024; a whole number is bytes."""
    assert size(value) == count


@pytest.mark.parametrize(
    ("value", "fix"),
    [("5mb", "Write 5MB"), ("5KB", "Write 5kB"), ("5", ""), (-1, ""), (1.5, ""), ("1.5B", ""), ("MB", "")],
)
def test_no_size(value: object, fix: str) -> None:
    """A misspelt unit gets the right spelling."""
    with pytest.raises(QuantityError) as caught:
        size(value)

    assert (caught.value.code, caught.value.fix) == ("E043", fix)


@pytest.mark.parametrize(
    ("value", "bounds"), [(3, (3, 3)), (0, (0, 0)), ("1..10", (1, 10)), ("1..", (1, None)), ("0..0", (0, 0))]
)
def test_count_range(value: object, bounds: tuple[int, int | None]) -> None:
    """A number of items is exact, or a range that may be open."""
    assert count_range(value) == bounds


@pytest.mark.parametrize("value", ["10..1", "..5", "3", -1, "1.5..2", None, True])
def test_no_count_range(value: object) -> None:
    """Two whole numbers, the smaller first."""
    with pytest.raises(QuantityError) as caught:
        count_range(value)

    assert caught.value.code == "E044"


@pytest.mark.parametrize(("value", "share"), [("1/4", 0.25), (0.5, 0.5), (1, 1.0), ("3/3", 1.0)])
def test_fraction(value: object, share: float) -> None:
    """A share is above 0 and at most 1."""
    assert fraction(value) == share


@pytest.mark.parametrize("value", ["5/4", "0/4", "1/0", 0, 1.5, -0.1, "0.25", True, None, float("nan")])
def test_no_fraction(value: object) -> None:
    """More than the whole, nothing at all, or no share."""
    with pytest.raises(QuantityError) as caught:
        fraction(value)

    assert caught.value.code == "E045"
