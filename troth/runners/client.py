"""Sends one request to a target and captures what was sent and what came back, byte for byte.

Every wait has a limit, every body a bound; nothing is raised for what a target does. No redirect is followed, no cookie
is kept, no environment variable is read.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import TracebackType
from typing import Any, Protocol, Self
from urllib.parse import quote

import httpx

import troth
from troth.contracts.auth import Auth, Certificate
from troth.contracts.exchange import Request, Response
from troth.runners.certificates import Identity
from troth.runners.classify import Failure, failure_of
from troth.runners.clock import Clock
from troth.runners.credentials import Credentials
from troth.runners.quiet import QuietHttp

__all__ = ["Attempt", "Client", "RequestLimits", "Sender"]

_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """How long one request may take (seconds), and how large its reply may be (bytes, decoded)."""

    connect: float = 10.0
    read: float = 30.0
    total: float = 60.0
    reply_bytes: int = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True, repr=False)
class Attempt:
    """One request as it was sent, credentials included, and its outcome. Never stored: see ``record``.

    ``response`` and ``failure`` are both set when a reply began but cannot be used (too large, undecodable).
    ``sent`` and ``received`` are on the target's clock, ``elapsed`` in seconds.
    """

    request: Request
    url: str
    sent: float
    received: float
    elapsed: float
    response: Response | None = None
    failure: Failure | None = None

    def __repr__(self) -> str:
        outcome = self.failure.kind if self.failure else self.response and self.response.status
        return f"Attempt({self.request.method}, {outcome})"


class Sender(Protocol):
    """What sends requests to a target."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def send(self, request: Request, base: str, auth: Auth | None, within: float | None = None) -> Attempt:
        """Send ``request`` to the base URL ``base``, signed as ``auth`` says, within so many seconds."""
        ...


class Client:
    """An HTTP client for one target, holding its credentials. Use as an async context manager."""

    def __init__(
        self,
        credentials: Credentials,
        clock: Clock,
        limits: RequestLimits | None = None,
        *,
        proxy: str | None = None,
        ca: str | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        identities: Mapping[Certificate, Identity] | None = None,
    ) -> None:
        self._credentials = credentials
        self._clock = clock
        self._limits = limits or RequestLimits()
        self._quiet = QuietHttp()
        self._stream: Any = None
        self._proxied = proxy is not None
        self._http = self._opened(_tls(ca) if transport is None else None, proxy, transport)
        # A connection shows its certificate to the server once, so each certificate has connections of its own.
        self._known = {
            certificate: self._opened(identity.context(_tls(ca)), proxy, None)
            for certificate, identity in (identities or {}).items()
        }

    def _opened(
        self, tls: ssl.SSLContext | None, proxy: str | None, transport: httpx.AsyncBaseTransport | None
    ) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=transport,
            verify=tls if tls is not None else True,
            proxy=proxy,
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(self._limits.read, connect=self._limits.connect),
            # A short life, so that a connection which the target is about to close is seldom used again.
            limits=httpx.Limits(max_connections=64, max_keepalive_connections=16, keepalive_expiry=2.0),
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            headers={"User-Agent": f"troth/{troth.__version__}", "Accept": "*/*", "Accept-Encoding": "identity"},
        )

    def __repr__(self) -> str:
        return "Client()"

    @property
    def secured(self) -> ssl.SSLObject | None:
        """The TLS session of the last reply; None where it came in the clear, or none came."""
        return self._stream.get_extra_info("ssl_object") if self._stream is not None else None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        for http in (self._http, *self._known.values()):
            await http.aclose()
        self._quiet.close()

    async def send(self, request: Request, base: str, auth: Auth | None, within: float | None = None) -> Attempt:
        """Send ``request`` to the base URL ``base``, signed as ``auth`` says; never raises for what the target does.

        ``within`` (seconds) makes the limit on the whole shorter. A safe request on a connection that breaks is sent
        once more: the target may have closed an idle connection.
        """
        with self._quiet.sending():
            attempt = await self._once(request, base, auth, within)
            broke = attempt.failure is not None and attempt.failure.kind in ("closed", "reset")
            if broke and request.method.upper() in _SAFE:
                return await self._once(request, base, auth, within)
            return attempt

    async def _once(self, request: Request, base: str, auth: Auth | None, within: float | None) -> Attempt:
        sent, started = self._clock.now(), time.monotonic()
        wire, response, failure = request, None, None
        host = request.host
        try:
            wire = self._signed(request, base, auth, sent)
            http = self._build(wire, base)
            host = http.url.netloc.decode("ascii")
            wire.headers = http.headers.raw
            wire.host = host
            async with asyncio.timeout(self._limits.total if within is None else min(within, self._limits.total)):
                response, failure = await self._exchange(http, host, self._by(auth))
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError, ValueError) as error:
            failure = _failure(error, host)
        elapsed = time.monotonic() - started
        return Attempt(wire, _url(base, wire), sent, self._clock.now(), elapsed, response, failure)

    def _signed(self, request: Request, base: str, auth: Auth | None, at: float) -> Request:
        """A copy with credentials; what is signed is what is sent, the path of ``base`` included."""
        url = httpx.URL(base)
        path = _target(url, request).partition(b"?")[0].decode("ascii")
        host = url.netloc.decode("ascii")
        whole = Request(request.method, path, request.query, request.headers, request.body, host)
        signed = self._credentials.sign(whole, auth, at)
        return Request(request.method, request.path, signed.query, signed.headers, request.body, request.host)

    def _build(self, request: Request, base: str) -> httpx.Request:
        url = httpx.URL(base)
        target = _target(url, request)
        return self._http.build_request(
            request.method,
            url.copy_with(raw_path=target),
            headers=list(request.headers),
            content=request.body or None,
            # httpx tidies what it sends (dot segments, brackets); the target must get what the scenario says.
            extensions={"target": self._form(url, target), "timeout": self._http.timeout.as_dict()},
        )

    def _form(self, url: httpx.URL, target: bytes) -> bytes:
        """A proxy gets the whole address (RFC 9112, 3.2.2), unless it only passes an encrypted connection on."""
        return b"http://" + url.netloc + target if self._proxied and url.scheme == "http" else target

    def _by(self, auth: Auth | None) -> httpx.AsyncClient:
        certificate = auth.certificate if auth is not None else None
        return self._http if certificate is None else self._known.get(certificate, self._http)

    async def _exchange(
        self, http: httpx.Request, host: str, client: httpx.AsyncClient
    ) -> tuple[Response, Failure | None]:
        reply = await client.send(http, stream=True)
        self._stream = reply.extensions.get("network_stream")
        try:
            return await self._read(reply, host)
        finally:
            await reply.aclose()

    async def _read(self, reply: httpx.Response, host: str) -> tuple[Response, Failure | None]:
        body, failure = bytearray(), None
        try:
            async for chunk in reply.aiter_bytes():
                body += chunk
                if len(body) > self._limits.reply_bytes:
                    failure = Failure("too_large", f"{host} sent more than {self._limits.reply_bytes} bytes")
                    break
        except (httpx.DecodingError, httpx.TransportError) as error:
            failure = _failure(error, host)
        return Response(reply.status_code, reply.headers.raw, bytes(body)), failure


def _failure(error: BaseException, host: str) -> Failure:
    failure = failure_of(error, host)
    if failure.kind == "protocol" and "disconnected" in failure.words:
        return Failure("closed", f"{host} closed the connection without an answer")
    if failure.kind == "protocol" and "peer closed" in failure.words:
        return Failure("closed", f"{host} closed the connection in the middle of its answer")
    return failure


def _target(url: httpx.URL, request: Request) -> bytes:
    path = url.raw_path.partition(b"?")[0].rstrip(b"/") + quote(request.path or "/", safe=_PRINTABLE).encode()
    return path + b"?" + quote(request.query, safe=_PRINTABLE).encode() if request.query else path


def _url(base: str, request: Request) -> str:
    return base.rstrip("/") + request.path + (f"?{request.query}" if request.query else "")


def _tls(ca: str | None) -> ssl.SSLContext:
    """Certificates are always checked: against ``ca`` (a PEM file) when the target names one."""
    context = httpx.create_ssl_context(trust_env=False)
    if ca is not None:
        context.load_verify_locations(cafile=ca)
    return context
