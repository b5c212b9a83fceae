"""Unquoted YAML scalars, narrowed to what cannot be misread.

``true``, ``false``, ``null``, whole numbers and plain decimals are what they look like; everything else is text.
What only looks like one of them, or reads differently elsewhere (``0123``, ``1e3``, ``10.00``, ``~``, ``True``), is a
hazard: the reader reports it with both spellings.
"""

from __future__ import annotations

import re
from decimal import Decimal

from troth.frozen import frozen

__all__ = ["Hazard", "resolve"]

_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_LIKE_WORDS = {
    "True": "true", "TRUE": "true", "False": "false", "FALSE": "false", "Null": "null", "NULL": "null", "~": "null",
}  # fmt: skip
_WHOLE = re.compile(r"-?(0|[1-9]\d*)", re.ASCII)
_DECIMAL = re.compile(r"-?(0|[1-9]\d*)\.(\d*[1-9]|0)", re.ASCII)
_LIKE_WHOLE = re.compile(r"[-+]?\d[\d_]*", re.ASCII)
_LIKE_BASED = re.compile(r"[-+]?0[xXoObB][\da-fA-F_]+", re.ASCII)
_LIKE_DECIMAL = re.compile(r"[-+]?(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][-+]?\d{1,3})?", re.ASCII)
_LIKE_HUGE = re.compile(r"[-+]?[\d_.]*\d[\d_.]*[eE][-+]?\d+", re.ASCII)
_LIKE_SPECIAL = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_NUMERIC = frozenset("0123456789+-.")
_LONGEST = 400
"""Digits; longer numbers are texts, and Python refuses to read integers far above this."""


@frozen
class Hazard:
    """An unquoted scalar that may not stand: ``code``, and how to write what was meant (``value`` stands in for it)."""

    code: str
    found: str
    fix: str
    value: str


def resolve(text: str) -> bool | int | float | str | Hazard | None:
    """What an unquoted scalar means."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in _NUMERIC:
        return _number(text)
    if text in _LIKE_WORDS:
        word = _LIKE_WORDS[text]
        return Hazard("E021", text, f'Write {word} for the value, or "{text}" for the text', text)
    if text.startswith("${"):
        name = re.split("[}:]", text[2:], maxsplit=1)[0] or "NAME"
        return Hazard("E013", text, f"Write {{env: {name}, default: x}} without ${{}}, or quote it as a text", text)
    return text


def _number(text: str) -> int | float | str | Hazard:
    if _WHOLE.fullmatch(text):
        return int(text) if len(text) <= _LONGEST else _hazard(text[:20] + "…", "")
    if _DECIMAL.fullmatch(text):
        return float(text) if _exact(text) else _hazard(text, "")
    if _LIKE_WHOLE.fullmatch(text):
        return _hazard(text, _whole_spelling(text))
    if _LIKE_BASED.fullmatch(text):
        return _hazard(text, _based_spelling(text))
    if _LIKE_DECIMAL.fullmatch(text):
        return _hazard(text, _decimal_spelling(text))
    if _LIKE_SPECIAL.fullmatch(text) or _LIKE_HUGE.fullmatch(text):
        return _hazard(text, "")
    return text


def _hazard(text: str, number: str) -> Hazard:
    fix = f'Write "{text}" for the text' + (f", or {number} for the number" if number else "; no number is exact here")
    return Hazard("E020", text, fix, text)


def _exact(text: str) -> bool:
    return len(text) <= _LONGEST and Decimal(repr(float(text))) == Decimal(text)


def _whole_spelling(text: str) -> str:
    digits = text.replace("_", "").lstrip("+")
    return str(int(digits)) if len(digits) <= _LONGEST else ""


def _based_spelling(text: str) -> str:
    try:
        return str(int(text.replace("_", "").lower(), 0)) if len(text) <= _LONGEST else ""
    except ValueError:  # 0b12
        return ""


def _decimal_spelling(text: str) -> str:
    if len(text) > _LONGEST:
        return ""
    number = Decimal(text.replace("_", ""))
    if abs(number.adjusted()) > _LONGEST:
        return ""
    plain = format(number, "f").lstrip("+")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    if "." not in plain and "e" not in text.lower():
        plain += ".0"
    return plain if _exact(plain) else ""
