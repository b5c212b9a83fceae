"""What an author may write as arguments of a leaf matcher, and what the problems say."""

from __future__ import annotations

from typing import Any

import pytest

from troth.contracts.leaves import build_leaf
from troth.contracts.yaml_files.placed import Map, Marks, Seq
from troth.errors import Place, Problems

HERE = Place("contract.yaml", 7, 3)


def problems_of(name: str, argument: Any = None, modifiers: Any = None) -> Problems:
    """All problems; with any, there is no leaf."""
    problems = Problems()
    leaf = build_leaf(name, argument, modifiers or {}, HERE, problems)
    assert (leaf is None) == bool(problems.items)
    return problems


@pytest.mark.parametrize(
    ("name", "argument", "codes"),
    [
        ("strng", None, ["E259"]),
        ("string", {"mim": 3}, ["E250"]),
        ("string", "hello", ["E251"]),
        ("string", 3, ["E251"]),
        ("string", {"min": "3"}, ["E251"]),
        ("string", {"min": -1}, ["E251"]),
        ("string", {"min": True}, ["E251"]),
        ("string", {"length": 10**9}, ["E251"]),
        ("string", {"pattern": 3}, ["E251"]),
        ("string", {"min": 5, "max": 4}, ["E252"]),
        ("string", {"length": 5, "max": 4}, ["E252"]),
        ("string", {"mim": 3, "max": "x", "pattern": 4}, ["E250", "E251", "E251"]),
        ("text", "{{ body.reason }}", ["E251"]),
        ("text", "", []),
        ("integer", {"min": 1.5}, ["E251"]),
        ("integer", {"min": True}, ["E251"]),
        ("integer", {"min": 5, "max": 4}, ["E252"]),
        ("number", {"min": "1"}, ["E251"]),
        ("number", {"min": True}, ["E251"]),
        ("decimal", {"places": -1}, ["E251"]),
        ("decimal", {"min": "one"}, ["E251"]),
        ("decimal", {"min": "nan"}, ["E251"]),
        ("decimal", {"places": 2, "min": "0.001"}, ["E252"]),
        ("boolean", {"true": 1}, ["E250"]),
        ("boolean", True, ["E251"]),
        ("enum", None, ["E256"]),
        ("enum", [], ["E256"]),
        ("enum", "a", ["E256"]),
        ("enum", ["a", ["b"], "a"], ["E256", "E256"]),
        ("enum", [1, 1.0, True, "1"], []),
        ("timestamp", None, ["E257"]),
        ("timestamp", "rfc3399", ["E257"]),
        ("timestamp", {"unix": 1}, ["E250", "E257"]),
        ("id", {"length": 0}, ["E252"]),
        ("id", {"prefix": 3}, ["E251"]),
        ("id", {"alphabet": "z-a"}, ["E258"]),
        ("id", {"alphabet": "aa"}, ["E258"]),
        ("id", {"alphabet": " a"}, ["E258"]),
        ("token", {"length": 3}, ["E250"]),
        ("bytes", {"max": "5 MBytes"}, ["E251"]),
        ("bytes", {"max": -1}, ["E251"]),
        ("file", {"type": "png"}, ["E251"]),
        ("file", {"type": []}, ["E251"]),
        ("file", {"size": "2kB", "max": "1kB"}, ["E252"]),
        ("file", {"size": "1GB"}, ["E252"]),
        ("url", "no/slash", ["E251"]),
        ("url", "/v1/{{ this.id }}", ["E251"]),
        ("url", {"query": {"a": "{{ b }}"}}, ["E251"]),
        ("url", {"query": ["a"]}, ["E251"]),
        ("url", {"host": "a/b"}, ["E251"]),
    ],
)
def test_problems(name: str, argument: Any, codes: list[str]) -> None:
    """Every wrong thing at once, each with its code."""
    found = problems_of(name, argument).items
    assert [problem.code for problem in found] == codes
    assert all(problem.place == HERE and problem.asked and problem.found for problem in found)


def test_modifiers_beside_the_argument_mean_the_same() -> None:
    """``{$string: {min: 3}}`` and ``{$string: {}, min: 3}``; both at once is a problem."""
    leaf = build_leaf("string", {}, {"min": 3}, HERE, Problems())
    assert leaf == build_leaf("string", {"min": 3}, {}, HERE, Problems())
    assert leaf is not None
    assert leaf.fault("ab") is not None
    assert [problem.code for problem in problems_of("string", {"min": 3}, {"min": 3}).items] == ["E252"]


def test_a_typing_error_is_answered_with_the_right_word() -> None:
    """Did you mean ...?"""
    assert "'length'" in problems_of("id", {"lenght": 3}).items[0].fix
    assert "'integer'" in problems_of("integr").items[0].fix
    assert "'rfc3339'" in problems_of("timestamp", "rfc3393").items[0].fix


def test_problems_point_at_the_value() -> None:
    """Line and column of what is wrong, where the reader kept them."""
    argument = Map([("min", "x"), ("mx", 1)], HERE)
    argument.marks["min"] = Marks("contract.yaml", 9, 5, 9, 10)
    assert problems_of("string", argument).items[-1].place == Place("contract.yaml", 9, 10)
    members = Seq(["a", "a"], HERE)
    members.marks = [(4, 7), (5, 7)]
    assert problems_of("enum", members).items[0].place == Place("contract.yaml", 5, 7)


def test_sizes_are_decimal_or_binary_as_they_are_written() -> None:
    """1 kB is 1,000 bytes, 1 KiB 1,024."""
    for written, size in (("7", None), (7, 7), ("3B", 3), ("2kB", 2000), ("2KiB", 2048), ("5MB", 5 * 10**6)):
        leaf = build_leaf("bytes", {"max": written}, {}, HERE, Problems())
        assert (None if leaf is None else leaf.max) == size  # type: ignore[attr-defined]
