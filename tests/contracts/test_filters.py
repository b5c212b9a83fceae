"""Filters: what each one gives, what it refuses, and that absent and unknown values go past all of them."""

from __future__ import annotations

import hashlib
import re
from decimal import Decimal
from math import isclose
from pathlib import Path

import pytest
from fakes.scopes import FakeRecord, FakeScope, expression, run

from troth.contracts.expressions.expression import ExpressionError
from troth.contracts.expressions.filters import FILTERS
from troth.contracts.expressions.unknowns import Instant
from troth.contracts.values import ABSENT, Unknown

CATALOGUE = (
    "default lower length first last int decimal seconds merge pointer dotted brackets snake as_list all_in at md5 "
    "sha256 hmac_sha256 tokens embedding without"
)


def test_the_catalogue_is_complete():
    assert sorted(FILTERS) == sorted(CATALOGUE.split())


def test_filters_cannot_be_changed():
    with pytest.raises(TypeError):
        FILTERS["new"] = FILTERS["md5"]  # type: ignore[index]


def call(name: str) -> str:
    """The filter applied to ``v``, with what it needs."""
    return f"v | {name}(o)" if FILTERS[name].least else f"v | {name}"


@pytest.mark.parametrize("name", sorted(set(FILTERS) - {"default"}))
def test_absent_goes_past(name):
    assert run(call(name), o="x") is ABSENT


@pytest.mark.parametrize("name", sorted(FILTERS))
def test_an_unknown_value_gives_an_unknown_result(name):
    assert isinstance(expression(call(name)).value(FakeScope({"v": Unknown("v"), "o": "x"})), Unknown)


@pytest.mark.parametrize("name", sorted(name for name in FILTERS if FILTERS[name].most and name != "default"))
def test_an_unknown_argument_gives_an_unknown_result_with_a_name_of_its_own(name):
    labels = {run(f"v | {name}(o)", v="x", o=Unknown(label)).label for label in "ab"}
    assert len(labels) == 2


@pytest.mark.parametrize(
    ("source", "value", "result"),
    [
        ("v | default(5)", 0, 0),
        ("v | default(5)", None, None),
        ("v | default(5)", ABSENT, 5),
        ("v | default(none)", ABSENT, None),
        ("v | lower", "ÀB", "àb"),
        ("v | length", "héé", 3),
        ("v | length", b"abc", 3),
        ("v | length", [1, 2], 2),
        ("v | length", {"a": 1}, 1),
        ("v | first", [1, 2], 1),
        ("v | first", [], ABSENT),
        ("v | last", [1, 2], 2),
        ("v | last", [], ABSENT),
        ("v | at(1)", [1, 2], 2),
        ("v | at(-2)", [1, 2], 1),
        ("v | at(2)", [1, 2], ABSENT),
        ("v | at(-3)", [1, 2], ABSENT),
        ("v | at(none_there)", [1, 2], ABSENT),
        ("v | at('a:b/c/1')", {"a:b": {"c": [1, 2]}}, 2),
        ("v | at('a/x')", {"a": [1]}, ABSENT),
        ("v | at('a/b')", {"a": 1}, ABSENT),
        ("v | at('a')", FakeRecord("r", {"a": 5}), 5),
        ("v | int", "-042", -42),
        ("v | int", 5, 5),
        ("v | int", 5.0, 5),
        ("v | int", Decimal("7.00"), 7),
        ("v | int", Instant(10.9, 10.9), 10),
        ("v | decimal", "12.50", Decimal("12.50")),
        ("v | decimal", 0.1, Decimal("0.1")),
        ("v | decimal", 5, Decimal(5)),
        ("v | decimal(2)", 5, "5.00"),
        ("v | decimal(2)", "1.005", "1.00"),
        ("v | decimal(2)", "1.015", "1.02"),
        ("v | decimal(0)", Decimal("2.5"), "2"),
        ("v | decimal(2)", "-0.001", "-0.00"),
        ("v | seconds", "5m", 300),
        ("v | seconds", "250ms", 0.25),
        ("v | seconds", "30", 30),
        ("v | seconds", 30, 30),
        ("v | seconds", 1.5, 1.5),
        ("v | seconds", Instant(10.5, 10.5), 10.5),
        ("v | seconds", "1970-01-01T00:01:00Z", 60),
        ("v | merge(o)", {"a": 1, "b": {"c": 1}}, {"a": 1, "b": {"d": 2}, "e": None}),
        ("v | merge(none_there)", {"a": 1}, {"a": 1}),
        ("v | without('')", {"a": "", "b": None, "c": {"d": ""}}, {"b": None, "c": {"d": ""}}),
        ("v | without(1)", [1, True, "1", 2, 1], [True, "1", 2]),
        ("v | pointer", "a.b.0", "/a/b/0"),
        ("v | pointer", "$.a['b/c'][0]", "/a/b~1c/0"),
        ("v | dotted", "/a/b/0", "a.b.0"),
        ("v | brackets", "a.b.0", "a[b][0]"),
        ("v | brackets", "metadata", "metadata"),
        ("v | snake", "QueueUrl", "queue_url"),
        ("v | snake", "MD5OfMessageBody", "md5_of_message_body"),
        ("v | snake", "HTTPServer", "http_server"),
        ("v | snake", "content-type", "content_type"),
        ("v | snake", "already_snake", "already_snake"),
        ("v | snake", {"NumMedia": {"NotThis": 1}}, {"num_media": {"NotThis": 1}}),
        ("v | as_list", "a", ["a"]),
        ("v | as_list", ["a"], ["a"]),
        ("v | as_list", None, []),
        ("v | as_list", {"a": 1}, [{"a": 1}]),
        ("v | all_in(l)", ["a", "b"], True),
        ("v | all_in(l)", ["a", "c"], False),
        ("v | all_in(l)", "a", True),
        ("v | all_in(l)", [], True),
        ("v | all_in(l)", ["a", 1], False),
        ("v | all_in(none_there)", [1], False),
        ("v | all_in(none_there)", [], True),
        ("v | all_in(none_there)", ["a"], False),
        ("v | md5", "abc", hashlib.md5(b"abc").hexdigest()),
        ("v | md5", b"\xff", hashlib.md5(b"\xff").hexdigest()),
        ("v | sha256", "é", hashlib.sha256("é".encode()).hexdigest()),
        (
            "v | hmac_sha256('key')",
            "The quick brown fox jumps over the lazy dog",
            "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8",
        ),
        ("v | tokens", "", 0),
        ("v | tokens", "Hi, a much longer text!", 8),
        ("v | tokens", [{"role": "user", "content": "Hi!", "n": 5}], 3),
        ("v | embedding(3) | length", "a", 3),
        ("v | embedding | length", "a", 1536),
    ],
)
def test_result(source, value, result):
    found = run(source, v=value, o={"b": {"d": 2}, "e": None}, l=["a", "b"])
    assert found == result
    assert found.__class__ is result.__class__


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("v | lower", 5),
        ("v | length", 5),
        ("v | length", None),
        ("v | first", "text"),
        ("v | at(0)", "text"),
        ("v | at(o)", [1]),
        ("v | at(true)", [1]),
        ("v | int", "5.5"),
        ("v | int", "5 "),
        ("v | int", "five"),
        ("v | int", True),
        ("v | int", 5.5),
        ("v | int", None),
        ("v | int", "9" * 100),
        ("v | decimal", "1e5"),
        ("v | decimal", "NaN"),
        ("v | decimal", True),
        ("v | decimal(99)", 1),
        ("v | decimal(o)", 1),
        ("v | seconds", "soon"),
        ("v | seconds", None),
        ("v | seconds", True),
        ("v | merge(o)", [1]),
        ("v | merge(5)", {"a": 1}),
        ("v | merge(none)", {"a": 1}),
        ("v | without('a')", "abc"),
        ("v | pointer", 5),
        ("v | dotted", "a]b"),
        ("v | brackets", "a..b"),
        ("v | snake", 5),
        ("v | all_in('ab')", "a"),
        ("v | md5", 5),
        ("v | md5", {"a": 1}),
        ("v | sha256", None),
        ("v | hmac_sha256(5)", "a"),
        ("v | hmac_sha256(none_there)", "a"),
        ("v | embedding", 5),
        ("v | embedding(0)", "a"),
        ("v | embedding(99999)", "a"),
    ],
)
def test_refused(source, value):
    with pytest.raises(ExpressionError, match=r"E12[01]"):
        run(source, v=value, o={"x": 1})


def test_long_lists_of_texts_are_looked_through_at_once():
    texts = [str(number) for number in range(200_000)]
    assert run("v | all_in(l)", v=texts, l=[*reversed(texts)]) is True
    assert run("v | all_in(l)", v=[*texts, "x"], l=texts) is False


def test_long_lists_of_other_things_are_refused():
    with pytest.raises(ExpressionError, match="too many"):
        run("v | all_in(l)", v=list(range(2000)), l=list(range(2000)))


@pytest.mark.parametrize(
    "source",
    ["v | length", "v | int", "v | md5", "v | at(0)", "v | merge(v)", "v | snake", "v | decimal", "v | seconds"],
)
def test_refusals_are_in_the_words_of_the_language(source):
    with pytest.raises(ExpressionError) as caught:
        run(source, v=True)
    assert "true or false" in str(caught.value)


def test_a_time_within_an_interval_has_unknown_seconds():
    assert isinstance(run("v | seconds", v=Instant(1.0, 2.0)), Unknown)
    assert isinstance(run("v | int", v=Instant(1.0, 2.0)), Unknown)
    assert run("v | int", v=Instant(1.1, 1.9)) == 1


def test_unknown_items_leave_all_in_open_only_where_it_matters():
    assert isinstance(run("v | all_in(l)", v=["a", Unknown("x")], l=["a"]), Unknown)
    assert run("v | all_in(l)", v=["b", Unknown("x")], l=["a"]) is False


def test_a_member_that_may_be_unwanted_leaves_the_rest_unknown():
    assert isinstance(run("v | without('')", v={"a": "x", "b": Unknown("b")}), Unknown)


def test_filters_do_not_change_their_arguments():
    value, other = {"a": 1}, {"b": 2}
    run("v | merge(o)", v=value, o=other)
    run("v | snake", v=value)
    assert (value, other) == ({"a": 1}, {"b": 2})


def test_an_embedding_has_length_one_and_depends_on_the_text():
    first, second = (run("v | embedding(64)", v=text) for text in ("a", "b"))
    assert isclose(sum(part * part for part in first), 1.0)
    assert first == run("v | embedding(64)", v="a")
    assert first != second


def test_filters_that_the_examples_use_exist_or_come_from_hooks():
    """Every filter that the Stripe contract uses is in the catalogue."""
    folder = Path(__file__).parents[2] / "troth" / "contracts" / "providers"
    used = {name for file in folder.rglob("*.yaml") for name in re.findall(r"\w \| (\w+)", file.read_text())}
    assert used <= set(FILTERS)
