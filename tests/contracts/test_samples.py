"""How samples are made, and requests taken, from plans that are worked out once."""

from __future__ import annotations

import gc
import json
from typing import Any

import pytest
from fakes.talk import contract_of

from troth.contracts.document.collector import collector_seldom
from troth.contracts.exchange import Request
from troth.contracts.model.model import Model

TYPED = """
troth: 1
provider: typed
types:
  Word: {$string: {}, default: said by the type}
  Thing:
    plain: $Word
    own: {$Word: {}, default: said by the field}
    later: "{{ this.first }}"
    first: "{{ body.first | default('none') }}"
    left_out?: $string
    shown?: {$string: {}, default: shown}
    taken?: {$nullable: $string}
operations:
  make:
    request:
      method: POST
      path: /things
      json:
        first?: $string
        taken?: {$nullable: $string}
        size?: {$integer: {max: 9}}
        tags?: {$map: $integer}
        part?: {of: $string, at?: {$integer: {}, default: 7}}
    responses:
      wrong: {when: mismatch, status: 400, json: {path: "{{ mismatch.path }}", kind: "{{ mismatch.kind }}"}}
      made: {status: 200, json: {thing: {$Thing: {}, from: body}, body: {$any: {}, is: body}}}
"""


def say(model: Model, **body: Any) -> dict[str, Any]:
    request = Request("POST", "/things", "", ((b"Content-Type", b"application/json"),), json.dumps(body).encode())
    answer: dict[str, Any] = json.loads(model.respond(request, 1.0).response.body)
    return answer


def test_a_field_shows_the_default_of_its_type_unless_it_has_its_own() -> None:
    """Optional fields without anything said are left out; what the source says goes before defaults."""
    thing = say(Model(contract_of(TYPED)), taken=None)["thing"]
    assert thing == {
        "plain": "said by the type",
        "own": "said by the field",
        "first": "none",
        "shown": "shown",
        "taken": None,
    }


def test_fields_stand_in_the_order_of_the_type() -> None:
    """Whatever is made first."""
    assert list(say(Model(contract_of(TYPED)), taken="x", first="y")["thing"]) == [
        "plain",
        "own",
        "first",
        "shown",
        "taken",
    ]


@pytest.mark.parametrize(
    ("body", "path", "kind"),
    [
        ({"size": 10}, "size", "bounds"),
        ({"size": "1"}, "size", "type"),
        ({"size": True}, "size", "type"),
        ({"first": None}, "first", "null"),
        ({"tags": {"a": 1, "b": "2"}}, "tags.b", "type"),
        ({"part": {}}, "part.of", "missing"),
        ({"part": {"of": "x", "at": "y"}}, "part.at", "type"),
        ({"part": []}, "part", "type"),
    ],
)
def test_what_does_not_fit_has_its_path(body: dict[str, Any], path: str, kind: str) -> None:
    """The quick way takes what fits; the careful one says what does not."""
    assert say(Model(contract_of(TYPED)), **body) == {"path": path, "kind": kind}


def test_defaults_are_filled_in_at_every_depth() -> None:
    """Values that fit are taken as they are, also where others had to be looked at."""
    body = {"first": "a", "taken": None, "size": 3, "tags": {"a": 1}, "part": {"of": "x"}, "stranger": [1]}
    assert say(Model(contract_of(TYPED)), **body)["body"] == {**body, "part": {"of": "x", "at": 7}}


def test_the_collector_is_left_as_it_was() -> None:
    """Serving sets it back, and nothing stays frozen."""
    before = gc.get_threshold()
    with collector_seldom():
        assert gc.get_threshold() != before
        assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
