"""``$url``: an absolute URL, or a reference that begins with a slash."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from troth.contracts.expressions.unknowns import Instant
from troth.contracts.leaves.arguments import Arguments
from troth.contracts.leaves.base import BaseLeaf, Fault, same_json, wrong_type
from troth.contracts.matcher import Draw
from troth.contracts.values import Json, Value
from troth.frozen import frozen

__all__ = ["UrlLeaf", "build_url", "is_url"]

_FORM = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#\\]+|(?=/))[^\s\\]*")
_PATH = re.compile(r"/[^\s?#\\]*")
_HOST = re.compile(r"[A-Za-z0-9.-]+(?::[0-9]{1,5})?", re.ASCII)
_KEYS = ("path", "query", "host")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@frozen
class UrlLeaf(BaseLeaf):
    """A URL with this ``path``, these ``query`` parameters among others, and this ``host``, where they are given.

    Expressions may give a URL as a text, or as a mapping of ``path``, ``query`` and ``host``. Where no host is given,
    scheme and host are not compared, since they differ from target to target.
    """

    path: str | None = None
    query: tuple[tuple[str, str], ...] = ()
    host: str | None = None

    name = "url"

    def fault(self, value: Json) -> Fault | None:
        if value.__class__ is not str:
            return wrong_type(value, "a URL, a text")
        if not is_url(value):
            return Fault("format", "an absolute URL, or a path that begins with a slash")
        demanded = {"path": self.path, "query": dict(self.query), "host": self.host}
        return None if _fits(demanded, value) else Fault("format", f"a URL like {self._reference()}")

    def _reference(self) -> str:
        return _written(self.path or "/", dict(self.query), self.host)

    def make(self, draw: Draw, now: Instant) -> Json:
        path = f"/{draw.text(8, _LETTERS)}" if self.path is None else self.path
        # example.com is reserved for this (RFC 2606); a path of the provider's own is given without a host.
        host = "example.com" if self.path is None and self.host is None else self.host
        return _written(path, dict(self.query), host)

    def express(self, value: Value) -> Json:
        if not isinstance(value, dict) or not value.keys() <= set(_KEYS):
            return value
        return _written(value.get("path") or "/", value.get("query") or {}, value.get("host"))

    def same(self, expected: Value, observed: Json) -> bool:
        if not isinstance(observed, str) or not is_url(observed):
            return same_json(expected, observed)
        if isinstance(expected, dict):
            return _fits(expected, observed)
        if isinstance(expected, str) and expected.startswith("/"):
            parts = urlsplit(observed)
            after = f"?{parts.query}" if parts.query else ""
            return expected == parts.path + after + (f"#{parts.fragment}" if parts.fragment else "")
        return same_json(expected, observed)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "uri-reference"}


def is_url(text: str) -> bool:
    """Is it an absolute URL, or a path that begins with a slash?"""
    if not _FORM.fullmatch(text):
        return False
    try:
        urlsplit(text).port  # noqa: B018 - reading it checks it
    except ValueError:
        return False
    return True


def _fits(demanded: Mapping[str, Any], url: str) -> bool:
    parts = urlsplit(url)
    path, query, host = (demanded.get(key) for key in _KEYS)
    if path and parts.path != path:
        return False
    if host and parts.netloc.rpartition("@")[2].lower() != str(host).lower():
        return False
    given = parse_qsl(parts.query, keep_blank_values=True)
    return all((str(key), _text(value)) in given for key, value in (query or {}).items())


def _written(path: str, query: Mapping[str, Any], host: Any) -> str:
    written = f"https://{host}{path}" if host else path
    return f"{written}?{urlencode({key: _text(value) for key, value in query.items()})}" if query else written


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def build_url(args: Arguments) -> UrlLeaf | None:
    """``$url``, ``$url: /path``, or ``$url: {path, query, host}``, all of them constants."""
    args.only(*_KEYS)
    path, query, host = args.text("path"), dict(args.mapping("query")), args.text("host")
    if isinstance(args.argument, str):
        path, _, after = args.argument.partition("?")
        query.update(parse_qsl(after, keep_blank_values=True))
    else:
        args.no_scalar()
    for what, form, text in (("path", _PATH, path), ("host", _HOST, host)):
        if text is not None and not form.fullmatch(text):
            asked = "a path that begins with a slash, without spaces" if what == "path" else "a host name"
            args.problem("E251", f"{asked} as the {what} of $url", repr(text), "", args.place_of(what))
    for key, value in query.items():
        if value.__class__ not in (str, int, float, bool) or "{{" in str(value):
            args.problem("E251", f"a constant as {key!r} in the query of $url", repr(value), "", args.place_of("query"))
    if not args.ok:
        return None
    return UrlLeaf(path, tuple((key, _text(value)) for key, value in query.items()), host)
