"""A link that a simulator shows leads somewhere: to a record that is there, or to one that comes with it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fakes.talk import contract_of

from troth.contracts.contract import Contract
from troth.contracts.exchange import Request, Response
from troth.contracts.model.model import Model

SHOP = """
troth: 1
provider: shop
types:
  Customer: {id: {$id: {prefix: c_}}, name: $string, card: {$link: cards}, agent: {$link: agents}}
  Card: {id: {$id: {prefix: k_}}, brand: $string, customer: {$link: customers}}
  Agent: {id: {$id: {prefix: a_}}, name: $string}
  Order: {id: {$id: {prefix: o_}}, customer: {$link: customers}, bill: {$link: bills}}
  Bill: {id: {$id: {prefix: b_}}, total: $integer, twin: {$nullable: {$link: bills}}}
  Quote: {id: {$id: {prefix: q_}}, total: {$integer: {}, default: "{{ body.amount + 1 }}"}}
state:
  customers: {of: $Customer, key: id, inline: query.whole is not absent}
  cards: {of: $Card, key: id}
  agents: {of: $Agent, key: id, seeds: [{id: a_second, name: Bea}]}
  orders: {of: $Order, key: id}
  quotes: {of: $Quote, key: id}
  bills:
    of: $Bill
    key: id
    moves: {goes: {when: "true", takes: 0s..60s, simulated: 10s, effects: [{delete: it}]}}
operations:
  hire:
    request: {method: POST, path: /agents}
    responses: {hired: {status: 201, json: $Agent, effects: [put: agents]}}
  enrol:
    request: {method: POST, path: /customers}
    responses: {enrolled: {status: 201, json: $Customer, effects: [put: customers]}}
  order:
    request: {method: POST, path: /orders, query: {whole?: $string}}
    responses:
      ordered:
        status: 201
        json: $Order
        effects: [put: orders, {put: bills, value: {id: "{{ this.bill }}", total: 5}}]
  look:
    request: {method: GET, path: /bill, query: {}}
    responses: {shown: {status: 200, json: {bill: {$link: bills}}}}
  quote:
    request: {method: GET, path: /quote, query: {}}
    responses: {shown: {status: 200, json: {quote: {$link: quotes}}}}
  customer:
    request: {method: GET, path: "/customers/{id}"}
    let: {known: state.customers(path.id)}
    responses: {missing: {when: not known, status: 404}, found: {status: 200, json: "{{ known }}"}}
  card:
    request: {method: GET, path: "/cards/{id}"}
    let: {known: state.cards(path.id)}
    responses: {missing: {when: not known, status: 404}, found: {status: 200, json: "{{ known }}"}}
  bill:
    request: {method: GET, path: "/bills/{id}"}
    let: {known: state.bills(path.id)}
    responses: {missing: {when: not known, status: 404}, found: {status: 200, json: "{{ known }}"}}
"""


@pytest.fixture(scope="module")
def contract() -> Contract:
    """A shop whose things are linked in all ways."""
    return contract_of(SHOP)


class Shop:
    """A simulator, and time."""

    def __init__(self, contract: Contract) -> None:
        self.model = Model(contract, seed=3)
        self.now = 1_750_000_000.0

    def call(self, method: str, path: str) -> tuple[Response, Any]:
        path, _, query = path.partition("?")
        response = self.model.respond(Request(method, path, query), self.now).response
        return response, json.loads(response.body) if response.body else None

    def get(self, path: str) -> Any:
        response, body = self.call("GET", path)
        assert response.status == 200, path
        return body


def test_a_link_leads_to_the_record_that_is_there(contract: Contract) -> None:
    """To the one that was made last."""
    shop = Shop(contract)
    _, hired = shop.call("POST", "/agents")
    _, customer = shop.call("POST", "/customers")

    assert customer["agent"] == hired["id"]


def test_a_link_leads_to_a_seed(contract: Contract) -> None:
    """Where there is nothing else."""
    _, customer = Shop(contract).call("POST", "/customers")

    assert customer["agent"] == "a_second"


def test_where_nothing_is_there_something_comes_with_the_link(contract: Contract) -> None:
    """It can be followed, says the same each time, and its own links lead back and on."""
    shop = Shop(contract)
    _, order = shop.call("POST", "/orders")
    customer = shop.get(f"/customers/{order['customer']}")
    card = shop.get(f"/cards/{customer['card']}")

    assert card["customer"] == customer["id"] == order["customer"]
    assert customer["agent"] == "a_second"
    assert shop.get(f"/customers/{order['customer']}") == customer
    assert shop.call("POST", "/orders")[1]["customer"] == order["customer"]


def test_a_record_that_the_reply_makes_is_a_new_one(contract: Contract) -> None:
    """Every order has a bill of its own, though there are others."""
    shop = Shop(contract)
    bills = [shop.call("POST", "/orders")[1]["bill"] for _ in range(3)]

    assert len(set(bills)) == 3
    assert [shop.get(f"/bills/{bill}")["total"] for bill in bills] == [5, 5, 5]


def test_what_is_gone_is_not_linked_to(contract: Contract) -> None:
    """A move that is due deletes it first."""
    shop = Shop(contract)
    _, first = shop.call("POST", "/orders")
    shop.now += 5
    assert shop.get("/bill")["bill"] == first["bill"]
    shop.now += 60
    new = shop.get("/bill")["bill"]

    assert new != first["bill"]
    assert shop.get(f"/bills/{new}")["id"] == new


def test_it_can_be_asked_for_as_a_whole(contract: Contract) -> None:
    """In the very reply that it comes with."""
    shop = Shop(contract)
    _, order = shop.call("POST", "/orders?whole=1")

    assert order["customer"] == shop.get(f"/customers/{order['customer']['id']}")


def test_a_record_that_only_a_request_can_make_is_not_made(contract: Contract) -> None:
    """Its type reads a body that is not there: the link is a key all the same."""
    shop = Shop(contract)

    assert shop.get("/quote")["quote"].startswith("q_")
    assert list(shop.model.state.records("quotes")) == []


def test_the_same_requests_get_the_same_links(contract: Contract) -> None:
    """By the seed."""
    first, second = ([Shop(contract).call("POST", "/orders")[1]] for _ in range(2))

    assert first == second
