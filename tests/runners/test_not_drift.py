"""What is no drift: limits, wherever a provider says them, and what others left in the sandbox.

The lists are narrow: what the contract does not name exactly is suspect, and never put aside.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from fakes.acmepay import SCENARIOS, AcmePay, acmepay
from fakes.clocks import HandClock
from fakes.runs import findings, on_clock, on_sandbox, outcomes
from fakes.talk import contract_of
from fakes.tiny_server import Reply, Seen, TinyServer

from troth.contracts.contract import Contract
from troth.runners.step_result import TargetRun

CONTRACT = """\
troth: 1
provider: answers
secrets: {key: {env: KEY, allow: "ak_test_*"}}
auth: {bearer: "{{ secrets.key }}"}
targets: {sandbox: {url: {env: URL}}}
types:
  Answer: {id: {$id: {prefix: a_, length: 4}}, text: $text}
defaults:
  responses:
    slow_down: {when: maybe, status: 200, means: exhausted, json: {error: {code: rate_limited}}}
    no_credit: {when: maybe, status: 403, means: exhausted, json: {error: {code: {$enum: [balance, quota]}}}}
operations:
  ask:
    request: {method: POST, path: /answers, json: {q: $string}}
    responses:
      banned: {when: body.q == 'evil', status: 403, json: {error: {code: banned}}}
      answered: {status: 200, json: $Answer}
  read:
    request: {method: GET, path: /answers}
    responses:
      found: {status: 200, json: $Answer}
scenarios:
  an answer comes:
    steps:
      - {call: ask, with: {q: why}, expect: answered}
      - {call: read, expect: found}
"""
ANSWER = {"id": "a_1a2b", "text": "Because."}


@pytest.fixture(scope="module")
def contract() -> Contract:
    """A provider of answers, with its own ways to say that there are no more."""
    return contract_of(CONTRACT)


def run(contract: Contract, *answers: Any, clock: HandClock | None = None) -> tuple[TargetRun, list[Seen]]:
    """The scenario, on a provider that gives these answers first and then good ones."""
    left = list(answers)

    def handle(seen: Seen) -> Any:
        return left.pop(0) if left else Reply(200, ANSWER)

    with TinyServer(handle) as provider:
        return on_clock(contract, provider.url, clock or HandClock()), provider.seen


@pytest.mark.parametrize(
    "answer",
    [
        Reply(200, {"error": {"code": "rate_limited"}}),
        Reply(403, {"error": {"code": "balance"}}),
        Reply(403, {"error": {"code": "quota"}}),
        Reply(429, {"error": "too many"}, {"Retry-After": "3600"}),
    ],
)
def test_a_limit_is_no_drift_whatever_its_status(contract: Contract, answer: Reply) -> None:
    """Inside 200, behind 403: the target is given up, and nothing is claimed of the contract."""
    result, seen = run(contract, answer)

    assert findings(result) == []
    assert result.stopped is not None
    assert result.stopped.verdict == "exhausted"
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (Reply(200, {"id": "a_1a2b"}), "missing_field"),
        (Reply(200, {"id": 7, "text": None}), "type"),
        (Reply(200, {"error": {"code": "rate_limit"}}), "missing_field"),
        (Reply(403, {"error": {"code": "no_balance"}}), "response"),
        (Reply(409, {"error": {"code": "balance"}}), "undeclared"),
    ],
)
def test_what_is_no_known_limit_is_suspect(contract: Contract, answer: Reply, found: str) -> None:
    """A reply that is wrong in some other way is drift, and no limit because one may come with that status."""
    result, _ = run(contract, answer)

    assert any(item.split()[1] == found for item in findings(result))
    assert result.stopped is None


@pytest.mark.parametrize(
    "answer",
    [
        Reply(429, {}, {"Retry-After": "7"}),
        Reply(200, {"error": {"code": "rate_limited"}}, {"Retry-After": "7"}),
        Reply(403, {"error": {"code": "quota"}}, {"Retry-After": "7"}),
    ],
)
def test_a_target_that_says_when_to_come_back_is_waited_for(contract: Contract, answer: Reply) -> None:
    """``Retry-After`` is honoured wherever the contract says that the reply means a limit."""
    clock = HandClock()
    result, seen = run(contract, answer, clock=clock)

    assert set(outcomes(result).values()) == {"ok"}
    assert clock.slept == [7.0]
    assert [item.method for item in seen] == ["POST", "POST", "GET"]


def test_nobody_waits_for_ever(contract: Contract) -> None:
    """A call waits thirty seconds in all, and sends four times at most."""
    clock = HandClock()
    result, seen = run(contract, *[Reply(429, {}, {"Retry-After": "12"})] * 9, clock=clock)

    assert clock.slept == [12.0, 12.0]
    assert len(seen) == 3
    assert result.stopped is not None


def test_an_unavailable_provider_is_waited_for_where_that_is_safe(contract: Contract) -> None:
    """A read is sent again; a creation may have been carried out."""
    clock = HandClock()
    busy = Reply(503, {}, {"Retry-After": "2"})
    result, seen = run(contract, Reply(200, ANSWER), busy, clock=clock)

    assert set(outcomes(result).values()) == {"ok"}
    assert (clock.slept, [item.method for item in seen]) == ([2.0], ["POST", "GET", "GET"])

    clock = HandClock()
    result, seen = run(contract, busy, clock=clock)
    assert outcomes(result) == {"an answer comes": "unobserved"}
    assert (clock.slept, len(seen)) == ([], 1)


def test_a_crash_without_a_time_to_come_back_is_not_repeated(contract: Contract) -> None:
    """Nobody said that it would help."""
    clock = HandClock()
    _, seen = run(contract, Reply(200, ANSWER), Reply(503, {}), clock=clock)

    assert (clock.slept, len(seen)) == ([], 2)


# What others left


def stranger(number: int, **values: Any) -> dict[str, Any]:
    """A charge of somebody else, made long ago."""
    usual = {"id": f"ch_other{number:03d}", "amount": 7, "status": "paid", "created": 1_600_000_000}
    return {**usual, "client_secret": "s" * 20, "pin": "123", "_at": time.monotonic() - 9e5, **values}


LISTING = """\
  a list has my charge:
    steps:
      - call: create_charge
        with: {amount: 1200, note: "{{ unique('n-') }}"}
        keep: {id: this.id}
      - call: list_charges
        expect: page
"""


@pytest.mark.parametrize("fill", [stranger, lambda n: stranger(n, note="mine", status="pending")])
def test_a_polluted_sandbox_is_no_drift(fill: Callable[[int], dict[str, Any]]) -> None:
    """Records that this run did not make are known to be possible, and nothing is demanded of their past."""
    with AcmePay() as provider:
        provider.charges |= {charge["id"]: charge for charge in map(fill, range(40))}
        result = on_sandbox(acmepay(SCENARIOS + LISTING), provider.url)

        assert findings(result) == []
        assert set(outcomes(result).values()) == {"ok"}
        assert len(provider.charges) == 40
