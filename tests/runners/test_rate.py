"""Exact bounds of a rate, held against values that others have worked out."""

from __future__ import annotations

import pytest

from troth.runners.rate import at_least, at_most, by_chance


@pytest.mark.parametrize(
    ("tries", "rate"), [(3, 0.632), (5, 0.451), (10, 0.259), (20, 0.139), (30, 0.095), (60, 0.049)]
)
def test_what_was_never_seen_may_still_happen(tries: int, rate: float) -> None:
    """1 - 0.05 ** (1 / n), which the rule of three rounds to 3 / n."""
    assert at_most(0, tries) == pytest.approx(rate, abs=0.001)
    assert at_most(0, tries) == pytest.approx(1 - 0.05 ** (1 / tries))


def test_the_bounds_of_clopper_and_pearson() -> None:
    """The 95 % one-sided ones are the two-sided ones of 90 %: of 2 in 10, 3.7 % and 50.7 %."""
    assert at_least(2, 10) == pytest.approx(0.0368, abs=0.0001)
    assert at_most(2, 10) == pytest.approx(0.5069, abs=0.0001)
    assert (at_least(0, 10), at_most(10, 10), at_most(0, 0)) == (0.0, 1.0, 1.0)


def test_the_chance_of_a_run_of_one_and_then_a_run_of_the_other() -> None:
    """No rate makes it likelier than the one that was seen."""
    best = max((1 - rate / 1000) ** 12 * (rate / 1000) ** 4 for rate in range(1001))

    assert by_chance(12, 4) == pytest.approx(best)
    assert by_chance(12, 0) == 1.0
