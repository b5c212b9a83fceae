"""Wald's walk: three more sightings than misses confirm, two more misses dismiss, five runs are enough."""

from __future__ import annotations

import pytest

from troth.runners.trial import Rule, Steadiness, Trial


def decided(shown: str, rule: Rule | None = None) -> Steadiness | None:
    """After runs written as ``+`` for seen and ``-`` for not."""
    return Trial(tuple(mark == "+" for mark in shown)).decided(rule or Rule())


@pytest.mark.parametrize(
    ("shown", "want"),
    [
        ("+", None),
        ("++", None),
        ("+++", "confirmed"),
        ("++-++", "confirmed"),
        ("+-", None),
        ("+--", None),
        ("+---", "dismissed"),
        ("-+", None),
        ("--+", "intermittent"),
        ("+-+--", "intermittent"),
        ("+-+-+", "intermittent"),
        ("++--+", "intermittent"),
    ],
)
def test_what_runs_say(shown: str, want: str | None) -> None:
    """One green run decides nothing, and neither does the first red one."""
    assert decided(shown) == want


def test_five_runs_decide_something() -> None:
    """Nobody is run for ever."""
    for pattern in range(2**4):
        shown = "+" + "".join("+" if pattern >> bit & 1 else "-" for bit in range(4))
        assert decided(shown) is not None


def test_one_sighting_may_be_enough() -> None:
    """Then there are no further runs."""
    assert decided("+", Rule(sightings=1)) == "confirmed"
    assert Rule(sightings=1).most == 1


def test_a_stricter_rule() -> None:
    """Four and two: for an error of 0.1 %."""
    assert decided("+++", Rule(sightings=4)) is None
    assert decided("++++", Rule(sightings=4)) == "confirmed"
    assert Rule(sightings=4, misses=3).most == 7


def test_flukes_are_seldom_confirmed_and_changes_seldom_dismissed() -> None:
    """The errors of the walk itself, counted over all its paths: 1 % and 5 % are promised."""

    def chance(rate: float, want: str) -> float:
        total = 0.0
        for pattern in range(2**5):
            shown = "".join("+" if pattern >> bit & 1 else "-" for bit in range(5))
            if decided(shown) == want:
                total += rate ** shown.count("+") * (1 - rate) ** shown.count("-")
        return total

    assert chance(0.1, "confirmed") <= 0.01
    assert chance(0.9, "dismissed") <= 0.05
