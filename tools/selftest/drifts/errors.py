"""Status codes and error bodies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..changes import Field, Header, Instead, Reply, Rewritten, renamed, to
from ..rows import Drift
from ..twin.records import Books
from ..twin.talk import Answer, Asked, error

__all__ = ["ERRORS"]


def _problem(asked: Asked, answer: Answer, books: Books) -> Answer:
    """The error as RFC 9457 has it."""
    said = answer.body["error"]
    body = {"type": "about:blank", "title": said["code"], "status": answer.status, "detail": said["message"]}
    return Answer(answer.status, body, answer.headers | {"Content-Type": "application/problem+json"})


def _listed(asked: Asked, answer: Answer, books: Books) -> Answer:
    return replace(answer, body={"errors": [answer.body["error"]]})


def _two_faults(body: dict[str, Any]) -> bool:
    return body.get("name") == "" and body.get("email") == "nowhere"


ERRORS = (
    Drift(
        "more than is left can be given back",
        "status-class",
        Instead(
            "create_refund",
            lambda asked, books: Answer(
                201,
                {
                    "id": books.id("re_"),
                    "object": "refund",
                    "payment": asked.key,
                    "amount": asked.json["amount"],
                    "created_at": books.iso(),
                },
            ),
            lambda asked, books: asked.json["amount"] == 12001,
        ),
        "response",
        "create_refund",
        "breaking",
    ),
    Drift(
        "what was just made is refused",
        "status-class",
        Instead(
            "get_payment",
            lambda asked, books: error(409, "conflict", "not_ready"),
            lambda asked, books: asked.key in books.payments,
        ),
        "undeclared",
        "get_payment",
        "breaking",
    ),
    Drift(
        "created is 200", "status-in-class", Reply("create_customer", 201, 200), "status", "create_customer", "risky"
    ),
    Drift(
        "invalid is 400", "status-in-class", Reply("create_customer", 422, 400), "status", "create_customer", "risky"
    ),
    Drift(
        "a conflict is 400", "status-in-class", Reply("cancel_payment", 409, 400), "status", "cancel_payment", "risky"
    ),
    Drift(
        "accepted is done",
        "async-switch",
        Rewritten(
            "create_payout",
            lambda asked, answer, books: replace(
                answer, status=200, body=answer.body | {"status": "paid", "settled_at": books.iso()}
            ),
            202,
        ),
        "undeclared|status",
        "create_payout",
        "breaking",
    ),
    Drift(
        "done is only accepted",
        "async-switch",
        Rewritten(
            "create_payment",
            lambda asked, answer, books: Answer(202, {"id": answer.body["id"], "state": "queued"}, answer.headers),
            201,
        ),
        "undeclared",
        "create_payment",
        "breaking",
    ),
    Drift(
        "errors are problem documents",
        "error-shape",
        Rewritten("get_payment", _problem, 404),
        "missing_field|undeclared|content_type",
        "get_payment",
        "breaking",
    ),
    Drift(
        "errors are a list",
        "error-shape",
        Rewritten("capture_payment", _listed, 409),
        "missing_field|undeclared",
        "capture_payment",
        "breaking",
    ),
    Drift(
        "an error is text",
        "error-shape",
        Rewritten(
            "create_refund",
            lambda asked, answer, books: Answer(409, b"wrong state", answer.headers | {"Content-Type": "text/plain"}),
            409,
        ),
        "content_type",
        "create_refund",
        "breaking",
    ),
    Drift(
        "an error code is another",
        "error-code",
        Field("create_payment", "error.code", to("generic_decline"), 402),
        "value",
        "create_payment",
        "breaking",
    ),
    Drift(
        "an error type is another",
        "error-code",
        Field("get_payout", "error.type", to("invalid_request"), 404),
        "value",
        "get_payout",
        "breaking",
    ),
    Drift(
        "an error type is new",
        "error-code",
        Field("get_content", "error.type", to("missing"), 404),
        "value|enum",
        "get_content",
        "breaking|risky",
    ),
    Drift(
        "an error code is called reason",
        "error-code",
        Field("create_refund", "error.code", renamed("reason"), 422),
        "missing_field",
        "create_refund",
        "breaking",
    ),
    Drift(
        "the parameter at fault is named otherwise",
        "error-code",
        Rewritten(
            "create_customer",
            lambda asked, answer, books: replace(
                answer, body={"error": answer.body["error"] | {"param": "customer." + answer.body["error"]["param"]}}
            ),
            422,
        ),
        "value",
        "create_customer",
        "breaking",
    ),
    Drift(
        "a refusal may be tried again",
        "retryability",
        Header("create_payment", "Should-Retry", "true", 402),
        "header",
        "create_payment",
        "risky",
    ),
    Drift(
        "a refusal no longer says whether to try again",
        "retryability",
        Header("create_payment", "Should-Retry", None, 402),
        "missing_header",
        "create_payment",
        "risky",
    ),
    Drift(
        "another of two faults is named",
        "error-precedence",
        Instead(
            "create_customer",
            lambda asked, books: error(422, "invalid_request", "invalid", "email"),
            lambda asked, books: _two_faults(asked.json),
        ),
        "value",
        "create_customer",
        "breaking",
    ),
    Drift(
        "a missing record is refused before the state is looked at",
        "error-precedence",
        Instead(
            "update_customer",
            lambda asked, books: error(412, "conflict", "outdated"),
            lambda asked, books: asked.key not in books.customers,
        ),
        "response_variant",
        "update_customer",
        "risky",
    ),
    Drift(
        "a conflict is answered as missing",
        "status-in-class",
        Instead(
            "cancel_payment",
            lambda asked, books: error(404, "not_found", "no_payment"),
            lambda asked, books: books.payments.get(asked.key, {}).get("status") == "captured",
        ),
        "response_variant",
        "cancel_payment",
        "risky",
    ),
)
