"""Plain text bodies, in the character set that their content type names."""

from __future__ import annotations

import re

from troth.contracts.leaves import Fault

__all__ = ["build_text", "charset_of", "parse_text"]

_CHARSET = re.compile(r""";\s*charset\s*=\s*"?([^\s;"]+)"?""", re.IGNORECASE)


def charset_of(content_type: str | None) -> str | Fault:
    """The character set that a content type names; UTF-8 when it names none, a Fault when nobody knows it."""
    found = _CHARSET.search(content_type or "")
    if found is None:
        return "utf-8"
    try:
        b"".decode(found[1])
    except (LookupError, ValueError):
        return Fault("format", f"a known character set, not {found[1][:40]!r}")
    return found[1]


def parse_text(body: bytes, content_type: str | None) -> str | Fault:
    """The text of a body."""
    charset = charset_of(content_type)
    if isinstance(charset, Fault):
        return charset
    try:
        return body.decode(charset)
    except UnicodeError:
        return Fault("format", f"a text in {charset}")


def build_text(text: str) -> bytes:
    """The body of a text, in UTF-8."""
    return text.encode("utf-8", "replace")
