"""Pages whose replies say both that there is more and how to get it: the pages of one walk belong together."""

from __future__ import annotations

import json

import pytest
from fakes.talk import Talk, contract_of, kinds

from troth.contracts.exchange import Request, Response
from troth.contracts.values import Json

TICKETS = """
troth: 1
provider: tickets
types: {Ticket: {id: {$id: {prefix: t_}}, name: $string}}
state: {tickets: {of: $Ticket, key: id}}
operations:
  make:
    request: {method: POST, path: /t, json: {name: $string}}
    responses: {made: {status: 201, json: {$Ticket: {}, from: body}, effects: [put: tickets]}}
  list:
    request: {method: GET, path: /t, query: {after?: $string, limit?: {$integer: {min: 1}, default: 2}}}
    let: {page: {$select: tickets, size: query.limit, after: query.after}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}", more: "{{ page.more }}", next: NEXT}}}
scenarios: {one: {steps: [{call: make, with: {name: x}}]}}
"""
NEXT = {
    "plain": '"{{ page.cursor }}"',
    "where there is more": '{$if: page.more, then: "{{ page.cursor }}", else: null}',
}


@pytest.fixture(params=NEXT.values(), ids=NEXT)
def tickets(request: pytest.FixtureRequest) -> Talk:
    talk = Talk(contract_of(TICKETS.replace("NEXT", request.param)))
    for number in range(5):
        talk.call("make", body__name=f"n{number}")
    return talk


def page(talk: Talk, token: str | None, rows: list[Json], following: str | None) -> list[str]:
    """The kinds of what is wrong with a page of these rows, which was asked for with ``token``."""
    talk.request = Request("GET", "/t", f"after={token}" if token else "")
    body = {"data": rows, "more": following is not None, "next": following}
    talk.reply = Response(200, ((b"Content-Type", b"application/json"),), json.dumps(body).encode())
    return kinds(talk.listen("list"))


def rows_of(talk: Talk) -> list[Json]:
    talk.call("list", query__limit=5)
    rows: list[Json] = talk.body["data"]
    return rows


def test_the_pages_of_a_walk_fit_together(tickets: Talk) -> None:
    """Opaque tokens lead from page to page."""
    rows = rows_of(tickets)

    assert page(tickets, None, rows[:2], "opaque-1") == []
    assert page(tickets, "opaque-1", rows[2:4], "opaque-2") == []
    assert page(tickets, "opaque-2", rows[4:], None) == []


def test_a_page_that_begins_with_the_end_of_the_one_before_is_found(tickets: Talk) -> None:
    """The last record comes twice: every client that adds the pages up counts it twice."""
    rows = rows_of(tickets)

    assert page(tickets, None, rows[:2], "opaque-1") == []
    assert page(tickets, "opaque-1", rows[1:3], "opaque-2") == ["list_duplicate"]


def test_a_page_that_leaves_out_a_record_is_found_at_the_end(tickets: Talk) -> None:
    """Nothing more is announced, and a record was on no page."""
    rows = rows_of(tickets)

    assert page(tickets, None, rows[:2], "opaque-1") == []
    assert page(tickets, "opaque-1", rows[3:], None) != []
