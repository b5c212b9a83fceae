"""Idempotency keys of operations on several wires: one key, whichever wire a request takes."""

from __future__ import annotations

from typing import Any

import pytest
from fakes.talk import Talk, contract_of

from troth.contracts.exchange import Interval, Response
from troth.contracts.model.outgoing import build_request

POST = """
troth: 1
provider: post
wires:
  json:
    on: {headers: {X-Target: "{{ operation }}"}}
    request: {json: {content_type: application/x-post}}
    reply: {json: {content_type: application/x-post}}
  query:
    on: {body: {Action: "{{ operation }}"}}
    request: form
    reply:
      xml: {content_type: text/xml, root: "{{ operation }}Response", error: Failed, beside: {Id: $token}}
operations:
  Send:
    wires: [json, query]
    request: {method: POST, path: /, headers: {Key?: $string}, body: {Text: $string, Size: $integer}}
    idempotency:
      key: headers.key
      same: [path, body]
      replay: {headers: {Again: "yes"}}
      conflict: {status: 409, body: {Message: $text}}
    responses:
      sent: {status: 200, body: {Number: $uuid, Text: "{{ body.Text }}", Size: {$integer: {}, is: "{{ body.Size }}"}}}
"""
WAYS = [("json", "json"), ("query", "query"), ("json", "query"), ("query", "json")]


def call(talk: Talk, wire: str, change: Any = None, **values: Any) -> Any:
    """One call on a wire, answered and judged; ``change`` alters the bytes of the reply."""
    written = {"body.Text": "hé", "body.Size": 3, "headers.Key": "k"} | {f"body.{k}": v for k, v in values.items()}
    talk.request = build_request(talk.contract, talk.contract.operations["Send"].on(wire), written)
    reply = talk.provider.respond(talk.request, talk.now).response
    talk.reply = reply if change is None else Response(reply.status, reply.headers, change(reply.body))
    return talk.listen("Send")


@pytest.fixture
def talk() -> Talk:
    return Talk(contract_of(POST))


@pytest.mark.parametrize(("first", "second"), WAYS)
def test_a_key_that_comes_again_is_answered_again(talk: Talk, first: str, second: str) -> None:
    """On the wire on which it comes, with the same values; nothing in it is new."""
    one = call(talk, first)
    other = call(talk, second)

    assert (one.mismatches, other.mismatches) == ((), ())
    assert dict(talk.reply.headers)[b"Again"] == b"yes"
    assert dict(talk.reply.headers)[b"Content-Type"] == {"json": b"application/x-post", "query": b"text/xml"}[second]
    assert other.body == one.body
    assert other.body["Size"] == 3


@pytest.mark.parametrize(("first", "second"), WAYS)
def test_another_answer_to_the_key_is_seen(talk: Talk, first: str, second: str) -> None:
    """Whatever the wires: the size is another one."""
    call(talk, first)
    before, after = {"json": (b'"Size":3', b'"Size":4'), "query": (b"<Size>3<", b"<Size>4<")}[second]
    found = call(talk, second, lambda body: body.replace(before, after)).mismatches

    assert [(each.kind, each.path, each.observed) for each in found] == [("value", "$.Size", 4)]


@pytest.mark.parametrize(("first", "second"), WAYS)
def test_another_request_with_the_key_is_a_conflict(talk: Talk, first: str, second: str) -> None:
    """In the form of its wire."""
    call(talk, first)
    found = call(talk, second, Size=5)

    assert (found.response, found.mismatches) == ("conflict", ())
    assert talk.reply.status == 409
    assert (b"<Failed>" in talk.reply.body) is (second == "query")


@pytest.mark.parametrize(("first", "second"), WAYS)
def test_a_provider_that_ignores_the_key_gives_itself_away(talk: Talk, first: str, second: str) -> None:
    """It answers anew."""
    call(talk, first)
    talk.provider.state.keys.clear()
    found = call(talk, second).mismatches

    assert [each.kind for each in found] == ["idempotency_ignored"]
    assert talk.judge.judge(talk.request, talk.reply, Interval(talk.now, talk.now), "Send").mismatches
