"""A contract as OpenAPI: what it holds, what it leaves out, and that other tools accept it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.talk import contract_of

from troth.contracts.compiler.compiler import compile_document
from troth.contracts.contract import Contract
from troth.contracts.document.folder import parse_document
from troth.contracts.loader import load
from troth.contracts.openapi_export import Exported, export_openapi
from troth.errors import Problems

DATA = Path(__file__).parent.parent / "data" / "contracts"

CONTRACT = """\
troth: 1
provider: shop
title: A shop
codecs: {query: {nesting: %s}}
types:
  Node: {id: $string, children?: {$array: $Node}}
  Error: {error: $string}
operations:
  create:
    title: Make an item
    request: {method: POST, path: /items, headers: {Idempotency-Key?: $string}, json: {name: $string, count?: $integer}}
    responses:
      invalid: {when: mismatch, status: 400, json: $Error}
      full: {when: body.count == 0, status: 409, json: {full: true}}
      taken: {when: body.count == 1, status: 409, json: $Error}
      created: {status: 201, json: $Node}
  find:
    request:
      method: GET
      path: "/items/{id}"
      query: {limit?: $integer, created?: {gte?: $integer}}
    responses:
      found: {status: 200, json: $Node}
  upload:
    request: {method: POST, path: /files, multipart: {file: {$file: {}}}}
    responses:
      stored: {status: 204}
  send:
    request: {method: POST, path: /, on: {headers: {X-Target: send}, body: {Action: send}}, form: {Action: $string}}
    responses:
      sent: {status: 200, text: $text}
  receive:
    request: {method: POST, path: /, on: {headers: {X-Target: receive}}, form: {Action: $string}}
    responses:
      received: {status: 200}
scenarios:
  all of it:
    steps:
      - {call: create, with: {name: a}, keep: {id: this.id}}
      - {call: find, with: {id: "{{ id }}"}}
      - {call: upload, with: {file: {$file: {size: 1kB, name: a, type: text/plain}}}}
      - {call: send, with: {Action: send}}
      - {call: receive, with: {Action: receive}}
"""


def shop(nesting: str = "brackets") -> Contract:
    """The contract of a shop."""
    problems = Problems()
    contract = compile_document(parse_document(CONTRACT % nesting), problems)
    problems.raise_if_any()
    return contract


@pytest.fixture(scope="module")
def exported() -> Exported:
    """The shop as OpenAPI."""
    return export_openapi(shop())


def operation(exported: Exported, method: str, path: str) -> Any:
    """One operation of the document."""
    return exported.document["paths"][path][method]


def test_operations_keep_their_names(exported: Exported) -> None:
    """By which a tool's findings are led back to the contract."""
    found = operation(exported, "post", "/items")

    assert (found["operationId"], found["summary"]) == ("create", "Make an item")
    assert exported.document["info"]["title"] == "A shop"


def test_parameters(exported: Exported) -> None:
    """Path, query and headers, with the header's own spelling."""
    found = {(item["in"], item["name"]): item for item in operation(exported, "get", "/items/{id}")["parameters"]}
    headers = operation(exported, "post", "/items")["parameters"]

    assert found["path", "id"]["required"] is True
    assert found["path", "id"]["schema"] == {"type": "string", "minLength": 1}
    assert found["query", "limit"] == {
        "name": "limit",
        "in": "query",
        "required": False,
        "schema": {"type": "integer"},
    }
    assert found["query", "created"]["style"] == "deepObject"
    assert [item["name"] for item in headers] == ["Idempotency-Key"]


@pytest.mark.parametrize("nesting", ["dots", "none"])
def test_an_optional_object_that_openapi_cannot_nest_is_left_out(nesting: str) -> None:
    """The operation can be called without it."""
    found = operation(export_openapi(shop(nesting)), "get", "/items/{id}")

    assert [item["name"] for item in found["parameters"]] == ["id", "limit"]


def test_bodies(exported: Exported) -> None:
    """By codec; demanded when a field of it is."""
    body = operation(exported, "post", "/items")["requestBody"]

    assert body["required"] is True
    assert body["content"]["application/json"]["schema"]["required"] == ["name"]
    assert list(operation(exported, "post", "/files")["requestBody"]["content"]) == ["multipart/form-data"]


def test_responses_of_one_status_are_alternatives(exported: Exported) -> None:
    """Conditions cannot be said, so that any of them is allowed."""
    found = operation(exported, "post", "/items")["responses"]

    assert set(found) == {"400", "409", "201"}
    assert found["409"]["description"] == "full or taken"
    assert len(found["409"]["content"]["application/json"]["schema"]["anyOf"]) == 2


def test_bodies_that_are_not_json_or_not_described_are_free(exported: Exported) -> None:
    """Nothing is demanded of them."""
    assert "content" not in operation(exported, "post", "/files")["responses"]["204"]
    assert "content" not in operation(exported, "post", "/")["responses"]["200"]


def test_what_routes_a_request_must_be_sent(exported: Exported) -> None:
    """A header and a field of the body, each with its one value."""
    found = operation(exported, "post", "/")

    assert found["parameters"] == [
        {"name": "x-target", "in": "header", "required": True, "schema": {"const": "send"}},
    ]
    schema = found["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]
    assert schema["allOf"][1] == {"type": "object", "properties": {"Action": {"const": "send"}}, "required": ["Action"]}


def test_a_second_operation_of_one_path_and_method_is_left_out_and_said_to_be(exported: Exported) -> None:
    """OpenAPI has no place for it."""
    assert exported.left_out == ("receive: OpenAPI has one operation for POST /, and send is it",)


def test_types_that_contain_themselves_are_components(exported: Exported) -> None:
    """By reference, and there."""
    schemas = exported.document["components"]["schemas"]

    assert schemas["Node"]["properties"]["children"]["items"] == {"$ref": "#/components/schemas/Node"}


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.iterdir()))
def test_every_contract_can_be_exported_and_every_reference_is_there(name: str) -> None:
    """Whatever it uses."""
    document = export_openapi(load(DATA / name)).document
    text = repr(document)

    assert document["paths"]
    for reference in {part.split("'")[0] for part in text.split("#/components/schemas/")[1:]}:
        assert reference in document["components"]["schemas"]


def test_wires_that_are_not_shown_are_named() -> None:
    """An operation of OpenAPI has one protocol: the first of the contract's."""
    wires = "wires: {a: {on: {headers: {X-A: '1'}}, request: json, reply: json}, b: {request: form, reply: json}}"
    operation = "{wires: [a, b], request: {method: POST, path: /, body: {n: $integer}}, responses: {ok: {status: 200}}}"
    exported = export_openapi(contract_of(f"troth: 1\nprovider: p\n{wires}\noperations: {{send: {operation}}}\n"))

    assert exported.left_out == ("send on b: OpenAPI shows one wire, and a is it",)
