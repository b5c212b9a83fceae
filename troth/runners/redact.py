"""Replaces secrets at capture, before anything is stored or printed.

A secret is found by its value, wherever it stands and however it is written (``secret_forms``). Headers that carry
credentials are replaced whole. Each is replaced by a token made with a key of the history
(``token_key``), so that two equal secrets are seen to be equal and nothing else about them is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from sys import intern

from troth.contracts.secret_forms import Forms, every_form, usual_forms
from troth.contracts.values import Value

__all__ = ["Redactor"]

HIDDEN_HEADERS = frozenset(
    {
        "authorization",
        "proxy-authorization",
        "cookie",
        "set-cookie",
        "x-api-key",
        "api-key",
        "x-auth-token",
        "x-goog-api-key",
    }
)
"""Headers that carry credentials whatever the contract says."""

_SHORT = 6
"""A secret shorter than this is replaced only where it stands as a word of its own."""


LEARNT_MOST = 500
"""Secrets that a run learns from exchanges and looks for in all that follow."""


class Redactor:
    """Replaces every secret that it was told of. Shared by all targets of a run, so that tokens compare."""

    __slots__ = ("_forms", "_key", "_learnt", "_shortest")

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._forms: dict[str, str] = {}
        self._shortest = 0
        """Of the forms; a shorter text holds none of them, and most texts are."""
        self._learnt = 0

    def __repr__(self) -> str:
        return f"Redactor({len(self._forms)} hidden)"

    def hide(self, secrets: Iterable[tuple[str, str]], forms: Forms = every_form) -> None:
        """Learn secrets, as (name, value); an empty value is none. ``forms`` gives the ways in which one is written."""
        for name, value in secrets:
            token = self.token(name, value)
            for form in forms(value):
                self._forms.setdefault(form, token)
        self._shortest = min(map(len, self._forms), default=0)

    def learning(self, secrets: Iterable[tuple[str, str]], passing: Iterable[tuple[str, str]] = ()) -> Redactor:
        """Learn secrets that a single exchange shows; what comes back is for that exchange.

        Long ones are hidden from now on everywhere, short ones there alone: a code like ``123`` would otherwise be
        replaced wherever the number stands. So are those in ``passing``, which are good for one request, and what
        comes when so much was learnt that looking for it would take longer than the run.
        """
        here, learnt = list(passing), []
        for name, value in secrets:
            if value in self._forms:
                continue
            if len(value) < _SHORT or self._learnt >= LEARNT_MOST:
                here.append((name, value))
            else:
                self._learnt += 1
                learnt.append((name, value))
        if learnt:
            self.hide(learnt, usual_forms)
        if not here:
            return self
        narrow = Redactor(self._key)
        narrow._forms = dict(self._forms)
        narrow._shortest = self._shortest
        narrow.hide(here, usual_forms)
        return narrow

    def token(self, name: str, value: str) -> str:
        """What stands for a secret: ``[secret:key:ab12cd34]``; equal for equal values under one key."""
        digest = blake2b(value.encode("utf-8", "surrogatepass"), key=self._key, digest_size=4).hexdigest()
        return f"[secret:{name}:{digest}]"

    def text(self, text: str) -> str:
        """``text`` without secrets."""
        if len(text) < self._shortest:
            return text
        here = [form for form in self._forms if form in text]
        if not here:
            return text
        # Longest first: a secret that contains another is replaced as a whole.
        here.sort(key=len, reverse=True)
        return re.sub("|".join(map(_alternative, here)), lambda found: self._forms[found.group()], text)

    def headers(self, headers: Iterable[tuple[bytes, bytes]]) -> tuple[tuple[str, str], ...]:
        """Headers as text without secrets; those that carry credentials keep only their scheme or cookie names."""
        shown = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in headers)
        return tuple((name, self.header(name, value)) for name, value in shown)

    def value(self, value: Value) -> Value:
        """A JSON-like value without secrets, in its keys too; what is not JSON stays as it is."""
        if not self._forms:
            return value
        if isinstance(value, str):
            return self.text(value)
        if value.__class__ is dict:
            # Every exchange has the same few keys, and a run keeps thousands of them.
            return {
                intern(self.text(key)) if key.__class__ is str else self.value(key): self.value(item)
                for key, item in value.items()
            }
        if isinstance(value, bytes):
            return self.text(value.decode("latin-1")).encode("latin-1")
        if isinstance(value, Mapping):
            return {self.value(key): self.value(item) for key, item in value.items()}
        if type(value) in (list, tuple):
            return type(value)(self.value(item) for item in value)
        if isinstance(value, int | float) and str(value) in self._forms and not isinstance(value, bool):
            return self._forms[str(value)]
        return value

    def header(self, name: str, value: str) -> str:
        """The value of one header without secrets; ``name`` in any spelling, ``-`` or ``_``."""
        lower = name.lower().replace("_", "-")
        if lower not in HIDDEN_HEADERS:
            return self.text(value)
        if lower in ("cookie", "set-cookie"):
            return self._cookie(value)
        seen = self.text(value)
        if seen != value:
            return seen
        scheme, _, rest = value.partition(" ")
        return f"{scheme} {self.token(lower, rest)}" if rest else self.token(lower, value)

    def _cookie(self, value: str) -> str:
        pair, semicolon, attributes = value.partition(";")
        name, equals, secret = pair.partition("=")
        if not equals:
            return self.token("cookie", value)
        rest = "; ".join(self._pair(part) for part in attributes.split(";")) if semicolon else ""
        return f"{name}={self.token('cookie', secret)}" + (f"; {rest}" if rest else "")

    def _pair(self, part: str) -> str:
        """One more cookie, or an attribute of one (``Path=/``), which is no secret."""
        name, equals, value = part.strip().partition("=")
        if not equals or name.lower() in _ATTRIBUTES:
            return part.strip()
        return f"{name}={self.token('cookie', value)}"


_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite", "priority", "version"})


def _alternative(form: str) -> str:
    escaped = re.escape(form)
    return rf"(?<![A-Za-z0-9_]){escaped}(?![A-Za-z0-9_])" if len(form) < _SHORT else escaped
