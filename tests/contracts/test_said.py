"""Data with expressions in it."""

from __future__ import annotations

import pytest
from fakes.scopes import FakeScope

from troth.contracts.expressions.expression import compile_said
from troth.contracts.expressions.said import Said, make_file
from troth.contracts.values import ABSENT, Unknown
from troth.contracts.yaml_files.placed import Map, Marks, Seq
from troth.errors import Place, Problems

PLACE = Place("contract.yaml", 4, 2)


def said(data):
    problems = Problems()
    compiled = compile_said(data, PLACE, problems)
    assert problems.items == []
    return compiled


def problem(data):
    problems = Problems()
    assert isinstance(compile_said(data, PLACE, problems), Said)
    assert len(problems.items) == 1
    return problems.items[0]


@pytest.mark.parametrize("data", [5, 1.5, True, None, "text", "", [], {}, {"a": [1, {"b": None}]}, "a | b == c"])
def test_plain_data_stands_for_itself(data):
    compiled = said(data)
    assert compiled.constant
    assert compiled.value(FakeScope()) == data
    assert compiled.expressions == ()
    assert compiled.whole is None


def test_expressions_are_evaluated_wherever_they_stand():
    compiled = said({"amount": 1200, "to": "{{ id }}", "tags": ["a", "{{ n + 1 }}"], "note": "for {{ id }}"})
    expected = {"amount": 1200, "to": "ch_1", "tags": ["a", 3], "note": "for ch_1"}
    scope = FakeScope({"id": "ch_1", "n": 2})
    assert compiled.value(scope) == expected
    assert compiled.run(scope) == expected
    assert not compiled.constant
    assert not said("for {{ id }}").constant
    assert [found.source for found in compiled.expressions] == ["id", "n + 1", "for {{ id }}"]


def test_one_whole_expression_can_be_reached():
    compiled = said("{{ charge.id }}")
    assert compiled.whole is compiled.expressions[0]
    assert compiled.whole.path == ("charge", "id")


def test_absent_members_and_items_are_left_out():
    compiled = said({"a": "{{ absent }}", "b": {"c": "{{ x }}"}, "d": [1, "{{ x }}"]})
    assert compiled.value(FakeScope()) == {"b": {}, "d": [1]}
    assert said("{{ x }}").value(FakeScope()) is ABSENT


def test_only_value_forks():
    """value() knows that the unknown does not matter; run() asks the scope once."""
    compiled = said({"a": "{{ 5 if x else 5 }}", "b": "{{ 5 if x else 6 }}", "c": "{{ x }}"})
    scope = FakeScope({"x": Unknown("x")})
    value = compiled.value(scope)
    assert value["a"] == 5
    assert isinstance(value["b"], Unknown)
    assert value["c"].label == "x"
    assert scope.asked == []
    assert compiled.run(scope)["b"] == 6
    assert scope.asked == ["x", "x"]


def test_two_dollars_are_one_in_the_key():
    assert said({"$$ref": 1}).value(FakeScope()) == {"$ref": 1}


def test_unique_makes_a_name():
    compiled = said({"order": {"$unique": "order-"}, "mail": {"$unique": "{{ kind }}-"}})
    scope = FakeScope({"unique": lambda text: text + "7", "kind": "k"})
    assert compiled.value(scope) == {"order": "order-7", "mail": "k-7"}
    assert [found.calls for found in compiled.expressions] == [(("unique",),), (("unique",),)]
    assert compiled.expressions[1].names == {"unique", "kind"}


def test_a_file_has_the_size_and_always_the_same_bytes():
    compiled = said({"file": {"$file": {"size": "100kB", "name": "a.png", "type": "image/png"}}})
    file = compiled.value(FakeScope())["file"]
    assert (file["name"], file["type"], len(file["bytes"])) == ("a.png", "image/png", 100_000)
    assert file == make_file(100_000, "a.png", "image/png")
    assert file["bytes"] != make_file(100_000, "b.png", "image/png")["bytes"]
    assert compiled.constant


def test_a_file_needs_a_size_only():
    file = said({"$file": {"size": 3}}).value(FakeScope())
    assert (file["name"], file["type"], len(file["bytes"])) == ("file", "application/octet-stream", 3)


@pytest.mark.parametrize(
    ("data", "code", "fix"),
    [
        ({"$string": {}}, "E116", "$$"),
        ({"a": {"$Charge": {}}}, "E116", "$$"),
        ({"$unique": "a", "b": 1}, "E116", "other keys"),
        ({1: 2}, "E116", "quotes"),
        ({"$unique": 5}, "E117", "beginning"),
        ({"$file": 5}, "E117", "100kB"),
        ({"$file": {}}, "E117", "100kB"),
        ({"$file": {"size": "100kB", "path": "x"}}, "E117", "100kB"),
        ({"$file": {"size": "big"}}, "E117", "100kB"),
        ({"$file": {"size": True}}, "E117", "100kB"),
        ({"$file": {"size": -1}}, "E117", "100kB"),
        ({"$file": {"size": "9GB"}}, "E117", "64MiB"),
        ({"$file": {"size": 5, "name": 5}}, "E117", "texts"),
        ({"$file": {"size": 5, "type": 5}}, "E117", "texts"),
        ("{{ a b }}", "E101", "caret"),
        (["{{ a | nope }}"], "E105", "Known filters"),
        ("{% if a %}", "E111", "texts"),
    ],
)
def test_problems(data, code, fix):
    found = problem(data)
    assert found.code == code
    assert fix in found.fix
    assert found.place == PLACE


def test_problems_have_the_place_of_the_value_or_the_key():
    data = Map(at=PLACE).with_entry("a", "{{ a b }}", Marks("f", 7, 3, 7, 6))
    items = Seq(["{{ a b }}"], PLACE)
    items.marks.append((9, 5))
    wrong = Map(at=PLACE).with_entry("$text", 1, Marks("f", 8, 3, 8, 10))
    assert problem(data).place == Place("f", 7, 6)
    assert problem(items).place == Place("contract.yaml", 9, 5)
    assert problem(wrong).place == Place("f", 8, 3)


def test_all_problems_are_found_at_once():
    problems = Problems()
    compile_said({"a": "{{ a b }}", "b": ["{{ c | nope }}", {"$x": 1}]}, PLACE, problems)
    assert [item.code for item in problems.items] == ["E101", "E105", "E116"]


def test_data_that_is_nested_too_deep_is_a_problem():
    data: object = 1
    for _ in range(5000):
        data = [data]
    assert problem(data).code == "E109"
