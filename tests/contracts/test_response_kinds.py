"""Another declared response than the one that is due: of another status class it is worse than of the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.talk import Talk, contract_of

from troth.contracts.exchange import Response

CLUB = """
troth: 1
provider: club
types:
  Error: {error: $string}
  Member: {id: {$id: {prefix: m_}}, nick: $string}
state: {members: {of: $Member, key: id}}
defaults:
  responses:
    throttled: {when: maybe, status: 429, means: exhausted, json: $Error}
    odd: {when: maybe, status: 409, json: $Error}
operations:
  join:
    request: {method: POST, path: /members, json: {nick: $string}}
    responses:
      joined: {status: 201, json: {$Member: {}, from: body}, effects: [put: members]}
  look:
    request: {method: GET, path: "/members/{id}"}
    let: {member: state.members(path.id)}
    responses:
      missing: {when: not member, status: 404, json: $Error}
      hidden: {when: path.id == "m_0", status: 403, json: $Error}
      found: {status: 200, json: "{{ member }}"}
"""


def answering(status: int, body: Any) -> Any:
    """A provider that answers this, whatever it was asked."""
    return lambda _: Response(status, ((b"Content-Type", b"application/json"),), json.dumps(body).encode())


@pytest.fixture
def talk() -> Talk:
    """A simulator and a judge of the club."""
    return Talk(contract_of(CLUB))


def test_an_error_where_success_is_due(talk: Talk) -> None:
    """That the provider may always be busy (429) or odd (409) does not make a 404 a milder thing."""
    talk.call("join", nick="ann")

    judgement = talk.call("look", answering(404, {"error": "gone"}), id=talk.body["id"])

    (mismatch,) = judgement.mismatches
    assert (mismatch.kind, judgement.response) == ("response", "missing")


def test_another_error_of_the_same_class(talk: Talk) -> None:
    """A member that nobody knows is answered as a hidden one."""
    judgement = talk.call("look", answering(403, {"error": "no"}), id="m_nobody")

    assert [mismatch.kind for mismatch in judgement.mismatches] == ["response_variant"]
