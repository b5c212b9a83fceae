"""An expectation is a part of a reply: what it names must be so, the rest may be anything."""

from __future__ import annotations

from typing import Any

import pytest

from troth.contracts.compiler.wanted import compile_wanted
from troth.contracts.matcher import Mismatch, Origin
from troth.contracts.values import ABSENT, Unknown, Value
from troth.errors import Place, Problems
from troth.runners.scope import StepScope

ORIGIN = Origin("get.found")


def unmet(raw: Any, observed: Value, **names: Value) -> list[Mismatch]:
    problems = Problems()
    wanted = compile_wanted(raw, Place(), problems)
    assert problems.items == []
    assert wanted is not None
    return list(wanted.unmet(observed, "$", StepScope(names), ORIGIN))


@pytest.mark.parametrize(
    ("raw", "observed"),
    [
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": {"b": "x"}}, {"a": {"b": "x", "c": None}}),
        ({"a": None}, {"a": None}),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2, "c": 3}]}),
        ({"a": []}, {"a": []}),
        ({"a?": 1}, {}),
        ({"a?": 1}, {"a": 1}),
        ({"a": "{{ absent }}"}, {}),
        ({"a": "{{ kept }}"}, {"a": "k"}),
        ({"a": "{{ whole }}"}, {"a": {"b": [1], "c": 2}}),
        ({"a": "$string"}, {"a": "anything"}),
        ({"a": {"$enum": ["x", "y"]}}, {"a": "y"}),
        ({"a": {"$integer": None, "min": 3}}, {"a": 3}),
        ({"$$ref": "$$x"}, {"$ref": "$x"}),
        ([{"a": 1}], [{"a": 1}]),
        ("text", "text"),
    ],
)
def test_it_is_met(raw: Any, observed: Value) -> None:
    """Members that are not named, optional ones that are missing, matchers that fit."""
    assert unmet(raw, observed, kept="k", whole={"b": [1]}) == []


@pytest.mark.parametrize(
    ("raw", "observed", "path"),
    [
        ({"a": 1}, {"a": 2}, "$.a"),
        ({"a": 1}, {"a": True}, "$.a"),
        ({"a": 1}, {"a": 1.0}, "$.a"),
        ({"a": 1}, {"a": "1"}, "$.a"),
        ({"a": None}, {}, "$.a"),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, "$.a.b"),
        ({"a": {"b": 1}}, {"a": 1}, "$.a"),
        ({"a": {"b": 1}}, {"a": None}, "$.a"),
        ({"a": [1]}, {"a": [1, 2]}, "$.a"),
        ({"a": [1]}, {"a": []}, "$.a"),
        ({"a": []}, {"a": [1]}, "$.a"),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, "$.a[0].b"),
        ({"a?": 1}, {"a": 2}, "$.a"),
        ({"a": "{{ absent }}"}, {"a": None}, "$.a"),
        ({"a": "{{ kept }}"}, {"a": "l"}, "$.a"),
        ({"a": "{{ whole }}"}, {"a": {"b": [2]}}, "$.a.b[0]"),
        ({"a": "$string"}, {"a": 1}, "$.a"),
        ({"a": "$string"}, {}, "$.a"),
        ({"a": {"$enum": ["x", "y"]}}, {"a": "z"}, "$.a"),
        ({"a-b": 1}, {"a-b": 2}, "$['a-b']"),
        ("text", ABSENT, "$"),
    ],
)
def test_it_is_not_met(raw: Any, observed: Value, path: str) -> None:
    """One mismatch, where it is, with what was expected and what came."""
    (found,) = unmet(raw, observed, kept="k", whole={"b": [1]})
    assert (found.kind, found.path, found.origin) == ("expect", path, ORIGIN)


def test_each_difference_is_said() -> None:
    """In the order in which they are written."""
    found = unmet({"a": 1, "b": {"c": 2, "d": 3}}, {"a": 0, "b": {"c": 0, "d": 3}})
    assert [(one.path, one.expected, one.observed) for one in found] == [("$.a", 1, 0), ("$.b.c", 2, 0)]


def test_what_nobody_knows_is_not_expected() -> None:
    """An unknown value cannot differ."""
    assert unmet({"a": "{{ kept }}"}, {"a": 5}, kept=Unknown("x")) == []


def test_its_expressions_are_known() -> None:
    """So that their names can be checked when the contract loads."""
    wanted = compile_wanted({"a": ["{{ one }}", {"b": "x {{ two }}"}], "c": "$string"}, Place(), Problems())
    assert wanted is not None
    assert {name for expression in wanted.expressions for name in expression.names} == {"one", "two"}


@pytest.mark.parametrize("raw", [{"a": "$Charge"}, {"a": {"$array": "$string"}}, "$nullable", {"a": "$strnig"}])
def test_what_it_cannot_hold(raw: Any) -> None:
    """Types and structures belong into the operation; a misspelt matcher is a mistake."""
    problems = Problems()
    compile_wanted(raw, Place("c.yaml", 3, 5), problems)
    (problem,) = problems.items
    assert problem.place == Place("c.yaml", 3, 5)
