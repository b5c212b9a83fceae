"""How far a target's clock is off is learnt from its ``Date`` headers."""

from __future__ import annotations

from email.utils import formatdate

import pytest

from troth.contracts.exchange import Interval, Response
from troth.runners.clock import Skew

NOON = 1_796_040_000.0


def dated(at: float) -> Response:
    return Response(200, [(b"Date", formatdate(at, usegmt=True).encode())])


@pytest.mark.parametrize(
    ("offset", "seen"),
    [(0.0, 0.0), (-0.9, 0.1), (-5.0, 4.2), (30.0, 29.5)],
)
def test_the_gap_is_what_the_date_cannot_explain(offset: float, seen: float) -> None:
    """A Date of whole seconds covers one second, the exchange its own span."""
    skew = Skew()
    skew.learn(dated(NOON + offset), NOON + 0.2, NOON + 0.5)
    # The header holds whole seconds only.
    whole = float(int(NOON + offset))
    assert skew.seen == pytest.approx(max(NOON + 0.2 - (whole + 1), whole - (NOON + 0.5), 0.0))
    assert skew.seen == pytest.approx(seen, abs=1.0)


def test_the_interval_is_never_narrower_than_before() -> None:
    """A later, better reply does not take tolerance back."""
    skew = Skew()
    assert skew.interval(10.0, 11.0) == Interval(9.0, 12.0)
    skew.learn(dated(NOON + 60), NOON, NOON)
    skew.learn(dated(NOON), NOON, NOON)
    assert skew.interval(NOON, NOON) == Interval(NOON - 62, NOON + 62)


@pytest.mark.parametrize("offset", [-2.0, -1.5, 1.5, 2.0, 30.0])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.6, 0.99])
def test_the_interval_holds_the_time_that_a_target_with_another_clock_writes(offset: float, part: float) -> None:
    """To the millisecond, though the ``Date`` that the skew is learnt from has whole seconds only."""
    skew = Skew()
    sent = NOON + part
    skew.learn(dated(float(int(sent + 0.01 + offset))), sent, sent + 0.02)

    low, high = skew.interval(sent, sent + 0.02)

    assert low <= sent + 0.01 + offset <= high


def test_no_or_odd_dates_teach_nothing() -> None:
    """A missing or unreadable Date leaves the tolerance as it was."""
    skew = Skew(base=0.0)
    skew.learn(Response(200), NOON, NOON)
    skew.learn(Response(200, [(b"date", b"soon")]), NOON, NOON)
    assert skew.seconds == 0.0
