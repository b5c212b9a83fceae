"""``troth check`` runs what it checks: each doubt comes up on a contract that deserves it, and on no other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from fakes.talk import contract_of

from troth.cli.check import exit_code
from troth.contracts.contract import Contract
from troth.errors import Place, Problem
from troth.runners.prove import DEFECT, prove

GOOD = """\
troth: 1
provider: p
types:
  Thing: {id: {$id: {prefix: t_, length: 8}}, name: $string}
state:
  things: {of: $Thing, key: id}
operations:
  create:
    request: {method: POST, path: /things, json: {name: $string}}
    responses:
      invalid: {when: mismatch, status: 400, json: {error: $text}}
      created: {status: 201, json: {$Thing: {}, from: body}, effects: [put: things]}
  get:
    request: {method: GET, path: "/things/{id}", query: {n?: $integer}}
    let: {thing: state.things(path.id)}
    responses:
      missing: {when: not thing, status: 404, json: {error: $text}}
      found: {status: 200, json: "{{ thing }}"}
scenarios:
  a thing is kept:
    steps:
      - call: create
        with: {name: a}
        expect: created
        keep: {id: this.id}
      - call: get
        with: {id: "{{ id }}"}
        expect: found
      - {call: get, with: {id: none}, expect: missing}
      - {call: create, with: {name: 5}, expect: invalid}
"""


def changed(change: tuple[str, str]) -> Contract:
    """The good contract with one text replaced."""
    before, after = change
    assert before in GOOD
    return contract_of(GOOD.replace(before, after, 1))


def codes(problems: list[Problem]) -> set[str]:
    return {problem.code for problem in problems}


def test_a_good_contract_is_without_a_doubt() -> None:
    """Nothing at all."""
    assert prove(contract_of(GOOD)) == []


FOUND = "      found: {status: 200"
"""Before it one more response goes."""


def before_found(response: str) -> tuple[str, str]:
    return FOUND, f"      {response}\n{FOUND}"


OTHER = "  other:\n    request: {method: GET, path: /other}\n    responses: {ok: {status: 200}}\nscenarios:"
CASES: dict[str, tuple[tuple[str, str], str, str, str]] = {
    "a response that never comes": (
        before_found("never: {when: 1 > 2, status: 410}"),
        "W020",
        "never:",
        "which never does",
    ),
    "responses that look alike": (
        before_found("other: {when: maybe, status: 200, json: $Thing}"),
        "W021",
        "found:",
        "200 for both",
    ),
    "a response that no scenario reaches": (
        ("      - {call: get, with: {id: none}, expect: missing}\n", ""),
        "W022",
        "missing:",
        "none",
    ),
    "an operation that no scenario calls": (
        ("scenarios:", OTHER),
        "W023",
        "request: {method: GET, path: /other}",
        "none",
    ),
    "a condition that nothing meets": (
        before_found("odd: {when: path.id | sha256 == 'x', status: 410}"),
        "W024",
        "odd:",
        "random requests of it",
    ),
    "a demand that is narrower than what is sent": (
        ("json: {$Thing: {}, from: body}", "json: {$Thing: {name: {$string: {max: 3}, is: body.name}}}"),
        "E180",
        "created:",
        "create $.name: bounds",
    ),
    "a scenario that expects something else": (
        ("expect: found", "expect: {response: found, json: {name: b}}"),
        "E181",
        "steps:",
        "get $.name: expect",
    ),
    "a scenario that expects another response": (
        ("expect: found", "expect: missing"),
        "E181",
        "steps:",
        "'found' for 'missing'",
    ),
    "a scenario that cannot go on": (
        ("keep: {id: this.id}", "keep: {id: this.name.id}"),
        "E182",
        "steps:",
        "step 1 gave no this.name.id",
    ),
    "a scenario that is turned away": (
        before_found("busy: {when: path.id != 'none', status: 503, means: unreachable}"),
        "E182",
        "steps:",
        "the simulator answered",
    ),
    "a question that has no answer": (
        before_found("odd: {when: 1 / query.n > 5, status: 410}"),
        "E188",
        "request: {method: GET",
        "1 divided by zero",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_doubt_comes_up(case: str) -> None:
    """With its code, its place, and what was found; once."""
    change, code, line, words = CASES[case]
    found = [problem for problem in prove(changed(change)) if problem.code == code]
    assert [words in problem.found for problem in found] == [True]
    assert GOOD.replace(*change, 1).splitlines()[found[0].place.line - 1].lstrip().startswith(line)


# Troth's own faults


def broken(contract: Contract, error: Exception) -> Contract:
    """The contract with a condition that raises what no condition can."""
    operation = contract.operations["get"]
    shape = operation.responses[0]
    assert shape.when is not None

    def fail(scope: Any) -> Any:
        raise error

    when = replace(shape.when, run=fail)
    responses = (replace(shape, when=when), *operation.responses[1:])
    return replace(contract, operations={**contract.operations, "get": replace(operation, responses=responses)})


@pytest.mark.parametrize("error", [ZeroDivisionError("sk_test_1"), RecursionError()])
def test_a_defect_is_a_problem_and_no_traceback(error: Exception) -> None:
    """It is told apart from what is wrong with the contract, and does not quote what it stumbled over."""
    found = [problem for problem in prove(broken(contract_of(GOOD), error)) if problem.code == DEFECT]

    assert found
    assert type(error).__name__ in found[0].found
    assert "sk_test_1" not in "".join(map(str, found))


def test_a_contract_that_cannot_be_run_at_all() -> None:
    """Every part of the check is tried."""
    contract = replace(contract_of(GOOD), router=None)  # type: ignore[arg-type]

    assert DEFECT in codes(prove(contract))


def test_exit_codes() -> None:
    """A defect of Troth is 3, also beside errors of the contract; warnings do not fail."""
    warning, error, defect = (Problem(code, Place(), "", "") for code in ("W022", "E180", DEFECT))

    assert [exit_code(found) for found in ([], [warning], [warning, error], [error, defect])] == [0, 0, 4, 3]


# Size


def ticks(step: float) -> Iterator[float]:
    now = 0.0
    while True:
        now += step
        yield now


def test_a_slow_walk_ends_and_says_so() -> None:
    """What was not walked enough is not called unreachable."""
    clock = ticks(3.0)
    contract = changed(before_found("odd: {when: path.id | sha256 == 'x', status: 410}"))

    found = prove(contract, lambda: next(clock))

    assert [problem.found for problem in found if problem.code == "W025"] == ["time for 8"]
    assert "W024" not in codes(found)


def test_a_large_contract_is_walked_for_longer() -> None:
    """So that every operation gets its share."""
    operations = "".join(
        f"  get{i}:\n    request: {{method: GET, path: /a{i}, query: {{n?: $integer}}}}\n"
        f"    responses: {{low: {{when: query.n < 1000, status: 201}}, ok: {{status: 200}}}}\n"
        for i in range(60)
    )
    contract = contract_of(GOOD.replace("scenarios:", f"{operations}scenarios:"))

    assert codes(prove(contract)) == {"W023"}
