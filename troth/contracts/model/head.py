"""The headers of a request, looked through once for everything that is asked of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troth.contracts.exchange import Headers, Request
from troth.contracts.model.credentials import BEYOND_HEADERS, auth_ok

if TYPE_CHECKING:
    from troth.contracts.auth import Auth

__all__ = ["Head"]


class Head:
    """``first`` has the headers by lower-case name, of duplicates the first.

    Worth keeping for as long as the same ``raw`` comes again: clients repeat themselves, and the server gives equal
    blocks of headers as one tuple.
    """

    __slots__ = ("_auth", "_authorized", "content_type", "first", "raw")

    def __init__(self, raw: Headers) -> None:
        self.raw = raw
        self.first: dict[bytes, bytes] = {}
        for name, value in reversed(raw):
            self.first[name.lower()] = value
        self.content_type = self.text(b"content-type")
        self._auth: Auth | None = None
        self._authorized = True

    def text(self, name: bytes) -> str | None:
        """The header called ``name`` (in lower case), decoded as Latin-1; None when there is none."""
        found = self.first.get(name)
        return None if found is None else found.decode("latin-1")

    def authorized(self, auth: Auth | None, request: Request) -> bool:
        """``auth.ok``: are there credentials as ``auth`` demands them (none: always)?"""
        if auth is not self._auth:
            if auth is not None and auth.kind in BEYOND_HEADERS:
                return auth_ok(auth, self.first, request)
            self._auth = auth
            self._authorized = auth_ok(auth, self.first, request)
        return self._authorized
