"""JSON under a wrong media type is read all the same: the label is the finding, and hides none in the body."""

from __future__ import annotations

import json

import pytest
from fakes.talk import Talk, contract_of, kinds

from troth.contracts.exchange import Response

SHOP = """
troth: 1
provider: shop
types:
  Item: {id: {$id: {prefix: it_}}, price: $integer}
state: {items: {of: $Item, key: id}}
traits:
  safe:
    request: {headers: {Idempotency-Key?: $string}}
    idempotency: {key: headers.idempotency_key, same: [body]}
operations:
  create:
    use: [safe]
    request: {method: POST, path: /items, json: {price: $integer}}
    responses:
      created: {status: 201, json: {$Item: {}, from: body}, effects: [put: items]}
  label:
    request: {method: GET, path: /label, query: {as?: $string}}
    responses:
      text: {status: 200, when: query.as is absent, text: $string}
      refused: {status: 400, json: {error: $string}}
"""


@pytest.fixture
def talk() -> Talk:
    """A simulator and a judge of the shop."""
    return Talk(contract_of(SHOP))


def under(media: str, **changes: object):
    """The same answer under another media type, with some members changed."""

    def change(body: dict[str, object]) -> Response:
        return Response(201, ((b"Content-Type", media.encode()),), json.dumps(body | changes).encode())

    return change


LABELS = [
    "text/html",
    "text/plain; charset=utf-8",
    "application/octet-stream",
    "application/problem+json; charset=utf-8",
]


@pytest.mark.parametrize("media", LABELS)
def test_the_label_is_one_finding(talk: Talk, media: str) -> None:
    judgement = talk.call("create", under(media), price=5)

    (mismatch,) = judgement.mismatches
    assert (mismatch.kind, mismatch.path) == ("content_type", "headers.content_type")
    assert (mismatch.expected, mismatch.observed) == ("application/json", media.partition(";")[0])
    assert judgement.response == "created"
    assert judgement.created


def test_what_is_wrong_in_the_body_is_seen(talk: Talk) -> None:
    assert sorted(kinds(talk.call("create", under("text/html", price=6), price=5))) == ["content_type", "value"]


def test_a_replay_under_a_wrong_label_is_a_replay(talk: Talk) -> None:
    talk.call("create", price=5, headers__Idempotency_Key="k")

    judgement = talk.call("create", under("text/html"), price=5, headers__Idempotency_Key="k")

    assert (judgement.response, kinds(judgement)) == ("replay", ["content_type"])


@pytest.mark.parametrize("media", ["application/json; charset=utf-8", "Application/JSON", "text/json"])
def test_plain_json_is_right(talk: Talk, media: str) -> None:
    assert kinds(talk.call("create", under(media), price=5)) == []


def test_a_format_of_its_own_that_is_declared_is_right() -> None:
    """Where plain JSON comes in its place, that is another media type."""
    own = SHOP.replace("{status: 201,", "{status: 201, headers: {Content-Type: application/vnd.shop+json},")
    talk = Talk(contract_of(own))

    assert kinds(talk.call("create", under("application/vnd.shop+json"), price=5)) == []
    assert kinds(talk.call("create", under("application/json"), price=5)) == ["header"]


def test_where_text_is_due_json_is_text(talk: Talk) -> None:
    talk.call("label")
    talk.reply = Response(200, ((b"Content-Type", b"text/plain"),), b'{"a": 1}')

    assert kinds(talk.listen("label")) == []
