"""Pages and demands, judged: what cursors claim, and values that are demanded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.talk import Talk, contract_of, kinds, put

from troth.contracts.exchange import Interval, Request, Response

TICKETS = """
troth: 1
provider: tickets
types:
  Error: {code: {$enum: [a, b, gone]}}
  Ticket: {id: {$id: {prefix: t_}}, name: $string}
state: {tickets: {of: $Ticket, key: id}}
operations:
  make:
    request: {method: POST, path: /t, json: {name: $string}}
    responses:
      gone: {when: body.name == "gone", status: 410, json: {$Error: {code: gone}}}
      made: {status: 201, json: {$Ticket: {}, from: body}, effects: [put: tickets]}
  list:
    request: {method: GET, path: /t, query: {after?: $string, limit?: {$integer: {min: 1}, default: 2}}}
    let: {page: {$select: tickets, size: query.limit, after: query.after}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}", next: "{{ page.cursor }}"}}}
scenarios: {one: {steps: [{call: make, with: {name: x}}]}}
"""


@pytest.fixture
def tickets() -> Talk:
    talk = Talk(contract_of(TICKETS))
    for number in range(5):
        talk.call("make", body__name=f"n{number}")
    return talk


def test_a_cursor_that_ends_the_list_too_early_is_refuted(tickets: Talk) -> None:
    """``next: null`` says that there is no more, and three records of this run were on no page."""
    judgement = tickets.call("list", put("next", None))

    assert [(found.kind, found.path) for found in judgement.mismatches] == [("list_more", "$.next")]


def test_opaque_cursors_are_followed_through_the_pages(tickets: Talk) -> None:
    """The provider's tokens mean nothing to anybody else; the pages still belong together."""
    page = tickets.call("list", put("next", "opaque-1"))
    first = [row["id"] for row in tickets.body["data"]]
    after = first[-1]
    tickets.reply = tickets.provider.respond(Request("GET", "/t", f"after={after}"), tickets.now).response
    tickets.request = Request("GET", "/t", "after=opaque-1")

    assert page.mismatches == ()
    assert tickets.listen("list").mismatches == ()
    assert not {row["id"] for row in tickets.body["data"]} & set(first)


def test_another_value_than_the_demanded_one_is_a_value_whatever_its_form(tickets: Talk) -> None:
    """A code outside the enum, where the contract says which code: not the milder ``enum``."""
    assert kinds(tickets.call("make", put("code", "unheard of"), body__name="gone")) == ["value"]


def listed(talk: Talk, own: Interval, change: Any = None) -> list[str]:
    """The kinds of what a list is found to do wrong, when it was asked for and answered within ``own``."""
    talk.request = Request("GET", "/t", "limit=9")
    talk.reply = talk.provider.respond(talk.request, talk.now).response
    if change is not None:
        body = json.loads(talk.reply.body)
        change(body)
        talk.reply = Response(200, talk.reply.headers, json.dumps(body).encode())
    when = Interval(own.lo - 2, own.hi + 2)
    return kinds(talk.judge.judge(talk.request, talk.reply, when, "list", (), own))


def without_first(body: Any) -> None:
    del body["data"][0]


def test_a_record_that_was_made_while_the_list_was_on_its_way_may_be_missing(tickets: Talk) -> None:
    """The reply to the list came last, but it was asked for before the record was there."""
    made = tickets.judge.state.turn

    assert listed(tickets, Interval(made.lo - 0.1, made.hi + 0.1), without_first) == []


def test_a_record_that_was_there_when_the_list_was_asked_for_may_not(tickets: Talk) -> None:
    """A moment later is enough: the order of our own calls is known, whatever the clocks do."""
    made = tickets.judge.state.turn

    assert listed(tickets, Interval(made.hi + 0.001, made.hi + 0.1), without_first) == ["list_missing"]


def test_a_record_that_something_on_its_way_may_delete_may_be_missing(tickets: Talk) -> None:
    """Another scenario cleans up; its reply is not judged yet."""
    first = next(iter(reversed(list(tickets.judge.state.records("tickets"))))).key
    made = tickets.judge.state.turn
    sent = tickets.judge.sending(Request("DELETE", f"/t/{first}"))

    assert listed(tickets, Interval(made.hi + 0.001, made.hi + 0.1), without_first) == []

    tickets.judge.settled(sent)
    assert listed(tickets, Interval(made.hi + 0.2, made.hi + 0.3), without_first) == ["list_missing"]


def renamed_first(body: Any) -> None:
    body["data"][0]["name"] = "another"


def test_a_row_that_one_of_our_calls_was_changing_may_show_either(tickets: Talk) -> None:
    """The change was answered while the list was on its way, or is not answered yet. What is known stays known."""
    made = tickets.judge.state.turn
    first = next(iter(reversed(list(tickets.judge.state.records("tickets"))))).key

    assert listed(tickets, Interval(made.lo - 0.1, made.hi + 0.1), renamed_first) == []

    sent = tickets.judge.sending(Request("PATCH", f"/t/{first}"))
    assert listed(tickets, Interval(made.hi + 0.1, made.hi + 0.2), renamed_first) == []

    tickets.judge.settled(sent)
    assert listed(tickets, Interval(made.hi + 0.3, made.hi + 0.4)) == []
    assert listed(tickets, Interval(made.hi + 0.5, made.hi + 0.6), renamed_first) == ["stored"]


def test_a_row_that_one_of_our_calls_was_changing_is_held_to_its_type(tickets: Talk) -> None:
    """A name that is a number is wrong whenever it comes."""
    made = tickets.judge.state.turn

    def numbered(body: Any) -> None:
        body["data"][0]["name"] = 7

    assert listed(tickets, Interval(made.lo - 0.1, made.hi + 0.1), numbered) == ["type"]
