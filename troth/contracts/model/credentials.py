"""``auth.ok``: does a request carry credentials of the contract's kind, each fitting its secret's ``allow``?

A simulator knows no secret: it demands the form, and takes every credential that fits.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_plus

from troth.contracts.exchange import Request
from troth.contracts.hooks.round_trip import checked
from troth.contracts.sigv4 import claim_of

if TYPE_CHECKING:
    from troth.contracts.auth import Auth

__all__ = ["BEYOND_HEADERS", "IN_QUERY", "auth_ok", "carriers"]

First = Mapping[bytes, bytes]
"""Headers by lower-case name."""
IN_QUERY: Final = frozenset({"query"})
"""Kinds whose credentials are a parameter."""
BEYOND_HEADERS: Final = frozenset({"query", "hook"})
"""Kinds of which the headers alone do not tell."""


def auth_ok(auth: Auth | None, first: First, request: Request) -> bool:
    """Does ``request``, whose headers are ``first``, satisfy ``auth``? True without any demand for credentials."""
    return auth is None or _CHECKS[auth.kind](auth, first, request)


def carriers(auth: Auth | None) -> tuple[str, ...]:
    """The headers, in lower case, that carry the credentials."""
    if auth is None or auth.kind in ("none", "query", "mtls"):
        return ()
    if auth.kind == "hook":
        return auth.carriers
    if auth.kind == "header":
        return (auth.name.lower(),)
    return ("authorization", "x-amz-security-token") if auth.kind == "sigv4" else ("authorization",)


def _fits(auth: Auth, part: str, value: str) -> bool:
    pattern = auth.fits.get(part)
    return pattern is None or (bool(value) and fnmatchcase(value, pattern))


def _none(auth: Auth, first: First, request: Request) -> bool:
    """Nothing is demanded; a client certificate cannot be seen where no TLS is spoken."""
    return True


def _bearer(auth: Auth, first: First, request: Request) -> bool:
    scheme, value = _authorization(first)
    if scheme == "bearer":
        return _fits(auth, "token", value)
    # Providers with bearer keys (Stripe) take the key as a Basic user name too.
    pair = _pair(value) if scheme == "basic" else None
    return pair is not None and _fits(auth, "token", pair[0])


def _basic(auth: Auth, first: First, request: Request) -> bool:
    scheme, value = _authorization(first)
    pair = _pair(value) if scheme == "basic" else None
    return pair is not None and _fits(auth, "username", pair[0]) and _fits(auth, "password", pair[1])


def _token(auth: Auth, first: First, request: Request) -> bool:
    scheme, value = _authorization(first)
    return scheme == "bearer" and bool(value)


def _header(auth: Auth, first: First, request: Request) -> bool:
    sent = first.get(auth.name.lower().encode("latin-1"))
    return sent is not None and _fits(auth, "token", sent.decode("latin-1").strip())


def _query(auth: Auth, first: First, request: Request) -> bool:
    for part in request.query.split("&"):
        name, equals, value = part.partition("=")
        if equals and unquote_plus(name) == auth.name:
            return _fits(auth, "token", unquote_plus(value))
    return False


def _hook(auth: Auth, first: First, request: Request) -> bool:
    return checked(auth, request)


def _sigv4(auth: Auth, first: First, request: Request) -> bool:
    claim = claim_of(first.get(b"authorization", b"").decode("latin-1"))
    if claim is None or claim.service != auth.service or claim.region != (auth.region or claim.region):
        return False
    stamp = first.get(b"x-amz-date", b"").decode("latin-1")
    dated = stamp.startswith(f"{claim.day}T") if stamp else b"date" in first
    return dated and "host" in claim.signed and _fits(auth, "username", claim.id)


_CHECKS: Final[Mapping[str, Callable[[Auth, First, Request], bool]]] = {
    "none": _none,
    "hook": _hook,
    "mtls": _none,
    "bearer": _bearer,
    "basic": _basic,
    "oauth2": _token,
    "header": _header,
    "query": _query,
    "sigv4": _sigv4,
}


def _authorization(first: First) -> tuple[str, str]:
    """The scheme of the Authorization header, in lower case, and what follows it."""
    scheme, _, value = first.get(b"authorization", b"").decode("latin-1").partition(" ")
    return scheme.lower(), value.strip()


def _pair(encoded: str) -> tuple[str, str] | None:
    try:
        user, _, password = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return None
    return user, password
