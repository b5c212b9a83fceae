"""Expressions that do not load: each mistake has a code, a place in the expression, and what to write instead."""

from __future__ import annotations

import time

import pytest

from troth.contracts.expressions.expression import compile_expression, compile_template
from troth.errors import Place, Problem, Problems

PLACE = Place("contract.yaml", 12, 5)


def problem(source: object) -> Problem:
    problems = Problems()
    assert compile_expression(source, PLACE, problems) is None
    assert len(problems.items) == 1
    return problems.items[0]


@pytest.mark.parametrize(
    ("source", "code", "column", "fix"),
    [
        ("", "E100", 0, "Write a name"),
        ("   ", "E100", 0, "Write a name"),
        ("a b", "E101", 2, "caret"),
        ("a ==", "E101", 4, "missing at the end"),
        ("a @ b", "E101", 2, "caret"),
        ("a.+", "E101", 2, "caret"),
        ("a if b else", "E101", 11, "missing at the end"),
        ("'abc", "E102", 0, "Close it"),
        ('a == "b', "E102", 5, "` #`"),
        ('body.color == "a', "E102", 14, ">-"),
        ("f(a", "E102", 1, "comma"),
        ("a) or (b", "E102", 1, "Remove"),
        ("b)", "E102", 1, "Remove"),
        ("`a`", "E102", 0, "quotes"),
        ("a = b", "E103", 2, "`==`"),
        ("a === b", "E103", 2, "`==`"),
        ("a !== b", "E103", 2, "`!=`"),
        ("a && b", "E103", 2, "`and`"),
        ("a & b", "E103", 2, "`and`"),
        ("a || b", "E103", 2, "`or`"),
        ("!a", "E103", 0, "`not`"),
        ("a <> b", "E103", 2, "`!=`"),
        ("a =~ 'b'", "E103", 2, "whole"),
        ("a ? b : c", "E103", 2, "if test else"),
        ("a?.b", "E103", 1, "absent"),
        ("a ?? b", "E103", 2, "default"),
        ("a; b", "E103", 1, "one expression"),
        ("${x}", "E103", 0, "alone"),
        ("$x", "E103", 0, "alone"),
        ("a == null", "E103", 5, "`none`"),
        ("a is None", "E103", 5, "`none`"),
        ("x == True", "E103", 5, "`true`"),
        ("x == FALSE", "E103", 5, "`false`"),
        ("x == undefined", "E103", 5, "absent"),
        ("a AND b", "E103", 2, "lower case"),
        ("1_000", "E103", 0, "digits"),
        ("0x10", "E103", 0, "digits"),
        ("1e3", "E103", 0, "digits"),
        ("007", "E103", 0, "digits"),
        ("'a' 'b'", "E103", 4, "`~`"),
        ("a ~ 'a''b'", "E103", 7, "`~`"),
        ("state.charges[path.id]", "E104", 13, "state.charges(path.id)"),
        ("[1, 2]", "E104", 0, "('a', 'b')"),
        ("{'a': 1}", "E104", 0, "YAML"),
        ("this.data.0", "E104", 9, "at(0)"),
        ("+a", "E104", 0, "reference"),
        ("a in 'abc'", "E104", 5, "comma"),
        ("a in ('abc')", "E104", 6, "comma"),
        ("a | defualt(1)", "E105", 4, "default"),
        ("a | upper", "E105", 4, "Known filters: all_in,"),
        ("a | default", "E106", 4, "number"),
        ("a | md5(1)", "E106", 4, "number"),
        ("a | at(i=0)", "E103", 8, "=="),
        ("a is defined", "E107", 2, "is not absent"),
        ("a is undefined", "E103", 5, "absent"),
        ("a is string", "E107", 2, "=="),
        ("a is absent if b else c", "E107", 2, "(x is absent)"),
        ("a is none(5)", "E107", 2, "parentheses"),
        ("a == absent", "E107", 5, "is absent"),
        ("absent != a", "E107", 10, "is absent"),
        ("headers.Idempotency-Key", "E108", 8, "headers.idempotency_key"),
        ("headers.idempotency-key == 'x'", "E108", 8, "headers.idempotency_key"),
        ("reply.headers.ETag", "E108", 14, "reply.headers.etag"),
        ("headers.ETag", "E108", 8, "headers.etag"),
        ("a" * 4097, "E109", 0, "let"),
        ("(" * 41 + "a" + ")" * 41, "E109", 40, "let"),
        ("{{ a }}", "E110", 0, "bare"),
        ("a }} b", "E110", 2, "bare"),
        ("'a' * 10**8", "E114", 0, "smaller"),
        ("1 / 0", "E114", 0, "zero"),
        ("-'a'", "E114", 0, "number"),
        ("'a' < 1", "E114", 6, "texts with texts"),
        ("'abc' | int", "E114", 8, "filter"),
        ("9" * 100, "E114", 0, "smaller"),
        ("f()", "E115", 1, "state.charges(path.id)"),
        ("f(a, b)", "E115", 1, "state.charges(path.id)"),
        ("f(*a)", "E115", 1, "state.charges(path.id)"),
        ("state(a)", "E115", 5, "state.C(key)"),
        ("state.a.b(c)", "E115", 9, "state.C(key)"),
        ("md5(a)", "E115", 3, "| md5"),
    ],
)
def test_mistakes(source, code, column, fix):
    found = problem(source)
    assert (found.code, found.place) == (code, PLACE)
    line, caret = found.excerpt.split("\n")
    assert caret.index("^") == min(line.index("…") + 52 if "…" in line else 2 + column, 102)
    assert fix in found.fix


@pytest.mark.parametrize("source", [[1], {"a": 1}, 1 + 2j])
def test_data_is_no_expression(source):
    assert problem(source).code == "E100"


@pytest.mark.parametrize(
    "source",
    [
        "not " * 1000 + "a",
        "-" * 3000 + "a",
        "a" + ".b" * 2000,
        "+".join("a" * 2000),
        " and ".join("a" * 600),
        "a" + " | lower" * 500,
        "a" + " if b else a" * 300,
        "a ** " * 700 + "a",
        "a < " * 900 + "a",
    ],
    ids=["not", "minus", "fields", "plus", "and", "filters", "if", "power", "less"],
)
def test_deep_expressions_are_refused_and_do_not_exhaust_the_stack(source):
    assert problem(source).code == "E109"


@pytest.mark.parametrize("source", ["'a' * 10 ** 8", "9 ** 9 ** 9 ** 9", "('a' * 999999) * 999999", "3 ** 99999999"])
def test_what_would_use_up_the_machine_is_refused_at_once(source):
    start = time.perf_counter()
    assert problem(source).code == "E114"
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("a {% if x %}b{% endif %}", "E111", 2),
        ("a {# note #}", "E111", 2),
        ("a {{ b", "E112", 2),
        ("{{- b }}", "E111", 0),
        ("x{{ a b }}", "E101", 2),
        ("{{ }}", "E100", 0),
        ("{{ a | nope }}!", "E105", 4),
        ("{{ 'a }}", "E102", 0),
    ],
)
def test_mistakes_in_texts(text, code, column):
    problems = Problems()
    assert compile_template(text, PLACE, problems) is None
    assert [item.code for item in problems.items] == [code]
    assert problems.items[0].excerpt.split("\n")[1].index("^") == 2 + column


def test_words_in_texts_and_fields_are_no_mistakes():
    problems = Problems()
    for source in (
        "a == 'x = y && z || !w ? [1] {2} null True'",
        'a == "it\'s"',
        "a == 'it\\'s'",
        "body.null.True.AND.undefined",
        "nullable",
        "headers.x_y - body.Total",
        "a != b",
        "a <= b",
        "a >= 10.05",
        "body.items.not",
        "body.text or ''",
        "('', '', x)",
        "a == '' and b == ''",
    ):
        assert compile_expression(source, PLACE, problems) is not None
    assert problems.items == []


def test_a_long_expression_is_shown_around_the_mistake():
    found = problem("a" * 300 + " = b")
    line, caret = found.excerpt.split("\n")
    assert line[caret.index("^")] == "="
    assert len(line) <= 110


def test_an_expression_over_several_lines_shows_the_line_of_the_mistake():
    line, caret = problem("a and\nb = c and\nd").excerpt.split("\n")
    assert line == "  b = c and"
    assert caret == "    ^"
