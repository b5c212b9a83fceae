"""The simulator's clock."""

from __future__ import annotations

import time

import pytest

from troth.errors import UsageError
from troth.simulators.clock import Clock


def test_it_follows_real_time() -> None:
    before = time.time()
    assert before <= Clock().now() <= time.time()


def test_advancing_moves_it_and_gives_the_new_now() -> None:
    clock = Clock(frozen=1000.0)
    assert clock.advance(2.5) == 1002.5
    assert clock.advance(0) == clock.now() == 1002.5


def test_a_frozen_clock_stands_still_and_says_so() -> None:
    clock = Clock(frozen=1000.0)
    assert (clock.now(), clock.now(), clock.frozen, Clock().frozen) == (1000.0, 1000.0, True, False)
    assert repr(clock) == "Clock(frozen, now=1000.000, advanced=0s)"


def test_reset_goes_back() -> None:
    clock = Clock(frozen=1000.0)
    clock.advance(50)
    clock.reset()
    assert clock.now() == 1000.0


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), 1e12])
def test_it_goes_neither_back_nor_beyond_what_dates_can_say(seconds: float) -> None:
    clock = Clock(frozen=1000.0)
    with pytest.raises(UsageError, match="E306"):
        clock.advance(seconds)
    assert clock.now() == 1000.0
