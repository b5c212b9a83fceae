"""``$url`` with parts that the author says: the sample has them, and a reply must."""

from __future__ import annotations

import json

import pytest

from troth.contracts.compiler.compiler import compile_document
from troth.contracts.document.folder import parse_document
from troth.contracts.exchange import Interval, Request, Response
from troth.contracts.model.model import Model
from troth.errors import ContractError, Problems

CONTRACT = """\
troth: 1
provider: shop
types:
  Order: {id: $string, receipt: {$url: PARTS}}
operations:
  get:
    request: {method: GET, path: /order}
    responses:
      found: {status: 200, json: $Order}
scenarios:
  one: {steps: [{call: get}]}
"""
REQUEST = Request("GET", "/order", "", [], b"")


def model(parts: str) -> Model:
    problems = Problems()
    contract = compile_document(parse_document(CONTRACT.replace("PARTS", parts)), problems)
    problems.raise_if_any()
    return Model(contract, world="open")


def kinds(parts: str, receipt: str) -> list[str]:
    """What is found when the reply has this receipt."""
    body = json.dumps({"id": "1", "receipt": receipt}).encode()
    response = Response(200, [(b"Content-Type", b"application/json")], body)
    return [found.kind for found in model(parts).judge(REQUEST, response, Interval(0.0, 1.0), "get").mismatches]


@pytest.mark.parametrize(
    ("parts", "receipt", "found"),
    [
        ("{host: shop.example}", "https://shop.example/r/1", []),
        ("{host: shop.example}", "http://user@SHOP.example/r/1", []),
        ("{host: shop.example}", "https://elsewhere.example/r/1", ["value"]),
        ("{host: shop.example}", "/r/1", ["value"]),
        ('{host: "https://shop.example"}', "https://shop.example/r/1", []),
        ('{host: "https://shop.example"}', "http://shop.example/r/1", ["value"]),
        ("{path: /r/1}", "/r/1", []),
        ("{path: /r/1}", "r/1", ["format"]),
        ("{path: /r/1}", "https://[", ["format"]),
    ],
)
def test_a_reply_must_have_the_parts(parts: str, receipt: str, found: list[str]) -> None:
    """The host with its scheme where the contract says one; without a host, a path will do."""
    assert kinds(parts, receipt) == found


@pytest.mark.parametrize(("parts", "start"), [("{host: shop.example}", "https://shop.example/"), ("{path: /r/1}", "")])
def test_samples_have_the_parts(parts: str, start: str) -> None:
    """And a judge accepts them."""
    response = model(parts).respond(REQUEST, 0.0).response
    receipt = json.loads(response.body)["receipt"]

    assert receipt.startswith(start)
    assert kinds(parts, receipt) == []


@pytest.mark.parametrize("argument", ["/orders/1", '"/orders/{{ this.id }}"', "5"])
def test_what_is_no_part_is_refused(argument: str) -> None:
    """It would be neither said nor demanded."""
    with pytest.raises(ContractError) as caught:
        model(argument)

    assert [problem.code for problem in caught.value.problems] == ["E251"]
