"""The source line with a caret."""

from troth.contracts.yaml_files.excerpt import excerpt, lines_of, with_excerpts
from troth.errors import Place, Problem


def caret(text: str) -> str:
    """The character above the caret."""
    line, below = text.split("\n")
    return line[below.index("^")]


def test_caret_stands_under_the_column() -> None:
    """The caret marks the character at the place."""
    shown = excerpt(["a: 1", "b: @x"], Place("f", 2, 4))

    assert shown == "    2 | b: @x\n      |    ^"
    assert caret(shown) == "@"


def test_long_lines_are_cut_around_the_place() -> None:
    """A line of a thousand characters shows what matters."""
    line = "x" * 500 + "@" + "y" * 500
    shown = excerpt([line], Place("f", 1, 501))

    assert caret(shown) == "@"
    assert max(len(part) for part in shown.split("\n")) < 130
    assert shown.count("…") == 2


def test_ends_of_long_lines() -> None:
    """First and last column of a long line."""
    line = "@" + "x" * 500 + "#"

    assert caret(excerpt([line], Place("f", 1, 1))) == "@"
    assert caret(excerpt([line], Place("f", 1, 502))) == "#"


def test_what_cannot_be_seen_is_shown_to_be_there() -> None:
    """U+202E turns the rest of the line round on a screen, U+200B is nothing to the eye; columns stay."""
    shown = excerpt(["a: \u202e\u200b@é東"], Place("f", 1, 6))

    assert caret(shown) == "@"
    assert "a: \ufffd\ufffd@é東" in shown


def test_no_line_no_excerpt() -> None:
    """Places without a line, and lines that are not there."""
    assert excerpt(["a"], Place("f")) == ""
    assert excerpt(["a"], Place("f", 9, 1)) == ""


def test_lines_are_counted_as_yaml_counts_them() -> None:
    """Line breaks of all systems, and no others: a form feed breaks no line."""
    assert lines_of("a\r\nb\rc\nd\x0ce") == ["a", "b", "c", "d\x0ce"]


def test_problems_are_sorted_and_shown_once() -> None:
    """By file as they were read, then by place; the same problem twice is one."""
    second = Problem("E031", Place("b", 1, 1), "x", "y")
    first = Problem("E030", Place("a", 2, 1), "x", "y")
    start = Problem("E030", Place("a", 1, 1), "x", "y")

    shown = with_excerpts([second, first, start, first], {"a": "k: 1\nl: 2", "b": "m: 3"})

    assert [(p.place.file, p.place.line) for p in shown] == [("a", 1), ("a", 2), ("b", 1)]
    assert [p.excerpt.split("| ")[1].split("\n")[0] for p in shown] == ["k: 1", "l: 2", "m: 3"]


def test_an_excerpt_that_is_there_stays() -> None:
    """What a problem brings along is not overwritten."""
    problem = Problem("E030", Place("a", 1, 1), "x", "y", excerpt="mine")

    assert with_excerpts([problem], {"a": "k: 1"}) == [problem]


def test_credentials_are_blotted_out() -> None:
    """A problem on a line with a credential does not print it; the caret stays where it was."""
    key = "sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc"
    problem = Problem("E030", Place("a", 1, 36), "x", f"the text {key!r}", f"Remove {key}")

    (shown,) = with_excerpts([problem], {"a": f"{key} k: @"})

    assert key not in str(shown)
    assert "sk_test_••••" in shown.excerpt
    assert "sk_test_••••" in shown.found
    assert shown.excerpt.split("\n")[0].index("@") == len("    1 | ") + 36


def expression_problem(column: int, source: str, offset: int) -> Problem:
    """A problem at ``offset`` of an expression that stands at ``column`` of line 2."""
    return Problem("E113", Place("a", 2, column), "x", "y", excerpt=f"  {source}\n  {' ' * offset}^")


def test_the_line_of_an_expression_is_shown_with_the_caret_in_it() -> None:
    """A bare expression, and one in braces behind the place."""
    text = "a:\n  when: b == boddy\n"

    (bare,) = with_excerpts([expression_problem(9, "b == boddy", 5)], {"a": text})
    (braced,) = with_excerpts([expression_problem(6, "x.y", 2)], {"a": 'a:\n  b: "{{ x.y }}"\n'})

    assert bare.excerpt == "    2 |   when: b == boddy\n      |              ^"
    assert caret(bare.excerpt) == "b"
    assert caret(braced.excerpt) == "y"


def test_an_expression_that_stands_otherwise_in_its_file_is_shown_below_its_first_line() -> None:
    """Folded by YAML over two lines."""
    text = "a:\n  when: >-\n    b and\n    boddy\n"

    (folded,) = with_excerpts([expression_problem(9, "b and boddy", 6)], {"a": text})

    assert folded.excerpt == "    2 |   when: >-\n  b and boddy\n        ^"
    assert with_excerpts([folded], {"a": text}) == [folded]
