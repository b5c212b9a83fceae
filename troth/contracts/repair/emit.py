"""Data as the narrowed YAML of contracts, in as few words as a person would write."""

from __future__ import annotations

import json
import re
from typing import Any

from troth.contracts.yaml_files.scalars import resolve

__all__ = ["Unwritable", "block_lines", "flow", "literal"]

_PLAIN = re.compile(r"(\$?[A-Za-z_]|\d)[\w./+-]*( [\w./+-]+)*\??", re.ASCII)
_WORD = re.compile(r"[A-Z]+")
_ELSEWHERE = frozenset({"yes", "no", "on", "off", "y", "n"})
"""Texts that YAML 1.1, and so many an editor, takes for booleans."""


class Unwritable(Exception):
    """A value that a contract cannot say literally."""


def literal(value: Any) -> Any:
    """What to write for a value itself: ``$x`` is ``$$x``. Unwritable for texts with braces, which are expressions."""
    if isinstance(value, str):
        if "{" in value or "[secret:" in value:
            raise Unwritable("a text with braces or a secret in it cannot be a literal")
        return f"${value}" if value.startswith("$") else value
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and isinstance(resolve(repr(value)), float):
        return value
    if isinstance(value, list):
        return [literal(item) for item in value]
    if isinstance(value, dict):
        return {literal(key): literal(item) for key, item in value.items()}
    raise Unwritable("a value that YAML has no exact spelling for")


def flow(data: Any) -> str:
    """On one line, in braces and brackets."""
    if isinstance(data, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(value)}" for key, value in data.items()) + "}"
    if isinstance(data, list):
        only_word = len(data) == 1 and isinstance(data[0], str) and _WORD.fullmatch(data[0])
        return "[" + ", ".join(map(_quoted if only_word else flow, data)) + "]"
    if isinstance(data, str):
        plain = _PLAIN.fullmatch(data) and resolve(data) == data and data.lower() not in _ELSEWHERE
        return data if plain else _quoted(data)
    return "null" if data is None else json.dumps(data)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()


def block_lines(data: dict[str, Any], indent: int, width: int) -> list[str]:
    """One entry a line, indented by ``indent``; what would be wider than ``width`` in a block of its own."""
    lines: list[str] = []
    for key, value in data.items():
        line = f"{' ' * indent}{flow(key)}: {flow(value)}"
        if len(line) > width and isinstance(value, dict) and value:
            lines.append(f"{' ' * indent}{flow(key)}:")
            lines += block_lines(value, indent + 2, width)
        else:
            lines.append(line)
    return lines
