"""Operations that go, and requests that are taken otherwise."""

from __future__ import annotations

from dataclasses import replace
from email.utils import formatdate

from ..changes import Field, Header, Instead, Request, Rewritten, Several, to, with_json, without_query
from ..rows import Drift
from ..twin.records import Books
from ..twin.talk import Answer, Asked, error

__all__ = ["REQUESTS"]


def _refused(param: str, status: int = 422) -> Answer:
    return error(status, "invalid_request", "invalid", param)


def _sunset(days: int) -> Rewritten:
    """RFC 8594: the operation for cards is gone in so many days."""

    def make(asked: Asked, answer: Answer, books: Books) -> Answer:
        end = formatdate(books.now() + days * 86_400, usegmt=True)
        return replace(answer, headers=answer.headers | {"Sunset": end})

    return Rewritten("create_card", make)


def _says(asked: Asked, name: str) -> object:
    return asked.json.get(name)


REQUESTS = (
    Drift(
        "a path is gone",
        "op-gone",
        Instead("get_content", lambda asked, books: Answer(410, {"error": {"code": "gone"}})),
        "undeclared",
        "get_content",
        "breaking",
    ),
    Drift(
        "a path is gone, as if it had never been",
        "op-gone",
        Instead("get_payout", lambda asked, books: error(404, "not_found", "no_route")),
        "response",
        "get_payout",
        "breaking",
    ),
    Drift(
        "a method is no longer allowed",
        "op-gone",
        Instead("cancel_payment", lambda asked, books: Answer(405, {"error": {"code": "no_method"}})),
        "undeclared",
        "cancel_payment",
        "breaking",
    ),
    Drift(
        "the end of an operation is announced, for next month",
        "op-deprecated",
        Several(
            (
                Header("create_card", "Deprecation", "@1790000000"),
                _sunset(30),
            )
        ),
        "sunset",
        "create_card",
        "risky",
    ),
    Drift(
        "the end of an operation is announced, for next week",
        "op-deprecated",
        _sunset(7),
        "sunset_near",
        "create_card",
        "breaking",
    ),
    Drift(
        "an operation is deprecated",
        "op-deprecated",
        Header("create_card", "Deprecation", "@1790000000"),
        "deprecated",
        "create_card",
        "notice",
    ),
    Drift(
        "an optional parameter is required now",
        "param-now-required",
        Instead("create_payment", lambda asked, books: _refused("memo"), lambda asked, books: "memo" not in asked.json),
        "valid_refused",
        "create_payment",
        "breaking",
    ),
    Drift(
        "a header is required now",
        "param-now-required",
        Instead("create_payout", lambda asked, books: _refused("headers.x_purpose")),
        "valid_refused",
        "create_payout",
        "breaking",
    ),
    Drift(
        "a parameter is refused",
        "param-rejected",
        Instead(
            "create_customer", lambda asked, books: _refused("labels"), lambda asked, books: "labels" in asked.json
        ),
        "valid_refused",
        "create_customer",
        "breaking",
    ),
    Drift(
        "a filter is ignored",
        "param-ignored",
        Request("list_customers", without_query("email")),
        "list_filter",
        "list_customers",
        "breaking",
    ),
    Drift(
        "a parameter of the body is ignored",
        "param-ignored",
        Request("create_payment", with_json(lambda body: {name: body[name] for name in body if name != "memo"})),
        "missing_field",
        "create_payment",
        "breaking",
    ),
    Drift(
        "an enum takes fewer values",
        "request-narrowed",
        Instead(
            "create_payment",
            lambda asked, books: _refused("currency"),
            lambda asked, books: _says(asked, "currency") == "usd",
        ),
        "valid_refused",
        "create_payment",
        "breaking",
    ),
    Drift(
        "a maximum is lower",
        "request-narrowed",
        Instead(
            "create_payment",
            lambda asked, books: _refused("amount"),
            lambda asked, books: asked.json.get("amount", 0) > 100_000,
        ),
        "valid_refused",
        "create_payment",
        "breaking",
    ),
    Drift(
        "a pattern is narrower",
        "request-narrowed",
        Instead(
            "create_customer",
            lambda asked, books: _refused("phone"),
            lambda asked, books: " " in (asked.json.get("phone") or ""),
        ),
        "valid_refused",
        "create_customer",
        "breaking",
    ),
    Drift(
        "a text may be less long",
        "request-narrowed",
        Instead(
            "create_customer",
            lambda asked, books: _refused("name"),
            lambda asked, books: len(str(asked.json.get("name"))) > 50,
        ),
        "valid_refused",
        "create_customer",
        "breaking",
    ),
    Drift(
        "uploads may be less large",
        "payload-limit",
        Instead(
            "upload_file",
            lambda asked, books: error(413, "invalid_request", "too_big"),
            lambda asked, books: len(asked.body) > 32_000,
        ),
        "response|valid_refused",
        "upload_file",
        "breaking",
    ),
    Drift(
        "a default is another",
        "default-changed",
        Request("create_customer", with_json(lambda body: {"tier": "gold"} | body)),
        "value",
        "create_customer",
        "breaking",
    ),
    Drift(
        "a default with consequences is another",
        "default-changed",
        Request("create_payment", with_json(lambda body: {"capture": False} | body)),
        "value",
        "create_payment",
        "breaking",
    ),
    Drift(
        "the default page is smaller",
        "default-changed",
        Request(
            "list_customers",
            lambda asked: (
                asked
                if "limit" in asked.query
                else without_query("x")(
                    Asked(
                        asked.method,
                        asked.target + ("&" if "?" in asked.target else "?") + "limit=2",
                        asked.headers,
                        asked.body,
                        asked.operation,
                    )
                )
            ),
        ),
        "list_missing|list_size",
        "list_customers",
        "breaking",
    ),
    Drift(
        "forms are refused",
        "media-type-refused",
        Instead("create_card", lambda asked, books: error(415, "invalid_request", "media_type")),
        "undeclared",
        "create_card",
        "breaking",
    ),
    Drift(
        "a text that is too long is accepted",
        "strictness-loosened",
        Request(
            "create_customer",
            with_json(lambda body: body | ({"name": body["name"][:60]} if len(str(body.get("name"))) > 60 else {})),
        ),
        "invalid_accepted",
        "create_customer",
        "risky",
    ),
    Drift(
        "unknown parameters are accepted",
        "strictness-loosened",
        Request("create_payment", with_json(lambda body: {name: body[name] for name in body if name != "colour"})),
        "invalid_accepted",
        "create_payment",
        "risky",
    ),
    Drift(
        "a number is accepted as a text",
        "strictness-loosened",
        Request(
            "create_customer", with_json(lambda body: body | ({"name": str(body["name"])} if "name" in body else {}))
        ),
        "invalid_accepted",
        "create_customer",
        "risky",
    ),
    Drift(
        "uploads may be larger",
        "payload-limit",
        Instead(
            "upload_file",
            lambda asked, books: Answer(
                201,
                {
                    "id": books.id("file_"),
                    "object": "file",
                    "purpose": "logo",
                    "name": "big.png",
                    "size": 65_000,
                    "type": "image/png",
                    "sha256": "0" * 64,
                },
            ),
            lambda asked, books: len(asked.body) > 64_500,
        ),
        "invalid_accepted|response",
        "upload_file",
        "risky|breaking",
    ),
    Drift(
        "a parameter has no effect on what is computed",
        "param-ignored",
        Several((Field("quote", "currency", to("eur")),)),
        "value",
        "quote",
        "breaking",
    ),
    Drift(
        "a required part of the answer depends on an optional parameter",
        "became-optional",
        Instead("ping", lambda asked, books: Answer(204)),
        "undeclared|status|missing_field",
        "ping",
        "breaking",
    ),
)
