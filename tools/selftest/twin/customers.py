"""Customers: created, read, changed, deleted, listed with a cursor."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .records import Books, Record
from .talk import Answer, Asked, error

__all__ = ["CUSTOMERS"]

FIELDS = ("name", "email", "tier", "phone", "language", "tags", "labels", "address", "notes")


def wrong(body: Mapping[str, Any], *, whole: bool) -> str:
    """The first field that is not as it must be, in the order of the documentation; "" when all is well."""
    for name in FIELDS:
        if name not in body:
            if whole and name in ("name", "email"):
                return name
        elif not _fine(name, body[name]):
            return name
    return "" if not whole else next((name for name in body if name not in FIELDS), "")


def _fine(name: str, value: Any) -> bool:
    match name:
        case "name":
            return isinstance(value, str) and 1 <= len(value) <= 60
        case "email":
            return isinstance(value, str) and re.fullmatch("[^@ ]+@[^@ ]+", value) is not None
        case "tier":
            return value in ("basic", "gold")
        case "phone":
            return value is None or isinstance(value, str)
        case "tags":
            return isinstance(value, list) and len(value) <= 5 and all(isinstance(tag, str) for tag in value)
        case "labels":
            return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
        case "address":
            return isinstance(value, dict) and {"line", "city", "country"} <= value.keys()
        case _:
            return isinstance(value, str)


def create(books: Books, asked: Asked) -> Answer:
    """201, or 422 with the name of the first field that is wrong."""
    body = asked.json
    if param := wrong(body, whole=True):
        return error(422, "invalid_request", "invalid", param)
    customer: Record = {
        "id": books.id("cus_"),
        "object": "customer",
        "name": body["name"],
        "email": body["email"],
        "tier": body.get("tier", "basic"),
        "phone": body.get("phone"),
        "language": body.get("language", "en"),
        "tags": body.get("tags", []),
        "labels": body.get("labels", {}),
        **{name: body[name] for name in ("address", "notes") if name in body},
        "paid_total": 0,
        "version": 1,
        "created": int(books.now()),
        "updated_at": books.iso(),
    }
    books.customers[customer["id"]] = customer
    return Answer(201, dict(customer), {"ETag": _tag(books, customer), "Location": f"/v1/customers/{customer['id']}"})


def _tag(books: Books, customer: Record) -> str:
    tag = f'"{books.id("", 8)}"'
    books.etags[customer["id"]] = tag
    return tag


def get(books: Books, asked: Asked) -> Answer:
    """200, 304 for a known tag, 404."""
    customer = books.customers.get(asked.key)
    if customer is None:
        return error(404, "not_found", "no_customer")
    tag = books.etags[asked.key]
    if asked.headers.get("if-none-match") == tag:
        return Answer(304)
    return Answer(200, dict(customer), {"ETag": tag, "Cache-Control": "private"})


def update(books: Books, asked: Asked) -> Answer:
    """200, 404, 412 for a tag that is not the last, 422."""
    customer, body = books.customers.get(asked.key), asked.json
    if param := wrong(body, whole=False):
        return error(422, "invalid_request", "invalid", param)
    if customer is None:
        return error(404, "not_found", "no_customer")
    if asked.headers.get("if-match", books.etags[asked.key]) != books.etags[asked.key]:
        return error(412, "conflict", "outdated")
    customer.update({name: body[name] for name in ("name", "tier", "phone", "notes") if name in body})
    customer.update({"version": customer["version"] + 1, "updated_at": books.iso()})
    return Answer(200, dict(customer), {"ETag": _tag(books, customer)})


def delete(books: Books, asked: Asked) -> Answer:
    """200, 404."""
    customer = books.customers.pop(asked.key, None)
    if customer is None:
        return error(404, "not_found", "no_customer")
    books.deleted[asked.key] = customer
    return Answer(200, {"id": asked.key, "deleted": True})


def listed(books: Books, asked: Asked) -> Answer:
    """The newest first, from the one after ``after`` on."""
    query = {name: values[-1] for name, values in asked.query.items()}
    limit = query.get("limit", "10")
    if not limit.isdigit() or not 1 <= int(limit) <= 50:
        return error(422, "invalid_request", "invalid", "limit")
    found = [one for one in reversed(books.customers.values()) if query.get("email", one["email"]) == one["email"]]
    ids = [one["id"] for one in found]
    start = ids.index(query["after"]) + 1 if query.get("after") in ids else 0
    page = found[start : start + int(limit)]
    more = start + int(limit) < len(found)
    return Answer(200, {"object": "list", "has_more": more, "data": [dict(one) for one in page]})


CUSTOMERS = {
    ("POST", "/v1/customers"): ("create_customer", create),
    ("GET", "/v1/customers"): ("list_customers", listed),
    ("GET", "/v1/customers/{id}"): ("get_customer", get),
    ("PATCH", "/v1/customers/{id}"): ("update_customer", update),
    ("DELETE", "/v1/customers/{id}"): ("delete_customer", delete),
}
"""Method and path to the operation's name and what does it."""
