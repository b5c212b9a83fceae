"""Generated requests against a simulator: what they find, and that a pass that was not made is no pass."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fakes.acmepay import acmepay
from fakes.talk import contract_of

from troth.contracts.exchange import Request, Response
from troth.contracts.judgement import Answer
from troth.contracts.values import ABSENT
from troth.runners.finding import Blame, Finding, Verdict
from troth.runners.schemathesis_adapter import Fuzzed, fuzz_simulator
from troth.simulators.simulator import Simulator

GOOD = {"id": "ch_00000000", "amount": 1, "status": "paid", "created": 1, "client_secret": "x" * 20, "pin": "123"}


class WrongAnswers:
    """A simulator that does not do what the contract of AcmePay says."""

    def respond(self, request: Request, now: float, steer: Any = None) -> Answer:
        """Wrong in another way for each operation."""
        match request.method, request.path:
            case "POST", "/charges":
                return self._json(201, GOOD | {"amount": "1", "status": "frozen"})
            case "GET", "/charges":
                return self._json(299, {})
            case "DELETE", _:
                raise ZeroDivisionError
            case _:
                return Answer(Response(501), None, None)

    def _json(self, status: int, body: Any) -> Answer:
        headers = [(b"content-type", b"application/json")]
        return Answer(Response(status, headers, json.dumps(body).encode()), "operation", "response")

    def reset(self) -> None:
        """Nothing is kept."""


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzed]:
    """One pass over the wrong simulator, made in a folder that must stay empty."""
    folder = tmp_path_factory.mktemp("cwd")
    before = Path.cwd()
    os.chdir(folder)
    os.environ["SCHEMATHESIS_HOOKS"] = "a.module.that.does.not.exist"
    try:
        yield asyncio.run(fuzz_simulator(acmepay(), 7, Simulator(WrongAnswers()), 3))
        assert list(folder.iterdir()) == []
        assert os.environ["SCHEMATHESIS_HOOKS"] == "a.module.that.does.not.exist"
    finally:
        os.environ.pop("SCHEMATHESIS_HOOKS", None)
        os.chdir(before)


def of(fuzzed: Fuzzed, operation: str) -> dict[str, Finding]:
    """The findings of one operation, by path."""
    return {item.path: item for item in fuzzed.findings if item.operation == operation}


def test_wrong_answers_are_the_simulators_findings(wrong: Fuzzed) -> None:
    """Each with its place, what the contract says there, and the exchange."""
    found = of(wrong, "create_charge")

    assert {path: (item.kind, item.simulator) for path, item in found.items()} == {
        "$.amount": ("schema", "1"),
        "$.status": ("schema", "frozen"),
    }
    amount = found["$.amount"]
    assert (amount.blame, amount.sandbox, amount.code) == (Blame.SIMULATOR, ABSENT, "TR801")
    assert amount.contract["type"] == "integer"
    assert amount.exchanges[0].method == "POST"
    assert amount.count > 1
    assert amount.reproduce == "troth fuzz acmepay --seed 7"


def test_an_undeclared_status_is_a_finding(wrong: Fuzzed) -> None:
    """The contract has none like it."""
    found = of(wrong, "list_charges")

    assert {path: (item.kind, item.simulator) for path, item in found.items()} == {"status": ("schema", 299)}


def test_a_crash_is_a_finding(wrong: Fuzzed) -> None:
    """A generated request made the simulator fail."""
    assert "server_error" in {item.kind for item in wrong.findings if item.operation == "cancel_charge"}


def test_requests_that_the_simulator_makes_nothing_of_are_counted_and_no_findings(wrong: Fuzzed) -> None:
    """The schemas are wider than the contract; that is nobody's fault, and not silent."""
    assert of(wrong, "get_charge") == {}
    assert "that the contract does not allow, though its schemas do: GET http" in wrong.check.detail


def test_the_outcome_of_a_pass_with_findings(wrong: Fuzzed) -> None:
    """It is drift, on our side."""
    assert (wrong.check.name, wrong.check.outcome, wrong.verdict) == ("generated requests", "findings", Verdict.DRIFT)


def test_fingerprints_are_distinct_and_without_volatile_parts(wrong: Fuzzed) -> None:
    """One for each operation, kind and place, whatever the port and the generated values were."""
    again = asyncio.run(fuzz_simulator(acmepay(), 8, Simulator(WrongAnswers()), 3))
    prints = [{item.fingerprint for item in fuzzed.findings} for fuzzed in (wrong, again)]

    assert prints[0] == prints[1]
    assert len(prints[0]) == len(wrong.findings)


class Unplugged(Simulator):
    """Says that it listens, and does not."""

    def __enter__(self) -> Unplugged:
        return self

    def __exit__(self, *failure: object) -> None:
        """Nothing to stop."""

    @property
    def url(self) -> str:
        """A port that was free a moment ago and on which nobody listens."""
        return "http://127.0.0.1:9"


def test_a_simulator_that_does_not_answer_is_never_a_pass() -> None:
    """Schemathesis itself calls that completed, without failures."""
    fuzzed = asyncio.run(fuzz_simulator(acmepay(), 0, Unplugged(acmepay()), 1))

    assert (fuzzed.check.outcome, fuzzed.verdict, fuzzed.findings) == ("unobserved", Verdict.BROKEN, ())
    assert "create_charge was not checked" in fuzzed.check.detail


KEYED = """
troth: 1
provider: keyed
secrets: {key: {env: KEYED_KEY, allow: "kk_test_*"}, other: {env: KEYED_OTHER, allow: "oo_test_*"}}
auth: {query: api_key, value: "{{ secrets.key }}"}
operations:
  list:
    request: {method: GET, path: /things, query: {page?: $integer}}
    responses:
      shut: {when: not auth.ok, status: 401, json: {error: $text}}
      found: {status: 200, json: {n: $integer}}
  make:
    auth: {query: "other key", value: "{{ secrets.other }}"}
    request: {method: POST, path: /things, json: {name: $string}}
    responses:
      shut: {when: not auth.ok, status: 401, json: {error: $text}}
      made: {status: 201, json: {n: $integer}}
"""


def test_api_keys_that_are_parameters_are_sent() -> None:
    """Each operation its own; without them nothing but refusals would be looked at."""
    simulator = Simulator(contract_of(KEYED))
    done = asyncio.run(fuzz_simulator(simulator.contract, 1, simulator, 3))
    names = {entry.name for entry in simulator.journal.entries if entry.operation}

    assert done.check.outcome == "ok"
    assert names == {"found", "made"}
