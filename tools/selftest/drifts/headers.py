"""Headers, media types and conditional requests."""

from __future__ import annotations

from dataclasses import replace

from ..changes import Header, Request, Rewritten, without_header
from ..rows import Drift

__all__ = ["HEADERS"]

ANY = "*"

HEADERS = (
    Drift(
        "the version of the API has moved",
        "version-pin-moved",
        Header(ANY, "Api-Version", "2026-10-01"),
        "header",
        ANY,
        "risky",
    ),
    Drift("a header is gone", "required-header", Header(ANY, "RateLimit-Limit", None), "missing_header", ANY, "risky"),
    Drift(
        "a header has another form", "rate-limit", Header(ANY, "RateLimit-Limit", "1000;w=60"), "header", ANY, "risky"
    ),
    Drift("requests have no id", "request-id", Header(ANY, "Request-Id", None), "missing_header", ANY, "risky"),
    Drift(
        "the address of what was made is not given",
        "required-header",
        Header("create_customer", "Location", None, 201),
        "missing_header",
        "create_customer",
        "risky",
    ),
    Drift(
        "the address of what was made has another form",
        "required-header",
        Header("create_customer", "Location", "https://twin.example/c/1", 201),
        "header",
        "create_customer",
        "risky",
    ),
    Drift(
        "JSON comes as text",
        "content-type",
        Header("create_card", "Content-Type", "text/plain"),
        "content_type",
        "create_card",
        "breaking",
    ),
    Drift(
        "JSON comes without a media type",
        "content-type",
        Header("create_payout", "Content-Type", None),
        "content_type",
        "create_payout",
        "breaking",
    ),
    Drift(
        "text comes as JSON",
        "content-type",
        Rewritten(
            "ping",
            lambda asked, answer, books: replace(
                answer, body={"pong": True}, headers=answer.headers | {"Content-Type": "application/json"}
            ),
        ),
        "content_type|type|value",
        "ping",
        "breaking",
    ),
    Drift(
        "a file comes with another media type",
        "content-type",
        Header("get_content", "Content-Type", "application/octet-stream", 200),
        "header|content_type",
        "get_content",
        "risky|breaking",
    ),
    Drift(
        "caching is allowed",
        "caching",
        Header("get_customer", "Cache-Control", "public, max-age=60", 200),
        "header",
        "get_customer",
        "risky",
    ),
    Drift(
        "tags change with every answer",
        "caching",
        Rewritten(
            "get_customer",
            lambda asked, answer, books: replace(answer, headers=answer.headers | {"ETag": f'"{books.id("", 8)}"'}),
            200,
        ),
        "header",
        "get_customer",
        "risky",
    ),
    Drift(
        "tags are gone",
        "caching",
        Header("create_customer get_customer update_customer", "ETag", None),
        "missing_header",
        "create_customer get_customer",
        "risky",
    ),
    Drift(
        "an unchanged record is sent all the same",
        "caching",
        Request("get_customer", without_header("if-none-match")),
        "response",
        "get_customer",
        "breaking",
    ),
)
