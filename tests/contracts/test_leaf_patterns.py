"""``pattern``: samples match, and matching is never slow."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from fakes.draw import SeededDraw
from hypothesis import given, settings
from hypothesis import strategies as st

from troth.contracts.expressions.unknowns import Instant
from troth.contracts.leaves import Leaf, build_leaf
from troth.contracts.leaves.pattern_risk import longest_text
from troth.contracts.leaves.pattern_tree import parse
from troth.errors import ContractError, Place, Problems

NOW = Instant(0.0, 0.0)


def build(pattern: str, *, said: bool = False, **more: Any) -> tuple[Leaf | None, Problems]:
    """A ``$string`` with a pattern, and the problems of it."""
    problems = Problems()
    return build_leaf("string", {"pattern": pattern, **more}, {}, Place("c.yaml", 1, 1), problems, said=said), problems


USUAL = [
    "[a-z]{3}",
    "[A-Z]{3}",
    "[0-9a-f]{64}",
    r"\d{12}",
    r"\d{10}\.\d{6}",
    "[A-Za-z0-9_-]{1,64}",
    "[0-9A-Z]{17}",
    r"(?P<major>\d+)\.\d+(?:\.\d+)?",
    r"^[^/\s]+/[^/\s]+$",
    r"(?:[a-z0-9-]+\.)+[a-z]{2,}",
    r"([0-9a-f]{2}):\1",
    "é+|[à-ü]{2}",
    r"[^\x00-\x7f]{3}",
    r"arn:aws:sqs:[a-z]+-[a-z]+-\d:\d{12}:[\w-]{1,80}",
    r"(?!000)\d{3}-\d{2}",
    r"\.\.\.",
    r"a*?b+?c??",
    r"(?>ab|a)c",
    "",
]


@pytest.mark.parametrize("pattern", USUAL)
def test_samples_of_usual_patterns_match(pattern: str) -> None:
    """Forty draws, each a full match."""
    leaf, problems = build(pattern)
    assert leaf is not None, [str(problem) for problem in problems.items]
    for seed in range(40):
        text = leaf.make(SeededDraw(seed), NOW)
        assert re.fullmatch(pattern, text, re.ASCII), text


@pytest.mark.parametrize(
    ("pattern", "low", "high"),
    [("[a-z]+", 50, 50), ("[a-z]+-[a-z]+", 10, 10), (r"\d{2,}", 2, 2), ("(?:ab)+", 31, 32), ("a|b{400}", 300, None)],
)
def test_samples_have_the_length_that_is_asked_for(pattern: str, low: int, high: int | None) -> None:
    """``min``, ``max`` and ``pattern`` hold together."""
    leaf, problems = build(pattern, **({"min": low} if high is None else {"min": low, "max": high}))
    assert leaf is not None, [str(problem) for problem in problems.items]
    for seed in range(40):
        assert leaf.fault(leaf.make(SeededDraw(seed), NOW)) is None


@pytest.mark.parametrize("pattern", ["(?=b)a+", "a(?<=b)"])
def test_what_cannot_be_made_asks_for_an_example(pattern: str) -> None:
    """A problem, unless the author says what samples say; then ``make`` is an error rather than a lie."""
    leaf, problems = build(pattern)
    assert leaf is None
    assert [(problem.code, "default" in problem.fix) for problem in problems.items] == [("E255", True)]
    leaf, problems = build(pattern, said=True)
    assert leaf is not None
    assert not problems.items
    with pytest.raises(ContractError, match="E255"):
        leaf.make(SeededDraw(), NOW)


def test_lengths_that_a_pattern_cannot_have_ask_for_an_example() -> None:
    """``[a-z]{3}`` with five characters; texts that nobody wants to see as samples."""
    assert build("[a-z]{3}", min=5)[1].items[0].code == "E255"
    assert build("a{20000}")[1].items[0].code == "E255"


@pytest.mark.parametrize("pattern", ["[a-", "(", "a**", "(?i)abc", "(?i:a)b", "x" * 1001, "(a)(?(1)b|c)"])
def test_what_is_no_pattern_is_a_problem(pattern: str) -> None:
    """Syntax errors, and constructs that are read differently elsewhere."""
    leaf, problems = build(pattern)
    assert leaf is None
    assert [problem.code for problem in problems.items] == ["E253"]


SLOW = [
    "(a+)+",
    "(a*)*b",
    "(?:a+)+b",
    "(a|a)*b",
    "(a|aa)+b",
    r"(\w+\s?)*",
    r"(x+x+)+y",
    "(a?){30}a{30}",
    "a?" * 30 + "a" * 30,
    "(a{1,30}){1,30}",
    ".*a.*b.*c",
    r"\s+\s+\s+x",
    "a*b?a*c?a*",
    "(a|ab)" * 30 + "x",
    "(([a-z])+.)+[A-Z]([a-z])+",
    "(?=(a+)+b)a",
    "(?:(?:a{0,3}){0,3}){0,3}b",
    "(?:a{1,9}a{1,9}){8}b",
    "(?:a?b?a?){15}c",
]


@pytest.mark.parametrize("pattern", SLOW)
def test_slow_patterns_do_not_load(pattern: str) -> None:
    """The known catastrophes, before they meet a text."""
    leaf, problems = build(pattern, said=True)
    assert leaf is None
    assert [problem.code for problem in problems.items] == ["E254"]


def test_quadratic_patterns_meet_texts_of_bounded_length() -> None:
    """The limit keeps the worst case short, and is a fault, not a hang."""
    leaf, _ = build(r"\w+\d+x")
    assert leaf is not None
    limit = longest_text(parse(r"\w+\d+x")[0])
    assert limit is not None
    assert limit > 4000
    started = time.perf_counter()
    slow, long = leaf.fault("1" * limit), leaf.fault("1" * 10_000_000)
    assert time.perf_counter() - started < 20
    assert slow is not None
    assert long is not None
    assert (slow.kind, long.kind) == ("format", "bounds")
    linear, _ = build(r"\d+")
    assert linear is not None
    assert linear.fault("1" * 1_000_000) is None


atoms = st.sampled_from(["a", "b", "[ab]", ".", "[^a]", r"\d", "ab", "(?:a|b)", "(?:a|ab)", "(?:ab|ba)"])
repeats = st.sampled_from(["", "?", "*", "+", "{2}", "{0,3}", "{1,20}"])


@st.composite
def patterns(draw: Any, depth: int = 2) -> str:
    """Small patterns with every way to nest and join repeats."""
    parts = []
    for _ in range(draw(st.integers(1, 4))):
        inner = draw(atoms) if depth == 0 or draw(st.booleans()) else f"(?:{draw(patterns(depth - 1))})"
        parts.append(inner + (draw(repeats) if len(inner) == 1 or inner[0] in "([" or inner[0] == "\\" else ""))
    return "".join(parts)


@given(patterns(), st.sampled_from(["a", "b", "ab", "aab", "1"]))
@settings(max_examples=300, deadline=None)
def test_what_loads_is_quick(pattern: str, unit: str) -> None:
    """A pattern that the check lets pass fails fast on repetitive texts: the estimate is no promise it cannot keep."""
    limit = longest_text(parse(pattern)[0])
    if limit is None:
        return
    text = unit * 100 + "!\n"
    started = time.perf_counter()
    re.fullmatch(pattern, text, re.ASCII)
    assert time.perf_counter() - started < 1.0, pattern


@given(patterns(), st.integers(0, 1000))
@settings(max_examples=200, deadline=None)
def test_what_is_made_matches(pattern: str, seed: int) -> None:
    """Whatever loads makes matching texts."""
    leaf, _ = build(pattern)
    if leaf is not None:
        text = leaf.make(SeededDraw(seed), NOW)
        assert re.fullmatch(pattern, text, re.ASCII)
        assert leaf.fault(text) is None
