"""A provider with planted drifts: the simulator of an edited contract, behind a socket that may change its answers.

``Planted(edits=[("old", "new")])`` is a provider whose state goes by other rules; ``change`` is given every request and
its answer (a ``Seen``, a status and decoded JSON), and gives back what is sent: a body, or a whole ``Reply``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fakes.tiny_server import Reply, Seen, TinyServer

from troth.contracts.compiler.compiler import compile_document
from troth.contracts.contract import Contract
from troth.contracts.document.folder import parse_document
from troth.contracts.exchange import Request
from troth.contracts.loader import load
from troth.errors import Problems
from troth.runners.client import RequestLimits
from troth.runners.drift import DriftSettings, run_drift
from troth.runners.finding import Finding, ProviderRun
from troth.simulators.simulator import Simulator

__all__ = ["LEDGER", "Change", "Ledger", "Planted", "both", "created", "dropped", "listed", "read", "shown"]

Change = Callable[[Seen, int, Any], Any]

LEDGER = """\
troth: 1
provider: ledger
proven: {by: documentation, on: "2026-10-01"}
secrets: {key: {env: LEDGER_KEY, allow: "lk_test_*"}}
auth: {bearer: "{{ secrets.key }}"}
targets:
  sandbox: {url: {env: LEDGER_URL}, health: {method: GET, path: /accounts}}
types:
  Error: {error: {code: $string, field?: $string}}
  Account:
    id: {$id: {prefix: ac_, length: 8}}
    owner: {name: $string, address: {city: $string, zip?: $string}}
    balance: {$integer: {min: 0}}
    level: {$integer: {min: 1, max: 9}}
    status: {$enum: [open, frozen]}
    note?: $string
    created: {$timestamp: unix}
  Transfer:
    id: {$id: {prefix: tr_, length: 8}}
    account: {$link: accounts}
    amount: {$integer: {min: 1}}
    fee: {$integer: {min: 0}}
    total: {$integer: {min: 0}}
    left: {$integer: {min: 0}}
    state: {$enum: [pending, done]}
  Receipt: {$closed: {amount: $integer, total: $integer}}
state:
  accounts: {of: $Account, key: id}
  transfers:
    of: $Transfer
    key: id
    moves:
      lands: {when: it.state == "pending", takes: 0s..300ms, simulated: 100ms, effects: [{set: it, to: {state: done}}]}
operations:
  open_account:
    request:
      method: POST
      path: /accounts
      json:
        owner: {name: $string, address: {city: $string, zip?: $string}}
        balance: {$integer: {min: 0}}
        level: {$integer: {min: 1, max: 9}}
        note?: $string
    responses:
      invalid: {when: mismatch, status: 400, json: {$Error: {error: {code: invalid}}}}
      opened:
        status: 201
        json: {$Account: {status: open, created: "{{ now }}"}, from: body}
        effects: [put: accounts]
  get_account:
    request: {method: GET, path: "/accounts/{id}"}
    let: {account: state.accounts(path.id)}
    responses:
      missing: {when: not account, status: 404, json: $Error}
      found: {status: 200, json: "{{ account }}"}
  update_account:
    request:
      method: POST
      path: "/accounts/{id}"
      json: {$partial: {level: {$integer: {min: 1, max: 9}}, note: $string}}
    let: {account: state.accounts(path.id)}
    responses:
      missing: {when: not account, status: 404, json: $Error}
      invalid: {when: mismatch, status: 400, json: {$Error: {error: {code: invalid}}}}
      updated: {status: 200, json: {$Account: {}, from: [body, account]}, effects: [put: accounts]}
  list_accounts:
    request:
      method: GET
      path: /accounts
      query: {note?: $string, limit?: {$integer: {min: 1, max: 50}, default: 10}, after?: $string}
    let:
      page:
        $select: accounts
        where: query.note is absent or it.note == query.note
        order: [-level]
        size: query.limit
        after: query.after
    responses:
      page: {status: 200, json: {data: "{{ page.items }}", has_more: "{{ page.more }}"}}
  send:
    request: {method: POST, path: /transfers, json: {account: $string, amount: {$integer: {min: 1}}}}
    let: {account: state.accounts(body.account), left: account.balance - body.amount - 2}
    responses:
      invalid: {when: mismatch, status: 400, json: {$Error: {error: {code: invalid}}}}
      missing: {when: not account, status: 404, json: $Error}
      poor: {when: body.amount + 2 > account.balance, status: 402, json: {$Error: {error: {code: poor}}}}
      sent:
        status: 201
        json: {$Transfer: {fee: 2, total: "{{ body.amount + 2 }}", left: "{{ left }}", state: pending}, from: body}
        effects: [put: transfers, {set: account, to: {balance: "{{ left }}"}}]
  get_transfer:
    request: {method: GET, path: "/transfers/{id}"}
    let: {transfer: state.transfers(path.id)}
    responses:
      missing: {when: not transfer, status: 404, json: $Error}
      found: {status: 200, json: "{{ transfer }}"}
  receipt:
    request: {method: GET, path: "/transfers/{id}/receipt"}
    let: {transfer: state.transfers(path.id)}
    responses:
      missing: {when: not transfer, status: 404, json: $Error}
      shown:
        status: 200
        json: {$Receipt: {amount: "{{ transfer.amount }}", total: "{{ transfer.amount + transfer.fee }}"}}
scenarios:
  an account is kept:
    steps:
      - call: open_account
        with: {owner: {name: Ada, address: {city: Paris}}, balance: 100, level: 5, note: "{{ unique('n-') }}"}
        expect: opened
        keep: {id: this.id, note: this.note}
      - {call: get_account, with: {id: "{{ id }}"}, expect: found}
      - {call: update_account, with: {id: "{{ id }}", level: 6}, expect: updated}
      - {call: get_account, with: {id: "{{ id }}"}, expect: found}
      - {call: list_accounts, with: {note: "{{ note }}"}, expect: page}
  money is sent:
    steps:
      - call: open_account
        with: {owner: {name: Ada, address: {city: Paris}}, balance: 100, level: 5}
        expect: opened
        keep: {account: this.id}
      - {call: send, with: {account: "{{ account }}", amount: 30}, expect: sent, keep: {id: this.id}}
      - {call: get_account, with: {id: "{{ account }}"}, expect: found}
      - {call: get_transfer, with: {id: "{{ id }}"}, expect: found}
      - {call: receipt, with: {id: "{{ id }}"}, expect: shown}
      - {call: send, with: {account: "{{ account }}", amount: 60}, expect: sent}
      - {call: send, with: {account: "{{ account }}", amount: 60}, expect: poor}
      - {call: get_account, with: {id: "{{ account }}"}, expect: found}
  a transfer lands:
    steps:
      - call: open_account
        with: {owner: {name: Ada, address: {city: Paris}}, balance: 100, level: 5}
        keep: {account: this.id}
      - {call: send, with: {account: "{{ account }}", amount: 30}, expect: sent, keep: {id: this.id}}
      - wait: 2500ms
      - {call: get_transfer, with: {id: "{{ id }}"}, expect: {response: found, json: {state: done}}}
  an account needs a level:
    steps:
      - call: open_account
        with: {owner: {name: Ada, address: {city: Paris}}, balance: 100, level: 12}
        expect: invalid
  accounts are listed in pages:
    steps:
      - call: open_account
        with: {owner: {name: Bob, address: {city: Rome}}, balance: 1, level: 1, note: "{{ unique('p-') }}"}
        keep: {note: this.note}
      - {call: open_account, with: {owner: {name: Bob, address: {city: B}}, balance: 1, level: 2, note: "{{ note }}"}}
      - {call: open_account, with: {owner: {name: Bob, address: {city: B}}, balance: 1, level: 3, note: "{{ note }}"}}
      - {call: open_account, with: {owner: {name: Bob, address: {city: B}}, balance: 1, level: 4, note: "{{ note }}"}}
      - call: list_accounts
        with: {note: "{{ note }}", limit: 2}
        repeat: {until: not this.has_more, with: {after: "{{ (this.data | last).id }}"}, most: 4}
"""


def shown(change: Callable[[Any], Any]) -> Change:
    """A change of every account that is shown."""

    def apply(seen: Seen, status: int, body: Any) -> Any:
        if isinstance(body, dict) and "data" in body:
            return {**body, "data": [apply(seen, status, item) for item in body["data"]]}
        return change(body) if isinstance(body, dict) and "owner" in body else body

    return apply


def created(change: Callable[[Any], Any]) -> Change:
    """A change of accounts in the answer to their creation only."""
    everywhere = shown(change)
    return lambda seen, status, body: everywhere(seen, status, body) if status == 201 else body


def read(part: str, change: Callable[[Any], Any]) -> Change:
    """A change of good answers to GET requests whose path has this part."""
    return lambda seen, status, body: (
        change(body) if seen.method == "GET" and part in seen.path and status == 200 else body
    )


def listed(change: Callable[[list[Any]], list[Any]]) -> Change:
    """A change of the items of lists that are not empty."""
    return lambda seen, status, body: (
        {**body, "data": change(body["data"])} if isinstance(body, dict) and body.get("data") else body
    )


def dropped(name: str) -> Callable[[Any], Any]:
    """A change: the field is not there."""
    return lambda body: {key: value for key, value in body.items() if key != name}


def both(one: Change, other: Change) -> Change:
    """Two changes at once."""
    return lambda seen, status, body: other(seen, status, one(seen, status, body))


class Planted(TinyServer):
    """The provider, from ``with`` to its end."""

    def __init__(self, contract: str, change: Change | None = None, edits: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(self._handle)
        for old, new in edits:
            assert old in contract, old
            contract = contract.replace(old, new)
        self._simulator = Simulator(_compiled(contract))
        self._change = change

    def _handle(self, seen: Seen) -> Any:
        path, _, query = seen.target.partition("?")
        headers = [(name.encode(), value.encode()) for name, value in seen.headers.items()]
        answer = self._simulator.handle(Request(seen.method, path, query, headers, seen.body))
        body = json.loads(answer.body) if answer.body else None
        if self._change is not None:
            body = self._change(seen, answer.status, body)
        if isinstance(body, Reply):
            return body
        own = {name.decode(): value.decode() for name, value in answer.headers if name.lower() != b"content-length"}
        return Reply(answer.status, b"" if body is None and not answer.body else json.dumps(body).encode(), own)


def _compiled(text: str) -> Contract:
    problems = Problems()
    contract = compile_document(parse_document(text), problems)
    problems.raise_if_any()
    return contract


class Ledger:
    """A project with the contract of a ledger and a store, to run nights in."""

    def __init__(self, folder: Path, contract: str = LEDGER) -> None:
        self.folder = folder
        self.contract = contract
        self.file = folder / "ledger" / "contract.yaml"
        self.file.parent.mkdir()
        self.file.write_text(contract)

    def night(
        self, change: Change | None = None, edits: Sequence[tuple[str, str]] = (), only: Sequence[str] = ()
    ) -> ProviderRun:
        """One run against the provider with these drifts."""
        with Planted(self.contract, change, edits) as provider:
            settings = DriftSettings(
                sandbox=True,
                urls={"ledger": provider.url},
                environment={"LEDGER_KEY": "lk_test_1"},
                root=self.folder,
                store=self.folder / ".troth" / "troth.db",
                limits=RequestLimits(connect=2.0, read=2.0, total=5.0),
                only=tuple(only),
            )
            (result,) = run_drift([load(self.file)], settings).providers
        return result

    def roots(self, *args: Any, **more: Any) -> list[Finding]:
        """The findings of one night that nothing explains."""
        return [item for item in self.night(*args, **more).findings if item.caused_by is None]
