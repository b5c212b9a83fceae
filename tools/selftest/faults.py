"""What keeps a run from checking anything. None of it says anything about the contract, so none of it is drift."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from .rows import Fault
from .twin.records import Books
from .twin.talk import Answer, Asked, Raw, error

__all__ = ["CLOSED_PORT", "FAULTS", "NO_CERTIFICATE", "PLAIN_TLS", "Trouble"]

CLOSED_PORT = "{closed port}"
PLAIN_TLS = "{tls to a plain port}"
NO_CERTIFICATE = "{no certificate}"
"""Addresses that only a running self-test knows."""

Make: TypeAlias = Callable[[Asked], Answer | Raw]

HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = b"<!doctype html><html><body><h1>%s</h1></body></html>"


@dataclass
class Trouble:
    """Answers that are none of the provider's, from request ``since`` on, ``times`` times (0: for good)."""

    make: Make
    since: int = 0
    times: int = 0
    status_too: bool = True
    """Is the health request answered so as well?"""

    def __post_init__(self) -> None:
        self._seen = 0

    def fresh(self) -> Trouble:
        """The same, before the first request."""
        return Trouble(self.make, self.since, self.times, self.status_too)

    def asked(self, asked: Asked, books: Books) -> Asked | Answer | Raw:
        if asked.operation == "status":
            return self.make(asked) if self.status_too and self._seen >= self.since else asked
        self._seen += 1
        before = self._seen <= self.since
        after = self.times and self._seen > self.since + self.times
        return asked if before or after else self.make(asked)

    def answered(self, asked: Asked, answer: Answer, books: Books) -> Answer:
        return answer


def _json(status: int, code: str, **headers: str) -> Make:
    return lambda asked: Answer(
        status, {"error": code}, {name.replace("_", "-"): value for name, value in headers.items()}
    )


def _refused(status: int) -> Make:
    return lambda asked: error(status, "auth_error", "bad_key")


def _html(status: int, title: str, **headers: str) -> Make:
    said = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda asked: Answer(status, PAGE % title.encode(), HTML | said)


def _raw(wire: bytes = b"", silent: bool = False) -> Make:
    return lambda asked: Raw(wire, silent)


def _to(status: int, where: str) -> Make:
    return lambda asked: Answer(status, b"", {"Location": where})


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
LARGE = b'{"filler":"' + b"x" * 10_000_000 + b'"}'
QUOTA = "You have exceeded your monthly quota. Please upgrade your plan."

FAULTS: tuple[Fault, ...] = (
    # The network
    Fault("nothing listens", "provider-down", "unreachable", address=CLOSED_PORT),
    Fault("the name has no address", "provider-down", "unreachable", address="http://twin.invalid"),
    Fault("TLS where there is none", "tls", "unreachable", address=PLAIN_TLS),
    Fault("no certificate", "tls", "unreachable", address=NO_CERTIFICATE),
    Fault("connections are reset", "provider-down", "unreachable", Trouble(_raw())),
    Fault("connections are reset from the 40th request on", "provider-down", "unreachable", Trouble(_raw(), 40)),
    Fault("the first connection is reset", "provider-down", "unreachable", Trouble(_raw(), 0, 1)),
    Fault("no answer ever comes", "timeout", "unreachable", Trouble(_raw(silent=True))),
    Fault(
        "the answer stalls",
        "timeout",
        "unreachable",
        Trouble(_raw(HEAD + b'Content-Length: 90\r\n\r\n{"id":', silent=True)),
    ),
    Fault(
        "the answer is cut off", "truncated", "unreachable", Trouble(_raw(HEAD + b'Content-Length: 90\r\n\r\n{"id":'))
    ),
    Fault(
        "one answer is cut off",
        "truncated",
        "unreachable",
        Trouble(_raw(HEAD + b'Content-Length: 90\r\n\r\n{"id":'), 20, 1),
    ),
    Fault("no HTTP", "provider-down", "unreachable", Trouble(_raw(b"SSH-2.0-OpenSSH_9.6\r\n"))),
    # Front doors
    Fault("a bad gateway's page", "provider-down", "unreachable", Trouble(_html(502, "Bad Gateway"))),
    Fault("a gateway's timeout", "provider-down", "unreachable", Trouble(_html(504, "Gateway Time-out"), 30)),
    Fault(
        "maintenance, as 503", "provider-down", "unreachable", Trouble(_html(503, "Maintenance", Retry_After="3600"))
    ),
    Fault("maintenance, as 200", "provider-down", "unreachable", Trouble(_html(200, "We'll be back soon"))),
    Fault(
        "maintenance, as 200, from the 30th request on",
        "provider-down",
        "unreachable",
        Trouble(_html(200, "We'll be back soon"), 30),
    ),
    Fault("maintenance, as JSON", "provider-down", "unreachable", Trouble(_json(503, "maintenance"), 10)),
    Fault(
        "every request is sent to a login page",
        "redirect",
        "unreachable|unauthorized",
        Trouble(_to(302, "https://login.twin.example/?next=/")),
    ),
    Fault(
        "requests are sent to a login page from the 30th on",
        "redirect",
        "unreachable|unauthorized",
        Trouble(_to(302, "https://login.twin.example/"), 30),
    ),
    Fault("every request is sent to https", "redirect", "unreachable", Trouble(_to(301, "https://twin.example/"))),
    Fault(
        "every request is sent to another host",
        "redirect",
        "unreachable",
        Trouble(_to(307, "https://eu.twin.example/")),
    ),
    Fault("a redirect without an address", "redirect", "unreachable", Trouble(lambda asked: Answer(302, b""))),
    Fault(
        "a proxy wants a password",
        "our-network",
        "unreachable|unauthorized",
        Trouble(_html(407, "Proxy Authentication Required", Proxy_Authenticate="Basic")),
    ),
    Fault(
        "a captive portal",
        "our-network",
        "unreachable|unauthorized",
        Trouble(_html(511, "Network Authentication Required")),
    ),
    Fault(
        "another service: 404 in HTML for everything", "provider-down", "unreachable", Trouble(_html(404, "Not Found"))
    ),
    # The provider itself
    Fault("every request fails", "provider-down", "unreachable", Trouble(_json(500, "internal"))),
    Fault("requests fail from the 50th on", "provider-down", "unreachable", Trouble(_json(500, "internal"), 50)),
    Fault("one request fails", "provider-down", "unreachable", Trouble(_json(500, "internal"), 25, 1)),
    Fault(
        "one request fails, in plain text",
        "provider-down",
        "unreachable",
        Trouble(lambda asked: Answer(500, b"oops", {"Content-Type": "text/plain"}), 12, 1),
    ),
    Fault("unavailable", "provider-down", "unreachable", Trouble(_json(503, "unavailable", Retry_After="1"))),
    Fault("overloaded, with a status of its own", "provider-down", "unreachable", Trouble(_json(529, "overloaded"))),
    Fault("request timeouts", "provider-down", "unreachable", Trouble(_json(408, "timeout"))),
    Fault(
        "every body is broken JSON",
        "undecodable",
        "unreachable",
        Trouble(lambda asked: Answer(200, b'{"id": "cus_', {"Content-Type": "application/json"})),
    ),
    Fault(
        "every body is 10 MB",
        "oversized",
        "unreachable",
        Trouble(lambda asked: Answer(200, LARGE, {"Content-Type": "application/json"})),
    ),
    Fault(
        "every body claims to be compressed",
        "undecodable",
        "unreachable",
        Trouble(lambda asked: Answer(200, b"{}", {"Content-Type": "application/json", "Content-Encoding": "gzip"})),
    ),
    # Credentials
    Fault("the key is not accepted", "auth-expired", "unauthorized", Trouble(_refused(401), status_too=False)),
    Fault(
        "the key is revoked at the 40th request",
        "auth-expired",
        "unauthorized",
        Trouble(_refused(401), 40, status_too=False),
    ),
    Fault(
        "the key is not accepted, in HTML",
        "auth-expired",
        "unauthorized|unreachable",
        Trouble(_html(401, "Unauthorized")),
    ),
    Fault("everything is forbidden", "auth-expired", "unauthorized", Trouble(_refused(403), status_too=False)),
    Fault("a firewall forbids it", "our-network", "unauthorized|unreachable", Trouble(_html(403, "Access denied"))),
    # Limits
    Fault(
        "the quota is used up, as 403",
        "no-credit",
        "unauthorized|exhausted",
        Trouble(_json(403, QUOTA), 20, status_too=False),
    ),
    Fault(
        "the credit is used up, as 402",
        "no-credit",
        "exhausted|unauthorized",
        Trouble(_json(402, "insufficient_credit"), 20, status_too=False),
    ),
    Fault(
        "the quota is used up, inside 200",
        "no-credit",
        "exhausted",
        Trouble(
            lambda asked: Answer(200, {"error": {"type": "rate_limit", "code": "quota_used_up", "message": QUOTA}}),
            20,
            status_too=False,
        ),
    ),
    Fault(
        "too many requests, wait a second",
        "rate-limited",
        "exhausted",
        Trouble(_json(429, "slow_down", Retry_After="1"), 30, status_too=False),
    ),
    Fault(
        "too many requests, wait an hour",
        "rate-limited",
        "exhausted",
        Trouble(_json(429, "slow_down", Retry_After="3600"), status_too=False),
    ),
    Fault(
        "too many requests, no word for how long",
        "rate-limited",
        "exhausted",
        Trouble(_json(429, "slow_down"), 30, status_too=False),
    ),
    Fault(
        "too many requests, in HTML",
        "rate-limited",
        "exhausted|unreachable",
        Trouble(_html(429, "Too Many Requests"), status_too=False),
    ),
)
