"""Values that JSON lacks survive the way into run.json and back."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troth.contracts.values import ABSENT, Unknown
from troth.reports.difference import same
from troth.reports.json_values import MAX_DEPTH, decode, encode

_KEYS = st.sampled_from(["a", "$ref", "$$x", "$absent", "$bytes", "", "é"]) | st.text(max_size=5)
_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.just(ABSENT)
)
_VALUES = st.recursive(_LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4))


@given(_VALUES)
def test_every_value_comes_back_as_it_was(value: Any) -> None:
    """Through JSON text, with the same types: 1, 1.0, true and "1" stay apart."""
    assert same(decode(json.loads(json.dumps(encode(value)))), value)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (ABSENT, {"$absent": True}),
        (b"hi", {"$bytes": "aGk="}),
        (Decimal("1.10"), {"$decimal": "1.10"}),
        (math.inf, {"$number": "Infinity"}),
        ({"$ref": 1}, {"$$ref": 1}),
        ({"$absent": True}, {"$$absent": True}),
        ((1, 2), [1, 2]),
    ],
)
def test_the_written_form_is_the_documented_one(value: Any, written: Any) -> None:
    """Other programs read these markers."""
    assert encode(value) == written


def test_not_a_number_and_unknown_come_back() -> None:
    """Both equal nothing, so they are looked at one by one."""
    assert math.isnan(decode(encode(math.nan)))
    assert decode(encode(Unknown("charges[ch_1].amount"))).label == "charges[ch_1].amount"


def test_a_strange_object_is_kept_as_text() -> None:
    """A report is written whatever a value is."""
    assert decode(encode({"x": {1}})) == {"x": "{1}"}


def test_a_bottomless_structure_is_cut() -> None:
    """Deep nesting costs neither a traceback nor the report."""
    value: Any = []
    for _ in range(MAX_DEPTH * 2):
        value = [value]

    text = json.dumps(encode(value))

    assert "$cut" in text
    decode(json.loads(text))


@pytest.mark.parametrize("data", [{"$bytes": 1}, {"$bytes": "*"}, {"$decimal": "x"}, {"$number": "x"}, {"$new": "x"}])
def test_a_broken_marker_is_an_error(data: Any) -> None:
    """It is never taken for an ordinary object."""
    with pytest.raises(ValueError, match=r"\$|marker|convert"):
        decode(data)
