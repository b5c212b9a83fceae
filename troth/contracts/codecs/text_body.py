"""Plain text bodies, in the character set that their content type names."""

from __future__ import annotations

import re

from troth.contracts.leaves import Fault

__all__ = ["build_text", "parse_text"]

_CHARSET = re.compile(r""";\s*charset\s*=\s*"?([^\s;"]+)"?""", re.IGNORECASE)


def parse_text(body: bytes, content_type: str | None) -> str | Fault:
    """The text of a body; in UTF-8 when the content type names no character set."""
    found = _CHARSET.search(content_type or "")
    charset = found[1] if found else "utf-8"
    try:
        return body.decode(charset)
    except LookupError:
        return Fault("format", f"a known character set, not {charset[:40]!r}")
    except ValueError:
        return Fault("format", f"a text in {charset[:40]}")


def build_text(text: str) -> bytes:
    """The body of a text, in UTF-8."""
    return text.encode("utf-8", "replace")
