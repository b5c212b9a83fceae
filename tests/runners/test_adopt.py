"""Adopting: drift of a hand-written shop, found by a run; the patch; and the next run agrees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from difflib import ndiff
from pathlib import Path
from typing import Any

import pytest
from fakes.shop import Changed, Shopping, with_value, without
from fakes.tiny_server import Reply, Seen

from troth.contracts.document.folder import read_document
from troth.runners.finding import Blame, Finding, Run, Verdict
from troth.runners.repair.adopt import Adoption, Unsettled, adopt
from troth.runners.repair.nights import night_of, stored_nights


@pytest.fixture
def shopping(tmp_path: Path) -> Shopping:
    """A project with the shop's contract and no history."""
    return Shopping(tmp_path)


def finding(run: Run, kind: str) -> Finding:
    """The one finding of a kind that stands by itself."""
    (found,) = [item for item in run.providers[0].findings if item.kind == kind and item.caused_by is None]
    return found


def adopted(shopping: Shopping, run: Run, kind: str, way: str = "") -> Adoption:
    """The patch for a finding of a run."""
    (provider,) = run.providers
    return adopt(
        read_document(shopping.contract),
        finding(run, kind),
        night_of(run, provider),
        stored_nights(shopping.store, "shop", run.run_id),
        way=way,
    )


def write(adoption: Adoption) -> None:
    """Put the patch in place."""
    for file, text in adoption.after.items():
        Path(file).write_text(text)


def lines(before: dict[str, str], after: dict[str, str]) -> tuple[list[str], list[str]]:
    """The lines that went, and those that came, over all files."""
    found = [line for name in before for line in ndiff(before[name].splitlines(), after[name].splitlines())]
    return [item[2:] for item in found if item[0] == "-"], [item[2:] for item in found if item[0] == "+"]


def answer(status: int, new: int, **body: Any) -> Changed:
    """Another status for the answers with a status, with another body if one is given."""
    return lambda seen, reply: replace(reply, status=new, body=body or reply.body) if reply.status == status else reply


def headers(**given: str) -> Changed:
    """These headers and no others."""
    return lambda seen, reply: replace(reply, headers=given)


def body(change: Callable[[dict[str, Any]], dict[str, Any]], status: int) -> Changed:
    """A change of the bodies that come with a status."""
    return lambda seen, reply: replace(reply, body=change(reply.body)) if reply.status == status else reply


def as_text(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


CASES: dict[str, tuple[Changed, str, str, list[str], list[str]]] = {
    "another type": (
        with_value("total", "12.50"),
        "type",
        "replace",
        ["    total: {$number: {min: 0}}"],
        ["    total: $string"],
    ),
    "null": (
        with_value("currency", None),
        "null",
        "nullable",
        ["    currency: $string                     # ISO 4217"],
        ["    currency: {$nullable: $string}                     # ISO 4217"],
    ),
    "a value that is not listed": (
        body(lambda error: {**error, "code": "gone_away"}, 404),
        "enum",
        "member",
        ["  Error: {code: {$enum: [no_such_order, bad_count]}, message: $text}"],
        ["  Error: {code: {$enum: [no_such_order, bad_count, gone_away]}, message: $text}"],
    ),
    "times as text": (
        with_value("made", as_text),
        "type",
        "form",
        ["    made: {$timestamp: unix}"],
        ["    made: {$timestamp: rfc3339}"],
    ),
    "a number outside its limits": (
        with_value("total", -1.5),
        "bounds",
        "widen",
        ["    total: {$number: {min: 0}}"],
        ["    total: {$number: {min: -1.5}}"],
    ),
    "a list that is too long": (
        with_value("tags", ["a", "b", "c"]),
        "list_size",
        "widen",
        ["      size: 0..2"],
        ["      size: 0..3"],
    ),
    "a field that is missing": (
        without("currency"),
        "missing_field",
        "optional",
        ["    currency: $string                     # ISO 4217"],
        ["    currency?: $string                     # ISO 4217"],
    ),
    "a field that is missing, said again by a response": (
        without("made"),
        "missing_field",
        "optional",
        ['        json: {$Order: {state: open, made: "{{ now }}"}, from: body}', "    made: {$timestamp: unix}"],
        ['        json: {$Order: {state: open, made?: "{{ now }}"}, from: body}', "    made?: {$timestamp: unix}"],
    ),
    "a field that goes": (
        without("tags", "GET"),
        "missing_field",
        "optional",
        ["    tags:"],
        ["    tags?:", "      changes: freely"],
    ),
    "a field that comes": (
        with_value("eta", "soon", "GET"),
        "appeared",
        "changes",
        ["    eta?: $string"],
        ["    eta?: {$string: {}, changes: once}"],
    ),
    "a remembered value": (
        with_value("currency", "USD", "GET"),
        "stored",
        "changes",
        ["    currency: $string                     # ISO 4217"],
        ["    currency: {$string: {}, changes: freely}                     # ISO 4217"],
    ),
    "a new field": (
        with_value("address", {"city": "Wien", "zip": "1010"}),
        "new_field",
        "field",
        ["    address: {$closed: {city: $string}}"],
        ["    address: {$closed: {city: $string, zip?: $string}}"],
    ),
    "none of the alternatives": (
        with_value("weight", "7 g"),
        "variant",
        "alternative",
        ["    weight: {$any_of: [$integer, {grams: $integer}]}"],
        ["    weight: {$any_of: [$integer, {grams: $integer}, $string]}"],
    ),
    "another literal": (
        with_value("terms", "v2"),
        "value",
        "value",
        ["    terms: v1"],
        ["    terms: v2"],
    ),
    "a value that is not copied from the request": (
        with_value("count", 3),
        "value",
        "uncopied",
        ['        json: {$Order: {state: open, made: "{{ now }}"}, from: body}'],
        ['        json: {$Order: {state: open, made: "{{ now }}", count: $integer}, from: body}'],
    ),
    "another status": (answer(201, 200), "status", "status", ["        status: 201"], ["        status: 200"]),
    "a response that nobody declared, in place of another": (
        answer(404, 410, gone=True),
        "undeclared",
        "instead",
        ["      missing: {when: not order, status: 404, json: $Error}   # also for deleted ones"],
        ["      missing: {when: not order, status: 410, json: {gone: $boolean}}   # also for deleted ones"],
    ),
    "a header that is gone": (
        headers(),
        "missing_header",
        "optional",
        ["    X-Request-Id: {$id: {prefix: req_, length: 6}}   # on every answer"],
        ["    X-Request-Id?: {$id: {prefix: req_, length: 6}}   # on every answer"],
    ),
    "a header of another form": (
        headers(**{"X-Request-Id": "rq_12345678"}),
        "header",
        "form",
        ["    X-Request-Id: {$id: {prefix: req_, length: 6}}   # on every answer"],
        ["    X-Request-Id: {$id: {prefix: rq_, length: 8}}   # on every answer"],
    ),
    "another default": (
        with_value("channel", "app"),
        "loose_value",
        "default",
        ["    channel: {$string: {}, default: 'web'}"],
        ["    channel: {$string: {}, default: app}"],
    ),
    "an optional field that is always there": (
        with_value("gift", False),
        "loose_presence",
        "required",
        ["    gift?: $boolean"],
        ["    gift: $boolean"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_the_provider_does_is_adopted_and_the_next_run_agrees(shopping: Shopping, case: str) -> None:
    """Only the lines of the patch change, in whichever file they are; comments and all else stay as they were."""
    changed, kind, way, gone, come = CASES[case]
    before = shopping.texts()
    adoption = adopted(shopping, shopping.night(changed), kind)
    write(adoption)

    assert adoption.name == way
    assert lines(before, shopping.texts()) == (gone, come)
    assert [item.kind for item in adoption.closes if item.caused_by is None] == [kind]
    assert all(item.severity in ("notice", "cosmetic") for item in adoption.opens)
    again = shopping.night(changed)
    assert again.verdict is Verdict.AGREE, again.providers[0].findings
    assert kind not in {item.kind for item in again.providers[0].findings}


def test_an_invalid_request_that_is_accepted_widens_the_request(shopping: Shopping) -> None:
    """By the value that was sent."""
    before = shopping.texts()
    adoption = adopted(shopping, shopping.night(most=1000), "invalid_accepted")
    write(adoption)

    assert lines(before, shopping.texts()) == (
        ["      json: {item: $string, count: {$integer: {min: 1, max: 99}}}   # no more than 99"],
        ["      json: {item: $string, count: {$integer: {min: 1, max: 100}}}   # no more than 99"],
    )
    assert adoption.operations == ("create_order",)
    assert shopping.night(most=1000).verdict is Verdict.AGREE


def test_a_scenario_that_expects_the_old_value_follows(shopping: Shopping) -> None:
    """Response, type and scenario change together, over three files."""
    changed, before = with_value("state", "new"), shopping.texts()
    adoption = adopted(shopping, shopping.night(changed), "value")
    write(adoption)

    assert lines(before, shopping.texts()) == (
        [
            "        expect: {response: found, json: {state: open}}     # as it was made",
            '        json: {$Order: {state: open, made: "{{ now }}"}, from: body}',
            "    state: {$enum: [open,   shipped]}     # the blanks are wanted",
        ],
        [
            "        expect: {response: found, json: {state: new}}     # as it was made",
            '        json: {$Order: {state: new, made: "{{ now }}"}, from: body}',
            "    state: {$enum: [open,   shipped, new]}     # the blanks are wanted",
        ],
    )
    assert len(adoption.words) == 2
    assert shopping.night(changed).verdict is Verdict.AGREE


def test_a_scenario_that_cannot_follow_is_named(tmp_path: Path) -> None:
    """It demands by an expression, which nobody can rewrite."""
    shopping = Shopping(tmp_path, {"json: {state: open}}": "json: {state: \"{{ 'open' }}\"}}"})
    run = shopping.night(with_value("state", "shipped"))

    with pytest.raises(Unsettled) as refused:
        adopted(shopping, run, "value", "value")

    assert [problem.code for problem in refused.value.invalid] == ["E181"]
    assert "an order is kept" in refused.value.invalid[0].asked


def test_another_way_can_be_asked_for(shopping: Shopping) -> None:
    """And is offered by name."""
    run = shopping.night(without("currency"))

    assert "remove" in adopted(shopping, run, "missing_field").others
    removed = adopted(shopping, run, "missing_field", "remove")
    assert (removed.name, "currency" in "".join(removed.after.values())) == ("remove", False)
    with pytest.raises(Unsettled, match="no way called 'burn'; known are optional, remove"):
        adopted(shopping, run, "missing_field", "burn")


def test_earlier_nights_say_what_the_provider_did_then(shopping: Shopping) -> None:
    """The night before the change disagrees with the new contract; the one after it does not any more."""
    changed = with_value("total", "12.50")
    shopping.night()
    shopping.night(changed)
    nights = adopted(shopping, shopping.night(changed), "type").nights

    assert [(night.number, night.opens > 0, night.closes > 0, night.cut) for night in nights] == [
        (2, False, True, 0),
        (1, True, False, 0),
    ]


def test_the_next_night_does_not_blame_the_provider_for_the_edit(shopping: Shopping) -> None:
    """Agreement is remembered with what it rests on. When the shop goes back, the shop has changed since that night."""
    changed = with_value("total", "12.50")
    shopping.night()
    run = shopping.night(changed)
    assert finding(run, "type").blame is Blame.PROVIDER
    write(adopted(shopping, run, "type"))

    assert shopping.night(changed).providers[0].findings == ()
    back = finding(shopping.night(), "type")
    assert (back.blame, back.standing) == (Blame.PROVIDER, "changed since night 3")


def test_an_edit_by_adopt_that_the_provider_never_did_is_not_laid_on_it(shopping: Shopping) -> None:
    """The shop did it on one night only; the contract was edited, and the shop does what it did before."""
    shopping.night()
    write(adopted(shopping, shopping.night(with_value("terms", "v2")), "value"))
    back = finding(shopping.night(), "value")

    assert (back.blame, back.standing) == (Blame.CONTRACT, "edited since night 1")


def test_values_that_came_both_ways_are_both_allowed(shopping: Shopping) -> None:
    """Half of the answers are as before, so the old matcher stays."""
    adoption = adopted(shopping, shopping.night(with_value("total", "12.50", "GET")), "type")

    assert adoption.name == "either"
    assert "    total: {$any_of: [{$number: {min: 0}}, $string]}\n" in "".join(adoption.after.values())


def test_what_the_contract_does_not_show_any_more_is_not_patched(shopping: Shopping) -> None:
    """It was adopted already, or edited by hand."""
    run = shopping.night(without("currency"))
    write(adopted(shopping, run, "missing_field"))

    with pytest.raises(Unsettled, match="does not show it on that night any more") as refused:
        adopted(shopping, run, "missing_field")
    assert refused.value.unseen


def test_a_secret_that_was_not_kept_cannot_be_adopted(tmp_path: Path) -> None:
    """Its token says nothing about its form."""
    shopping = Shopping(tmp_path, {"currency: $string  ": "currency: {$string: {length: 9}, secret: true}  "})
    run = shopping.night(with_value("currency", "a-secret-currency"))

    with pytest.raises(Unsettled, match="is a secret"):
        adopted(shopping, run, "bounds")


def test_a_night_that_asks_for_something_else_is_cut_and_counted(shopping: Shopping) -> None:
    """Between the nights the scenario was edited: its recording does not fit any more."""
    shopping.night()
    file = shopping.contract / "contract.yaml"
    step = '      - call: get_order\n        with: {id: "{{ id }}"}\n'
    file.write_text(file.read_text().replace(step, f"{step}{step}", 1))
    (night,) = adopted(shopping, shopping.night(without("currency")), "missing_field").nights

    assert night.cut == 1


def test_which_of_two_declared_responses_comes_is_left_to_the_author(shopping: Shopping) -> None:
    """Which of two declared responses comes depends on conditions that only an author knows."""

    def changed(seen: Seen, reply: Reply) -> Reply:
        return (
            replace(reply, status=404, body={"code": "no_such_order", "message": "Lost."})
            if seen.method == "GET"
            else reply
        )

    with pytest.raises(Unsettled, match="nothing that could be written"):
        adopted(shopping, shopping.night(changed), "response")
