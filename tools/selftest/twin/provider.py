"""The provider: routes, credentials, idempotency keys, common headers; and where something can be planted.

``Plant`` is the seam: a request can be changed before the provider sees it, answered in its stead, and an answer
changed on its way out. What is planted lies around the provider; the provider itself stays as it is.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Protocol, TypeAlias

from .customers import CUSTOMERS
from .others import OTHERS
from .payments import PAYMENTS
from .records import Books
from .talk import Answer, Asked, Raw, error

__all__ = ["KEY", "Plant", "Provider"]

KEY = "tk_test_selftest"
"""The only credential that it accepts."""
KEYED = ("create_customer", "create_payment")
"""Operations that take idempotency keys."""

Do: TypeAlias = Callable[[Books, Asked], Answer]


class Plant(Protocol):
    """Something that is different from what the provider does."""

    def asked(self, asked: Asked, books: Books) -> Asked | Answer | Raw:
        """The request as the provider gets it, or an answer in its stead."""
        ...

    def answered(self, asked: Asked, answer: Answer, books: Books) -> Answer:
        """The answer as the client gets it."""
        ...


class Provider:
    """Answers requests. ``reset`` makes it new."""

    def __init__(self, seed: int = 0) -> None:
        self._routes = [(method, _pattern(path), *what) for (method, path), what in _ROUTES.items()]
        self.books = Books(random.Random(seed))
        self.plants: Sequence[Plant] = ()

    def reset(self, plants: Sequence[Plant] = (), seed: int = 0, ahead: float = 0.0) -> None:
        """Forget everything, and plant ``plants``."""
        self.books = Books(random.Random(seed), ahead)
        self.plants = plants

    def handle(self, came: Asked) -> Answer | Raw:
        """Answer one request."""
        if came.path == "/status":
            came = replace(came, operation="status")
        routed, do = self._route(came)
        asked = routed
        for plant in self.plants:
            changed = plant.asked(asked, self.books)
            if isinstance(changed, Raw):
                return changed
            if isinstance(changed, Answer):
                return self._finished(routed, changed)
            asked = changed
        return self._finished(routed, self._answer(asked, do))

    def _finished(self, asked: Asked, answer: Answer) -> Answer:
        books = self.books
        common = {
            "Date": books.date(),
            "Request-Id": books.id("req_", 10),
            "Api-Version": "2026-04-01",
            "RateLimit-Limit": "1000",
            "RateLimit-Remaining": "998",
        }
        if answer.body is not None and not isinstance(answer.body, bytes):
            common["Content-Type"] = "application/json"
        answer.headers = {**common, **answer.headers}
        if self.plants:
            answer = replace(answer, body=deepcopy(answer.body))  # what is kept stays as it is
        for plant in self.plants:
            answer = plant.answered(asked, answer, books)
        return answer

    def _route(self, asked: Asked) -> tuple[Asked, Do | None]:
        for method, pattern, name, do in self._routes:
            found = pattern.fullmatch(asked.path)
            if found and method == asked.method:
                key = found.group(1) if pattern.groups else ""
                return replace(asked, operation=name, key=key), do
        return asked, None

    def _answer(self, asked: Asked, do: Do | None) -> Answer:
        if asked.operation == "status":
            return Answer(200, {"ok": True})
        if asked.headers.get("authorization") != f"Bearer {KEY}":
            return error(401, "auth_error", "bad_key")
        if do is None:
            return error(404, "not_found", "no_path")
        key = asked.headers.get("idempotency-key") if asked.operation in KEYED else None
        return do(self.books, asked) if key is None else self._once(asked, key, do)

    def _once(self, asked: Asked, key: str, do: Do) -> Answer:
        """The first answer again for the same request; 409 for another one with the same key."""
        print_of = (asked.method, asked.target, asked.body)
        known = self.books.keys.get(key)
        if known is None:
            answer = do(self.books, asked)
            if answer.status not in (401, 422, 429):
                self.books.keys[key] = (print_of, replace(answer, headers=dict(answer.headers)))
            return answer
        if known[0] != print_of:
            return error(409, "conflict", "key_reused")
        first: Answer = known[1]
        return replace(first, headers={**first.headers, "Idempotent-Replayed": "true"})


_ROUTES: dict[tuple[str, str], tuple[str, Do]] = {**CUSTOMERS, **PAYMENTS, **OTHERS}


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(path.replace("{id}", "([^/]+)"))
