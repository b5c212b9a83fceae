"""Payments: taken at once or in two steps, given back in parts, listed by offset."""

from __future__ import annotations

from typing import Any

from .records import Books, Record
from .talk import Answer, Asked, error

__all__ = ["PAYMENTS", "fee"]

FIELDS = ("customer", "amount", "currency", "capture", "memo", "source")


def fee(amount: int) -> str:
    """2.9 per cent of cents, as a text in units with two places, halves to even as banks do."""
    hundredths, rest = divmod(amount * 29, 1000)
    if rest > 500 or (rest == 500 and hundredths % 2):
        hundredths += 1
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def create(books: Books, asked: Asked) -> Answer:
    """201, 402 for a card that is declined, 404 for no such customer, 422."""
    body = asked.json
    if param := _wrong(body):
        return error(422, "invalid_request", "invalid", param)
    customer = books.customers.get(body["customer"])
    if customer is None:
        return error(404, "not_found", "no_customer", "customer")
    if body["source"] == "tok_declined":
        refused = error(402, "card_error", "card_declined")
        refused.headers["Should-Retry"] = "false"
        return refused
    at_once = body.get("capture", True)
    bank = body["source"] == "tok_bank"
    payment: Record = {
        "id": books.id("pay_"),
        "object": "payment",
        "number": books.next_number(),
        "customer": customer["id"],
        "amount": body["amount"],
        "amount_refunded": 0,
        "fee": fee(body["amount"]),
        "rate": 0.029,
        "risk": 10 + len(body["source"]),
        "currency": body["currency"],
        "status": "captured" if at_once else "authorized",
        "captured": at_once,
        **({"memo": body["memo"]} if "memo" in body else {}),
        "method": {
            "kind": "bank" if bank else "card",
            "details": {"iban": "DE123456"} if bank else {"last4": "4242"},
        },
        "reference": "ORDER" if bank else 77,
        "receipt_url": f"https://twin.example/receipts/{books.id('', 6)}",
        "trace": books.uuid(),
        "created_at": books.iso(),
        "captured_at": books.iso() if at_once else None,
    }
    books.payments[payment["id"]] = payment
    if at_once:
        customer["paid_total"] += payment["amount"]
    return Answer(201, dict(payment))


def _wrong(body: Record) -> str:
    for name, required in zip(FIELDS, (True, True, True, False, False, True), strict=True):
        if name not in body:
            if required:
                return name
        elif not _fine(name, body[name]):
            return name
    return next((name for name in body if name not in FIELDS), "")


def _fine(name: str, value: Any) -> bool:
    match name:
        case "amount":
            return isinstance(value, int) and 1 <= value <= 1_000_000
        case "currency":
            return value in ("eur", "usd")
        case "capture":
            return isinstance(value, bool)
        case "memo":
            return isinstance(value, str) and len(value) <= 40
        case _:
            return isinstance(value, str)


def get(books: Books, asked: Asked) -> Answer:
    """200 with the customer inside when asked, 404."""
    payment = books.payments.get(asked.key)
    if payment is None:
        return error(404, "not_found", "no_payment")
    shown = dict(payment)
    if any(values == ["customer"] for name, values in asked.query.items() if name.startswith("expand")):
        key = payment["customer"]
        shown["customer"] = dict(books.customers.get(key) or books.deleted[key])
    return Answer(200, shown)


def capture(books: Books, asked: Asked) -> Answer:
    """200, 404, 409 unless it is only authorized."""
    payment = books.payments.get(asked.key)
    if payment is None:
        return error(404, "not_found", "no_payment")
    if payment["status"] != "authorized":
        return error(409, "conflict", "wrong_state")
    payment.update({"status": "captured", "captured": True, "captured_at": books.iso()})
    if payment["customer"] in books.customers:
        books.customers[payment["customer"]]["paid_total"] += payment["amount"]
    return Answer(200, dict(payment))


def cancel(books: Books, asked: Asked) -> Answer:
    """200, 404, 409 unless it is only authorized."""
    payment = books.payments.get(asked.key)
    if payment is None:
        return error(404, "not_found", "no_payment")
    if payment["status"] != "authorized":
        return error(409, "conflict", "wrong_state")
    payment["status"] = "canceled"
    return Answer(200, dict(payment))


def refund(books: Books, asked: Asked) -> Answer:
    """201, 404, 409 unless it is captured, 422 for more than is left."""
    payment, amount = books.payments.get(asked.key), asked.json.get("amount")
    if not isinstance(amount, int) or amount < 1:
        return error(422, "invalid_request", "invalid", "amount")
    if payment is None:
        return error(404, "not_found", "no_payment")
    if payment["status"] != "captured":
        return error(409, "conflict", "wrong_state")
    if amount > payment["amount"] - payment["amount_refunded"]:
        return error(422, "invalid_request", "too_much", "amount")
    payment["amount_refunded"] += amount
    if payment["amount_refunded"] == payment["amount"]:
        payment["status"] = "refunded"
    made = {
        "id": books.id("re_"),
        "object": "refund",
        "payment": payment["id"],
        "amount": amount,
        "created_at": books.iso(),
    }
    return Answer(201, made)


def listed(books: Books, asked: Asked) -> Answer:
    """The newest first, or by amount, from ``offset`` on."""
    query = {name: values[-1] for name, values in asked.query.items()}
    found = [
        one for one in reversed(books.payments.values()) if query.get("customer", one["customer"]) == one["customer"]
    ]
    if "min_amount" in query:
        found = [one for one in found if one["amount"] >= int(query["min_amount"])]
    if query.get("sort") == "amount":
        found.sort(key=lambda one: one["amount"])
    start, limit = int(query.get("offset", "0")), int(query.get("limit", "10"))
    page = [dict(one) for one in found[start : start + limit]]
    return Answer(200, {"object": "list", "total": len(found), "items": page})


PAYMENTS = {
    ("POST", "/v1/payments"): ("create_payment", create),
    ("GET", "/v1/payments"): ("list_payments", listed),
    ("GET", "/v1/payments/{id}"): ("get_payment", get),
    ("POST", "/v1/payments/{id}/capture"): ("capture_payment", capture),
    ("POST", "/v1/payments/{id}/cancel"): ("cancel_payment", cancel),
    ("POST", "/v1/payments/{id}/refunds"): ("create_refund", refund),
}
"""Method and path to the operation's name and what does it."""
