"""Names that lead nowhere, wherever one part of a contract uses another."""

import pytest

from troth.contracts.document.folder import parse_document
from troth.contracts.document.references import RESERVED
from troth.errors import ContractError, Place, Problem

CONTRACT = """\
troth: 1
provider: x
versions: {{from: headers.v, known: [v1, v2]}}
secrets: {{key: {{env: X}}}}
targets:
  sandbox: {{url: 'https://a.example'}}
  {target}
types:
  Thing: {{id: $id, more?: {type}}}
state:
  things: {{of: $Thing, key: id{collection}}}
operations:
  make:
    request: {{method: POST, path: /things, json: {request}}}
    {operation}
    responses:
      made: {{status: 200, json: {response}, effects: [{effect}]{more}}}
  drop:
    request: {{method: DELETE, path: "/things/{{id}}"}}
    responses:
      dropped: {{status: 204}}
"""
GOOD = {
    "target": "eu: {like: sandbox}",
    "type": "$string",
    "collection": "",
    "request": "{a: $string}",
    "operation": "title: a",
    "response": "$Thing",
    "effect": "put: things",
    "more": "",
}


def problems_in(**changes: str) -> list[Problem]:
    try:
        parse_document(CONTRACT.format(**GOOD | changes), "f.yaml")
    except ContractError as error:
        return list(error.problems)
    return []


def test_the_contract_that_is_changed_below_is_good() -> None:
    """Or the other tests would prove nothing."""
    assert problems_in() == []


@pytest.mark.parametrize(
    ("changes", "code", "found", "fix"),
    [
        ({"response": "$Thng"}, "E060", "'Thng'", "Did you mean 'Thing'?"),
        ({"response": "{$Thng: {}, from: body}"}, "E060", "'Thng'", "Did you mean 'Thing'?"),
        ({"response": "{list: {$array: {$nullable: $Thng}}}"}, "E060", "'Thng'", "Did you mean 'Thing'?"),
        ({"request": "{a: {$partial: $Thng}}"}, "E060", "'Thng'", "Did you mean 'Thing'?"),
        ({"type": "$Thng"}, "E060", "'Thng'", "Did you mean 'Thing'?"),
        ({"collection": ", also: {x: $Thng}"}, "E060", "'Thng'", "Did you mean 'Thing'?"),
        ({"effect": "{put: things, value: {$Thng: {}}}"}, "E060", "'Thng'", "Did you mean 'Thing'?"),
        ({"operation": "undo: {call: dorp}"}, "E061", "'dorp'", "Did you mean 'drop'?"),
        ({"operation": "idempotency: {key: headers.k, skip: [maed]}"}, "E062", "'maed'", "Did you mean 'made'?"),
        ({"effect": "put: thing"}, "E064", "'thing'", "Did you mean 'things'?"),
        ({"type": "{$link: thing}"}, "E064", "'thing'", "Did you mean 'things'?"),
        ({"operation": "let: {page: {$select: thing}}"}, "E064", "'thing'", "Did you mean 'things'?"),
        (
            {"collection": ", moves: {m: {when: it.a, takes: 0s..1s, effects: [put: thing]}}"},
            "E064", "'thing'", "Did you mean 'things'?",
        ),
        ({"operation": "use: [none]"}, "E065", "'none'", "There are no traits here"),
        ({"target": "eu: {like: sandbx}"}, "E066", "'sandbx'", "Did you mean 'sandbox'?"),
        ({"target": "eu: {like: sandbox, secrets: {kye: {env: X}}}"}, "E066", "'kye'", "Did you mean 'key'?"),
        ({"target": "eu: {like: eu}"}, "E067", "eu > eu", ""),
        ({"operation": "since: v3"}, "E068", "'v3'", "Known versions: v1, v2"),
        ({"more": ", until: v3"}, "E068", "'v3'", "Known versions: v1, v2"),
        ({"type": "{$string: {}, since: v3}"}, "E068", "'v3'", "Known versions: v1, v2"),
        ({"operation": "let: {body: query.a}"}, "E069", "'body'", "a meaning in expressions"),
        ({"operation": "let: {a-b: query.a}"}, "E069", "'a-b'", ""),
        ({"more": ", let: {now: query.a}"}, "E069", "'now'", "a meaning in expressions"),
        ({"operation": "let: {a: query.a}", "more": ", let: {a: query.b}"}, "E069", "'a'", "Choose another name"),
        ({"effect": "{put: things, each: body.a, as: this}"}, "E069", "'this'", "a meaning in expressions"),
        (
            {"operation": "let: {a: query.a}", "effect": "{put: things, each: body.a, as: a}"},
            "E069", "'a'", "Choose another name",
        ),
    ],
)  # fmt: skip
def test_a_name_that_leads_nowhere(changes: dict[str, str], code: str, found: str, fix: str) -> None:
    """One problem, with the nearest name that would do."""
    (problem,) = problems_in(**changes)

    assert (problem.code, problem.found) == (code, found)
    assert fix in problem.fix
    assert problem.place.line > 0


def test_place_of_a_name() -> None:
    """The caret stands under the name, in the short form and in the long one."""
    (short,) = problems_in(response="$Thng")
    (long,) = problems_in(response="{$Thng: {}}")

    assert (short.place, long.place) == (Place("f.yaml", 17, 33), Place("f.yaml", 17, 34))


def test_names_in_what_nobody_uses() -> None:
    """Traits and `defaults` are checked although no operation has them."""
    text = CONTRACT.format(**GOOD) + "traits: {t: {request: {json: $Thng}, undo: {call: dorp}, let: {it: query.a}}}\n"
    with pytest.raises(ContractError) as caught:
        parse_document(text)

    assert sorted(problem.code for problem in caught.value.problems) == ["E060", "E061", "E069"]


def test_a_name_in_defaults_is_one_problem() -> None:
    """However many operations inherit it."""
    text = CONTRACT.format(**GOOD) + "defaults: {responses: {bad: {when: mismatch, status: 400, json: $Eror}}}\n"
    with pytest.raises(ContractError) as caught:
        parse_document(text)

    assert [problem.code for problem in caught.value.problems] == ["E060"]


def test_circle_of_targets() -> None:
    """Every target of the circle is shown, with the way round."""
    found = problems_in(target="eu: {like: us}\n  us: {like: eu}")

    assert [(problem.code, problem.found) for problem in found] == [("E067", "eu > us > eu"), ("E067", "us > eu > us")]


def test_versions_without_a_list_of_them() -> None:
    """`since` needs to know what came before what."""
    text = CONTRACT.format(**GOOD | {"operation": "since: v1"}).replace(
        "versions: {from: headers.v, known: [v1, v2]}\n", ""
    )
    with pytest.raises(ContractError) as caught:
        parse_document(text)

    assert [(problem.code, problem.found) for problem in caught.value.problems] == [("E068", "'v1'")]


@pytest.mark.parametrize("name", ["replay", "conflict", "busy"])
def test_responses_that_idempotency_gives(name: str) -> None:
    """`expect: replay` could mean either."""
    keyed = {"operation": "idempotency: {key: headers.k}"}
    text = CONTRACT.format(**GOOD | keyed).replace("made:", f"{name}:")
    with pytest.raises(ContractError) as caught:
        parse_document(text)

    assert [(problem.code, problem.found) for problem in caught.value.problems] == [("E069", repr(name))]
    assert parse_document(text.replace("    idempotency: {key: headers.k}\n", ""))


@pytest.mark.parametrize("literal", ["{$enum: [$Thng, b]}", "{$$Thng: 1}", "'$$Thng'", "'$Thng and more'", "Thng"])
def test_what_is_no_name_of_a_type(literal: str) -> None:
    """Values of an enum, escaped keys and other texts are left to the compiler."""
    assert problems_in(response=literal) == []


def test_every_word_of_the_language_is_reserved() -> None:
    """The list of `Names` in the language's reference."""
    assert {"this", "it", "here", "now", "maybe", "absent", "mismatch", "state", "unique", "loop"} <= RESERVED
    assert {"charge", "page", "id", "key", "value", "type", "left"}.isdisjoint(RESERVED)


UNDONE = """\
operations:
  make:
    request: {method: POST, path: /a}
    responses: {made: {status: 200, json: {id: $id}}}
    undo: {call: drop, UNDO}
  drop:
    request: {method: DELETE, path: "/a/{id}", query: {why?: $string}}
    responses: {dropped: {status: 204}}
"""


@pytest.mark.parametrize(
    ("undo", "missing"), [("with: {why: x}", 1), ('with: {id: "1"}', 0), ('with: {path.id: "1"}', 0)]
)
def test_what_takes_something_back_is_told_what(undo: str, missing: int) -> None:
    """A path without its value would be found out only when something is to be cleaned up."""
    found: list[tuple[str, int]] = []
    try:
        parse_document("troth: 1\nprovider: a\n" + UNDONE.replace("UNDO", undo))
    except ContractError as error:
        found = [(problem.code, problem.place.line) for problem in error.problems]

    assert found == [("E365", 7)] * missing
