"""Text from outside, made safe to show to a person.

Providers send what they like: terminal escapes, right-to-left overrides, zero-width marks, NUL. Whoever reads a report
must see that they are there, and nothing that shows a report may obey them.
"""

from __future__ import annotations

__all__ = ["shorten", "visible"]

_JOINER = "\u200d"
"""Zero-width joiner: without it an emoji family falls apart into its members."""
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str, keep: str = "") -> str:
    """``text`` with every character that does not print replaced by its escape (``\\u202e``, ``\\x1b``).

    Characters in ``keep`` (usually newline and tab) stay as they are.
    """
    rest = text
    for char in keep:
        rest = rest.replace(char, "")
    if rest.isprintable():
        return text
    return "".join(char if _plain(char, keep) else _escape(char) for char in text)


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters of ``text``; an ellipsis says that something was left out."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def _plain(char: str, keep: str) -> bool:
    return char.isprintable() or char in keep or char == _JOINER


def _escape(char: str) -> str:
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
