"""A list with a `lag` may show a record as it was; not for ever, and what is known of it stays known."""

from __future__ import annotations

import pytest
from fakes.talk import Talk, contract_of, kinds, put

NOTES = """
troth: 1
provider: notes
types: {Note: {id: {$id: {prefix: n_}}, text: $string, state: {$enum: [new, filed]}}}
state:
  notes:
    of: $Note
    key: id
    moves: {files: {when: it.state == "new", takes: 5s..10s, effects: [{set: it, to: {state: filed}}]}}
operations:
  make:
    request: {method: POST, path: /n, json: {text: $string}}
    responses: {made: {status: 201, json: {$Note: {state: new}, from: body}, effects: [put: notes]}}
  write:
    request: {method: POST, path: "/n/{id}", json: {text: $string}}
    let: {note: state.notes(path.id)}
    responses:
      missing: {when: not note, status: 404}
      written: {status: 204, effects: [{set: note, to: {text: "{{ body.text }}"}}]}
  get:
    request: {method: GET, path: "/n/{id}"}
    let: {note: state.notes(path.id)}
    responses:
      missing: {when: not note, status: 404}
      found: {status: 200, json: "{{ note }}"}
  search:
    request: {method: GET, path: /n}
    let: {page: {$select: notes, lag: 0s..15s}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}"}}}
"""


@pytest.fixture
def talk() -> Talk:
    """A note that was written anew."""
    talk = Talk(contract_of(NOTES))
    talk.call("make", text="old")
    talk.now += 20
    talk.call("get", id=talk.body["id"])
    talk.call("write", id=talk.body["id"], text="new")
    return talk


def test_a_record_as_it_was(talk: Talk) -> None:
    """It is counted, and nothing is learnt from it."""
    judgement = talk.call("search", put("data.0.text", "old"))

    assert judgement.mismatches == ()
    assert any("lag" in why.what for why in judgement.unjudged)
    assert kinds(talk.call("get", id=talk.body["data"][0]["id"])) == []


def test_not_for_ever(talk: Talk) -> None:
    """A minute later the index must have it."""
    talk.now += 60

    assert kinds(talk.call("search", put("data.0.text", "old"))) == ["stored"]


def test_a_wrong_type_is_no_lag(talk: Talk) -> None:
    """Whatever it was, it was a text."""
    assert kinds(talk.call("search", put("data.0.text", 7))) == ["type"]


@pytest.mark.parametrize(("after", "found"), [(7, []), (18, []), (60, ["late"])])
def test_a_record_as_it_was_before_a_move(after: int, found: list[str]) -> None:
    """Filed after ten seconds at most; the index knows fifteen seconds after that."""
    talk = Talk(contract_of(NOTES))
    talk.call("make", text="a")
    talk.now += after - 1

    assert kinds(talk.call("search", put("data.0.state", "new"))) == found
