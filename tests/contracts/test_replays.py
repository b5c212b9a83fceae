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
  Stats: {views: {$integer: {}, default: 0, changes: freely}, day: {$integer: {}, default: 1}}
  Charge:
    id: {$id: {prefix: ch_}}
    amount: $integer
    seen: {$integer: {}, default: 0, changes: freely}
    stats: $Stats
state: {charges: {of: $Charge, key: id}}
operations:
  create:
    request: {method: POST, path: /c, headers: {Idempotency-Key?: $string}, json: {amount: $integer}}
    idempotency: {key: headers.idempotency_key, same: [body], replay: {headers: {Replayed: "true"}}}
    responses: {created: {status: 201, json: {$Charge: {}, from: body}, effects: [put: charges]}}
  other:
    request: {method: POST, path: /d, headers: {Idempotency-Key?: $string}, json: {amount: $integer}}
    idempotency: {key: headers.idempotency_key, same: [body], replay: {headers: {Replayed: "true"}}}
    responses: {done: {status: 202, json: {done: true}}}
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


@pytest.mark.parametrize(
    "more", [{"took_ms": 12}, {"seen": 7}, {"stats": {"views": 3, "day": 1}}, {"stats": {"views": 0, "day": 1, "x": 1}}]
)
def test_what_is_not_listed_or_may_change_is_no_difference(talk: Talk, more: dict[str, int]) -> None:
    """Only what the contract holds must be the same."""
    assert again(talk, lambda body: body.update(more)) == []


def test_the_first_answer_may_be_that_of_another_operation(talk: Talk) -> None:
    """What may change in it is for its own operation to say."""
    judgement = talk.call("other", lambda body: body.update(seen=7, x=1), amount=5, headers__Idempotency_Key="k")

    assert (judgement.response, kinds(judgement)) == ("replay", [])


def test_what_stays_is_held_at_any_depth(talk: Talk) -> None:
    assert again(talk, lambda body: body["stats"].update(day=2)) == ["value"]


def test_another_id_gives_the_provider_away(talk: Talk) -> None:
    """The key was answered as if it were new."""
    assert again(talk, lambda body: body.update(id="ch_another")) == ["idempotency_ignored"]


def test_another_value_of_the_same_record_is_a_value(talk: Talk) -> None:
    """Not what the first answer said."""
    assert again(talk, lambda body: body.update(amount=6)) == ["value"]


def test_a_replay_with_another_status_is_a_status(talk: Talk) -> None:
    """200 for the 201 of the first answer."""

    def accepted(body: Any) -> Response:
        return Response(200, talk.reply.headers, json.dumps(body).encode())

    judgement = talk.call("create", accepted, amount=5, headers__Idempotency_Key="k")

    assert [(found.kind, found.expected, found.observed) for found in judgement.mismatches] == [("status", 201, 200)]
    assert judgement.response == "replay"


STRICT = PAY.replace("same: [body],", "same: [body], keep: 1h, conflict: {status: 409, json: {error: conflict}},")


def held(talk: Talk, answer: Response, key: str = "k", **values: Any) -> list[tuple[str, str]]:
    """What a keyed request is found to do wrong that gets ``answer``."""
    judgement = talk.call("create", lambda _: answer, headers__Idempotency_Key=key, **values)
    return [(found.kind, found.path) for found in judgement.mismatches]


SCOPE = [("idempotency_scope", "headers.idempotency")]


@pytest.mark.parametrize("text", [PAY, STRICT], ids=["new is due", "conflict is due"])
def test_the_first_answer_to_another_request(text: str) -> None:
    """The key was not ignored: it was held against a request that it does not belong to."""
    talk = Talk(contract_of(text))
    talk.call("create", amount=5, headers__Idempotency_Key="k")
    headers = (*talk.reply.headers, (b"Replayed", b"true"))

    assert held(talk, Response(201, headers, talk.reply.body), amount=6) == SCOPE


def test_the_first_answer_after_its_time() -> None:
    """``keep: 1h``, and a day later the key still holds."""
    talk = Talk(contract_of(STRICT))
    talk.call("create", amount=5, headers__Idempotency_Key="k")
    headers = (*talk.reply.headers, (b"Replayed", b"true"))
    talk.now += 86_400

    assert held(talk, Response(201, headers, talk.reply.body), amount=5) == SCOPE


@pytest.mark.parametrize("key", ["k", "new"])
def test_a_conflict_with_nothing(key: str) -> None:
    """The request is the same as before, or the key is new: there is nothing to conflict with."""
    talk = Talk(contract_of(STRICT))
    talk.call("create", amount=5, headers__Idempotency_Key="k")
    conflict = Response(409, ((b"Content-Type", b"application/json"),), b'{"error": "conflict"}')

    assert held(talk, conflict, key, amount=5) == SCOPE


def test_a_new_answer_where_a_conflict_is_due() -> None:
    """The key was ignored."""
    talk = Talk(contract_of(STRICT))
    talk.call("create", amount=5, headers__Idempotency_Key="k")
    other = json.dumps({**talk.body, "id": "ch_other", "amount": 6}).encode()

    assert held(talk, Response(201, talk.reply.headers, other), amount=6) == [
        ("idempotency_ignored", "headers.idempotency")
    ]
