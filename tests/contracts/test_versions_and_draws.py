"""Records across versions of the API, and draws that never come twice."""

from __future__ import annotations

import pytest
from fakes.talk import Talk, contract_of

from troth.contracts.exchange import Request
from troth.contracts.model.draw import Occurrences
from troth.contracts.model.model import Model

VERSIONED = """
troth: 1
provider: versioned
versions: {from: headers.api_version, known: ["1", "2"]}
types:
  Thing:
    id: {$id: {prefix: t_}}
    name: $string
    old: {$string: {}, until: "2"}
    risk?: {$integer: {}, default: 5, since: "2"}
state: {things: {of: $Thing, key: id}}
operations:
  make:
    request: {method: POST, path: /t, headers: {Api-Version?: $string}, json: {name: $string}}
    responses: {made: {status: 201, json: {$Thing: {}, from: body}, effects: [put: things]}}
  get:
    request: {method: GET, path: "/t/{id}", headers: {Api-Version?: $string}}
    let: {thing: state.things(path.id)}
    responses: {missing: {when: not thing, status: 404}, found: {status: 200, json: "{{ thing }}"}}
scenarios: {one: {steps: [{call: make, with: {body.name: x}}]}}
"""


@pytest.mark.parametrize(("made", "read"), [("1", "2"), ("2", "1"), ("1", "1"), ("2", "2")])
def test_a_record_made_in_one_version_is_read_in_another(made: str, read: str) -> None:
    """A field that the first reply could not show is neither missing from the simulator nor a surprise to the judge."""
    talk = Talk(contract_of(VERSIONED))
    first = talk.call("make", body__name="x", headers__Api_Version=made)
    second = talk.call("get", id=talk.body["id"], headers__Api_Version=read)

    assert (first.mismatches, second.mismatches) == ((), ())


def test_a_field_of_the_next_version_may_be_there_on_a_sandbox() -> None:
    """The provider shows it as soon as it is asked for."""
    talk = Talk(contract_of(VERSIONED))
    talk.call("make", body__name="x", headers__Api_Version="1")
    judgement = talk.call("get", lambda body: body.update(risk=3), id=talk.body["id"], headers__Api_Version="2")

    assert judgement.mismatches == ()


def test_a_request_that_was_forgotten_gets_no_draws_again() -> None:
    """Its first ids are taken by records that are still there."""
    seen = Occurrences(limit=10)
    first = seen.draw(b"origin", b"same").text(12, "abcdef")
    for number in range(30):
        seen.draw(b"origin", str(number).encode())

    assert seen.dropped
    assert seen.draw(b"origin", b"same").text(12, "abcdef") != first


def test_equal_posts_make_different_records_however_many_came_between() -> None:
    """The table of requests is bounded, the ids are not."""
    model = Model(contract_of(VERSIONED))
    model.occurrences.limit = 20
    post = Request("POST", "/t", "", ((b"Content-Type", b"application/json"),), b'{"name":"x"}')
    bodies = set()
    for number in range(120):
        model.respond(Request("GET", f"/t/none{number}"), 1.0)
        if number % 40 == 0:
            bodies.add(model.respond(post, 1.0).response.body)

    assert len(bodies) == 3
