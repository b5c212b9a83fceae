"""Bodies of exchanges: laid out, marked where the finding is, cut with a notice."""

from __future__ import annotations

import json

import pytest

from troth.reports.bodies import body_lines
from troth.reports.pieces import plain_text


def _marked(body: str, path: str, limit: int = 10_000) -> list[str]:
    return [piece.text for line in body_lines(body, path, limit) for piece in line if piece.mark]


@pytest.mark.parametrize(
    ("path", "marked"),
    [
        ("$.error.type", ['"type"', '"card_error"']),
        ("$.data[1].id", ['"id"', '"b"']),
        ("$.data[*].id", ['"id"', '"a"', '"id"', '"b"']),
        ("$['odd name']", ['"odd name"', "1"]),
        ("$.error.param", ['no "param"']),
        ("$.data[7]", ["no item 7"]),
        ("$.error.type.deeper", ['"card_error"']),
        ("status", []),
        ("headers.x", []),
        ("$.[", []),
    ],
)
def test_the_place_of_the_finding_is_marked(path: str, marked: list[str]) -> None:
    """Or the innermost place on the way that is there."""
    body = '{"error": {"type": "card_error"}, "data": [{"id": "a"}, {"id": "b"}], "odd name": 1}'
    assert _marked(body, path) == marked


def test_a_whole_body_can_be_marked() -> None:
    """``$`` is all of it."""
    assert "".join(_marked('{"a": [1, {}]}', "$")).replace(" ", "") == '{"a":[1,{}]}'


def test_a_long_body_keeps_its_beginning_and_the_marked_place() -> None:
    """With the number of lines that were cut between and after."""
    body = json.dumps({f"k{number}": number for number in range(500)})
    text = plain_text(body_lines(body, "$.k321", 1_000))

    assert len(text) < 1_300
    assert '"k0": 0' in text
    assert '"k321": 321' in text
    assert text.count("lines cut") == 2


@pytest.mark.parametrize("body", ["x" * 1_000_000, "[" + "1," * 500_000 + "1]", "a\n" * 500_000])
def test_a_megabyte_is_cut_with_a_notice(body: str) -> None:
    """Whatever it is made of."""
    text = plain_text(body_lines(body, "$.a", 2_000))

    assert len(text) < 2_200
    assert " cut" in text


@pytest.mark.parametrize("body", ["{broken", "[" * 100_000, "<html>", "a=1&b=2", '{"a": NaN'])
def test_what_is_no_json_is_shown_as_it_is(body: str) -> None:
    """No traceback, no layout."""
    assert plain_text(body_lines(body, "$.a", 500_000)) == body


def test_what_does_not_print_is_seen_in_bodies() -> None:
    """In JSON and in plain text; lines stay lines."""
    assert plain_text(body_lines("\x1b[1m\r\nnext\x00", "$", 100)) == "\\x1b[1m\nnext\\x00"
    assert "\\u202e" in plain_text(body_lines('{"a": "\u202e"}', "$.b", 100))


def test_no_body_is_no_lines() -> None:
    """Nothing is shown for nothing."""
    assert body_lines("", "$", 100) == []
