"""The structure and the values of bodies."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from ..changes import Field, Rewritten, Shown, drop, moved, renamed, to, turned
from ..rows import Drift
from ..twin.records import Books
from ..twin.talk import Answer

__all__ = ["BODIES"]

PAYMENT = "create_payment get_payment capture_payment cancel_payment list_payments"
CUSTOMER = "create_customer get_customer update_customer list_customers"


def _method(change: Any) -> Any:
    """A change of a payment's method."""
    return Shown("payment", "method", turned(change))


BODIES = (
    # Fields that come and go
    Drift(
        "a required field is gone",
        "required-removed",
        Shown("payment", "receipt_url", drop),
        "missing_field",
        PAYMENT,
        "breaking",
    ),
    Drift(
        "a required field is gone from lists",
        "required-removed",
        Shown("payment", "trace", drop, "list_payments"),
        "missing_field|gone",
        "list_payments",
        "breaking",
    ),
    Drift(
        "a nested field is gone",
        "required-removed",
        Shown("customer", "address.city", drop, where={"tier": "gold"}),
        "missing_field|gone",
        CUSTOMER,
        "breaking",
    ),
    Drift(
        "an optional field is no longer shown",
        "optional-removed",
        Shown("customer", "notes", drop),
        "missing_field|gone",
        CUSTOMER,
        "breaking",
    ),
    Drift(
        "a required field is sometimes missing",
        "became-optional",
        Shown("payment", "fee", drop, where={"currency": "usd"}),
        "missing_field",
        PAYMENT,
        "breaking",
    ),
    Drift(
        "a field is new in a closed object",
        "field-added",
        Field("quote", "rate", to(0.029)),
        "new_field",
        "quote",
        "notice",
    ),
    Drift(
        "a field has another name",
        "field-renamed",
        Shown("payment", "currency", renamed("ccy")),
        "missing_field",
        PAYMENT,
        "breaking",
    ),
    Drift(
        "a field has moved",
        "field-renamed",
        Shown("payment", "created_at", moved("times")),
        "missing_field",
        PAYMENT,
        "breaking",
    ),
    # Types
    Drift("a number is a text", "type-changed", Shown("payment", "amount", turned(str)), "type", PAYMENT, "breaking"),
    Drift(
        "a whole number is a float",
        "type-changed",
        Shown("payment", "amount", turned(float)),
        "type",
        PAYMENT,
        "breaking",
    ),
    Drift(
        "a decimal text is a number",
        "type-changed",
        Shown("payment", "fee", turned(float)),
        "type",
        PAYMENT,
        "breaking",
    ),
    Drift(
        "a boolean is a text",
        "type-changed",
        Shown("payment", "captured", turned(lambda value: str(value).lower())),
        "type",
        PAYMENT,
        "breaking",
    ),
    Drift(
        "a scalar is a list",
        "type-changed",
        Shown("payment", "currency", turned(lambda value: [value])),
        "type",
        PAYMENT,
        "breaking",
    ),
    Drift("a list is a text", "map-switch", Shown("customer", "tags", turned(",".join)), "type", CUSTOMER, "breaking"),
    Drift(
        "an object is a list",
        "map-switch",
        Shown("customer", "address", turned(lambda value: list(value.values()))),
        "type",
        CUSTOMER,
        "breaking",
    ),
    Drift(
        "a map is a list of pairs",
        "map-switch",
        Shown("customer", "labels", turned(lambda value: [list(pair) for pair in value.items()])),
        "type",
        CUSTOMER,
        "breaking",
    ),
    Drift("times are seconds", "format", Shown("payment", "created_at", to(1790000000)), "type", PAYMENT, "breaking"),
    # Null, absent, empty
    Drift("a field is null", "nullability", Shown("payment", "receipt_url", to(None)), "null", PAYMENT, "breaking"),
    Drift(
        "a field is null in lists only",
        "nullability",
        Shown("payment", "trace", to(None), "list_payments"),
        "null",
        "list_payments",
        "breaking",
    ),
    Drift(
        "null is left out",
        "null-absent-empty",
        Rewritten(PAYMENT, lambda asked, answer, books: _without_null(answer, "captured_at")),
        "missing_field",
        PAYMENT,
        "breaking",
    ),
    Drift(
        "absent is null",
        "null-absent-empty",
        Rewritten(CUSTOMER, lambda asked, answer, books: _with_null(answer, "notes")),
        "null",
        CUSTOMER,
        "breaking",
    ),
    Drift(
        "null is an empty text",
        "null-absent-empty",
        Rewritten(CUSTOMER, lambda asked, answer, books: _emptied(answer, "phone")),
        "value|stored",
        CUSTOMER,
        "breaking",
    ),
    # Values that are listed, formats, limits
    Drift(
        "an enum has a new value",
        "enum-added",
        Shown("payout", "status", turned(lambda value: "in_transit" if value == "pending" else value)),
        "enum|value",
        "create_payout get_payout",
        "risky|breaking",
    ),
    Drift(
        "an enum has a new value in one answer",
        "enum-added",
        Shown("payment", "status", turned(lambda value: "voided" if value == "canceled" else value)),
        "enum|value",
        PAYMENT,
        "risky|breaking",
    ),
    Drift(
        "an open enum has a new value",
        "enum-added",
        Shown("card", "brand", to("amex")),
        "loose_member",
        "create_card",
        "notice",
        "loose",
    ),
    Drift(
        "a time has no zone",
        "format",
        Shown("payment", "created_at", turned(lambda value: value.rstrip("Z"))),
        "format",
        PAYMENT,
        "breaking",
    ),
    Drift(
        "a time is local, and says it is UTC",
        "format",
        Shown("payment", "created_at", turned(lambda value: _later(value, 2))),
        "value",
        PAYMENT,
        "breaking",
    ),
    Drift(
        "seconds are milliseconds",
        "format",
        Shown("customer", "created", turned(lambda value: value * 1000)),
        "value|format|bounds",
        CUSTOMER,
        "breaking",
    ),
    Drift(
        "milliseconds are seconds",
        "format",
        Field("quote", "valid_until", turned(lambda value: value // 1000)),
        "value|format|bounds",
        "quote",
        "breaking",
    ),
    Drift(
        "a UUID has no dashes",
        "format",
        Shown("payment", "trace", turned(lambda value: value.replace("-", ""))),
        "format",
        PAYMENT,
        "breaking",
    ),
    Drift(
        "ids have another prefix",
        "format",
        Shown("payment", "id", turned(lambda value: value.replace("pay_", "pmt_"))),
        "format",
        PAYMENT,
        "breaking",
    ),
    Drift(
        "ids are longer",
        "format",
        Shown("card", "id", turned(lambda value: value + "0000")),
        "format|bounds",
        "create_card",
        "breaking|risky",
    ),
    Drift(
        "a decimal has one place",
        "format",
        Shown("payment", "fee", turned(lambda value: value[:-1])),
        "format|value",
        PAYMENT,
        "breaking",
    ),
    Drift(
        "a date is written by day first",
        "format",
        Shown("card", "created_on", turned(lambda value: "/".join(reversed(value.split("-"))))),
        "format",
        "create_card",
        "breaking",
    ),
    Drift(
        "an address is a path",
        "format",
        Shown("payment", "receipt_url", turned(lambda value: value.removeprefix("https://twin.example"))),
        "value|format",
        PAYMENT,
        "breaking",
    ),
    Drift(
        "cents are units",
        "format",
        Field("create_payment", "amount", turned(lambda value: max(1, value // 100))),
        "value",
        "create_payment",
        "breaking",
    ),
    Drift(
        "a number is above its limit", "range-widened", Shown("payment", "risk", to(250)), "bounds", PAYMENT, "risky"
    ),
    Drift(
        "a list is longer than it may be",
        "range-widened",
        Shown("customer", "tags", turned(lambda value: [*value, *"abcdef"]), where={"tier": "gold"}),
        "bounds|value",
        CUSTOMER,
        "risky|breaking",
    ),
    Drift(
        "a hash is of another length",
        "range-widened",
        Shown("file", "sha256", turned(lambda value: value[:40])),
        "bounds|format|value",
        "upload_file",
        "risky|breaking",
    ),
    # Alternatives
    Drift(
        "a value fits none of its alternatives",
        "variant",
        Shown("payment", "reference", to("order-77")),
        "variant",
        PAYMENT,
        "breaking",
    ),
    Drift(
        "a kind is told by another name",
        "variant",
        _method(lambda value: value | {"kind": "wallet"} if value["kind"] == "card" else value),
        "enum|value",
        PAYMENT,
        "risky|breaking",
    ),
    Drift(
        "details are those of another kind",
        "variant",
        _method(lambda value: value | {"details": {"iban": "DE123456"}}),
        "missing_field|variant",
        PAYMENT,
        "breaking",
    ),
    # Constants, echoes, references
    Drift(
        "a constant is another", "const-echo", Field("quote", "object", to("estimate")), "value", "quote", "breaking"
    ),
    Drift(
        "what was sent comes back changed",
        "const-echo",
        Shown("payment", "memo", turned(str.upper)),
        "value",
        PAYMENT,
        "breaking",
    ),
    Drift(
        "a computed value is rounded otherwise",
        "const-echo",
        Field("quote", "total", turned(lambda value: value + 1)),
        "value",
        "quote",
        "breaking",
    ),
    Drift(
        "a computed decimal is off by a cent",
        "const-echo",
        Field("create_payment", "fee", turned(lambda value: f"{float(value) + 0.01:.2f}")),
        "value",
        "create_payment",
        "breaking",
    ),
    Drift(
        "a number starts elsewhere",
        "const-echo",
        Shown("customer", "version", turned(lambda value: value - 1)),
        "value|bounds",
        "create_customer",
        "breaking|risky",
    ),
    Drift(
        "a payment names another customer",
        "reference",
        Field("create_payment", "customer", to("cus_Someone00Els")),
        "reference|value",
        "create_payment",
        "breaking",
    ),
    Drift(
        "reading gives another record",
        "reference",
        Shown("payment", "id", turned(lambda value: value[:-4] + "Zzzz"), "get_payment"),
        "reference|stored|value",
        "get_payment",
        "breaking",
    ),
    Drift(
        "a refund names itself",
        "reference",
        Rewritten(
            "create_refund",
            lambda asked, answer, books: replace(answer, body=answer.body | {"payment": answer.body["id"]}),
            201,
        ),
        "reference|value|format",
        "create_refund",
        "breaking",
    ),
    Drift(
        "expanding is ignored",
        "expansion",
        Rewritten("get_payment", lambda asked, answer, books: _folded(answer), 200),
        "type",
        "get_payment",
        "breaking",
    ),
    Drift(
        "everything is expanded",
        "expansion",
        Rewritten("get_payment", lambda asked, answer, books: _expanded(answer, books), 200),
        "type",
        "get_payment",
        "breaking",
    ),
    Drift(
        "a stored value comes back changed",
        "read-only",
        Field("get_payment", "amount", turned(lambda value: value + 1)),
        "stored",
        "get_payment",
        "breaking",
    ),
    Drift(
        "a change is not kept",
        "read-only",
        Shown(
            "customer",
            "name",
            turned(lambda value: "Grace Hopper" if value.startswith("Grace B") else value),
            "get_customer list_customers",
        ),
        "stored",
        "get_customer",
        "breaking",
    ),
    Drift(
        "a text is cut",
        "const-echo",
        Shown("customer", "name", turned(lambda value: value[:12]), "get_customer list_customers"),
        "stored",
        CUSTOMER,
        "breaking",
    ),
)


def _later(text: str, hours: int) -> str:
    """A time some hours later, spelled the same."""
    return (
        (datetime.fromisoformat(text) + timedelta(hours=hours))
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )


def _shown(answer: Answer) -> list[dict[str, Any]]:
    """The records of a reply."""
    if not isinstance(answer.body, dict) or "error" in answer.body:
        return []
    inner = answer.body.get("items", answer.body.get("data"))
    return inner if isinstance(inner, list) else [answer.body]


def _without_null(answer: Answer, name: str) -> Answer:
    for one in _shown(answer):
        if name in one and one[name] is None:
            del one[name]
    return answer


def _with_null(answer: Answer, name: str) -> Answer:
    for one in _shown(answer):
        one.setdefault(name, None)
    return answer


def _emptied(answer: Answer, name: str) -> Answer:
    for one in _shown(answer):
        if name in one and one[name] is None:
            one[name] = ""
    return answer


def _folded(answer: Answer) -> Answer:
    customer = answer.body["customer"]
    return replace(answer, body=answer.body | {"customer": customer["id"] if isinstance(customer, dict) else customer})


def _expanded(answer: Answer, books: Books) -> Answer:
    customer = answer.body["customer"]
    return replace(
        answer,
        body=answer.body | {"customer": dict(books.customers[customer]) if isinstance(customer, str) else customer},
    )
