"""Secrets that no contract names: what a provider hands out as a session, and what credentials make for one request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from troth.contracts.auth import Auth
from troth.contracts.exchange import Headers
from troth.contracts.model.credentials import carriers

__all__ = ["sessions", "signatures"]

_LEAST = 16
"""Shorter cookies are settings (``lang=en``), which would be replaced wherever the word stands."""
_SIGNED = re.compile(r"Signature=([0-9a-f]{64})")
_PARTS = re.compile(r"[\s,;=:\"]+")


def sessions(sent: Headers, got: Headers) -> Iterator[tuple[str, str]]:
    """(name, value) of the cookies in a request and its reply."""
    for name, value in (*sent, *got):
        lower = name.lower()
        if lower in (b"cookie", b"set-cookie"):
            text = value.decode("latin-1")
            for pair in text.split(";") if lower == b"cookie" else (text.partition(";")[0],):
                cookie = pair.strip().partition("=")[2].strip('"')
                if len(cookie) >= _LEAST:
                    yield "cookie", cookie


def signatures(sent: Headers, auth: Auth | None) -> Iterator[tuple[str, str]]:
    """(name, value) of what ``auth`` made for a request, where that is not one of the secrets themselves."""
    if auth is None or auth.kind not in ("hook", "sigv4"):
        return
    carrying = {name.encode("latin-1") for name in carriers(auth)}
    for name, value in sent:
        if name.lower() in carrying:
            lower, text = name.decode("latin-1").lower(), value.decode("latin-1")
            yield from ((lower, part) for part in _made(text, auth.kind))


def _made(text: str, kind: str) -> Iterator[str]:
    if kind == "sigv4":
        yield from _SIGNED.findall(text)
        return
    yield text
    yield from (part for part in _PARTS.split(text) if len(part) >= _LEAST)
