"""Where demands are written, what matchers are inferred, and which patches are thought of."""

from __future__ import annotations

from typing import Any

import pytest

from troth.contracts.document.document import Document
from troth.contracts.document.folder import parse_document
from troth.contracts.kinds import KINDS
from troth.contracts.repair.expectations import step_at
from troth.contracts.repair.infer import inferred
from troth.contracts.repair.patches import PATCHED, patches, written
from troth.contracts.repair.places import demands, overrides
from troth.contracts.repair.proposal import Complaint
from troth.contracts.repair.shown import described_at
from troth.contracts.repair.touched import touched

TEXT = """\
troth: 1
provider: pay
types:
  Money: {amount: $integer, unit: $string}
  Charge:
    id: {$id: {prefix: ch_}}
    price: $Money
    fee?: {$nullable: $Money}
    lines: {$array: {name: $string}}
    kind: {$any_of: [{a: $string}, {b: $string}]}
state:
  charges: {of: $Charge, key: id}
defaults:
  headers: {X-Id: $string}
  responses:
    bad: {when: mismatch, status: 400, json: {code: $string}}
operations:
  charge.create:
    request: {method: POST, path: /charges, query: {dry?: $boolean}, headers: {Key?: $string}, json: {n: $integer}}
    responses:
      made: {status: 201, headers: {Location: $url}, json: {$Charge: {price: {unit: eur}}}, effects: [put: charges]}
  list:
    request: {method: GET, path: /charges}
    let: {page: {$select: charges, order: [-id]}}
    responses:
      page: {status: 200, json: {data: "{{ page.items }}"}}
  get:
    request: {method: GET, path: "/charges/{id}"}
    let: {charge: state.charges(path.id)}
    responses:
      missing: {when: not charge, status: 404, json: {code: $string}}
      found: {status: 200, json: "{{ charge }}"}
scenarios:
  a charge:
    part: true
    steps:
      - {call: charge.create, with: {n: 1}, expect: made, keep: {id: this.id}}
  listed [twice]:
    cases: [{n: 1}, {n: 2}]
    steps:
      - {include: a charge, as: paid}
      - {call: list, repeat: {times: 2}}
    cleanup:
      - {call: get, with: {id: "{{ paid.id }}"}}
"""


@pytest.fixture(scope="module")
def document() -> Document:
    return parse_document(TEXT)


def at(document: Document, line: int, column: int) -> str:
    """What is written at a place."""
    return TEXT.splitlines()[line - 1][column - 1 :]


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("Charge.price", "$Money"),
        ("Money.unit", "$string}"),
        ("Charge.lines[*].name", "$string}}"),
        ("Charge.kind.b", "$string}]}"),
        ("Charge", "id: {$id"),
        ("charge.create.made$.price.unit", "eur}}}"),
        ("charge.create.made.headers.location", "$url}"),
        ("charge.create.made.status", "201"),
        ("charge.create.request.body.n", "$integer}}"),
        ("charge.create.request.query.dry", "$boolean}"),
        ("charge.create.request.headers.key", "$string}, json"),
        ("headers.x_id", "$string}"),
        ("get.missing$.code", "$string}}"),
    ],
)
def test_demands_are_found_where_they_are_written(document: Document, origin: str, expected: str) -> None:
    """In types, responses, requests and what lies beneath all of them."""
    (entry, *_) = demands(document.root, origin, ["get.found"])

    assert at(document, entry.place.line, entry.place.column).startswith(expected)


@pytest.mark.parametrize(
    "origin", ["", "Nothing.at", "get.other$.x", "charge.create.404", "charge.create.request.path.id"]
)
def test_what_is_written_nowhere_is_not_found(document: Document, origin: str) -> None:
    assert demands(document.root, origin) == []


def test_what_responses_say_of_a_type_is_found_too(document: Document) -> None:
    (entry,) = overrides(document.root, "Charge.price.unit", ["charge.create.made", "get.found"])

    assert entry.raw == "eur"


@pytest.mark.parametrize(
    ("response", "path", "raw"),
    [
        ("charge.create.made", "$.price.unit", "eur"),
        ("charge.create.made", "$.price.amount", "$integer"),
        ("get.found", "$.fee.unit", "$string"),
        ("list.page", "$.data[3].price", "$Money"),
        ("list.page", "$.data[3].lines[0].name", "$string"),
        ("get.found", "$.nothing", None),
        ("get.found", "status", None),
    ],
)
def test_what_describes_a_place_of_a_reply(document: Document, response: str, path: str, raw: Any) -> None:
    """Through types, records and pages."""
    entry = described_at(document.root, response, path)

    assert (entry.raw if entry is not None else None) == raw


def test_null_in_one_field_of_a_shared_type_is_allowed_in_that_field_first(document: Document) -> None:
    """Not wherever the type is used."""
    complaint = Complaint("null", "$.price", "Money", "get", ("get.found",), seen=(None,))
    first, second = patches(document, complaint)

    assert "price: {$nullable: $Money}" in first.texts["contract.yaml"]
    assert "Money: {$nullable: {amount: $integer, unit: $string}}" in second.texts["contract.yaml"]


def test_a_missing_field_is_never_mended_by_the_name_of_its_type(document: Document) -> None:
    """It is the field that may be absent, wherever its value is described."""
    complaint = Complaint("missing_field", "$.price", "Money", "get", ("get.found",))

    assert [patch.texts["contract.yaml"] for patch in patches(document, complaint)] == [
        TEXT.replace("    price: $Money", "    price?: $Money"),
        TEXT.replace("    price: $Money", "    price?: {$Money: {}, changes: freely}"),
        TEXT.replace("    price: $Money\n", ""),
    ]


@pytest.mark.parametrize(
    ("trail", "call"),
    [
        ("2", "list"),
        ("2.repeat2", "list"),
        ("1.a charge.1", "charge.create"),
        ("cleanup.1", "get"),
        ("undo.1", None),
        ("9", None),
    ],
)
def test_trails_lead_to_steps(document: Document, trail: str, call: str | None) -> None:
    """Of a case, of a part, of cleaning up."""
    step = step_at(document.root, "listed [twice]", trail)

    assert (step.raw.get("call") if step is not None else None) == call


@pytest.mark.parametrize(
    ("values", "matcher"),
    [
        ([1, 2], "$integer"),
        ([1, 2.5], "$number"),
        ([True], "$boolean"),
        ([None], "$null"),
        ([None, "a"], {"$nullable": "$string"}),
        (["a", 1], "$any"),
        ([], "$any"),
        (["5f0c2a91-3b7e-4d2a-9c1b-0a1b2c3d4e5f"], "$uuid"),
        (["2026-10-01T10:00:00Z"], {"$timestamp": "rfc3339"}),
        (["2026-10-01"], {"$timestamp": "date"}),
        (["https://a.example/x"], "$url"),
        (["12.50"], "$string"),
        ([[1], []], {"$array": "$integer"}),
        ([[]], "$array"),
        ([{"a": 1, "b": "x"}, {"a": 2}], {"a": "$integer", "b?": "$string"}),
        ([{"ord 17": 1}], {"$map": "$integer"}),
    ],
)
def test_matchers_are_no_narrower_than_what_was_seen(values: list[Any], matcher: Any) -> None:
    assert inferred(values) == matcher


def test_kinds_with_patches_are_kinds() -> None:
    assert KINDS.keys() >= PATCHED


def test_what_has_no_patch_has_a_place_all_the_same(document: Document) -> None:
    """So that a person knows where to look."""
    complaint = Complaint("reference", "$.id", "Charge.id", "get", ("get.found",), seen=("ch_1",))

    assert list(patches(document, complaint)) == []
    assert written(document, complaint).line == 6
    assert written(document, Complaint("response", "status", "x", "get")).line == 27


def test_an_edit_touches_the_operations_that_say_something_else(document: Document) -> None:
    """Through types, through records, through what lies beneath all."""

    def after(old: str, new: str) -> tuple[str, ...]:
        return touched(document.root, parse_document(TEXT.replace(old, new)).root)

    assert after("unit: $string", "unit?: $string") == ("charge.create", "list", "get")
    assert after("X-Id: $string", "X-Id?: $string") == ("charge.create", "list", "get")
    assert after("status: 201", "status: 200") == ("charge.create",)
    assert after("with: {n: 1}", "with: {n: 3}") == ()
