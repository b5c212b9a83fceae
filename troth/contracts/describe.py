"""Values as error messages name them."""

from __future__ import annotations

from typing import Any

__all__ = ["describe"]


def describe(value: Any) -> str:
    """What ``value`` is, in a few words: ``the text 'abc'``, ``the number 5``, ``null``, ``a list of 2``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {_cut(repr(value))}" if value else "an empty text"
    if isinstance(value, int | float):
        return f"the number {_cut(str(value))}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"a mapping with {_cut(', '.join(map(str, value)))}" if value else "an empty mapping"
    return f"a {type(value).__name__}"


def _cut(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"
