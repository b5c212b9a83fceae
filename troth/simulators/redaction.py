"""Replaces secrets in what the journal shows: credentials by the name of their header, declared secrets by value."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from urllib.parse import parse_qsl

from troth.contracts.contract import Contract
from troth.contracts.exchange import Headers, Request, Response
from troth.contracts.judgement import NearMiss
from troth.contracts.model.credentials import IN_QUERY, carriers
from troth.contracts.secret_forms import usual_forms

__all__ = ["REDACTED", "Redactor", "redactor_for"]

REDACTED = "[redacted]"
_MARK = REDACTED.encode()
_SENSITIVE = frozenset(
    (b"authorization", b"cookie", b"proxy-authorization", b"set-cookie", b"x-api-key", b"api-key", b"x-auth-token")
)
_SCHEME = re.compile(rb"\s*(Basic|Bearer|Digest|Token|Negotiate|AWS4-HMAC-SHA256)\s+", re.IGNORECASE)
_WILDCARD = re.compile(r"[*?\[]")
_REMEMBERED = 64
_SHORTEST = 6
"""Shorter values are too likely to stand somewhere by chance; they are still replaced in sensitive headers."""


class Redactor:
    """``values`` are secrets themselves; ``patterns`` are ``allow`` patterns, of which the text before the first
    wildcard is taken as the beginning of a secret (if it has at least four characters).
    """

    __slots__ = ("_forms", "_names", "_parameters", "_pattern", "_values")

    def __init__(
        self,
        values: Iterable[str] = (),
        patterns: Iterable[str] = (),
        headers: Iterable[str] = (),
        parameters: Iterable[str] = (),
    ) -> None:
        self._names = _SENSITIVE.union(name.lower().encode("latin-1") for name in headers)
        self._parameters = frozenset(parameters)
        self._values = frozenset(value.encode() for value in values if len(value) >= _SHORTEST)
        self._forms: dict[bytes, tuple[bytes, ...]] = {}
        """Of the secrets that came last."""
        starts = {_WILDCARD.split(pattern)[0].encode() for pattern in patterns}
        known = b"|".join(re.escape(start) for start in sorted(starts) if len(start) >= 4)
        self._pattern = re.compile(rb"(?<![A-Za-z0-9_])(?:" + known + rb")[A-Za-z0-9_\-.~+/=]*") if known else None

    def __repr__(self) -> str:
        return f"Redactor({len(self._values)} values)"

    def request(self, request: Request) -> Request:
        """A copy of ``request`` without secrets; the scheme of an Authorization header stays."""
        seen = self._values | self._brought(request)
        return Request(
            request.method,
            self._text(request.path, seen),
            self._text(request.query, seen),
            self._headers(request.headers, seen),
            self._bytes(request.body, seen),
            request.host,
        )

    def response(self, response: Response, request: Request) -> Response:
        """A copy of ``response``, which may echo what ``request`` sent."""
        seen = self._values | self._brought(request)
        body = self._bytes(response.body, seen)
        return replace(response, headers=self._headers(response.headers, seen), body=body)

    def near(self, near: Sequence[NearMiss], request: Request) -> tuple[NearMiss, ...]:
        """``near`` without what ``request`` brought that is secret."""
        return tuple(replace(miss, reasons=self.reasons(miss.reasons, request)) for miss in near)

    def reasons(self, reasons: Sequence[tuple[str, str, str]], request: Request) -> tuple[tuple[str, str, str], ...]:
        """``reasons`` (at, want, got) without what ``request`` brought that is secret."""
        if not reasons:
            return ()
        seen = self._values | self._brought(request)
        return tuple((at, want, self._text(got, seen)) for at, want, got in reasons)

    def text(self, text: str, request: Request | None = None) -> str:
        """``text`` without secrets, those that ``request`` brought included."""
        return self._text(text, self._values | (self._brought(request) if request else frozenset()))

    def _brought(self, request: Request) -> frozenset[bytes]:
        """What the request holds that is secret: in sensitive headers, and in the query parameter of an API key."""
        found = credentials(request.headers, self._names)
        if not self._parameters:
            return found
        pairs = parse_qsl(request.query, keep_blank_values=True)
        return found.union(value.encode() for name, value in pairs if name in self._parameters and value)

    def _headers(self, headers: Headers, seen: frozenset[bytes]) -> Headers:
        return tuple(
            (name, _credential(value) if name.lower() in self._names else self._bytes(value, seen))
            for name, value in headers
        )

    def _text(self, text: str, seen: frozenset[bytes]) -> str:
        return self._bytes(text.encode("utf-8", "surrogatepass"), seen).decode("utf-8", "surrogatepass")

    def _bytes(self, data: bytes, seen: frozenset[bytes]) -> bytes:
        if not data:
            return data
        for form in self._written(seen):
            if form in data:
                data = data.replace(form, _MARK)
        return self._pattern.sub(_MARK, data) if self._pattern else data

    def _written(self, seen: frozenset[bytes]) -> list[bytes]:
        """The ways in which ``seen`` may be written; longest first, so that none is left of which another is a part."""
        for value in seen:
            if value not in self._forms:
                if len(self._forms) >= _REMEMBERED:
                    self._forms.clear()
                text = value.decode("utf-8", "surrogateescape")
                forms = {form.encode("utf-8", "surrogatepass") for form in usual_forms(text)}
                self._forms[value] = (value, *(forms - {value}))
        return sorted({form for value in seen for form in self._forms.get(value, (value,))}, key=len, reverse=True)


def redactor_for(contract: Contract, environ: Mapping[str, str]) -> Redactor:
    """Knows the contract's secrets: the values of their variables in ``environ``, on every target, and their forms."""
    names = {secret.env for secret in contract.secrets.values()}
    for target in contract.targets.values():
        names.update(target.secrets.values())
    values = [environ[name] for name in names if environ.get(name)]
    patterns = [secret.allow for secret in contract.secrets.values() if secret.allow]
    auths = [auth for auth in (contract.auth, *(found.auth for found in contract.operations.values())) if auth]
    headers = [name for auth in auths for name in carriers(auth)]
    return Redactor(values, patterns, headers, [auth.name for auth in auths if auth.kind in IN_QUERY])


def credentials(headers: Headers, names: frozenset[bytes] = _SENSITIVE) -> frozenset[bytes]:
    """What the sensitive ones of ``headers`` hold, also the two parts of a Basic credential."""
    found: set[bytes] = set()
    for name, value in headers:
        if name.lower() in names:
            scheme = _SCHEME.match(value)
            bare = value[scheme.end() :] if scheme else value
            found.add(bare.strip())
            if scheme and scheme[1].lower() == b"basic":
                found.update(_basic_parts(bare))
    return frozenset(value for value in found if len(value) >= _SHORTEST)


def _basic_parts(encoded: bytes) -> list[bytes]:
    try:
        return base64.b64decode(encoded).split(b":", 1)
    except (binascii.Error, ValueError):
        return []


def _credential(value: bytes) -> bytes:
    scheme = _SCHEME.match(value)
    return (scheme[0] if scheme else b"") + _MARK
