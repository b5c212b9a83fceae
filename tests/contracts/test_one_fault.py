"""One fault in a reply is one root, and what agrees inside of ``$nullable`` is noted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.talk import Talk, contract_of, put

from troth.contracts.exchange import Response
from troth.contracts.judgement import Judgement
from troth.contracts.matcher import Origin

TICKETS = """
troth: 1
provider: tickets
types:
  Person: {name: $string, email: $string}
  Ticket: {id: {$id: {prefix: t_}}, title: $string, size: {$integer: {min: 1}}, twice?: $integer, owner: {$nullable: $Person}}
state: {tickets: {of: $Ticket, key: id}}
operations:
  make:
    request: {method: POST, path: /t, json: {title: $string, size: {$integer: {min: 1}}, owner?: {$nullable: $Person, default: null}}}
    responses:
      invalid: {when: mismatch, status: 400, json: {code: invalid}}
      made: {status: 201, json: {$Ticket: {size: "{{ body.size }}", twice: "{{ body.size * 2 }}"}, from: body}, effects: [put: tickets]}
  get:
    request: {method: GET, path: "/t/{id}"}
    let: {ticket: state.tickets(path.id)}
    responses:
      missing: {when: not ticket, status: 404}
      found: {status: 200, json: "{{ ticket }}"}
scenarios: {one: {steps: [{call: make, with: {title: x, size: 1}}]}}
"""  # noqa: E501
ANN = {"name": "Ann", "email": "ann@x.example"}


@pytest.fixture
def talk() -> Talk:
    return Talk(contract_of(TICKETS))


def roots(judgement: Judgement) -> list[tuple[str, str]]:
    """Kind and path of what nothing else explains."""
    return [(found.kind, found.path) for found in judgement.mismatches if found.caused_by is None]


def test_what_is_wrong_with_a_part_is_not_wrong_with_the_whole_as_well(talk: Talk) -> None:
    """The copied object lacks a member: that it is another object than the request's says nothing more."""
    judgement = talk.call("make", lambda body: body["owner"].pop("email"), title="x", size=1, owner=ANN)

    assert roots(judgement) == [("missing_field", "$.owner.email")]


def test_each_wrong_part_is_told(talk: Talk) -> None:
    """One member is missing, the other has another value: two faults, and the whole is none."""

    def change(body: dict[str, Any]) -> None:
        body["owner"] = {"name": "Bo"}

    judgement = talk.call("make", change, title="x", size=1, owner=ANN)

    assert sorted(roots(judgement)) == [("missing_field", "$.owner.email"), ("value", "$.owner.name")]


def test_another_whole_is_told_where_its_parts_are_not_compared(talk: Talk) -> None:
    """Null in place of the object that was sent."""
    assert roots(talk.call("make", put("owner", None), title="x", size=1, owner=ANN)) == [("value", "$.owner")]


def test_what_a_nullable_holds_agrees_by_its_own_name(talk: Talk) -> None:
    """So that the history knows it, should it come in another type one night."""
    assert Origin("Person", "") in talk.call("make", title="x", size=1, owner=ANN).agreed
    assert Origin("Person", "") not in talk.call("make", title="x", size=1).agreed


def test_of_another_record_in_place_of_the_one_asked_for_the_id_is_the_fault(talk: Talk) -> None:
    """All its other fields are those of the other record."""
    talk.call("make", title="x", size=1)
    ours = talk.body["id"]
    talk.call("make", title="y", size=2, owner=ANN)
    other = dict(talk.body)

    judgement = talk.call("get", lambda body: body.update(other), id=ours)

    assert roots(judgement) == [("reference", "$.id")]
    assert len(judgement.mismatches) > 1


def test_that_an_invalid_value_was_taken_explains_what_the_reply_says_of_it(talk: Talk) -> None:
    """The request's field counts as absent when it is invalid, so the reply shows what should not be there."""
    talk.call("make", title="x", size=1)
    made = talk.body | {"id": "t_another1", "size": 7, "twice": 14}
    talk.call("make", title="x", size=0)
    talk.reply = Response(201, ((b"Content-Type", b"application/json"),), json.dumps(made).encode())

    assert roots(talk.listen("make")) == [("invalid_accepted", "size")]
