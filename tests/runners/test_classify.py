"""What a failed or odd reply means, by itself."""

from __future__ import annotations

from email.utils import formatdate
from typing import Any

import httpx
import pytest

from troth.contracts.exchange import Response
from troth.runners.classify import Failure, failure_of, retry_after, suspicion, unobserved_by, unusable

NOW = 1_796_007_600.0
JSON = [(b"Content-Type", b"application/json; charset=utf-8")]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (b"7", 7.0),
        (b" 0 ", 0.0),
        (formatdate(NOW + 90, usegmt=True).encode(), 90.0),
        (formatdate(NOW - 90, usegmt=True).encode(), 0.0),
        (b"soon", None),
        (b"-5", None),
        (b"9999999999", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: bytes, seconds: float | None) -> None:
    """Anything else says nothing."""
    assert retry_after(Response(429, [(b"Retry-After", value)]), NOW) == seconds


def test_no_retry_after() -> None:
    """Most replies have none."""
    assert retry_after(Response(429), NOW) is None


@pytest.mark.parametrize(
    ("headers", "body", "kind"),
    [
        (JSON, b'{"a": 1}', ""),
        (JSON, b"", ""),
        (JSON, b"{", "format"),
        (JSON, b"\xff", "format"),
        (JSON, b"[" * 100_000, "format"),
        ([(b"content-type", b"application/problem+json")], b"{", "format"),
        ([(b"content-type", b"TEXT/HTML")], b"<p>Later", "content_type"),
        ([(b"content-type", b"text/html")], b"{}", ""),
        ([(b"content-type", b"text/plain")], b"{", ""),
        ([], b"<html>", ""),
    ],
)
def test_suspicion(headers: Any, body: bytes, kind: str) -> None:
    """HTML, and JSON that does not parse; an empty body may be right."""
    assert suspicion(Response(200, headers, body), None) == kind
    assert unusable(Response(200, headers, body)) == bool(kind)


def test_a_redirect_is_no_answer_of_the_api() -> None:
    """Whatever its body is."""
    assert suspicion(Response(302, JSON, b"{}"), None) == "undeclared"
    assert unusable(Response(308))


def test_an_error_without_words_is_named_by_its_kind() -> None:
    """Some exceptions have no text."""
    failure = failure_of(httpx.ReadError(""), "host:1")
    assert failure == Failure("reset", "host:1 broke the connection: ReadError")
    assert unobserved_by(failure).verdict == "unreachable"


def test_what_cannot_be_sent_is_not_quoted() -> None:
    """The header that is wrong may hold a credential."""
    failure = failure_of(httpx.LocalProtocolError("Illegal header value b'Bearer sk_test_CANARY\\n'"), "host:1")
    assert failure.kind == "unsendable"
    assert "CANARY" not in failure.words
    assert not failure.transport
