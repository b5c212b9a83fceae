"""Replayed answers: what must be the same again, and what a provider that does not replay gives itself away by."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.talk import Talk, contract_of, kinds

from troth.contracts.exchange import Response

PAY = """
troth: 1
provider: pay
types:
  Charge: {id: {$id: {prefix: ch_}}, amount: $integer, seen: {$integer: {}, default: 0, changes: freely}}
state: {charges: {of: $Charge, key: id}}
operations:
  create:
    request: {method: POST, path: /c, headers: {Idempotency-Key?: $string}, json: {amount: $integer}}
    idempotency: {key: headers.idempotency_key, same: [body], replay: {headers: {Replayed: "true"}}}
    responses: {created: {status: 201, json: {$Charge: {}, from: body}, effects: [put: charges]}}
scenarios: {one: {steps: [{call: create, with: {amount: 5}}]}}
"""


@pytest.fixture
def talk() -> Talk:
    talk = Talk(contract_of(PAY))
    assert talk.call("create", amount=5, headers__Idempotency_Key="k").mismatches == ()
    return talk


def again(talk: Talk, change: Any = None) -> list[str]:
    return kinds(talk.call("create", change, amount=5, headers__Idempotency_Key="k"))


def test_the_first_answer_again_is_a_replay(talk: Talk) -> None:
    """As a simulator gives it."""
    assert again(talk) == []


def test_a_replay_that_does_not_say_so_lacks_a_header(talk: Talk) -> None:
    """The same id came back, so the key was not ignored."""

    def without(body: Any) -> Response:
        return Response(201, ((b"Content-Type", b"application/json"),), json.dumps(body).encode())

    assert again(talk, without) == ["missing_header"]


@pytest.mark.parametrize("more", [{"took_ms": 12}, {"seen": 7}])
def test_what_is_not_listed_or_may_change_is_no_difference(talk: Talk, more: dict[str, int]) -> None:
    """Only what the contract holds must be the same."""
    assert again(talk, lambda body: body.update(more)) == []


def test_another_id_gives_the_provider_away(talk: Talk) -> None:
    """The key was answered as if it were new."""
    assert again(talk, lambda body: body.update(id="ch_another")) == ["idempotency_ignored"]


def test_another_value_of_the_same_record_is_a_value(talk: Talk) -> None:
    """Not what the first answer said."""
    assert again(talk, lambda body: body.update(amount=6)) == ["value"]
