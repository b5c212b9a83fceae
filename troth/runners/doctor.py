"""One safe request to a provider's sandbox, and what it shows: credentials, TLS, proxy, certificates, clock.

The gate holds as for a run, its flag aside: nothing is sent without an allowed address and every credential.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from ipaddress import ip_address
from urllib.parse import urlsplit

from troth.contracts.contract import Auth, Contract, Target
from troth.contracts.exchange import Request, header
from troth.errors import RefusedCredential, UsageError
from troth.runners.classify import Failure, unusable
from troth.runners.client import Attempt, Client, RequestLimits
from troth.runners.clock import RealClock
from troth.runners.credentials import Credentials
from troth.runners.exits import Exit
from troth.runners.finding import Verdict
from troth.runners.gate import Open, Passport, Shut, open_gate, target_of
from troth.runners.needs import asks_for_nothing, needed_certificates, needed_secrets, runnable
from troth.runners.tokens import token_request

__all__ = ["Diagnosis", "Sign", "examine"]

SKEWED = 60.0
"""Seconds that two clocks may differ before signed requests and timestamps go wrong."""
_PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
_BUNDLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


@dataclass(frozen=True, slots=True)
class Sign:
    """One thing that was looked at. ``state`` is ``ok``, ``wrong`` or ``unknown``."""

    subject: str
    state: str
    words: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What came of it; ``verdict`` is ``agree`` when a run could begin."""

    provider: str
    asked: str
    """The request and its answer, in words; or why none was sent."""
    signs: tuple[Sign, ...]
    verdict: Verdict
    refused: bool = False
    """Was a credential or a setting refused? Then the exit code is 4."""

    @property
    def exit_code(self) -> Exit:
        """As of a run with this verdict."""
        if self.refused:
            return Exit.USAGE
        return Exit.OK if self.verdict is Verdict.AGREE else Exit.UNOBSERVED


def examine(
    contract: Contract, environment: Mapping[str, str], url: str | None = None, limits: RequestLimits | None = None
) -> Diagnosis:
    """Ask the sandbox once. ``url`` is in place of the contract's address."""
    passport = Passport(True, environment, url)
    target = target_of(contract, passport)
    decision = open_gate(contract, runnable(contract), passport)
    if isinstance(decision, Shut):
        return _unsent(contract, target, decision, environment)
    request, auth = _safe_request(contract, target, decision.credentials)
    base = decision.url
    attempt, session = asyncio.run(_ask(decision, request, base, auth, limits))
    verdict, credentials = _answer(contract, target, attempt, auth)
    signs = (
        credentials,
        _tls(base, attempt, session),
        _proxy(target, attempt.failure, environment),
        _ca(target, base, attempt.failure, environment),
        _clock(attempt),
    )
    return Diagnosis(contract.provider, _asked(attempt, request, base), signs, verdict)


async def _ask(
    opened: Open, request: Request, base: str, auth: Auth | None, limits: RequestLimits | None
) -> tuple[Attempt, ssl.SSLObject | None]:
    target = opened.target
    proxy, ca, shown = target.proxy, target.ca, opened.identities
    async with Client(opened.credentials, RealClock(), limits, proxy=proxy, ca=ca, identities=shown) as client:
        attempt = await client.send(request, base, auth)
        return attempt, client.secured


def _unsent(contract: Contract, target: Target, shut: Shut, environment: Mapping[str, str]) -> Diagnosis:
    nothing = "nothing was sent"
    why = shut.error.found if shut.error is not None else shut.reason
    about_credentials = shut.verdict is Verdict.UNAUTHORIZED
    signs = (
        Sign("credentials", *(("wrong", why) if about_credentials else ("unknown", nothing))),
        Sign("TLS", "unknown", nothing),
        _proxy(target, None, environment, sent=False),
        _ca(target, "", None, environment, sent=False),
        Sign("clock", "unknown", nothing),
    )
    refused = isinstance(shut.error, RefusedCredential | UsageError)
    return Diagnosis(contract.provider, f"{nothing}: {why}", signs, shut.verdict, refused)


def _safe_request(contract: Contract, target: Target, credentials: Credentials) -> tuple[Request, Auth | None]:
    """The request for a token where one is needed, which is what shows the credentials.

    Else the target's health request, an operation that only reads and needs nothing, or the base address.
    """
    if contract.auth is not None and contract.auth.grant is not None:
        grant = contract.auth.grant
        return token_request(contract, grant, credentials), contract.operations[grant.operation].auth
    if target.health is not None:
        return _request(*target.health), contract.auth
    for operation in contract.operations.values():
        if asks_for_nothing(operation):
            return _request(operation.request.method, operation.request.path), operation.auth or contract.auth
    return _request("GET", "/"), contract.auth


def _request(method: str, path: str) -> Request:
    return Request(method, path, "", [], b"", "")


def _asked(attempt: Attempt, request: Request, base: str) -> str:
    line = f"{request.method} {base}{request.path}"
    if attempt.failure is not None:
        return f"{line}: {attempt.failure.words}"
    status = attempt.response.status if attempt.response is not None else 0
    return f"{line}: {status} in {attempt.elapsed * 1000:.0f} ms"


# Each sign


def _answer(contract: Contract, target: Target, attempt: Attempt, auth: Auth | None) -> tuple[Verdict, Sign]:
    names = sorted(needed_secrets(contract, runnable(contract)))
    found = [target.secrets.get(name, contract.secrets[name].env) for name in names]
    found += [name for each in needed_certificates(contract, runnable(contract)) for name in (each.cert, each.key)]
    variables = ", ".join(found)
    if attempt.failure is not None or attempt.response is None:
        return Verdict.UNREACHABLE, Sign("credentials", "unknown", f"{variables or 'none needed'}: no answer")
    status = attempt.response.status
    if auth is None or auth.kind == "none":
        state = Sign("credentials", "ok", "none needed" if not variables else f"{variables} set; not needed here")
    elif status in (401, 403):
        state = Sign("credentials", "wrong", f"{variables}: not accepted ({status})")
    elif 200 <= status < 300:
        state = Sign("credentials", "ok", f"{variables}: accepted ({status})")
    else:
        state = Sign("credentials", "unknown", f"{variables}: {status} does not say whether it was accepted")
    if status in (401, 403):
        return Verdict.UNAUTHORIZED, state
    if status in (402, 429):
        return Verdict.EXHAUSTED, state
    usable = 200 <= status < 300 and not unusable(attempt.response)
    return (Verdict.AGREE if usable else Verdict.UNREACHABLE), state


def _tls(base: str, attempt: Attempt, session: ssl.SSLObject | None) -> Sign:
    if urlsplit(base).scheme == "http":
        local = _is_local(urlsplit(base).hostname or "")
        words = (
            "none: http on this machine" if local else "none: plain http, so anybody on the way reads the credentials"
        )
        return Sign("TLS", "ok" if local else "wrong", words)
    if attempt.failure is not None and attempt.failure.kind == "tls":
        return Sign("TLS", "wrong", attempt.failure.words)
    if session is None:
        return Sign("TLS", "unknown", "no connection")
    return Sign("TLS", "ok", ", ".join([session.version() or "TLS", *_until(session)]))


def _until(session: ssl.SSLObject) -> Iterator[str]:
    certificate = session.getpeercert() or {}
    ends = certificate.get("notAfter")
    if isinstance(ends, str):
        days = int((ssl.cert_time_to_seconds(ends) - time.time()) // 86_400)
        yield f"certificate valid for {days} more days"


def _is_local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _proxy(target: Target, failure: Failure | None, environment: Mapping[str, str], sent: bool = True) -> Sign:
    if target.proxy is not None:
        parts = urlsplit(target.proxy)
        shown = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        if failure is not None and failure.kind == "proxy":
            return Sign("proxy", "wrong", f"{shown}: {failure.words}")
        state = "ok" if sent and failure is None else "unknown"
        return Sign("proxy", state, f"through {shown}")
    unread = _unread(_PROXIES, environment, "proxy", target)
    return Sign("proxy", "ok", f"none{unread}")


def _ca(target: Target, base: str, failure: Failure | None, environment: Mapping[str, str], sent: bool = True) -> Sign:
    where = target.ca or "the certificates that come with certifi"
    unread = "" if target.ca else _unread(_BUNDLES, environment, "ca", target)
    if failure is not None and failure.kind == "tls":
        wrong = "verify" in failure.words
        return Sign("CA", "wrong" if wrong else "unknown", f"{where}{unread}")
    if not sent or failure is not None:
        return Sign("CA", "unknown", f"{where}{unread}")
    return Sign("CA", "ok", f"not needed{unread}" if urlsplit(base).scheme == "http" else f"{where}{unread}")


def _unread(names: tuple[str, ...], environment: Mapping[str, str], key: str, target: Target) -> str:
    """A hint where the environment says something that runs do not follow."""
    found = next((name for name in names if environment.get(name)), None)
    return f"; {found} is set and not read: write targets.{target.name}.{key}" if found else ""


def _clock(attempt: Attempt) -> Sign:
    text = header(attempt.response.headers, b"date") if attempt.response is not None else None
    if text is None:
        return Sign("clock", "unknown", "no Date came")
    try:
        date = parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return Sign("clock", "unknown", "the Date that came is none")
    # A Date stands for the second that it begins.
    behind, ahead = attempt.sent - (date + 1.0), date - attempt.received
    gap = max(behind, ahead, 0.0)
    if gap < 1.0:
        return Sign("clock", "ok", "as ours, to the second")
    words = f"{gap:.0f} seconds {'behind' if behind > 0 else 'ahead of'} ours"
    return Sign("clock", "wrong" if gap > SKEWED else "ok", words)
