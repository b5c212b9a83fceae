"""Drives every operation with stripe 5.5, whose interpreter runs this: prints what came of each as JSON.

Called with the address of a simulator. It knows nothing of Troth.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import stripe  # type: ignore[import-not-found,unused-ignore]

stripe.api_base = sys.argv[1]
stripe.api_key = "sk_test_12345"
stripe.max_network_retries = 0

VISA = {"payment_method": "pm_card_visa", "payment_method_types": ["card"]}


def paid(**params: Any) -> Any:
    # This version sends Python's spelling, `confirm=True`.
    return stripe.PaymentIntent.create(amount=1200, currency="eur", confirm=True, **{**VISA, **params})


def refused(kind: str, call: Any) -> list[object]:
    """The class, status and code of the error."""
    try:
        call()
    except getattr(stripe.error, kind) as error:
        return [error.http_status, error.code]
    raise AssertionError(f"no {kind}")


def drive() -> dict[str, object]:
    done: dict[str, object] = {"version": stripe.version.VERSION}
    made = stripe.Customer.create(email="ann@example.com", metadata={"plan": "gold"}, expand=["default_source"])
    done["created"] = [made["object"], made.metadata.plan, type(made).__name__]
    done["updated"] = stripe.Customer.modify(made.id, name="Ann").name
    for _ in range(3):
        stripe.Customer.create(email="bob@example.com")
    pages = stripe.Customer.list(email="bob@example.com", limit=2)
    done["listed"] = [len(pages.data), pages.has_more, len(list(pages.auto_paging_iter()))]
    card = stripe.PaymentMethod.create(type="card", card={"token": "tok_visa"})
    done["card"] = stripe.PaymentMethod.retrieve(card.id).card.last4
    done["attached"] = stripe.PaymentMethod.attach(card.id, customer=made.id).customer == made.id
    done["detached"] = stripe.PaymentMethod.detach(card.id).customer
    intent = paid(expand=["latest_charge"])
    done["paid"] = [intent.status, intent.latest_charge.object]
    done["seen"] = stripe.PaymentIntent.retrieve(intent.id).latest_charge == intent.latest_charge.id
    waiting = stripe.PaymentIntent.create(amount=900, currency="usd", confirm=False, **VISA)
    done["changed"] = stripe.PaymentIntent.modify(waiting.id, amount=800).amount
    done["confirmed"] = stripe.PaymentIntent.confirm(waiting.id).status
    held = paid(capture_method="manual")
    done["captured"] = stripe.PaymentIntent.capture(held.id).status
    idle = stripe.PaymentIntent.create(amount=900, currency="usd", payment_method_types=["card"])
    done["canceled"] = stripe.PaymentIntent.cancel(idle.id).status
    charge = stripe.Charge.create(amount=700, currency="usd", source="tok_visa", capture=True)
    done["charged"] = stripe.Charge.retrieve(charge.id).paid
    refund = stripe.Refund.create(charge=charge.id, amount=300)
    done["refunded"] = [stripe.Refund.retrieve(refund.id).amount, stripe.Charge.retrieve(charge.id).amount_refunded]
    done["deleted"] = [stripe.Customer.delete(made.id).deleted, stripe.Customer.retrieve(made.id).deleted]
    done["declined"] = refused("CardError", lambda: paid(payment_method="pm_card_visa_chargeDeclined"))
    done["invalid"] = refused("InvalidRequestError", lambda: stripe.Refund.create(charge=charge.id, amount=9999))
    done["missing"] = refused("InvalidRequestError", lambda: stripe.Charge.retrieve("ch_nothing"))
    first = stripe.Customer.create(name="Once", idempotency_key="key-1")
    again = stripe.Customer.create(name="Once", idempotency_key="key-1")
    done["replayed"] = first.id == again.id
    done["conflict"] = refused("IdempotencyError", lambda: stripe.Customer.create(idempotency_key="key-1"))
    stripe.api_key = "nonsense"
    done["stranger"] = refused("AuthenticationError", stripe.Customer.create)
    return done


if __name__ == "__main__":
    print(json.dumps(drive()))
