"""Writes the contract that the runner is measured with: orders of 5 kB, and as many cases of one scenario as wanted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["CALLS", "KEY", "LINES", "write_orders"]

KEY = "sk_test_benchmark"
CALLS = 10
"""Requests of one case: an order is made, and read nine times."""
LINES: list[dict[str, Any]] = [
    {
        "id": f"line_{number:024}",
        "object": "line_item",
        "description": f"a thing of ours, number {number}, in a box with a lid, wrapped in grey paper",
        "quantity": number % 7 + 1,
        "amount_subtotal": 1000 + number,
        "amount_total": 1200 + number,
        "currency": "eur",
        "tax_rates": [{"display_name": "VAT", "percentage": "20.00"}],
    }
    for number in range(18)
]
"""With these an order is 5 kB of JSON with 165 values, about as dense as the objects of payment APIs."""

_HEAD = """\
troth: 1
provider: orders
secrets: {key: {env: ORDERS_KEY, allow: "sk_test_*"}}
auth: {bearer: "{{ secrets.key }}"}
targets:
  sandbox: {url: {env: ORDERS_URL}, limits: {concurrency: 50}}
types:
  Error: {error: {code: {$enum: [unauthorized, invalid, missing]}, message: $text}}
  Tax: {display_name: $string, percentage: {$string: {pattern: "[0-9]+[.][0-9]{2}"}}}
  Line:
    id: $string
    object: line_item
    description: $string
    quantity: {$integer: {min: 1}}
    amount_subtotal: {$integer: {min: 0}}
    amount_total: {$integer: {min: 0}}
    currency: {$string: {pattern: "[a-z]{3}"}}
    tax_rates: {$array: $Tax}
  Order:
    id: {$id: {prefix: ord_, length: 24}}
    status: {$enum: [open, shipped]}
    created: {$timestamp: unix}
    reference: $string
    lines: {$array: $Line}
state:
  orders: {of: $Order, key: id}
defaults:
  headers: {Request-Id: {$id: {prefix: req_, length: 14}}}
  responses:
    unauthorized: {when: not auth.ok, status: 401, means: unauthorized, json: $Error}
    invalid: {when: mismatch, status: 400, json: {$Error: {error: {code: invalid}}}}
operations:
  create_order:
    request: {method: POST, path: /orders, json: {reference: $string, lines: {$array: $Line}}}
    responses:
      created:
        status: 201
        json: {$Order: {status: open, created: "{{ now }}"}, from: body}
        effects: [put: orders]
  get_order:
    request: {method: GET, path: "/orders/{id}"}
    let: {order: state.orders(path.id)}
    responses:
      missing: {when: not order, status: 404, json: {$Error: {error: {code: missing}}}}
      found: {status: 200, json: "{{ order }}"}
"""
_SCENARIO = """\
scenarios:
  an order is kept:
    cases: {cases}
    steps:
      - call: create_order
        with: {{reference: "{{{{ unique('r-') }}}}", lines: "{{{{ data.lines }}}}"}}
        expect: created
        keep: {{id: this.id}}
{reads}
"""
_READ = """\
      - call: get_order
        with: {id: "{{ id }}"}
        expect: found
"""


def write_orders(path: Path, exchanges: int) -> Path:
    """A contract at ``path`` whose scenario makes so many requests in all."""
    cases = [{"case": f"c{number}"} for number in range(exchanges // CALLS)]
    scenario = _SCENARIO.format(cases=json.dumps(cases), reads=_READ * (CALLS - 1))
    path.write_text(f"{_HEAD}data: {{lines: {json.dumps(LINES)}}}\n{scenario}")
    return path
