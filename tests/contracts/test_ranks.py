"""What comes before what: by the matcher's own order, and only where every provider would agree."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.talk import Talk, contract_of, kinds

from troth.contracts.ranks import compare, sort_value

ROWS = """
troth: 1
provider: rows
types:
  Row: {id: {$id: {prefix: r_}}, value: MATCHER}
state: {rows: {of: $Row, key: id}}
operations:
  make:
    request: {method: POST, path: /r, json: {value: $any}}
    responses: {made: {status: 201, json: {$Row: {}, from: body}, effects: [put: rows]}}
  list:
    request: {method: GET, path: /r}
    let: {page: {$select: rows, order: [ORDER]}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}"}}}
"""


def listed(matcher: str, values: list[Any], order: str = "value") -> list[str]:
    """What is found when a provider lists these values in this order."""
    talk = Talk(contract_of(ROWS.replace("MATCHER", matcher).replace("ORDER", order)))
    return kinds(
        talk.call(
            "list", lambda body: body.update(data=[{"id": f"r_{i:024}", "value": v} for i, v in enumerate(values)])
        )
    )


DAY = "2025-01-01T00:00:00"


@pytest.mark.parametrize(
    ("matcher", "values"),
    [
        ("$decimal", ["9.5", "10.0", "100"]),
        ("{$timestamp: rfc3339}", [f"{DAY}+02:00", f"{DAY}Z", f"{DAY}-02:00"]),
        ("{$timestamp: rfc3339}", [f"{DAY}Z", f"{DAY}.25Z", f"{DAY}.5Z"]),
        ("{$timestamp: rfc2822}", ["Wed, 01 Jan 2025 00:00:00 +0000", "Sat, 01 Feb 2025 00:00:00 +0000"]),
        ("$string", ["alice", "Bob", "carol"]),
        ("$string", ["Bob", "alice", "carol"]),
        ("$string", ["item 2", "item 10"]),
        ("$string", ["item 10", "item 2"]),
        ("{$nullable: $integer}", [None, 1, 2]),
        ("{$nullable: $integer}", [1, 2, None]),
        ("{$nullable: $decimal}", ["9.5", "10.0", None]),
        ("{$any_of: [$decimal, $null]}", ["9.5", "10.0"]),
        ("{$enum: [low, medium, high]}", ["low", "medium", "high"]),
        ("{$enum: [low, medium, high]}", ["high", "low", "medium"]),
    ],
)
def test_a_list_is_in_order_by_what_its_values_mean(matcher: str, values: list[Any]) -> None:
    assert listed(matcher, values) == []


@pytest.mark.parametrize(
    ("matcher", "values"),
    [
        ("$decimal", ["10.0", "9.5"]),
        ("{$timestamp: rfc3339}", [f"{DAY}Z", f"{DAY}+02:00"]),
        ("{$timestamp: rfc3339}", [f"{DAY}.5Z", f"{DAY}Z", f"{DAY}.25Z"]),
        ("{$timestamp: rfc2822}", ["Sat, 01 Feb 2025 00:00:00 +0000", "Wed, 01 Jan 2025 00:00:00 +0000"]),
        ("{$timestamp: unix}", [1_750_000_001, 1_750_000_000]),
        ("$string", ["bob", "alice"]),
        ("$string", ["b", "B", "a"]),
        ("$boolean", [True, False]),
        ("{$nullable: $integer}", [2, None, 1]),
        ("{$enum: [a, b, c]}", ["b", "a"]),
    ],
)
def test_a_list_that_nobody_would_call_ordered_is_found(matcher: str, values: list[Any]) -> None:
    assert listed(matcher, values) == ["list_order"]
    assert listed(matcher, values[::-1], "'-value'") == ["list_order"]


@pytest.mark.parametrize("matcher", ["$decimal", "{$timestamp: rfc2822}", "{$nullable: $string}", "{$enum: [b, A, c]}"])
def test_samples_are_in_an_order_that_a_judge_accepts(matcher: str) -> None:
    values: dict[str, list[Any]] = {
        "$decimal": ["9.5", "10.0", "-1", "0.25"],
        "{$timestamp: rfc2822}": ["Sat, 01 Feb 2025 00:00:00 +0000", "Wed, 01 Jan 2025 00:00:00 +0000"],
        "{$nullable: $string}": ["b", None, "A", "c", "item 10", "item 2"],
        "{$enum: [b, A, c]}": ["c", "A", "b"],
    }
    talk = Talk(contract_of(ROWS.replace("MATCHER", matcher).replace("ORDER", "value")))
    for value in values[matcher]:
        talk.call("make", value=value)

    assert talk.call("list").mismatches == ()
    assert len(talk.body["data"]) == len(values[matcher])


def test_decimals_are_sampled_by_their_numbers() -> None:
    talk = Talk(contract_of(ROWS.replace("MATCHER", "$decimal").replace("ORDER", "value")))
    for value in ("10.0", "9.5"):
        talk.call("make", value=value)
    talk.call("list")

    assert [row["value"] for row in talk.body["data"]] == ["9.5", "10.0"]


def test_values_of_different_kinds_have_no_order_but_samples_need_one() -> None:
    assert compare(1, "a") is None
    assert compare(True, 1) is None
    assert compare({}, {}) is None
    assert compare(None, None) == 0
    assert sorted(["a", 1, None, True], key=sort_value) == [None, True, 1, "a"]
