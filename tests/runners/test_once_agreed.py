"""Drifts in what takes two requests to see: each is one finding, and the night before says who has changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fakes.planted import Change, Ledger
from fakes.tiny_server import Reply, Seen

from troth.runners.finding import Blame

ORDERS = """\
troth: 1
provider: ledger
secrets: {key: {env: LEDGER_KEY, allow: "lk_test_*"}}
auth: {bearer: "{{ secrets.key }}"}
targets: {sandbox: {url: {env: LEDGER_URL}, health: {method: GET, path: /orders}}}
types:
  Order:
    id: {$id: {prefix: or_, length: 8}}
    rank: $integer
    state: {$enum: [open, paid]}
    paid_at: {$nullable: {$timestamp: unix}, default: null}
    receipt: {$nullable: $uuid, default: null}
state:
  orders:
    of: $Order
    key: id
operations:
  make:
    request: {method: POST, path: /orders, headers: {Idempotency-Key?: $string}, json: {rank: $integer}}
    idempotency: {key: headers.idempotency_key, same: [body], conflict: {status: 409, json: {error: key_reused}}}
    responses:
      made:
        status: 201
        json: {$Order: {state: open, paid_at: null, receipt: null}, from: body}
        effects: [put: orders]
  pay:
    request: {method: POST, path: "/orders/{id}/pay"}
    let: {order: state.orders(path.id)}
    responses:
      missing: {when: not order, status: 404}
      paid: {status: 204, effects: [{set: order, to: {state: paid, paid_at: "{{ now }}", receipt: $uuid}}]}
  get:
    request: {method: GET, path: "/orders/{id}"}
    let: {order: state.orders(path.id)}
    responses:
      missing: {when: not order, status: 404}
      found: {status: 200, json: "{{ order }}"}
  delete:
    request: {method: DELETE, path: "/orders/{id}"}
    let: {order: state.orders(path.id)}
    responses:
      missing: {when: not order, status: 404}
      deleted: {status: 204, effects: [delete: order]}
  list:
    request: {method: GET, path: /orders, query: {from?: {$integer: {min: 0}, default: 0}}}
    let: {page: {$select: orders, order: [rank], size: "2", at: query.from}}
    responses: {page: {status: 200, json: {data: "{{ page.items }}", total: "{{ page.total }}"}}}
scenarios:
  an order is paid:
    steps:
      - {call: make, with: {rank: 1}, keep: {id: this.id}}
      - {call: pay, with: {id: "{{ id }}"}, expect: paid}
      - {call: get, with: {id: "{{ id }}"}, expect: found}
  a key is used again:
    steps:
      - call: make
        with: {rank: 1, headers.Idempotency-Key: "{{ unique('k-') }}"}
        keep: {key: headers.idempotency_key}
      - {call: make, with: {rank: 1, headers.Idempotency-Key: "{{ key }}"}}
      - {call: make, with: {rank: 2, headers.Idempotency-Key: "{{ key }}"}}
  orders are listed:
    steps:
      - {call: make, with: {rank: 3}}
      - {call: make, with: {rank: 1}, keep: {gone: this.id}}
      - {call: make, with: {rank: 2}}
      - {call: make, with: {rank: 4}}
      - {call: delete, with: {id: "{{ gone }}"}, expect: deleted}
      - {call: list, with: {}}
      - {call: list, with: {from: 2}}
"""
PAID, KEY, LISTED = "an order is paid", "a key is used again", "orders are listed"


def first_again() -> Change:
    """Every creation is answered with the first order's id."""
    ids: list[str] = []

    def change(seen: Seen, status: int, body: Any) -> Any:
        if status != 201:
            return body
        ids.append(body["id"])
        return {**body, "id": ids[0]}

    return change


def to_replays(status: int, other: dict[str, Any] | None = None) -> Callable[[], Change]:
    """The first answer again under another status, or another answer in its place."""

    def changing() -> Change:
        ids: set[str] = set()

        def change(seen: Seen, code: int, body: Any) -> Any:
            if code != 201 or body["id"] not in ids:
                ids.update([body["id"]] if code == 201 else [])
                return body
            return Reply(status, other or body)

        return change

    return changing


def unlabelled() -> Change:
    """Lists without a media type."""
    return lambda seen, status, body: Reply(200, json.dumps(body).encode()) if "data" in (body or {}) else body


def few() -> Change:
    """Lists that say there is one order in all."""
    return lambda seen, status, body: {**body, "total": 1} if "data" in (body or {}) else body


def unchanged() -> Change:
    """The provider's rules are others, its answers are not touched."""
    return lambda seen, status, body: body


class Drift(NamedTuple):
    """One planted drift, and the finding that it is: ``kind operation path``."""

    root: str
    scenario: str
    edits: tuple[tuple[str, str], ...] = ()
    change: Callable[[], Change] = unchanged


DRIFTS = {
    "the time of an effect": Drift("value get $.paid_at", PAID, (('"{{ now }}"', '"{{ now - 86400 }}"'),)),
    "what an effect makes": Drift("null get $.receipt", PAID, (("receipt: $uuid}", "receipt: null}"),)),
    "a new order with an old id": Drift("reference make $.id", LISTED, change=first_again),
    "the first answer to another request": Drift(
        "idempotency_scope make headers.idempotency", KEY, (("same: [body]", "same: []"),)
    ),
    "a conflict with the same request": Drift(
        "idempotency_scope make headers.idempotency", KEY, change=to_replays(409, {"error": "key_reused"})
    ),
    "a replay with another status": Drift("status make status", KEY, change=to_replays(200)),
    "a deleted order is listed": Drift(
        "list_deleted list $.data[0].id", LISTED, (("status: 204, effects: [delete: order]", "status: 204"),)
    ),
    "a row twice": Drift("list_duplicate list $.data[0].id", LISTED, (("at: query.from", "at: query.from - 1"),)),
    "fewer than are shown": Drift("bounds list $.total", LISTED, change=few),
    "lists without a media type": Drift("content_type list headers.content_type", LISTED, change=unlabelled),
}


@pytest.mark.parametrize("drift", DRIFTS.values(), ids=DRIFTS)
def test_what_agreed_last_night_has_changed(tmp_path: Path, drift: Drift) -> None:
    """One root, and the provider is to blame."""
    ledger = Ledger(tmp_path, ORDERS)
    before = ledger.night(only=(drift.scenario,))
    (root,) = ledger.roots(drift.change(), drift.edits, only=(drift.scenario,))

    assert before.findings == ()
    assert f"{root.kind} {root.operation} {root.path}" == drift.root
    assert (root.blame, root.proof) == (Blame.PROVIDER, "history")
