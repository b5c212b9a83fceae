"""Linked records that a reply shows whole, while its own effects make or change them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.talk import Talk, contract_of, kinds

SHOP = """
troth: 1
provider: shop
codecs: {form: {nesting: brackets, lists: indexed}}
types:
  Order: {id: {$id: {prefix: o_}}, bill: {$nullable: {$link: bills}, default: null}, total: $integer}
  Bill: {id: {$id: {prefix: b_}}, order: {$link: orders}, open: $integer, paid: {$integer: {}, default: 0}}
  Payment: {id: {$id: {prefix: p_}}, bill: {$link: bills}, amount: $integer}
state:
  orders: {of: $Order, key: id, inline: here in expand}
  bills: {of: $Bill, key: id, inline: here in expand}
  payments: {of: $Payment, key: id}
defaults:
  let: {expand: query.expand | default(body.expand)}
operations:
  order:
    request:
      method: POST
      path: /orders
      form: {total: $integer, later?: {$boolean: {}, default: false}, expand?: {$array: $string}}
    responses:
      ordered:
        status: 200
        json: {$Order: {bill: {$if: body.later, then: null, else: {$link: bills}}}, from: body}
        effects:
          - put: orders
          - put: bills
            when: not body.later
            value: {id: "{{ this.bill }}", order: "{{ this.id }}", open: "{{ body.total }}"}
  pay:
    request: {method: POST, path: /payments, form: {bill: $string, amount: $integer, expand?: {$array: $string}}}
    let: {owed: state.bills(body.bill)}
    responses:
      missing: {when: not owed, status: 404}
      paid:
        status: 200
        json: {$Payment: {}, from: body}
        effects:
          - put: payments
          - {set: owed, to: {open: "{{ owed.open - body.amount }}", paid: "{{ owed.paid + body.amount }}"}}
  bill:
    request: {method: GET, path: "/bills/{id}", query: {expand?: {$array: $string}}}
    let: {wanted: state.bills(path.id)}
    responses:
      missing: {when: not wanted, status: 404}
      found: {status: 200, json: "{{ wanted }}"}
"""


@pytest.fixture
def talk() -> Talk:
    """A simulator and a judge of the shop."""
    return Talk(contract_of(SHOP))


def body_of(talk: Talk) -> Any:
    return json.loads(talk.reply.body)


def test_what_a_reply_makes_is_shown_whole(talk: Talk) -> None:
    judgement = talk.call("order", total=100, expand=["bill"])

    shown = body_of(talk)
    assert shown["bill"] == {"id": shown["bill"]["id"], "order": shown["id"], "open": 100, "paid": 0}
    assert kinds(judgement) == []


def test_what_a_reply_changes_is_shown_changed(talk: Talk) -> None:
    """On both sides: another value there is a finding, the changed one is none, and it counts once."""
    talk.call("order", total=100)
    bill = body_of(talk)["bill"]

    assert kinds(talk.call("pay", bill=bill, amount=30, expand=["bill"])) == []
    assert (body_of(talk)["bill"]["open"], body_of(talk)["bill"]["paid"]) == (70, 30)

    def unchanged(body: dict[str, Any]) -> None:
        body["bill"]["open"] = 70

    assert kinds(talk.call("pay", unchanged, bill=bill, amount=20, expand=["bill"])) == ["stored"]
    talk.call("pay", bill=bill, amount=10)
    assert kinds(talk.call("bill", id=bill)) == []
    assert (body_of(talk)["open"], body_of(talk)["paid"]) == (40, 60)


def test_a_link_in_a_link(talk: Talk) -> None:
    talk.call("order", total=100, expand=["bill", "bill.order"])

    shown = body_of(talk)
    assert shown["bill"]["order"]["id"] == shown["id"]
    assert shown["bill"]["order"]["bill"] == shown["bill"]["id"]


def test_nothing_is_shown_whole_unasked(talk: Talk) -> None:
    talk.call("order", total=100)
    assert isinstance(body_of(talk)["bill"], str)

    talk.call("order", total=100, later="true", expand=["bill"])
    assert body_of(talk)["bill"] is None
