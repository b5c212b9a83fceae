"""Values side by side: what differs is marked, and only that."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troth.contracts.values import ABSENT, Unknown
from troth.reports.difference import beside, literal, same, written
from troth.reports.pieces import plain_text


def _marked(value: Any, reference: Any) -> list[str]:
    return [piece.text for line in beside(value, reference) for piece in line if piece.mark]


@pytest.mark.parametrize(
    ("value", "reference", "marked"),
    [
        ("card_error", "card_error", []),
        ("the card was declined", "the card was refused", ["declined"]),
        ("ch_123", "ch_129", ["3"]),
        ("0", 0, ['"0"']),
        (1, True, ["1"]),
        (1.0, 1, ["1.0"]),
        (None, ABSENT, ["null"]),
        (ABSENT, None, ["absent"]),
        ({"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 3]}, ["2"]),
        ({"a": 1}, {"a": 1, "b": 2}, ['no "b"']),
        ({"a": 1, "b": 2}, {"a": 1}, ['"b": 2']),
        ([1], [1, 2, 3], ["2 items fewer"]),
        ([1, 2], [1], ["2"]),
        ({}, [], ["{}"]),
        ("a b", "a b c", ["a b"]),
        (b"\x00\x01", b"\x00\x02", ["2 bytes: 00 01"]),
        (Decimal("1.0"), Decimal("1.0"), []),
    ],
)
def test_the_part_that_differs_is_marked(value: Any, reference: Any, marked: list[str]) -> None:
    """Words within texts, members within objects, items within lists, else the whole."""
    assert _marked(value, reference) == marked


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(_JSON, _JSON)
def test_something_is_marked_exactly_when_they_differ(value: Any, reference: Any) -> None:
    """A difference that shows no mark would be taken for agreement."""
    marks = any(piece.mark for line in beside(value, reference) for piece in line)
    assert marks is not same(value, reference)


@given(_JSON)
def test_the_same_has_no_marks_and_reads_as_written(value: Any) -> None:
    """``written`` is the value beside itself."""
    assert plain_text(written(value)) == plain_text(beside(value, value))


def test_a_megabyte_shows_the_place_that_differs() -> None:
    """Not its beginning, and not all of it."""
    lines = beside("x" * 500_000 + "left" + "x" * 500_000, "x" * 500_000 + "right" + "x" * 500_000)
    text = plain_text(lines)

    assert len(text) < 1_000
    assert "left" in text
    assert "more characters" in text


def test_a_long_structure_is_cut_and_says_so() -> None:
    """A value of a thousand members does not fill the page."""
    text = plain_text(written({f"k{number}": "v" * 50 for number in range(1_000)}, limit=500))

    assert len(text) < 700
    assert text.endswith("… cut")


def test_a_bottomless_structure_is_no_traceback() -> None:
    """Deeper than anybody reads."""
    value: Any = []
    for _ in range(400):
        value = [value]

    assert "nested deeper" in plain_text(written(value))


def test_unknown_values_are_the_same_by_label() -> None:
    """Two objects with one label are one unknown thing."""
    assert same(Unknown("a"), Unknown("a"))
    assert not same(Unknown("a"), Unknown("b"))
    assert literal(Unknown("a")) == "not known"


def test_what_does_not_print_is_seen_in_values() -> None:
    """Terminal escapes and overrides cannot hide in a report."""
    assert literal("\x1b[0m\u202e\x00") == '"\\u001b[0m\\u202e\\u0000"'
