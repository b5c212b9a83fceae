"""A shop on a real socket, written without its contract; the contract, with the comments of people; and nights of both.

``changed`` is a function from a ``Seen`` and a ``Reply`` to another ``Reply``: what the shop does since.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fakes.tiny_server import Reply, Seen, TinyServer

from troth.contracts.loader import load
from troth.runners.drift import DriftSettings, run_drift
from troth.runners.finding import Run
from troth.runners.trial import Rule

__all__ = ["CONTRACT", "KEY", "Changed", "Shop", "Shopping", "orders", "with_value", "without"]

KEY = "shop_test_CANARY51c0"

CONTRACT = {
    "contract.yaml": """\
troth: 1
provider: shop
# Ask Ann before you touch the key.
secrets: {key: {env: SHOP_KEY, allow: "shop_test_*"}}
auth: {bearer: "{{ secrets.key }}"}
targets:
  sandbox: {url: {env: SHOP_URL}}
parts: [types.yaml, operations.yaml]
state:
  orders: {of: $Order, key: id}
defaults:
  headers:
    X-Request-Id: {$id: {prefix: req_, length: 6}}   # on every answer
scenarios:
  an order is kept:
    steps:
      - call: create_order
        with: {item: "{{ unique('i-') }}", count: 2}   # two of them
        expect: created
        keep: {id: this.id}
      - call: get_order
        with: {id: "{{ id }}"}
        expect: {response: found, json: {state: open}}     # as it was made
  nobody has it:
    steps:
      - call: get_order
        with: {id: ord_zzzzzz}
        expect: missing
  a hundred are too many:
    steps:
      - call: create_order
        with: {item: "{{ unique('i-') }}", count: 100}
""",
    "types.yaml": """\
types:
  # What goes wrong.
  Error: {code: {$enum: [no_such_order, bad_count]}, message: $text}

  Order:            # one order of ours
    id: {$id: {prefix: ord_, length: 6}}
    item: $string   # what was ordered
    count: $integer
    state: {$enum: [open,   shipped]}     # the blanks are wanted
    total: {$number: {min: 0}}
    currency: $string                     # ISO 4217
    made: {$timestamp: unix}
    tags:
      $array: $string
      size: 0..2
    # Nobody knows why this is here.
    channel: {$string: {}, default: 'web'}
    gift?: $boolean
    eta?: $string
    weight: {$any_of: [$integer, {grams: $integer}]}
    address: {$closed: {city: $string}}
    terms: v1
""",
    "operations.yaml": """\
operations:
  create_order:
    request:
      method: POST
      path: /orders
      json: {item: $string, count: {$integer: {min: 1, max: 99}}}   # no more than 99
    responses:
      bad: {when: mismatch, status: 400, json: {$Error: {code: bad_count}}}
      created:
        status: 201
        json: {$Order: {state: open, made: "{{ now }}"}, from: body}
        effects: [put: orders]
  get_order:
    request: {method: GET, path: "/orders/{id}"}
    let: {order: state.orders(path.id)}
    responses:
      missing: {when: not order, status: 404, json: $Error}   # also for deleted ones
      found: {status: 200, json: "{{ order }}"}
""",
}

Changed = Callable[[Seen, Reply], Reply]


class Shop(TinyServer):
    """Keeps orders in memory."""

    def __init__(self, changed: Changed | None = None, most: int = 99) -> None:
        super().__init__(self._handle)
        self.changed = changed
        self.most = most
        self.orders: dict[str, dict[str, Any]] = {}

    def _handle(self, seen: Seen) -> Reply:
        reply = self._answer(seen)
        reply = replace(reply, headers={"X-Request-Id": f"req_{len(self.seen):06d}"})
        return reply if self.changed is None else self.changed(seen, reply)

    def _answer(self, seen: Seen) -> Reply:
        if seen.headers.get("authorization") != f"Bearer {KEY}":
            return Reply(401, {"code": "who_are_you", "message": "No."})
        if seen.method == "GET":
            order = self.orders.get(seen.path.rpartition("/")[2])
            missing = {"code": "no_such_order", "message": "There is none."}
            return Reply(404, missing) if order is None else Reply(200, order)
        if not 1 <= seen.json["count"] <= self.most:
            return Reply(400, {"code": "bad_count", "message": "So many?"})
        key = f"ord_{len(self.orders):06d}"
        self.orders[key] = {
            "id": key,
            **seen.json,
            "state": "open",
            "total": 12.5,
            "currency": "EUR",
            "made": int(time.time()),
            "tags": [],
            "channel": "web",
            "weight": 7,
            "address": {"city": "Wien"},
            "terms": "v1",
        }
        return Reply(201, self.orders[key])


def _edited(text: str, edits: Mapping[str, str]) -> str:
    for old, new in edits.items():
        text = text.replace(old, new)
    return text


class Shopping:
    """A project with the shop's contract and a store."""

    def __init__(self, folder: Path, edits: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.contract = folder / "shop"
        self.contract.mkdir()
        for name, text in CONTRACT.items():
            (self.contract / name).write_text(_edited(text, edits or {}))

    @property
    def store(self) -> Path:
        return self.folder / ".troth" / "troth.db"

    def texts(self) -> dict[str, str]:
        """Every file of the contract by its name."""
        return {path.name: path.read_text() for path in sorted(self.contract.iterdir())}

    def night(self, changed: Changed | None = None, **shop: Any) -> Run:
        """One run of the contract as it is now against the shop as it is now."""
        with Shop(changed, **shop) as server:
            settings = DriftSettings(
                sandbox=True,
                urls={"shop": server.url},
                environment={"SHOP_KEY": KEY},
                root=self.folder,
                store=self.store,
                confirm=Rule(1),
            )
            return run_drift([load(self.contract)], settings)


def orders(change: Callable[[dict[str, Any]], dict[str, Any]], method: str = "") -> Changed:
    """A change of every order that is shown, or of those that answers to one method show."""

    def changed(seen: Seen, reply: Reply) -> Reply:
        shown = reply.status < 400 and method in ("", seen.method)
        return replace(reply, body=change(json.loads(json.dumps(reply.body)))) if shown else reply

    return changed


def with_value(name: str, value: Any, method: str = "") -> Changed:
    """Another value of a field; a function makes it from the old one."""
    return orders(lambda order: {**order, name: value(order.get(name)) if callable(value) else value}, method)


def without(name: str, method: str = "") -> Changed:
    """A field that is not there any more."""
    return orders(lambda order: {key: value for key, value in order.items() if key != name}, method)
