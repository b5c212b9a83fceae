"""Lists of a sandbox that others use too: what a list is held to, and what nobody can know of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from fakes.talk import Talk, contract_of, kinds, put

from troth.contracts.exchange import Response

NOTES = """
troth: 1
provider: notes
types:
  Error: {code: $string}
  Note:
    id: {$id: {prefix: n_}}
    text: $string
    open: $boolean
    rank: $integer
    tag?: $string
state:
  notes: {of: $Note, key: id, also: {owner: $string, weight: $integer}}
defaults: {request: {headers: {X-Owner?: $string}}}
operations:
  make:
    request: {method: POST, path: /n, json: {text: $string, rank: $integer, tag?: $string, weight?: $integer}}
    responses:
      made:
        status: 201
        json: {$Note: {open: true}, from: body}
        effects: [{put: notes, also: {owner: "{{ headers.x_owner }}", weight: "{{ body.weight }}"}}]
  close:
    request: {method: POST, path: "/n/{id}/close"}
    let: {note: state.notes(path.id)}
    responses:
      missing: {when: not note, status: 404, json: $Error}
      closed: {status: 200, json: {$Note: {open: false}, from: note}, effects: [put: notes]}
  get:
    request: {method: GET, path: "/n/{id}"}
    let: {note: state.notes(path.id)}
    responses:
      missing: {when: not note, status: 404, json: $Error}
      found: {status: 200, json: "{{ note }}"}
  mine:
    request: {method: GET, path: /mine}
    let: {page: {$select: notes, where: it.owner == headers.x_owner, order: [rank]}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}"}}}
  tagged:
    request: {method: GET, path: /tagged, query: {tag?: $string}}
    let: {page: {$select: notes, where: query.tag is absent or it.tag == query.tag, order: [rank]}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}"}}}
  light:
    request: {method: GET, path: /light}
    let: {page: {$select: notes, order: [weight]}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}"}}}
  all:
    request: {method: GET, path: /n, query: {after?: $string, limit?: {$integer: {min: 1}, default: 10}}}
    let: {page: {$select: notes, size: query.limit, after: query.after, order: [rank]}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}", more: "{{ page.more }}"}}}
"""

OTHERS = {"id": "n_" + "x" * 24, "text": "theirs", "open": True, "rank": 50}


@pytest.fixture
def talk() -> Talk:
    return Talk(contract_of(NOTES), headers={"X-Owner": "us"})


def rows(*change: Callable[[list[dict[str, Any]]], Any]) -> Callable[[dict[str, Any]], None]:
    """A change of the rows of a page."""

    def apply(body: dict[str, Any]) -> None:
        for one in change:
            one(body["data"])

    return apply


def others(**values: Any) -> Callable[[dict[str, Any]], None]:
    """Somebody else's record at the end of the list."""
    return rows(lambda data: data.append({**OTHERS, **values}))


def other_record(**values: Any) -> Callable[[dict[str, Any]], Response]:
    """Somebody else's record as the reply."""
    return lambda body: Response(
        200, ((b"Content-Type", b"application/json"),), json.dumps({**OTHERS, **values}).encode()
    )


# What a reply hides


def test_a_list_may_be_filtered_by_what_it_does_not_show(talk: Talk) -> None:
    """The owner is hidden: of our records it is known, of others nobody can say."""
    talk.call("make", text="a", rank=1)

    assert talk.call("mine").mismatches == ()
    assert talk.call("mine", others()).mismatches == ()


def test_a_record_that_is_known_not_to_belong_is_found_although_the_reason_is_hidden(talk: Talk) -> None:
    talk.call("make", text="a", rank=1)
    made = talk.body
    talk.headers = ((b"X-Owner", b"them"),)

    assert kinds(talk.call("mine", rows(lambda data: data.append(made)))) == ["list_filter"]


def test_an_optional_field_that_a_row_does_not_show_is_not_there(talk: Talk) -> None:
    """Rows are of the collection's own type: what they lack is absent, not hidden."""
    talk.call("make", text="a", rank=1, tag="t")

    assert talk.call("tagged", tag="t").mismatches == ()
    assert kinds(talk.call("tagged", others(), tag="t")) == ["list_filter"]


def test_a_list_may_be_ordered_by_what_it_does_not_show(talk: Talk) -> None:
    talk.call("make", text="a", rank=1, weight=2)
    talk.call("make", text="b", rank=2, weight=1)

    assert talk.call("light").mismatches == ()
    assert talk.call("light", others()).mismatches == ()
    assert kinds(talk.call("light", rows(lambda data: data.reverse()))) == ["list_order"]


# What others change


def test_rows_of_others_may_change_between_two_lists(talk: Talk) -> None:
    talk.call("all", others())

    assert talk.call("all", others(open=False, text="edited", rank=51, tag="new")).mismatches == ()
    assert talk.call("all", others()).mismatches == ()


def test_rows_of_ours_may_not(talk: Talk) -> None:
    talk.call("make", text="a", rank=1)
    talk.call("all")

    assert kinds(talk.call("all", put("data.0.text", "edited"))) == ["stored"]


def test_rows_of_others_must_fit_their_type(talk: Talk) -> None:
    assert kinds(talk.call("all", others(open="yes"))) == ["type"]


def test_a_row_of_others_may_be_changed_or_gone_when_it_is_asked_for(talk: Talk) -> None:
    talk.call("all", others())

    assert talk.call("get", id=OTHERS["id"]).mismatches == ()
    assert talk.judge.state.was_deleted("notes", OTHERS["id"]) is False


def test_what_is_asked_for_by_its_key_stays_as_it_was_seen(talk: Talk) -> None:
    """A fixture of the sandbox: from the first look on it is known, although this run did not make it."""
    talk.call("all", others())
    assert talk.call("get", other_record(open=False), id=OTHERS["id"]).mismatches == ()

    assert talk.call("get", other_record(open=False), id=OTHERS["id"]).mismatches == ()
    assert kinds(talk.call("get", other_record(), id=OTHERS["id"])) == ["stored"]


def test_a_list_that_shows_others_changed_since_makes_them_unknown_again(talk: Talk) -> None:
    talk.call("get", other_record(), id=OTHERS["id"])

    assert talk.call("all", others(open=False)).mismatches == ()
    assert talk.call("get", other_record(text="edited"), id=OTHERS["id"]).mismatches == ()


def test_what_this_run_did_to_others_records_is_known(talk: Talk) -> None:
    talk.call("all", others())
    talk.call("close", other_record(open=False), id=OTHERS["id"])

    assert kinds(talk.call("get", other_record(), id=OTHERS["id"])) == ["stored"]


def page_of(*data: dict[str, Any], more: bool) -> Callable[[dict[str, Any]], None]:
    return lambda body: body.update(data=list(data), more=more)


def test_others_may_move_from_one_page_to_the_next(talk: Talk) -> None:
    """Somebody gave it another rank between the pages."""
    talk.call("all", page_of(OTHERS, more=True), limit=1)

    moved = {**OTHERS, "rank": 60}
    assert talk.call("all", page_of(moved, more=False), limit=1, after=OTHERS["id"]).mismatches == ()


def test_others_that_nobody_changed_come_once(talk: Talk) -> None:
    talk.call("all", page_of(OTHERS, more=True), limit=1)

    again = talk.call("all", page_of(OTHERS, more=False), limit=1, after=OTHERS["id"])
    assert kinds(again) == ["list_duplicate"]


def test_what_comes_after_a_row_of_others_must_still_be_there(talk: Talk) -> None:
    """Where their rows stand is what pages are counted from."""
    talk.call("make", text="a", rank=60)
    talk.call("all", page_of(OTHERS, more=True), limit=1)

    assert kinds(talk.call("all", page_of(more=False), limit=1, after=OTHERS["id"])) == ["list_missing"]


GRAVES = """
troth: 1
provider: graves
types: {Note: {id: {$id: {prefix: n_}}}}
state:
  notes:
    of: $Note
    key: id
    moves: {expires: {when: it.id is not absent, takes: 10s..10s, effects: [{delete: it}]}}
operations:
  make:
    request: {method: POST, path: /n}
    responses: {made: {status: 201, json: $Note, effects: [put: notes]}}
  get:
    request: {method: GET, path: "/n/{id}"}
    let: {note: state.notes(path.id)}
    responses:
      gone: {when: state.notes.deleted(path.id), status: 410}
      missing: {when: not note, status: 404}
      found: {status: 200, json: "{{ note }}"}
"""


def test_whether_a_record_of_others_was_deleted_nobody_can_say() -> None:
    talk = Talk(contract_of(GRAVES))

    assert talk.call("get", lambda _: Response(410), id="n_of_others").mismatches == ()
    assert talk.call("get", lambda _: Response(404), id="n_of_others").mismatches == ()


def test_a_record_of_ours_is_deleted_when_its_time_has_come() -> None:
    """On both sides, whichever is asked first: whether it is there, or whether it is gone."""
    talk = Talk(contract_of(GRAVES))
    talk.call("make")
    id_ = talk.body["id"]
    assert kinds(talk.call("get", lambda _: Response(410), id=id_)) == ["early"]

    talk.now += 20
    judgement = talk.call("get", id=id_)
    assert (judgement.response, judgement.mismatches) == ("gone", ())


def test_what_a_page_announces_may_be_deleted_before_the_next(talk: Talk) -> None:
    """By others, who have had the time; right after the page it must be there."""
    talk.call("all", page_of(OTHERS, more=True), limit=1)
    assert kinds(talk.call("all", page_of(more=False), limit=1, after=OTHERS["id"])) == ["list_more"]

    talk.call("all", page_of(OTHERS, more=True), limit=1)
    talk.now += 60
    assert talk.call("all", page_of(more=False), limit=1, after=OTHERS["id"]).mismatches == ()
