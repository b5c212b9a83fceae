"""Doubts about responses: each comes up where it should, and not beside it."""

from __future__ import annotations

import pytest
from fakes.talk import contract_of

from troth.contracts.model.lint_model import lint_model, unproven


def doubts(responses: str) -> list[str]:
    """Code and place of each doubt about an operation with these responses."""
    contract = contract_of(f"""\
troth: 1
provider: p
types: {{Thing: {{id: $uuid, state: {{$enum: [new, old]}}}}}}
state: {{things: {{of: $Thing, key: id}}}}
operations:
  get:
    request: {{method: GET, path: "/things/{{id}}", query: {{n?: $integer}}}}
    let: {{thing: state.things(path.id), all: {{$select: things}}}}
    responses:
{responses}""")
    return [f"{problem.code} line {problem.place.line}" for problem in lint_model(contract)]


NEVER = {
    "a condition that never holds": ("      a: {when: 1 > 2, status: 404}\n      b: {status: 200}\n", ["W020 line 10"]),
    "after one that always holds": (
        "      a: {when: 1 < 2, status: 404}\n      b: {when: query.n, status: 400}\n      c: {status: 200}\n",
        ["W020 line 11", "W020 line 12"],
    ),
    "conditions that depend on something": (
        "      a: {when: query.n > 1, status: 404}\n      b: {when: not thing, status: 410}\n      c: {status: 200}\n",
        [],
    ),
}


@pytest.mark.parametrize("case", NEVER)
def test_responses_that_never_come(case: str) -> None:
    """W020."""
    responses, found = NEVER[case]
    assert doubts(responses) == found


ALIKE = {
    "two that may both be, and say the same": (
        "      a: {when: maybe, status: 200, json: $Thing}\n      b: {status: 200, json: $Thing}\n",
        True,
    ),
    "without any body": ("      a: {when: not thing, status: 404}\n      b: {when: maybe, status: 404}\n", True),
    "a list that nobody knows": ("      a: {when: all.more, status: 200}\n      b: {status: 200}\n", True),
    "another status": (
        "      a: {when: maybe, status: 201, json: $Thing}\n      b: {status: 200, json: $Thing}\n",
        False,
    ),
    "another literal": (
        """\
      a: {when: maybe, status: 200, json: {$Thing: {state: new}}}
      b: {status: 200, json: {$Thing: {state: old}}}
""",
        False,
    ),
    "another required field": (
        "      a: {when: maybe, status: 200, json: {a: $string}}\n      b: {status: 200, json: {b: $string}}\n",
        False,
    ),
    "a body and none": ("      a: {when: maybe, status: 200, json: $Thing}\n      b: {status: 200}\n", False),
    "a condition that is always known": (
        "      a: {when: query.n > 1, status: 200, json: $Thing}\n      b: {status: 200, json: $Thing}\n",
        False,
    ),
    "one that means nothing was seen": (
        "      a: {when: maybe, status: 200, means: exhausted, json: $Thing}\n      b: {status: 200, json: $Thing}\n",
        False,
    ),
}


@pytest.mark.parametrize("case", ALIKE)
def test_responses_that_nobody_can_tell_apart(case: str) -> None:
    """W021: where both are possible, with one status and no literal that differs."""
    responses, alike = ALIKE[case]
    assert doubts(responses) == (["W021 line 11"] if alike else [])


def test_what_no_scenario_reaches() -> None:
    """W022 for responses, W023 for whole operations; a shared response is proven when one operation proves it."""
    contract = contract_of("""\
troth: 1
provider: p
defaults:
  responses:
    invalid: {when: mismatch, status: 400}
    throttled: {when: maybe, status: 429, means: exhausted}
operations:
  a:
    request: {method: GET, path: /a}
    responses: {none: {when: maybe, status: 404}, ok: {status: 200}}
  b:
    request: {method: GET, path: /b}
    responses: {ok: {status: 200}}
""")

    def found(*reached: str) -> list[str]:
        return [f"{problem.code} {problem.asked.rpartition(' ')[2]}" for problem in unproven(contract, reached)]

    assert found() == ["W023 a", "W023 b"]
    assert found("a.ok", "b.ok") == ["W022 a.none", "W022 invalid"]
    assert found("a.ok", "a.none", "b.ok", "b.invalid") == []
