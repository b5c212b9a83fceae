"""What a reply is called (its media type) and which record it says it shows."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.talk import Talk, contract_of, kinds, put

from troth.contracts.exchange import Response

SHOP = """
troth: 1
provider: shop
types:
  Item: {id: $integer, name: $string, price: $integer, ratio: $number}
state: {items: {of: $Item, key: id}}
operations:
  make:
    request: {method: POST, path: /i, json: {name: $string, price: $integer}}
    responses: {made: {status: 201, json: {$Item: {}, from: body}, effects: [put: items]}}
  get:
    request: {method: GET, path: "/i/{id}"}
    let: {item: state.items(path.id)}
    responses:
      missing: {when: not item, status: 404}
      found: {status: 200, HEADERS json: "{{ item }}"}
  update:
    request: {method: PUT, path: "/i/{id}", json: {name?: $string}}
    let: {item: state.items(path.id)}
    responses:
      missing: {when: not item, status: 404}
      updated: {status: 200, json: {$Item: {}, from: [body, item]}, effects: [put: items]}
"""
THEIRS = {"id": 7, "name": "theirs", "price": 1, "ratio": 0.5}


def shop(headers: str = "") -> Talk:
    return Talk(contract_of(SHOP.replace("HEADERS", headers)))


def told(body: Any, *headers: tuple[bytes, bytes]) -> Any:
    return lambda _: Response(200, headers, json.dumps(body).encode())


def test_json_that_does_not_say_so() -> None:
    """Clients that look at the media type find none."""
    judgement = shop().call("get", told(THEIRS), id=7)

    assert [(found.kind, found.path, found.expected) for found in judgement.mismatches] == [
        ("content_type", "headers.content_type", "application/json")
    ]


@pytest.mark.parametrize("label", [b"application/json", b"application/json; charset=utf-8", b"text/json"])
def test_json_that_says_so(label: bytes) -> None:
    """In one of its usual spellings."""
    assert kinds(shop().call("get", told(THEIRS, (b"content-type", label)), id=7)) == []


@pytest.mark.parametrize(("label", "found"), [(b"text/plain", []), (b"application/json", ["header"])])
def test_a_media_type_that_the_response_demands_itself(label: bytes, found: list[str]) -> None:
    """A provider that has always called its JSON a plain text: the contract says so."""
    talk = shop("headers: {Content-Type: text/plain},")

    assert kinds(talk.call("get", told(THEIRS, (b"Content-Type", label)), id=7)) == found


JSON = (b"Content-Type", b"application/json")


@pytest.mark.parametrize("operation", ["get", "update"])
def test_another_record_than_the_one_that_was_asked_for(operation: str) -> None:
    """One of somebody else: nothing is known of it but its key, and that is another."""
    judgement = shop().call(operation, told({**THEIRS, "id": 8}, JSON), path__id=7)

    assert [(found.kind, found.path, found.observed) for found in judgement.mismatches] == [("reference", "$.id", 8)]


@pytest.mark.parametrize("operation", ["get", "update"])
def test_the_record_that_was_asked_for(operation: str) -> None:
    """A number where the path has its digits."""
    assert kinds(shop().call(operation, told(THEIRS, JSON), path__id=7)) == []


@pytest.mark.parametrize(
    ("price", "found"), [("12", ["type"]), ("13", ["type", "stored"]), (12.0, ["type"]), (13.0, ["type", "stored"])]
)
def test_a_wrong_value_under_a_wrong_type_of_a_record(price: Any, found: list[str]) -> None:
    """That a number has become a text does not hide that it is another number."""
    talk = shop()
    talk.call("make", body__name="a", price=12)

    assert kinds(talk.call("get", put("price", price), id=talk.body["id"])) == found
