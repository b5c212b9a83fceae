"""Writes the contract that is measured: a small payment provider, padded to any number of operations."""

from __future__ import annotations

from pathlib import Path

__all__ = ["CREATE_FORM", "CREATE_JSON", "KEY", "write_contract"]

KEY = "sk_test_benchmark"
CREATE_FORM = (
    "amount=1200&currency=eur&source=tok_visa&description=an+order+of+two+books&metadata[order]=order-4711"
    "&metadata[customer]=a-customer-of-ours&receipt_email=reader%40example.com&statement=BOOKS"
)
CREATE_JSON = (
    '{"amount":1200,"currency":"eur","source":"tok_visa","description":"an order of two books",'
    '"metadata":{"order":"order-4711","customer":"a-customer-of-ours"},"receipt_email":"reader@example.com",'
    '"statement":"BOOKS"}'
)

_HEAD = """\
troth: 1
provider: bench
secrets: {key: {env: BENCH_KEY, allow: "sk_test_*"}}
auth: {bearer: "{{ secrets.key }}"}
codecs: {form: {nesting: brackets, lists: indexed}}
types:
  Error: {error: {type: {$enum: [card_error, invalid_request_error]}, code?: $string, message: $text, param?: $string}}
  Params:
    amount: {$integer: {min: 1}}
    currency: {$string: {pattern: "[a-z]{3}"}}
    source: $string
    description?: $string
    metadata?: {$map: $string}
    receipt_email?: $string
    statement?: $string
  Charge:
    id: {$id: {prefix: ch_, length: 24}}
    object: charge
    amount: {$integer: {min: 1}}
    amount_captured: {$integer: {min: 0}, default: 0}
    amount_refunded: {$integer: {min: 0}, default: 0}
    balance_transaction: {$id: {prefix: txn_, length: 24}}
    captured: {$boolean: {}, default: true}
    created: {$timestamp: unix}
    currency: $string
    customer: {$nullable: $string, default: null}
    description: {$nullable: $string, default: null}
    failure_code: {$nullable: $string, default: null}
    livemode: false
    metadata: {$map: $string}
    paid: {$boolean: {}, default: true}
    payment_method: {$id: {prefix: pm_, length: 24}}
    receipt_email: {$nullable: $string, default: null}
    refunded: {$boolean: {}, default: false}
    status: {$enum: [pending, succeeded, failed]}
state:
  charges: {of: $Charge, key: id}
defaults:
  headers: {Request-Id: {$id: {prefix: req_, length: 14}}}
  responses:
    unauthorized: {when: not auth.ok, status: 401, means: unauthorized, json: $Error}
    invalid:
      when: mismatch
      status: 400
      json: {$Error: {error: {type: invalid_request_error, param: "{{ mismatch.path }}"}}}
operations:
"""
_FILLER = """\
  list_kind_{n}:
    request: {{method: GET, path: "/v1/kind_{n}/{{id}}"}}
    responses:
      found: {{status: 200, json: {{id: "{{{{ path.id }}}}", object: kind_{n}}}}}
"""
_MEASURED = """\
  create_charge:
    request: {method: POST, path: /v1/charges, as: [form, json], body: $Params}
    responses:
      declined:
        when: body.source == "tok_declined"
        status: 402
        json: {$Error: {error: {type: card_error, code: card_declined}}}
      created:
        status: 200
        json: {$Charge: {status: succeeded, created: "{{ now }}", amount_captured: "{{ body.amount }}"}, from: body}
        effects: [put: charges]
  get_charge:
    request: {method: GET, path: "/v1/charges/{id}"}
    let: {charge: state.charges(path.id)}
    responses:
      missing: {when: not charge, status: 404, json: {$Error: {error: {type: invalid_request_error}}}}
      found: {status: 200, json: "{{ charge }}"}
"""


def write_contract(path: Path, operations: int) -> Path:
    """A contract of ``operations`` operations at ``path``; the two that are measured stand last."""
    fillers = "".join(_FILLER.format(n=n) for n in range(operations - 2))
    path.write_text(_HEAD + fillers + _MEASURED)
    return path
