"""Payouts that settle later, files, cards that come as a form, quotes."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from email.parser import BytesParser
from email.policy import HTTP

from .payments import fee
from .records import Books, Record
from .talk import Answer, Asked, error

__all__ = ["OTHERS"]

SPEEDS = ("instant", "standard")
STANDARD = 5400.0
"""Seconds until a standard payout is paid."""
MOST = 64_000
"""Bytes of a file."""


def create_payout(books: Books, asked: Asked) -> Answer:
    """202, 422."""
    body = asked.json
    if not isinstance(body.get("amount"), int) or body["amount"] < 1:
        return error(422, "invalid_request", "invalid", "amount")
    if body.get("speed") not in SPEEDS:
        return error(422, "invalid_request", "invalid", "speed")
    payout: Record = {
        "id": books.id("po_"),
        "object": "payout",
        "amount": body["amount"],
        "speed": body["speed"],
        "status": "pending",
        "created_at": books.iso(),
        "settled_at": None,
    }
    books.payouts[payout["id"]] = payout
    books.due[payout["id"]] = books.now() + (books.settles if body["speed"] == "instant" else STANDARD)
    return Answer(202, dict(payout))


def get_payout(books: Books, asked: Asked) -> Answer:
    """200, 404."""
    payout = books.payouts.get(asked.key)
    if payout is None:
        return error(404, "not_found", "no_payout")
    due = books.due[asked.key]
    if payout["status"] == "pending" and books.now() >= due:
        payout.update({"status": "paid", "settled_at": books.iso(due)})
    return Answer(200, dict(payout))


def upload(books: Books, asked: Asked) -> Answer:
    """201, 413, 422."""
    parts = _parts(asked)
    purpose, file = parts.get("purpose"), parts.get("file")
    if file is not None and len(file[2]) > MOST:
        return error(413, "invalid_request", "too_big")
    if purpose is None or purpose[2] not in (b"evidence", b"logo"):
        return error(422, "invalid_request", "invalid", "purpose")
    if file is None:
        return error(422, "invalid_request", "invalid", "file")
    name, media, content = file
    made: Record = {
        "id": books.id("file_"),
        "object": "file",
        "purpose": purpose[2].decode(),
        "name": name,
        "size": len(content),
        "type": media,
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    books.files[made["id"]] = content
    books.types[made["id"]] = media
    return Answer(201, made)


def _parts(asked: Asked) -> dict[str, tuple[str, str, bytes]]:
    """File name, media type and content of each part of a multipart body."""
    head = f"Content-Type: {asked.headers.get('content-type', '')}\r\n\r\n".encode()
    message = BytesParser(policy=HTTP).parsebytes(head + asked.body)
    found = {}
    for part in message.iter_parts() if message.is_multipart() else ():
        name = part.get_param("name", header="content-disposition")
        payload = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(payload, bytes):
            found[name] = (part.get_filename() or "", part.get_content_type(), payload)
    return found


def content(books: Books, asked: Asked) -> Answer:
    """200, 404."""
    if asked.key not in books.files:
        return error(404, "not_found", "no_file")
    return Answer(200, books.files[asked.key], {"Content-Type": books.types[asked.key]})


def create_card(books: Books, asked: Asked) -> Answer:
    """201, 422."""
    form = asked.form
    if not re.fullmatch("[0-9]{16}", form.get("number", "")):
        return error(422, "invalid_request", "invalid", "number")
    month, year = form.get("expires[month]", ""), form.get("expires[year]", "")
    if not month.isdigit() or not 1 <= int(month) <= 12:
        return error(422, "invalid_request", "invalid", "expires.month")
    if not year.isdigit() or int(year) < 2000:
        return error(422, "invalid_request", "invalid", "expires.year")
    card: Record = {
        "id": books.id("card_"),
        "object": "card",
        "last4": form["number"][-4:],
        "brand": "visa" if form["number"].startswith("4") else "mastercard",
        "holder": form["holder"],
        "expires": {"month": int(month), "year": int(year)},
        "created_on": datetime.fromtimestamp(books.now(), UTC).date().isoformat(),
    }
    return Answer(201, card)


def quote(books: Books, asked: Asked) -> Answer:
    """200, 422."""
    body = asked.json
    amount, currency = body.get("amount"), body.get("currency", "eur")
    if not isinstance(amount, int) or amount < 1:
        return error(422, "invalid_request", "invalid", "amount")
    if currency not in ("eur", "usd"):
        return error(422, "invalid_request", "invalid", "currency")
    said: Record = {
        "object": "quote",
        "amount": amount,
        "currency": currency,
        "fee": fee(amount),
        "total": amount * 1029 // 1000,
        "valid_until": int((books.now() + 600) * 1000),
    }
    return Answer(200, said)


def ping(books: Books, asked: Asked) -> Answer:
    """200, as plain text."""
    return Answer(200, b"pong", {"Content-Type": "text/plain; charset=utf-8"})


OTHERS = {
    ("POST", "/v1/payouts"): ("create_payout", create_payout),
    ("GET", "/v1/payouts/{id}"): ("get_payout", get_payout),
    ("POST", "/v1/files"): ("upload_file", upload),
    ("GET", "/v1/files/{id}/content"): ("get_content", content),
    ("POST", "/v1/cards"): ("create_card", create_card),
    ("POST", "/v1/quotes"): ("quote", quote),
    ("GET", "/v1/ping"): ("ping", ping),
}
"""Method and path to the operation's name and what does it."""
