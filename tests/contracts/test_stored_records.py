"""A simulator keeps a new record as its reply's JSON, and its JSON for whoever asks again; nobody can tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from troth.contracts.exchange import Request
from troth.contracts.loader import load
from troth.contracts.model.model import Model
from troth.contracts.values import ABSENT

THINGS = """
troth: 1
provider: things
types:
  Owner: {id: $id, name: $string}
  Thing:
    id: {$id: {prefix: t_}}
    name: $string
    size?: $integer
    tags: {$map: $string}
    owner: {$nullable: {$link: owners}, default: null}
    big: {$if: query.all == "yes", then: $integer}
  Brief: {id: {$id: {prefix: t_}}, name: $string}
  Sold: {id: $id, price: $number}
state:
  owners: {of: $Owner, key: id, seeds: [{id: o1, name: Ann}], inline: here == query.expand}
  things: {of: $Thing, key: id, also: {hidden: $string}}
  sold: {of: $Sold, key: id}
operations:
  make:
    request:
      method: POST
      path: /t
      query: {expand?: $string, all?: $string}
      json: {name: $string, size?: $integer, tags: {$map: $string}, owner?: $string}
    responses: {made: {status: 201, json: {$Thing: {}, from: body}, effects: [put: things]}}
  get:
    request: {method: GET, path: "/t/{id}", query: {expand?: $string, all?: $string}}
    let: {thing: state.things(path.id)}
    responses:
      missing: {when: not thing, status: 404}
      found: {status: 200, json: {$Thing: "{{ thing }}"}}
  brief:
    request: {method: GET, path: "/b/{id}"}
    let: {thing: state.things(path.id)}
    responses:
      missing: {when: not thing, status: 404}
      found: {status: 200, json: {$Brief: "{{ thing }}"}}
  sell:
    request: {method: POST, path: /s, json: {price: $number}}
    responses: {made: {status: 201, json: {$Sold: {}, from: body}, effects: [put: sold]}}
"""


@pytest.fixture
def model(tmp_path: Path) -> Model:
    path = tmp_path / "things.yaml"
    path.write_text(THINGS)
    return Model(load(str(path)))


def ask(model: Model, method: str, path: str, query: str = "", body: Any = None) -> Any:
    raw = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = ((b"Content-Type", b"application/json"),) if raw else ()
    answer = model.respond(Request(method, path, query, headers, raw), 1_700_000_000.0)
    assert answer.response.status < 300, answer
    return json.loads(answer.response.body)


MADE = {"name": "a lamp", "tags": {"room": "hall"}}


def test_a_record_is_shown_as_each_type_describes_it(model: Model) -> None:
    made = ask(model, "POST", "/t", body=MADE)
    for _ in range(2):
        assert ask(model, "GET", f"/t/{made['id']}") == made
        assert ask(model, "GET", f"/b/{made['id']}") == {"id": made["id"], "name": "a lamp"}


def test_a_branch_is_decided_by_each_request(model: Model) -> None:
    made = ask(model, "POST", "/t", "all=yes", MADE)
    assert "big" in made
    for _ in range(2):
        assert "big" not in ask(model, "GET", f"/t/{made['id']}")
        assert ask(model, "GET", f"/t/{made['id']}", "all=yes") == made


def test_a_new_record_is_kept_as_json_and_read_back_as_it_was(model: Model) -> None:
    made = ask(model, "POST", "/t", body=MADE)
    record = model.state.get("things", made["id"])
    assert record is not None
    assert record._packed, "it was read already, or not packed at all"
    assert record.values == {**made, "size": ABSENT, "big": ABSENT, "hidden": ABSENT}
    assert not record._packed


def test_a_linked_record_that_is_shown_in_full_is_kept_as_its_key(model: Model) -> None:
    made = ask(model, "POST", "/t", "expand=owner", {**MADE, "owner": "o1"})
    assert made["owner"] == {"id": "o1", "name": "Ann"}
    assert ask(model, "GET", f"/t/{made['id']}")["owner"] == "o1"


def test_numbers_keep_all_their_digits(model: Model) -> None:
    made = ask(model, "POST", "/s", body=b'{"price": 1.10000000000000000005}')
    record = model.state.get("sold", made["id"])
    assert record is not None
    assert str(record.values["price"]) == "1.10000000000000000005"
    assert not record._packed


def test_what_json_cannot_bring_back_is_not_kept_as_json(model: Model) -> None:
    made = ask(model, "POST", "/t", body=b'{"name": "a \\\\ud800 b", "tags": {}}')
    record = model.state.get("things", made["id"])
    assert record is not None
    assert not record._packed
    assert record.values["name"] == made["name"] == "a \\ud800 b"
