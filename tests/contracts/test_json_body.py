"""JSON bodies: exact, bounded, and never an exception."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from troth.contracts.codecs import build_json, parse_json
from troth.contracts.leaves import Fault, same_json
from troth.errors import ContractError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("1.0", 1.0),
        ("-0", 0),
        ("1e2", 100.0),
        ("9007199254740993", 9007199254740993),
        ("18446744073709551616", 2**64),
        ("-9223372036854775809", -(2**63) - 1),
        ('{"n": 123456789012345678901234567890}', {"n": 123456789012345678901234567890}),
        ("0.1", 0.1),
        ("0.30000000000000004", 0.1 + 0.2),
        ("0.12345678901234567890", Decimal("0.12345678901234567890")),
        ("12345678901234567.25", Decimal("12345678901234567.25")),
        ("[1e-7, 1.5E+3]", [1e-7, 1500.0]),
        ("null", None),
        ('"\\u003a\\ud83d\\ude00"', ":😀"),
        ('{"\\u003a": "a:b"}', {":": "a:b"}),
        ('{"a": {"a": 1}, "b": [{"a": 2}, {"a": 3}]}', {"a": {"a": 1}, "b": [{"a": 2}, {"a": 3}]}),
        (' {"a" : "x:y:z"}\n', {"a": "x:y:z"}),
        ('{"iban": "DE44500105175407324931000000"}', {"iban": "DE44500105175407324931000000"}),
        ("[" * 100 + "]" * 100, None),
    ],
)
def test_values(text: str, value: Any) -> None:
    """Numbers keep their type and their digits."""
    found = parse_json(text.encode())
    assert not isinstance(found, Fault), found
    assert value is None or same_json(found, value)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "format"),
        (b" ", "format"),
        (b"<html>", "format"),
        (b'{"a": 1', "format"),
        (b'{"a": 1}x', "format"),
        (b"{'a': 1}", "format"),
        (b"[1,]", "format"),
        (b"NaN", "format"),
        (b"[Infinity]", "format"),
        (b"01", "format"),
        (b'"\\ud800"', "format"),
        (b'"\xff"', "format"),
        (b'"\xed\xa0\x80"', "format"),
        (b'"a\x00b"', "format"),
        (b"\xef\xbb\xbf{}", "format"),
        (b'{"a": 1, "a": 2}', "format"),
        (b'{"a": 1, "a": 1}', "format"),
        (b'[{"x": [{"b": ":", "b": ""}]}]', "format"),
        (b'{"\\u0061": 1, "a": 2}', "format"),
        (b'{"\\u003a": 1, ":": 2}', "format"),
        (b'{"a": 1, "a": "", "x": "\\u003a"}', "format"),
        (b"1e400", "format"),
        (b"1" * 500, "format"),
        (b"[0." + b"1" * 500 + b"]", "bounds"),
        (b"[" * 101 + b"]" * 101, "bounds"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "bounds"),
        (b"[" * 2000, "bounds"),
        (b"[" * 1_000_000 + b"]" * 1_000_000, "bounds"),
    ],
)
def test_faults(body: bytes, kind: str) -> None:
    """What is no JSON, has two readings, or no bound."""
    fault = parse_json(body)
    assert isinstance(fault, Fault), fault
    assert fault.kind == kind, fault


def test_the_name_that_comes_twice_is_named() -> None:
    """So that one finds it."""
    fault = parse_json(b'{"a": {"id": 1, "x": 2, "id": 1}}')
    assert isinstance(fault, Fault)
    assert fault.path == "id"


def test_many_brackets_in_texts_are_not_depth() -> None:
    """The quick bound is confirmed before it refuses."""
    assert parse_json(json.dumps(["[" * 200, *([[]] * 200)]).encode()) == ["[" * 200, *([[]] * 200)]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, 1.0, "é"]}, '{"b":1,"a":[true,null,1.0,"é"]}'),
        ({"n": 2**70}, '{"n":1180591620717411303424}'),
        ({"d": Decimal("1.10"), "e": [Decimal("1E+2")]}, '{"d":1.10,"e":[1E+2]}'),
        (
            {"d": Decimal("1.10"), "n": 2**70, "x": 0.5, "t": ("a",)},
            '{"d":1.10,"n":1180591620717411303424,"x":0.5,"t":["a"]}',
        ),
        ("\ud800", '"\\ud800"'),
    ],
)
def test_written(value: Any, text: str) -> None:
    """Compact, in order, with every digit."""
    assert build_json(value).decode() == text


@pytest.mark.parametrize("value", [b"x", {"a": [b"x"]}, {1: 2}, [Decimal("NaN")], [2**70, float("inf")], [object()]])
def test_what_json_cannot_say_is_an_error_with_a_code(value: Any) -> None:
    """No traceback of a library."""
    with pytest.raises(ContractError, match="E272"):
        build_json(value)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(values)
@settings(max_examples=300, deadline=None)
def test_what_is_built_is_read_back(value: Any) -> None:
    """Any JSON value, with its types; also when another program wrote it with escapes and spaces."""
    found = parse_json(build_json(value))
    assert same_json(found, value)
    assert same_json(parse_json(json.dumps(value, indent=1).encode()), value)


@given(st.binary(max_size=60) | st.text('{}[]:,"\\u0031a -.e', max_size=40).map(str.encode))
@settings(max_examples=500, deadline=None)
def test_it_agrees_with_the_standard_library(body: bytes) -> None:
    """Where that reads strictly, we read the same; where it fails, so do we; nothing raises."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError
        return dict(pairs)

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    found = parse_json(body)
    try:
        expected = json.loads(body.decode(), object_pairs_hook=once, parse_constant=refuse)
        json.dumps(expected, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        assert isinstance(found, Fault)
    else:
        assert found == expected or isinstance(found, Fault) is (b"e" in body)
