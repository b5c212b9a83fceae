"""A reply that says what a predicted response says, under the status of another declared one."""

from __future__ import annotations

import json

import pytest
from fakes.talk import Talk, contract_of, kinds

from troth.contracts.exchange import Response

SHOP = """
troth: 1
provider: shop
types:
  Error: {code: {$enum: [invalid, sold_out, unsure]}}
operations:
  buy:
    request: {method: POST, path: /buy, json: {item: {$string: {max: 9}}}}
    responses:
      invalid: {when: mismatch, status: 422, json: {$Error: {code: invalid}}}
      sold_out: {when: body.item == "bread", status: 409, json: {$Error: {code: sold_out}}}
      unsure: {when: body.item == "beans", status: 400, json: $Error}
      bought: {status: 200, json: {item: "{{ body.item }}"}}
scenarios: {one: {steps: [{call: buy, with: {item: bread}}]}}
"""


def answered(item: str, code: str) -> list[str]:
    """What is found when the purchase is answered by 422 with this code."""
    reply = Response(422, [(b"Content-Type", b"application/json")], json.dumps({"code": code}).encode())
    return kinds(Talk(contract_of(SHOP)).call("buy", lambda body: reply, item=item))


@pytest.mark.parametrize(
    ("item", "code", "found"),
    [
        ("bread", "sold_out", ["status"]),  # all that sold_out says
        ("bread", "invalid", ["valid_refused"]),  # all that invalid says
        ("beans", "unsure", ["status"]),
        ("beans", "invalid", ["valid_refused"]),  # it fits both, and its status is the one of invalid
        ("tea", "invalid", ["valid_refused"]),
    ],
)
def test_content_tells_which_response_it_is(item: str, code: str, found: list[str]) -> None:
    """Its status, only where the content fits both."""
    assert answered(item, code) == found


def test_a_text_where_json_is_due_is_another_media_type() -> None:
    """Not a value of another type: nothing of what is due is there."""
    reply = Response(409, [(b"Content-Type", b"text/plain; charset=utf-8")], b"sold out")
    judgement = Talk(contract_of(SHOP)).call("buy", lambda body: reply, item="bread")

    assert [(found.kind, found.path, found.observed) for found in judgement.mismatches] == [
        ("content_type", "$", "text/plain")
    ]
    assert judgement.response == "sold_out"
