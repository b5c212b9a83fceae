"""The ways in which a secret may be written: on the wire, in a page, in a message that quotes it."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from typing import TypeAlias
from urllib.parse import quote, quote_plus

__all__ = ["Forms", "every_form", "usual_forms"]

Forms: TypeAlias = Callable[[str], Iterator[str]]
"""From a secret to the texts that show it."""

_LEAST = 8
"""Shorter pieces of base64 are too likely to stand somewhere by chance."""

_LEVELS = 3


def usual_forms(value: str) -> Iterator[str]:
    """How a field of a reply comes back: as it is, percent-encoded, escaped in JSON, in base64."""
    if not value:
        return
    raw = value.encode("utf-8", "surrogatepass")
    yield value
    yield from _percent(raw)
    yield from _json(value)
    # Headers are read as Latin-1, whatever they were written in.
    misread = raw.decode("latin-1")
    yield misread
    yield from _json(misread)
    # Basic auth with the secret as the user name and no password, as many providers want it, is the second.
    for plain in (raw, raw + b":"):
        yield b64encode(plain).decode().rstrip("=")
        yield urlsafe_b64encode(plain).decode().rstrip("=")


def every_form(value: str) -> Iterator[str]:
    """For credentials: also encoded twice, quoted by Python, in HTML, in hexadecimal, and in the middle of base64."""
    if not value:
        return
    raw = value.encode("utf-8", "surrogatepass")
    yield from usual_forms(value)
    for form in _elsewhere(value, raw):
        yield form
        # Errors are often a text that quotes, inside of JSON.
        yield from _json(form)
    yield from (raw.hex(), raw.hex().upper())
    yield from _inside_base64(raw)


def _elsewhere(value: str, raw: bytes) -> Iterator[str]:
    for once in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield from _percent(once.encode())
    # JSON in a text in JSON; each level escapes again.
    escaped = value
    for _ in range(_LEVELS):
        escaped = json.dumps(escaped)[1:-1]
        yield escaped
    yield from _quoted(value, raw)
    yield from _html(value)


def _json(text: str) -> Iterator[str]:
    for escaped in (json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]):
        yield escaped
        yield escaped.replace("/", "\\/")


def _percent(raw: bytes) -> Iterator[str]:
    for encoded in (quote(raw, safe=""), quote(raw), quote_plus(raw)):
        yield encoded
        yield re.sub("%[0-9A-F]{2}", lambda found: found.group().lower(), encoded)


def _quoted(value: str, raw: bytes) -> Iterator[str]:
    """As Python shows texts and bytes: which quotes are escaped depends on what stands around."""
    for shown, prefix in ((repr(value), ""), (repr(raw), "b")):
        yield shown[len(prefix) + 1 : -1]
    yield repr("'\"" + value)[4:-1]
    yield repr(b"'\"" + raw)[5:-1]
    # Names in paths: $['...'].
    yield value.replace("\\", "\\\\").replace("'", "\\'")


def _html(value: str) -> Iterator[str]:
    escaped = html.escape(value)
    yield escaped
    yield html.escape(value, quote=False)
    yield escaped.replace("&#x27;", "&#39;")
    yield escaped.replace("&#x27;", "&#39;").replace("&quot;", "&#34;")


def _inside_base64(raw: bytes) -> Iterator[str]:
    """The letters that the secret alone decides, where it begins at each of the three places in a group."""
    for before in range(3):
        first, end = -(-before * 8 // 6), (before + len(raw)) * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            piece = encode(bytes(before) + raw).decode()[first:end]
            if len(piece) >= _LEAST:
                yield piece
