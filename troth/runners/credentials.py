"""The credentials of one run: held by the object that uses them, with no readable form."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_plus

from troth.contracts.auth import Auth, Grant
from troth.contracts.contract import Contract
from troth.contracts.exchange import Headers, Request
from troth.contracts.hooks.round_trip import signature
from troth.contracts.model.credentials import carriers
from troth.contracts.secret_values import fitting_value
from troth.contracts.sigv4 import Key, sign
from troth.contracts.values import ABSENT
from troth.runners.scope import SecretValues, StepScope

if TYPE_CHECKING:
    from troth.contracts.expressions.expression import Said

__all__ = ["Credentials", "fitting"]

_NOTHING = Request("GET", "/")


class Credentials:
    """Secret values by name, and the headers that they make. Never printed, compared or pickled."""

    __slots__ = ("_placeholder", "_tokens", "_values")

    def __init__(self, values: Mapping[str, str], placeholder: str | None = None) -> None:
        self._values = dict(values)
        self._placeholder = placeholder
        """Stands for every token that nobody fetched."""
        self._tokens: dict[int, str] = {}

    @property
    def secrets(self) -> SecretValues:
        """What ``secrets`` stands for in expressions."""
        return SecretValues(self._values)

    @property
    def placeholds(self) -> bool:
        """Is there something that stands for every token, so that none is fetched?"""
        return self._placeholder is not None

    def hold(self, grant: Grant, token: str | None) -> None:
        """Use ``token`` where ``grant`` gives tokens, from now on; None: there is none any more."""
        if token is None:
            self._tokens.pop(id(grant), None)
        else:
            self._tokens[id(grant)] = token

    def sign(self, request: Request, auth: Auth | None, at: float) -> Request:
        """``request`` with what ``auth`` asks for, at ``at`` (Unix seconds); its path and host are those that are sent.

        Nothing is added where a secret is not held, or where the request brings such a credential itself.
        """
        if auth is None:
            return request
        if auth.kind == "query":
            return self._in_query(request, auth)
        named = {name.lower() for name, _ in request.headers}
        added = tuple((name, value) for name, value in self._headers(request, auth, at) if name.lower() not in named)
        headers = (*request.headers, *added)
        return Request(request.method, request.path, request.query, headers, request.body, request.host)

    def signed_again(self, request: Request, auth: Auth | None, at: float) -> Request:
        """``request`` with its credentials, if it has any, replaced: what was sent is not known any more."""
        if auth is None:
            return request
        carrying = {name.encode("latin-1") for name in carriers(auth)}
        headers = tuple(pair for pair in request.headers if pair[0].lower() not in carrying)
        parts = request.query.split("&")
        kept = [part for part in parts if auth.kind != "query" or unquote_plus(part.partition("=")[0]) != auth.name]
        if len(headers) == len(request.headers) and len(kept) == len(parts):
            return request
        bare = Request(request.method, request.path, "&".join(kept), headers, request.body, request.host)
        return self.sign(bare, auth, at)

    def headers(self, auth: Auth | None, at: float = 0.0) -> Headers:
        """The headers that ``auth`` adds to a request of nothing in particular."""
        return self.sign(_NOTHING, auth, at).headers

    def _in_query(self, request: Request, auth: Auth) -> Request:
        value = self._text(auth.token)
        sent = {unquote_plus(part.partition("=")[0]) for part in request.query.split("&")}
        if value is None or auth.name in sent:
            return request
        pair = f"{quote(auth.name, safe='')}={quote(value, safe='')}"
        query = f"{request.query}&{pair}" if request.query else pair
        return Request(request.method, request.path, query, request.headers, request.body, request.host)

    def _headers(self, request: Request, auth: Auth, at: float) -> Headers:
        if auth.hook is not None:
            given = {name: self._text(said) for name, said in auth.given.items()}
            known = {name: text for name, text in given.items() if text is not None}
            return signature(auth, request, known, at) if len(known) == len(given) else ()
        if auth.kind == "sigv4":
            return self._signature(request, auth, at)
        if auth.kind == "basic":
            user, password = self._text(auth.username), self._text(auth.password)
            if user is None and password is None:
                return ()
            return ((b"Authorization", b"Basic " + b64encode(f"{user or ''}:{password or ''}".encode())),)
        token = self._text(auth.token) if auth.grant is None else self._tokens.get(id(auth.grant), self._placeholder)
        if token is None:
            return ()
        if auth.kind == "header":
            return ((auth.name.encode("latin-1"), token.encode()),)
        return ((b"Authorization", b"Bearer " + token.encode()),)

    def _signature(self, request: Request, auth: Auth, at: float) -> Headers:
        id_, secret, session = self._text(auth.username), self._text(auth.password), self._text(auth.session)
        if id_ is None or secret is None:
            return ()
        return sign(request, Key(id_, secret, auth.service, auth.region, session or ""), at)

    def _text(self, said: Said | None) -> str | None:
        value = ABSENT if said is None else said.value(StepScope({"secrets": self.secrets}))
        return None if value is ABSENT or value is None else str(value)

    def hidden(self, auths: Iterable[Auth] = ()) -> Iterator[tuple[str, str]]:
        """(name, text) of everything that must never be seen: the values, and what auth makes of them."""
        yield from self._values.items()
        for auth in auths:
            for part in (auth.token, auth.username, auth.password, auth.session):
                text = self._text(part) if part is not None and not part.constant else None
                if text and text not in self._values.values():
                    yield auth.name or "authorization", text
            if auth.kind == "basic":
                for _, value in self._headers(_NOTHING, auth, 0.0):
                    yield "authorization", value.split(b" ", 1)[1].decode()

    def __repr__(self) -> str:
        return f"Credentials({len(self._values)} hidden)"

    def __reduce__(self) -> str:
        raise TypeError("credentials are not pickled")


def fitting(contract: Contract) -> Credentials:
    """Credentials for a simulator: for each secret a value that fits its ``allow``, and that no provider accepts."""
    values = {secret.name: fitting_value(secret) for secret in contract.secrets.values()}
    return Credentials(values, placeholder="troth-simulated-token")
