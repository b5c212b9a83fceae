"""What may differ from night to night without anything being wrong: each seed is another night."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from .twin.provider import Plant
from .twin.records import Books
from .twin.talk import Answer, Asked, Raw, error
from .twin.wire import Manners

__all__ = ["Noise", "noise"]

MESSAGES = ("Sorry, that did not work.", "Request failed.", "Ungültige Anfrage: bitte prüfen.", "")


@dataclass(frozen=True)
class Noise:
    """One noisy night. ``ahead`` is how far the provider's clock is off, in seconds."""

    seed: int
    manners: Manners
    ahead: float
    plants: tuple[Plant, ...]
    hurried: bool = False
    """Do several scenarios run at once?"""


def noise(seed: int) -> Noise:
    """The noise of one night, the same for the same seed. Seed 0 is a silent one."""
    draw = random.Random(seed)
    if seed == 0:
        return Noise(0, Manners(), 0.0, ())
    manners = Manners(
        chunked=draw.random() < 0.5,
        pieces=draw.random() < 0.5,
        header_case=draw.choice(("", "upper", "lower")),
        spaced=draw.random() < 0.3,
        ascii=draw.random() < 0.5,
        latency=draw.choice((0.0, 0.0, 0.005, 0.02)),
        closes=draw.random() < 0.2,
    )
    ahead = draw.choice((0.0, 0.0, draw.uniform(-1, 1), draw.uniform(-40, 40), draw.uniform(-4000, 4000)))
    plants = (Others(seed), Spelling(seed), Hiccup(seed))
    return Noise(seed, manners, ahead, plants, hurried=draw.random() < 0.3)


class Others:
    """Other clients of the same account: they make records, change theirs, and delete them, between our requests."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(f"others {seed}")
        self._share = self._draw.choice((0.0, 0.1, 0.4))
        self._settled = False

    def asked(self, asked: Asked, books: Books) -> Asked | Answer | Raw:
        """Let them do something."""
        if not self._settled:
            self._settled = True
            self._settle(books)
        if self._draw.random() < self._share:
            self._draw.choice((self._make, self._make, self._pay, self._change, self._remove))(books)
        return asked

    def answered(self, asked: Asked, answer: Answer, books: Books) -> Answer:
        return answer

    def _settle(self, books: Books) -> None:
        """What was there before the run, and how this provider writes times tonight."""
        books.settles = self._draw.uniform(0.0, 0.4)
        books.digits = self._draw.choice((0, 3, 3, 6))
        books.zone = self._draw.choice(("Z", "+00:00"))
        books.number = self._draw.randint(0, 5000)
        for _ in range(self._draw.choice((0, 0, 3, 30))):
            self._make(books)
            self._pay(books)

    def _make(self, books: Books) -> None:
        key = books.id("cus_")
        books.customers[key] = {
            "id": key,
            "object": "customer",
            "name": self._draw.choice(("Ada", "Paged", "Zoë", "x")),
            "email": self._draw.choice(("someone@else.example", "ada@twin.example")),
            "tier": self._draw.choice(("basic", "gold")),
            "phone": self._draw.choice((None, "1")),
            "language": self._draw.choice(("en", "fr")),
            "tags": [],
            "labels": {},
            "paid_total": self._draw.randint(0, 9),
            "version": self._draw.randint(1, 9),
            "created": int(books.now()),
            "updated_at": books.iso(),
        }
        books.etags[key] = f'"{books.id("", 8)}"'

    def _theirs(self, books: Books) -> list[dict[str, Any]]:
        return [one for one in books.customers.values() if one["email"] in ("someone@else.example", "ada@twin.example")]

    def _pay(self, books: Books) -> None:
        theirs = self._theirs(books)
        if not theirs:
            return
        customer, key = self._draw.choice(theirs), books.id("pay_")
        amount = self._draw.randint(1, 1000)
        customer["paid_total"] += amount
        books.payments[key] = {
            "id": key,
            "object": "payment",
            "number": books.next_number(),
            "customer": customer["id"],
            "amount": amount,
            "amount_refunded": 0,
            "fee": "0.03",
            "rate": 0.029,
            "risk": 1,
            "currency": "usd",
            "status": "captured",
            "captured": True,
            "method": {"kind": "card", "details": {"last4": "1111"}},
            "reference": 5,
            "receipt_url": "https://twin.example/receipts/theirs",
            "trace": books.uuid(),
            "created_at": books.iso(),
            "captured_at": books.iso(),
        }

    def _change(self, books: Books) -> None:
        theirs = self._theirs(books)
        if theirs:
            one = self._draw.choice(theirs)
            one.update(
                {"name": books.id("", 5), "tier": "gold", "version": one["version"] + 1, "updated_at": books.iso()}
            )

    def _remove(self, books: Books) -> None:
        theirs = self._theirs(books)
        if theirs:
            del books.customers[self._draw.choice(theirs)["id"]]


class Hiccup:
    """One request, or none, that has to be sent again: too many at once, a connection that breaks, a short restart."""

    def __init__(self, seed: int) -> None:
        draw = random.Random(f"hiccup {seed}")
        self._kind = draw.choice(("", "", "throttled", "reset", "restarting"))
        self._left = draw.randint(0, 60)

    def asked(self, asked: Asked, books: Books) -> Asked | Answer | Raw:
        """Let the request go, or not."""
        # Only what changes nothing may be sent again after a broken connection.
        if asked.operation == "status" or not self._kind or (asked.method != "GET" and self._kind != "throttled"):
            return asked
        self._left -= 1
        if self._left != -1:
            return asked
        match self._kind:
            case "reset":
                return Raw()
            case "throttled":
                again = error(429, "rate_limit", "too_many")
            case _:
                again = Answer(503, {"error": "restarting"})
        again.headers["Retry-After"] = "0"
        return again

    def answered(self, asked: Asked, answer: Answer, books: Books) -> Answer:
        return answer


class Spelling:
    """The order of keys, what errors say, cookies and headers that nobody asked for."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(f"spelling {seed}")
        self._shuffled = self._draw.random() < 0.7
        self._charset = self._draw.random() < 0.5
        self._cookies = self._draw.random() < 0.5
        self._message = self._draw.choice(MESSAGES)

    def asked(self, asked: Asked, books: Books) -> Asked | Answer | Raw:
        return asked

    def answered(self, asked: Asked, answer: Answer, books: Books) -> Answer:
        """The same answer, otherwise written."""
        if isinstance(answer.body, dict | list):
            if self._shuffled:
                answer.body = self._turned(answer.body)
            said = answer.body.get("error") if isinstance(answer.body, dict) else None
            if isinstance(said, dict) and self._message:
                said["message"] = self._message
        if self._charset and answer.headers.get("Content-Type") == "application/json":
            answer.headers["Content-Type"] = "application/json; charset=utf-8"
        answer.headers["RateLimit-Remaining"] = str(self._draw.randint(0, 999))
        answer.headers["RateLimit-Limit"] = "1000"
        if self._cookies:
            answer.headers["Set-Cookie"] = f"session={books.id('', 20)}; Path=/; HttpOnly"
            answer.headers["X-Served-By"] = books.id("node-", 3)
            answer.headers["Server-Timing"] = f"app;dur={self._draw.random():.3f}"
        return answer

    def _turned(self, value: Any) -> Any:
        if isinstance(value, dict):
            items = [(name, self._turned(member)) for name, member in value.items()]
            self._draw.shuffle(items)
            return dict(items)
        return [self._turned(member) for member in value] if isinstance(value, list) else value
