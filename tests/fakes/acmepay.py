"""A small provider on a real socket, written without the contract, and the contract about it.

``with AcmePay() as provider: ... provider.url``. ``provider.before`` may answer instead of it: a function from a
``Seen`` to an answer (see ``tiny_server``), or None to let the provider answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from fakes.tiny_server import Reply, Seen, TinyServer

from troth.contracts.compiler.compiler import compile_document
from troth.contracts.contract import Contract
from troth.contracts.document.folder import parse_document
from troth.errors import Problems

__all__ = ["CONTRACT", "KEY", "AcmePay", "acmepay"]

KEY = "ak_test_CANARY7f3e9d"
"""The credential that the provider accepts; no test may ever see it in what a run leaves behind."""

CONTRACT = """\
troth: 1
provider: acmepay
secrets: {key: {env: ACMEPAY_KEY, allow: "ak_test_*"}}
auth: {bearer: "{{ secrets.key }}"}
targets:
  sandbox: {url: {env: ACMEPAY_URL}, health: {method: GET, path: /charges}}
types:
  Error: {error: {code: $string}}
  Charge:
    id: {$id: {prefix: ch_, length: 8}}
    amount: {$integer: {min: 1}}
    status: {$enum: [pending, paid]}
    created: {$timestamp: unix}
    note?: $string
    client_secret: {$string: {length: 20}, secret: true}
    pin: {$string: {length: 3}, secret: true}
state:
  charges:
    of: $Charge
    key: id
    moves:
      settles: {when: it.status == 'pending', takes: 0s..10s, simulated: 2s, effects: [{set: it, to: {status: paid}}]}
operations:
  create_charge:
    request: {method: POST, path: /charges, json: {amount: {$integer: {min: 1}}, note?: $string}}
    responses:
      invalid: {when: mismatch, status: 400, json: $Error}
      created:
        status: 201
        json: {$Charge: {status: pending, created: "{{ now }}"}, from: body}
        effects: [put: charges]
    undo: {call: cancel_charge, with: {id: "{{ this.id }}"}}
  cancel_charge:
    request: {method: DELETE, path: "/charges/{id}"}
    let: {charge: state.charges(path.id)}
    responses:
      missing: {when: not charge, status: 404, json: $Error}
      canceled: {status: 200, json: {id: "{{ path.id }}", canceled: true}, effects: [delete: charge]}
  get_charge:
    request: {method: GET, path: "/charges/{id}"}
    let: {charge: state.charges(path.id)}
    responses:
      unauthorized: {when: not auth.ok, status: 401, means: unauthorized, json: $Error}
      missing: {when: not charge, status: 404, json: $Error}
      found: {status: 200, json: "{{ charge }}"}
  list_charges:
    request: {method: GET, path: /charges, query: {note?: $string}}
    let:
      page: {$select: charges, where: query.note is absent or it.note == query.note, order: any}
    responses:
      page: {status: 200, json: {data: "{{ page.items }}"}}
scenarios:
"""

SCENARIOS = """\
  a charge is kept:
    steps:
      - call: create_charge
        with: {amount: 1200, note: "{{ unique('n-') }}"}
        expect: created
        keep: {id: this.id, note: this.note}
      - call: get_charge
        with: {id: "{{ id }}"}
        expect: {response: found, json: {id: "{{ id }}", amount: 1200}}
      - call: list_charges
        with: {note: "{{ note }}"}
        expect: {response: page, json: {data: [{id: "{{ id }}"}]}}
  a charge is paid in the end:
    steps:
      - call: create_charge
        with: {amount: 5}
        keep: {id: this.id}
      - call: get_charge
        with: {id: "{{ id }}"}
        expect: {response: found, json: {status: paid}}
        eventually: 5s
  nobody reads without a key:
    steps:
      - call: get_charge
        with: {id: ch_00000000}
        auth: none
        expect: unauthorized
      - call: get_charge
        with: {id: ch_00000000}
        expect: missing
"""


def acmepay(scenarios: str = SCENARIOS) -> Contract:
    """The contract with these scenarios."""
    problems = Problems()
    contract = compile_document(parse_document(CONTRACT + scenarios), problems)
    problems.raise_if_any()
    return contract


class AcmePay(TinyServer):
    """Keeps charges in memory; pays them ``settles`` seconds after they were made."""

    def __init__(self, before: Callable[[Seen], Any] | None = None, settles: float = 0.1) -> None:
        super().__init__(self._handle)
        self.before = before
        self.settles = settles
        self.charges: dict[str, dict[str, Any]] = {}
        self._made = 0

    def _handle(self, seen: Seen) -> Any:
        answer = self.before(seen) if self.before is not None else None
        if answer is not None:
            return answer
        if seen.headers.get("authorization") != f"Bearer {KEY}":
            return _error(401, "no_such_key")
        _, _, key = seen.path[1:].partition("/")
        if not seen.path.startswith("/charges"):
            return _error(404, "no_such_path")
        if not key:
            return self._create(seen) if seen.method == "POST" else self._list(seen)
        charge = self._seen(key)
        if charge is None:
            return _error(404, "no_such_charge")
        if seen.method == "DELETE":
            del self.charges[key]
            return Reply(200, {"id": key, "canceled": True})
        return Reply(200, charge)

    def _create(self, seen: Seen) -> Reply:
        amount = (seen.json or {}).get("amount")
        if not isinstance(amount, int) or amount < 1:
            return _error(400, "amount")
        self._made += 1
        key = f"ch_{self._made:08d}"
        charge = {
            "id": key,
            "amount": amount,
            "status": "pending",
            "created": int(time.time()),
            "client_secret": f"cs_{self._made:017d}",
            "pin": "739",
        }
        self.charges[key] = charge | ({"note": seen.json["note"]} if "note" in seen.json else {})
        self.charges[key]["_at"] = time.monotonic()
        return Reply(201, self._seen(key), {"Set-Cookie": "session=CANARYcookie; Path=/"})

    def _list(self, seen: Seen) -> Reply:
        note = seen.query.get("note")
        found = [self._seen(key) for key, charge in self.charges.items() if note in (None, charge.get("note"))]
        return Reply(200, {"data": found})

    def _seen(self, key: str) -> dict[str, Any] | None:
        charge = self.charges.get(key)
        if charge is None:
            return None
        if time.monotonic() - charge["_at"] >= self.settles:
            charge["status"] = "paid"
        return {name: value for name, value in charge.items() if name != "_at"}


def _error(status: int, code: str) -> Reply:
    return Reply(status, {"error": {"code": code}})
