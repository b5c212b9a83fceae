"""What holds for every leaf matcher, whatever its arguments."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from fakes.draw import SeededDraw
from hypothesis import given, settings
from hypothesis import strategies as st

from troth.contracts.expressions.unknowns import Instant
from troth.contracts.leaves import LEAF_NAMES, Fault, Leaf, build_leaf, same_json
from troth.contracts.values import ABSENT, Unknown
from troth.errors import Place, Problems

NOW = Instant(1_790_000_000.25, 1_790_000_000.25)

CASES: list[tuple[str, Any]] = [
    ("any", None),
    ("boolean", None),
    ("boolean", {}),
    ("bytes", None),
    ("bytes", {"max": "1kB"}),
    ("decimal", None),
    ("decimal", {"places": 2}),
    ("decimal", {"places": 0}),
    ("decimal", {"places": 2, "min": "0.01"}),
    ("decimal", {"places": 3, "max": -2.5}),
    ("enum", ["a", "b"]),
    ("enum", [3, 1]),
    ("enum", [None, "x"]),
    ("enum", [True]),
    ("enum", [1.5, "1.5"]),
    ("open_enum", ["a", "b"]),
    ("open_enum", [404]),
    ("etag", None),
    ("file", {"max": "5MB"}),
    ("file", {"type": "image/*"}),
    ("file", {"type": ["text/plain", "image/png"], "size": 300, "name": "a b%.txt"}),
    ("id", None),
    ("id", {"prefix": "ch_", "length": 24}),
    ("id", {"prefix": "SM", "length": 32, "alphabet": "hex"}),
    ("id", {"alphabet": "A-Z2-7"}),
    ("id", {"prefix": "a.b-", "alphabet": "[]^\\-"}),
    ("integer", None),
    ("integer", {"min": 1}),
    ("integer", {"max": 0}),
    ("integer", {"min": -5, "max": -5}),
    ("null", None),
    ("number", None),
    ("number", {"min": 0.5}),
    ("number", {"max": -1}),
    ("string", None),
    ("string", {"min": 40}),
    ("string", {"max": 1}),
    ("string", {"length": 25}),
    ("string", {"pattern": "[a-z]{3}"}),
    ("string", {"pattern": "[0-9a-f]{64}"}),
    ("string", {"pattern": r"\d{10}\.\d{6}"}),
    ("string", {"pattern": r"(?:usd|eur)-\w+", "min": 12, "max": 20}),
    ("string", {"pattern": r"[a-z]+(\.[a-z]+)*@[a-z]+\.(com|org)"}),
    ("string", {"pattern": r"[a-z]+", "length": 50}),
    ("text", None),
    ("text", {"min": 100}),
    ("text", "Payment is due."),
    ("timestamp", "unix"),
    ("timestamp", "unix_ms"),
    ("timestamp", "rfc3339"),
    ("timestamp", "rfc2822"),
    ("timestamp", "http"),
    ("timestamp", "date"),
    ("token", None),
    ("url", None),
    ("url", "/v1/things"),
    ("url", {"path": "/search", "query": {"page": 2, "q": "a b", "deep": True}}),
    ("url", {"host": "hooks.example"}),
    ("uuid", None),
]


def leaf_of(name: str, argument: Any = None, **modifiers: Any) -> Leaf:
    """The leaf, which must build without any problem."""
    problems = Problems()
    leaf = build_leaf(name, argument, modifiers, Place("contract.yaml", 3, 5), problems)
    assert leaf is not None, [str(problem) for problem in problems.items]
    assert not problems.items
    return leaf


def ids(case: tuple[str, Any]) -> str:
    return f"{case[0]} {case[1]}"


every_leaf = pytest.mark.parametrize(("name", "argument"), CASES, ids=[ids(case) for case in CASES])

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.decimals(allow_nan=False)
    | st.text(st.characters(codec=None), max_size=40)
    | st.binary(max_size=20)
    | st.sampled_from(["", "1", "true", "null", "ch_" + "a" * 24, "2026-10-01", "2026-13-41T99:99:99Z", "a" * 5000])
    | st.sampled_from(["https://[::1", "//", "/", "https://x:99999/", 10**400, -(10**20), 1_790_000_000, 253402300800]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "type", "bytes", "x"]), inner),
    max_leaves=5,
)


def test_every_leaf_is_covered_by_the_cases() -> None:
    """A new leaf must come with arguments for the properties below."""
    assert {name for name, _ in CASES} == set(LEAF_NAMES)


@every_leaf
def test_a_sample_fits(name: str, argument: Any) -> None:
    """What ``make`` says, ``fault`` takes, whatever the draw and the time."""
    leaf = leaf_of(name, argument)
    for seed in range(40):
        for now in (NOW, Instant(0.0, 0.0), Instant(-1e18, 1e18), Instant(1e18, 1e18), Instant(86399.999, 90000.0)):
            made = leaf.make(SeededDraw(seed), now)
            assert leaf.fault(made) is None, made


@every_leaf
def test_a_sample_is_the_same_as_itself(name: str, argument: Any) -> None:
    """``same(make, make)``; and the same draw makes the same value."""
    leaf = leaf_of(name, argument)
    for seed in range(10):
        made = leaf.make(SeededDraw(seed), NOW)
        assert leaf.same(made, made)
        assert same_json(made, leaf.make(SeededDraw(seed), NOW))
        assert leaf.same(leaf.express(made), made)


@every_leaf
def test_text_carriers_give_back_what_was_put_in(name: str, argument: Any) -> None:
    """``decode(encode(made))`` is ``made``; only ``$any`` cannot tell null from an empty text in a text."""
    leaf = leaf_of(name, argument)
    for seed in range(20):
        made = leaf.make(SeededDraw(seed), NOW)
        back = leaf.decode(leaf.encode(made))
        assert same_json("" if name == "any" else made, back), (made, back)


@every_leaf
@given(value=anything, other=anything)
@settings(max_examples=40, deadline=None)
def test_nothing_that_comes_raises(name: str, argument: Any, value: Any, other: Any) -> None:
    """Recognising takes any value at all, and answers."""
    leaf = leaf_of(name, argument)
    fault = leaf.fault(value)
    assert fault is None or isinstance(fault, Fault)
    assert leaf.same(value, other) in (True, False)
    assert leaf.same(leaf.express(value), value) in (True, False)
    if isinstance(value, str):
        decoded = leaf.decode(value)
        if not isinstance(decoded, Fault) and name not in ("string", "text"):
            leaf.fault(decoded)
    if fault is None:
        assert isinstance(leaf.encode(value), str)


@every_leaf
def test_other_types_are_faults(name: str, argument: Any) -> None:
    """``true``, ``1``, ``1.0`` and ``"1"`` are four values: a leaf that takes one of a kind refuses the others."""
    leaf = leaf_of(name, argument)
    if name == "any":
        return
    made = leaf.make(SeededDraw(1), NOW)
    samples: list[Any] = [None, True, 7, 7.5, "\x00?", b"x", [], {}]
    for value in samples:
        if value.__class__ is made.__class__ or (name == "number" and value.__class__ in (int, float)):
            continue
        if name in ("enum", "open_enum") and argument and any(value.__class__ is item.__class__ for item in argument):
            continue
        fault = leaf.fault(value)
        assert fault is not None, value
        assert fault.kind == ("null" if value is None and name != "null" else "type"), value


@every_leaf
def test_the_schema_is_json(name: str, argument: Any) -> None:
    """The schema fragment says a type or lists values, in plain JSON."""
    schema = leaf_of(name, argument).schema()
    assert schema == {} if name == "any" else schema.keys() & {"type", "enum"}


def test_expressions_pass_through_what_is_no_value() -> None:
    """ABSENT and Unknown are not for leaves to change, nor equal to anything."""
    for name, argument in CASES:
        leaf = leaf_of(name, argument)
        for value in (ABSENT, Unknown("x")):
            assert leaf.express(value) is value
            assert not leaf.same(value, leaf.make(SeededDraw(), NOW))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1, True),
        (1, True, False),
        (1, 1.0, False),
        ("1", 1, False),
        (None, False, False),
        (0.5, Decimal("0.5"), True),
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, True),
        ({"a": [1]}, {"a": [True]}, False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
    ],
)
def test_equality_is_by_type_and_value(one: Any, other: Any, equal: bool) -> None:
    """As on the wire, through and through."""
    assert same_json(one, other) is equal
    assert same_json(other, one) is equal


def test_only_names_tokens_and_prose_are_opaque() -> None:
    """These are never compared between simulator and sandbox; a wrong id refers to something else."""
    marks = {name: (leaf.opaque, leaf.identity) for name, argument in CASES for leaf in [leaf_of(name, argument)]}
    assert {name for name, (opaque, _) in marks.items() if opaque} == {"id", "uuid", "token", "etag", "text"}
    assert {name for name, (_, identity) in marks.items() if identity} == {"id", "uuid"}
