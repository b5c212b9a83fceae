"""Who makes a record gives it a new key, unless the request or the state say which key it has."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.talk import Talk, contract_of, put

USERS = """
troth: 1
provider: users
types:
  User: {id: {$id: {prefix: u_}}, name: $string}
  Tag: {name: $string, color: {$string: {}, default: red}}
state: {users: {of: $User, key: id}, tags: {of: $Tag, key: name}}
operations:
  make:
    request: {method: POST, path: /u, json: {name: $string}}
    responses: {made: {status: 201, json: {$User: {}, from: body}, effects: [put: users]}}
  list:
    request: {method: GET, path: /u}
    let: {page: {$select: users}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}"}}}
  get:
    request: {method: GET, path: "/u/{id}"}
    let: {user: state.users(path.id)}
    responses:
      missing: {when: not user, status: 404}
      found: {status: 200, json: "{{ user }}"}
  rename:
    request: {method: POST, path: "/u/{id}", json: {name: $string}}
    let: {user: state.users(path.id)}
    responses:
      missing: {when: not user, status: 404}
      renamed: {status: 200, json: {$User: {}, from: [body, user]}, effects: [put: users]}
  delete:
    request: {method: DELETE, path: "/u/{id}"}
    let: {user: state.users(path.id)}
    responses:
      missing: {when: not user, status: 404}
      deleted: {status: 204, effects: [delete: user]}
  tag:
    request: {method: POST, path: /t, json: {name: $string, color?: $string}}
    responses: {tagged: {status: 200, json: {$Tag: {}, from: body}, effects: [put: tags]}}
scenarios: {one: {steps: [{call: make, with: {name: x}}]}}
"""


@pytest.fixture
def talk() -> Talk:
    return Talk(contract_of(USERS))


def made(talk: Talk, change: Any = None) -> list[tuple[str, str, Any]]:
    judgement = talk.call("make", change, body__name="x")
    return [(found.kind, found.path, found.observed) for found in judgement.mismatches]


def test_a_record_that_the_run_made_before(talk: Talk) -> None:
    """The provider answers the second creation with the first record."""
    assert made(talk) == []
    first = talk.body["id"]

    assert made(talk, put("id", first)) == [("reference", "$.id", first)]


@pytest.mark.parametrize("shown", ["get", "list"])
def test_a_record_of_somebody_else(talk: Talk, shown: str) -> None:
    """It was seen before we asked for a new one."""
    theirs = Talk(talk.contract)
    made(theirs)
    talk.provider, key = theirs.provider, theirs.body["id"]
    talk.call(shown, **({"id": key} if shown == "get" else {}))
    talk.now += 10

    assert made(talk, put("id", key)) == [("reference", "$.id", key)]


def test_a_list_that_is_judged_before_the_reply_that_made_its_record(talk: Talk) -> None:
    """Two scenarios at a time: the list came back first, the record is ours all the same."""
    made(talk)
    key = talk.body["id"]
    other = Talk(talk.contract)
    other.provider = talk.provider
    other.call("list")
    other.now -= 1

    assert made(other, put("id", key)) == []


def test_a_key_that_was_deleted_may_come_again(talk: Talk) -> None:
    """As numbers do in many databases."""
    made(talk)
    key = talk.body["id"]
    talk.call("delete", id=key)

    assert made(talk, put("id", key)) == []


def test_a_key_that_request_or_state_say(talk: Talk) -> None:
    """An update, and a record whose key the client chooses."""
    made(talk)

    assert talk.call("rename", id=talk.body["id"], body__name="y").mismatches == ()
    assert [talk.call("tag", body__name="a").mismatches for _ in range(2)] == [(), ()]
