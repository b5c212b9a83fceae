"""What a failed request means, in words: none of these says anything about the contract.

Allow-list: only what is known to be the network, the provider's front door or an oversized body is put aside here.
What a reply with a status and a body means is for the judge, which knows the contract.
"""

from __future__ import annotations

import json
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final, Literal, TypeAlias

import httpx

from troth.contracts.exchange import Response, header
from troth.contracts.judgement import Unobserved
from troth.contracts.model.unobserved import REDIRECTS

__all__ = ["UNSENT", "Failure", "FailureKind", "failure_of", "retry_after", "suspicion", "unobserved_by", "unusable"]

FailureKind: TypeAlias = Literal[
    "refused", "dns", "tls", "timeout", "closed", "reset", "proxy", "protocol", "too_large", "undecodable", "unsendable"
]

UNSENT: Final = frozenset({"refused", "dns", "tls", "unsendable"})
"""Kinds of failures after which the request never arrived."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why no usable reply came. ``unsendable`` is our own fault (or the scenario's): nothing left this machine."""

    kind: FailureKind
    words: str

    @property
    def transport(self) -> bool:
        """Did the connection fail, before any reply? Several in a row mean that the target is not there."""
        return self.kind not in ("too_large", "undecodable", "unsendable")


def failure_of(error: BaseException, host: str) -> Failure:
    """Classify what httpx raised when it talked to ``host`` (``name:port``)."""
    for kind, words, known in _CAUSES:
        for cause in _chain(error):
            if isinstance(cause, known):
                return Failure(kind, words.format(host=host, detail=_detail(error if str(error) else cause)))
    return Failure("protocol", f"{host} could not be talked to: {_detail(error)}")


_UNSENDABLE = (httpx.LocalProtocolError, httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError)
_CAUSES: tuple[tuple[FailureKind, str, type[BaseException] | tuple[type[BaseException], ...]], ...] = (
    ("tls", "no secure connection to {host}: {detail}", ssl.SSLError),
    ("dns", "{host} has no address: {detail}", socket.gaierror),
    ("refused", "{host} refuses connections", ConnectionRefusedError),
    ("timeout", "{host} did not take the connection in time", (httpx.ConnectTimeout, httpx.PoolTimeout)),
    ("timeout", "{host} did not answer in time", (httpx.TimeoutException, TimeoutError)),
    ("proxy", "the proxy on the way to {host} failed: {detail}", httpx.ProxyError),
    # No detail: it would quote the header or address, and what secrets they hold.
    ("unsendable", "the request is not valid HTTP: a header or the address holds a forbidden character", _UNSENDABLE),
    ("undecodable", "{host} sent a body that its Content-Encoding does not decode", httpx.DecodingError),
    ("reset", "{host} broke the connection", (ConnectionResetError, BrokenPipeError)),
    ("protocol", "{host} did not answer in HTTP: {detail}", httpx.RemoteProtocolError),
    ("refused", "{host} cannot be reached: {detail}", httpx.ConnectError),
    ("reset", "{host} broke the connection: {detail}", httpx.NetworkError),
)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """``error``, its causes, and the errors that a happy-eyeballs connect tried."""
    seen: set[int] = set()
    waiting: list[BaseException] = [error]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if not isinstance(one, ssl.SSLWantReadError | ssl.SSLWantWriteError):  # how a wait begins, no failure
            yield one
        waiting.extend(cause for cause in (one.__cause__, one.__context__) if cause is not None)
        waiting.extend(getattr(one, "exceptions", ()))


def _detail(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def unobserved_by(failure: Failure, *, untried: bool = False) -> Unobserved:
    """The verdict for a request that got no usable reply; ``untried``: with a client certificate never yet let in."""
    if untried and (failure.kind in ("closed", "reset") or (failure.kind == "tls" and " alert " in failure.words)):
        # TLS 1.3 servers refuse a certificate when the request is already on its way: with an alert (RFC 8446 section
        # 6.2), which is lost when they then close the connection.
        return Unobserved("unauthorized", f"{failure.words}, which is how client certificates are refused")
    return Unobserved("unreachable", failure.words)


def unusable(response: Response) -> bool:
    """Is this the reply of a front door (HTML, a redirect, JSON that does not parse), rather than of the API?"""
    return bool(suspicion(response, None))


def suspicion(response: Response, failure: Failure | None) -> str:
    """What an unusable reply would be as a finding; "" for a usable one.

    One of ``content_type``, ``format``, ``bounds``, and ``undeclared`` for a redirect.

    Such a reply says nothing by itself; it is drift when the rest of the target works and it comes again.
    """
    if failure is not None:
        return {"too_large": "bounds", "undecodable": "format"}.get(failure.kind, "")
    if response.status in REDIRECTS:
        return "undeclared"
    kind = (header(response.headers, b"content-type") or "").partition(";")[0].strip().lower()
    if kind in ("text/html", "application/xhtml+xml"):
        # JSON under a wrong label is the API's own answer.
        return "" if _is_json(response.body) else "content_type"
    if (kind == "application/json" or kind.endswith("+json")) and response.body and not _is_json(response.body):
        return "format"
    return ""


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return True


def retry_after(response: Response, now: float) -> float | None:
    """Seconds that the reply asks to wait (``Retry-After`` in seconds or as a date); None when it does not say."""
    text = header(response.headers, b"retry-after")
    if text is None:
        return None
    text = text.strip()
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None
