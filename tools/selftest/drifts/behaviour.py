"""What the provider does: keys, states, side effects, time, access."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..changes import Header, Instead, Reply, Request, Rewritten, Shown, turned, without_header
from ..rows import Drift
from ..twin.records import Books
from ..twin.talk import Answer, Asked, error

__all__ = ["BEHAVIOUR"]


def _known(asked: Asked, books: Books) -> bool:
    """Did this key come before, at the same path with another body?"""
    first = books.keys.get(asked.headers.get("idempotency-key", ""))
    return first is not None and first[0][1] == asked.target and first[0][2] != asked.body


def _first(asked: Asked, books: Books) -> Answer:
    """The answer that the key got first."""
    first: Answer = books.keys[asked.headers["idempotency-key"]][1]
    return replace(first, headers=first.headers | {"Idempotent-Replayed": "true"})


def _scoped(asked: Asked, books: Books) -> bool:
    """Is it a new key, of a kind that collides with an older one?"""
    key = asked.headers.get("idempotency-key", "")
    return key.startswith("other-") and any(one.startswith("key-") for one in books.keys)


def _collided(asked: Asked, books: Books) -> Answer:
    found: Answer = next(first for key, (_, first) in books.keys.items() if key.startswith("key-"))
    return replace(found, headers=found.headers | {"Idempotent-Replayed": "true"})


def _forced(status: str, **more: Any) -> Any:
    """The payment in another state, whatever its state was."""

    def make(asked: Asked, books: Books) -> Answer:
        payment = books.payments[asked.key]
        payment.update({"status": status, **more})
        return Answer(200, dict(payment))

    return make


def _is(*statuses: str) -> Any:
    def when(asked: Asked, books: Books) -> bool:
        return bool(books.payments.get(asked.key, {}).get("status") in statuses)

    return when


def _unpaid(asked: Asked, answer: Answer, books: Books) -> Answer:
    return replace(answer, body=answer.body | {"status": "pending", "settled_at": None})


def _paid(asked: Asked, answer: Answer, books: Books) -> Answer:
    if answer.body["speed"] != "standard":
        return answer
    return replace(answer, body=answer.body | {"status": "paid", "settled_at": books.iso()})


def _two(asked: Asked, answer: Answer, books: Books) -> Answer:
    """One more of the same, under a key that nobody is told."""
    key = books.id("cus_")
    books.customers[key] = {**answer.body, "id": key}
    books.etags[key] = f'"{books.id("", 8)}"'
    return answer


def _same_name(asked: Asked, books: Books) -> dict[str, Any] | None:
    return next((one for one in books.customers.values() if one["name"] == "Paged" == asked.json.get("name")), None)


BEHAVIOUR = (
    # Idempotency
    Drift(
        "a key is ignored",
        "idempotency",
        Request("create_customer create_payment", without_header("idempotency-key")),
        "idempotency_ignored",
        "create_customer create_payment",
        "breaking",
    ),
    Drift(
        "a key is ignored for payments only",
        "idempotency",
        Request("create_payment", without_header("idempotency-key")),
        "idempotency_ignored",
        "create_payment",
        "breaking",
    ),
    Drift(
        "a replay does not say so",
        "idempotency",
        Header("create_customer create_payment", "Idempotent-Replayed", None),
        "missing_header",
        "create_customer create_payment",
        "risky",
    ),
    Drift(
        "a replay is 200",
        "idempotency",
        Rewritten(
            "create_customer",
            lambda asked, answer, books: (
                replace(answer, status=200) if "Idempotent-Replayed" in answer.headers else answer
            ),
            201,
        ),
        "status",
        "create_customer",
        "risky",
    ),
    Drift(
        "a replay shows the record anew",
        "idempotency",
        Rewritten(
            "create_customer",
            lambda asked, answer, books: (
                replace(answer, body=answer.body | {"created": answer.body["created"] + 60})
                if "Idempotent-Replayed" in answer.headers
                else answer
            ),
            201,
        ),
        "value|stored",
        "create_customer",
        "breaking",
    ),
    Drift(
        "a key with another request gets the first answer",
        "idempotency-conflict",
        Instead("create_customer", _first, _known),
        "idempotency_scope|idempotency_ignored|response",
        "create_customer",
        "breaking",
    ),
    Drift(
        "a key with another request is taken as new",
        "idempotency-conflict",
        Request(
            "create_customer",
            lambda asked: without_header("idempotency-key")(asked) if asked.json.get("name") == "Twice" else asked,
        ),
        "idempotency_ignored|response",
        "create_customer",
        "breaking",
    ),
    Drift(
        "a conflict of keys is 422",
        "idempotency-conflict",
        Reply("create_customer", 409, 422),
        "status",
        "create_customer",
        "risky",
    ),
    Drift(
        "another key gets the first answer",
        "idempotency-scope",
        Instead("create_customer", _collided, _scoped),
        "idempotency_scope|reference",
        "create_customer",
        "breaking",
    ),
    Drift(
        "another key is a conflict",
        "idempotency-scope",
        Instead("create_customer", lambda asked, books: error(409, "conflict", "key_reused"), _scoped),
        "idempotency_scope|response",
        "create_customer",
        "breaking",
    ),
    Drift(
        "an outdated change is accepted",
        "conflict",
        Request("update_customer", without_header("if-match")),
        "response",
        "update_customer",
        "breaking",
    ),
    Drift(
        "every change is outdated",
        "conflict",
        Instead(
            "update_customer",
            lambda asked, books: error(412, "conflict", "outdated"),
            lambda asked, books: asked.key in books.customers,
        ),
        "response",
        "update_customer",
        "breaking",
    ),
    # States and side effects
    Drift(
        "a canceled payment can be captured",
        "transition",
        Instead("capture_payment", _forced("captured", captured=True), _is("canceled")),
        "response",
        "capture_payment",
        "breaking",
    ),
    Drift(
        "a captured payment can be canceled",
        "transition",
        Instead("cancel_payment", _forced("canceled"), _is("captured")),
        "response",
        "cancel_payment",
        "breaking",
    ),
    Drift(
        "an authorized payment cannot be canceled",
        "transition",
        Instead("cancel_payment", lambda asked, books: error(409, "conflict", "wrong_state"), _is("authorized")),
        "response",
        "cancel_payment",
        "breaking",
    ),
    Drift(
        "a payment given back in full stays captured",
        "terminal-status",
        Shown("payment", "status", turned(lambda value: "captured" if value == "refunded" else value), "get_payment"),
        "value|stored",
        "get_payment",
        "breaking",
    ),
    Drift(
        "a canceled payment is authorized again when read",
        "terminal-status",
        Shown("payment", "status", turned(lambda value: "authorized" if value == "canceled" else value), "get_payment"),
        "stored|value",
        "get_payment",
        "breaking",
    ),
    Drift(
        "a payment does not count for its customer",
        "side-effect",
        Shown("customer", "paid_total", turned(lambda value: 0)),
        "stored|value",
        "get_customer get_payment",
        "breaking",
    ),
    Drift(
        "a payment counts twice for its customer",
        "side-effect",
        Shown("customer", "paid_total", turned(lambda value: value * 2)),
        "stored|value",
        "get_customer get_payment",
        "breaking",
    ),
    Drift(
        "a refund is not kept with its payment",
        "side-effect",
        Shown("payment", "amount_refunded", turned(lambda value: 0), "get_payment"),
        "stored|value",
        "get_payment",
        "breaking",
    ),
    Drift(
        "creating gives a record that is there",
        "reference",
        Instead(
            "create_customer",
            lambda asked, books: Answer(
                201, dict(_same_name(asked, books) or {}), {"ETag": '"x"', "Location": "/v1/customers/cus_000000000000"}
            ),
            lambda asked, books: _same_name(asked, books) is not None,
        ),
        "reference",
        "create_customer",
        "breaking",
    ),
    Drift(
        "creating makes two",
        "side-effect",
        Rewritten("create_customer", _two, 201),
        "expect|list_size|list_duplicate",
        "list_customers",
        "breaking",
    ),
    Drift(
        "a deleted customer can be read",
        "delete",
        Instead(
            "get_customer",
            lambda asked, books: Answer(200, {"id": asked.key, "object": "customer", "deleted": True}),
            lambda asked, books: asked.key not in books.customers and asked.key != "cus_000000000000",
        ),
        "response|undeclared",
        "get_customer",
        "breaking",
    ),
    Drift(
        "deleting twice is fine",
        "delete",
        Instead(
            "delete_customer",
            lambda asked, books: Answer(200, {"id": asked.key, "deleted": True}),
            lambda asked, books: asked.key not in books.customers,
        ),
        "response",
        "delete_customer",
        "breaking",
    ),
    Drift(
        "deleting has no effect",
        "delete",
        Instead("delete_customer", lambda asked, books: Answer(200, {"id": asked.key, "deleted": True})),
        "response|stored",
        "get_customer delete_customer",
        "breaking",
    ),
    # Time
    Drift(
        "an instant payout is never paid",
        "timers",
        Rewritten(
            "get_payout",
            lambda asked, answer, books: _unpaid(asked, answer, books) if answer.body["speed"] == "instant" else answer,
            200,
        ),
        "late",
        "get_payout",
        "risky",
    ),
    Drift(
        "a standard payout is paid at once",
        "timers",
        Rewritten("get_payout", _paid, 200),
        "early",
        "get_payout",
        "breaking",
    ),
    Drift(
        "a paid payout has no time",
        "timers",
        Shown("payout", "settled_at", turned(lambda value: None)),
        "null|value|stored",
        "get_payout",
        "breaking",
    ),
    Drift(
        "a paid payout has the time of tomorrow",
        "timers",
        Shown("payout", "settled_at", turned(lambda value: value.replace("20", "21", 1))),
        "value|stored",
        "get_payout",
        "breaking",
    ),
    Drift(
        "a change does not move the time of change",
        "timers",
        Shown(
            "customer", "updated_at", turned(lambda value: "2026-01-01T00:00:00.000Z"), "get_customer list_customers"
        ),
        "decreased|stored",
        "get_customer list_customers",
        "breaking",
    ),
    Drift(
        "the time of creation is that of reading",
        "timers",
        Rewritten(
            "get_payment",
            lambda asked, answer, books: replace(answer, body=answer.body | {"created_at": books.iso(books.now() + 1)}),
            200,
        ),
        "stored",
        "get_payment",
        "breaking",
    ),
    # Access
    Drift(
        "records can be read without a key",
        "access",
        Instead(
            "get_customer",
            lambda asked, books: error(404, "not_found", "no_customer"),
            lambda asked, books: "authorization" not in asked.headers,
        ),
        "response_variant",
        "get_customer",
        "risky",
    ),
    Drift(
        "no key is forbidden instead of unauthorized",
        "access",
        Instead(
            "get_customer",
            lambda asked, books: error(403, "auth_error", "bad_key"),
            lambda asked, books: "authorization" not in asked.headers,
        ),
        "status",
        "get_customer",
        "risky",
    ),
)
