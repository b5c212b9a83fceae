"""Text from outside is shown, and never obeyed."""

from __future__ import annotations

import pytest

from troth.reports.visible import shorten, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 你 \u05e9", "plain é 你 \u05e9"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("nul\x00", "nul\\x00"),
        ("a\u202eb", "a\\u202eb"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("no\u00a0break", "no\\xa0break"),
        ("lone \ud800", "lone \\ud800"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("line\nbreak\ttab\r", "line\\nbreak\\ttab\\r"),
    ],
)
def test_what_does_not_print_is_shown_as_its_escape(text: str, shown: str) -> None:
    """Controls, overrides, invisible characters and lone surrogates can be seen."""
    assert visible(text) == shown


def test_kept_characters_stay_and_others_do_not() -> None:
    """A block of text keeps its lines, and only those."""
    assert visible("a\nb\rc", keep="\n") == "a\nb\\rc"


def test_an_emoji_of_several_parts_stays_whole() -> None:
    """The joiner between its parts prints nothing by itself, and holds them together."""
    assert visible("\U0001f468\u200d\U0001f467") == "\U0001f468\u200d\U0001f467"


def test_shorten_says_that_something_is_missing() -> None:
    """What fits stays as it is; what does not ends in an ellipsis within the limit."""
    assert shorten("abc", 3) == "abc"
    assert shorten("abcd", 3) == "ab…"
