"""Which credentials a request lacks, in words: where they were due, of what kind, and what came in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

from troth.contracts.exchange import Request, header

if TYPE_CHECKING:
    from troth.contracts.auth import Auth

__all__ = ["credentials_due"]

_SCHEMES: Final = {"bearer": "Bearer", "basic": "Basic", "oauth2": "Bearer"}
_PARTS: Final = {"token": "token", "username": "user name", "password": "password"}


def credentials_due(auth: Auth | None, request: Request) -> tuple[str, str, str]:
    """Place, demand and what was sent, for a request whose credentials are not what ``auth`` asks. Never a value."""
    if auth is not None and auth.kind == "query":
        sent = {name for name, _ in parse_qsl(request.query, keep_blank_values=True)}
        return f"query.{auth.name}", _fitting(auth, "an API key"), _got(auth.name in sent)
    if auth is not None and auth.kind == "header":
        there = header(request.headers, auth.name.encode("latin-1")) is not None
        return f"headers.{auth.name.lower()}", _fitting(auth, "an API key"), _got(there)
    value = header(request.headers, b"authorization")
    scheme = _SCHEMES.get(auth.kind, "") if auth is not None else ""
    if auth is None or not scheme:
        kind = auth.name or auth.kind if auth is not None else "the contract's"
        return "headers.authorization", f"credentials of the kind {kind}", _got(value is not None)
    came = (value or "").partition(" ")[0]
    if value is not None and came.lower() != scheme.lower():
        got = f"{came.title()} credentials" if came.lower() in _SCHEMES else "credentials of another scheme"
    else:
        got = _got(value is not None)
    return "headers.authorization", _fitting(auth, f"{scheme} credentials"), got


def _got(there: bool) -> str:
    return "one that does not fit" if there else "absent"


def _fitting(auth: Auth, what: str) -> str:
    """With the names of the secrets, and the patterns that they must fit."""
    wanted = []
    for part, pattern in auth.fits.items():
        said = getattr(auth, part, None)
        paths = {path for each in said.expressions for path in each.reads} if said is not None else set()
        names = sorted(path[1] for path in paths if len(path) > 1 and path[0] == "secrets")
        secret = f"the secret {' and '.join(names)}" if names else f"a {_PARTS.get(part, part)}"
        wanted.append(f"{secret} that fits {pattern}" if pattern is not None else secret)
    return f"{what}: {', '.join(wanted)}" if wanted else what
