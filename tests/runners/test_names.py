"""Unique names belong to one run and place, and are the same on every target of that run."""

from __future__ import annotations

import re

from troth.runners.names import Names, run_id, slug, unique

PLACE = ("acmepay", "a charge is kept", "1", "body.note")


def test_a_run_id_has_slot_random_part_and_attempt() -> None:
    """The slot is shown in UTC; the random part differs with the random bytes."""
    one = run_id(1_796_007_600.0, b"a", 2)
    assert re.fullmatch(r"20261130T0300-[a-z2-7]{4}-2", one)
    assert run_id(1_796_007_600.0, b"b", 2) != one
    assert slug(one) == one.split("-")[1] + "2"


def test_a_name_is_short_and_safe_everywhere() -> None:
    """Prefix, then 13 lower-case letters and digits, the run's own first."""
    run = run_id(0.0, b"x")
    name = unique("order-", run, *PLACE)
    assert re.fullmatch(r"order-[a-z0-9]{13}", name)
    assert name.startswith("order-" + slug(run))


def test_each_part_of_the_place_makes_another_name() -> None:
    """Run, provider, scenario, step, path and prefix all count; nothing else does."""
    run = run_id(0.0, b"x")
    names = {unique("k-", run, *PLACE), unique("k-", run_id(0.0, b"y"), *PLACE), unique("q-", run, *PLACE)}
    for index in range(4):
        other = list(PLACE)
        other[index] += "!"
        names.add(unique("k-", run, *other))
    assert len(names) == 7
    assert unique("k-", run, *PLACE) == unique("k-", run, *PLACE)


def test_parts_do_not_run_into_each_other() -> None:
    """``ab`` + ``c`` is another place than ``a`` + ``bc``."""
    assert unique("", "r", "p", "ab", "c", "x") != unique("", "r", "p", "a", "bc", "x")


def test_two_calls_in_one_value_give_two_names() -> None:
    """And the same two when the value is made again, on another target."""
    names = Names("20261130T0300-k3f9-1", "acmepay")
    here, there = names.at("s", "1", "body.tags"), names.at("s", "1", "body.tags")
    first, second = here("t-"), here("t-")
    assert first != second
    assert [there("t-"), there("t-")] == [first, second]
    assert names.at("s", "2", "body.tags")("t-") not in (first, second)


def test_a_run_id_of_another_form_still_gives_names() -> None:
    """A run id that somebody chose by hand is shortened, not copied."""
    assert re.fullmatch(r"x[a-z2-7]{13}", unique("x", "nightly/2026 11 30", *PLACE))
