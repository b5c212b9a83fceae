"""The body of a recorded request or answer, readable, with the place that a finding names marked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from troth.contracts.json_path import Segment, segments
from troth.reports.difference import literal
from troth.reports.pieces import Line, Piece, Sheet, cut_lines
from troth.reports.visible import visible

__all__ = ["body_lines", "mark_at"]

_PARSED = 262_144
"""Longer bodies are shown as they are: nobody reads them, and laying them out takes long."""


def body_lines(body: str, path: str, limit: int) -> list[Line]:
    """``body``, laid out when it is JSON, about ``limit`` characters of it, ``path`` marked when it leads into it."""
    if not body:
        return []
    parsed, value = _parse(body)
    if parsed:
        return cut_lines(mark_at(value, segments(path) if path.startswith("$") else None), limit)
    shown = body[: limit * 2]
    lines: list[Line] = [[Piece(line)] for line in visible(shown, keep="\n\t").replace("\\r\n", "\n").split("\n")]
    if len(shown) < len(body):
        lines[-1] = [*lines[-1], Piece(f"… {len(body) - len(shown):,} characters cut", False, True)]
    return _cut_text(lines, limit)


def mark_at(value: Any, steps: Sequence[Segment] | None) -> list[Line]:
    """``value`` laid out; marked is what ``steps`` lead to, or the innermost thing on the way that is there."""
    if steps is None:
        return [[Piece(line)] for line in _written(value)]
    sheet = Sheet(_PARSED * 4)
    _node(sheet, value, steps, 0)
    return list(sheet.lines)


def _parse(body: str) -> tuple[bool, Any]:
    if len(body) > _PARSED or body.lstrip()[:1] not in ("{", "["):
        return False, None
    try:
        return True, json.loads(body)
    except (ValueError, RecursionError):
        return False, None


def _cut_text(lines: list[Line], limit: int) -> list[Line]:
    """Like ``cut_lines``, for text whose first line alone may be too long."""
    first = lines[0]
    if first and len(first[0].text) > limit:
        rest = len(first[0].text) - limit
        return [[Piece(first[0].text[:limit]), Piece(f"… {rest:,} characters cut", False, True)]]
    return cut_lines(lines, limit)


def _node(sheet: Sheet, value: Any, steps: Sequence[Segment], indent: int) -> None:
    if not steps:
        _all(sheet, value, indent, mark=True)
    elif isinstance(value, Mapping):
        _members(sheet, value, steps, indent)
    elif isinstance(value, list):
        _items(sheet, value, steps, indent)
    else:
        # The path leads on, and there is nothing below this: here is where it differs.
        _all(sheet, value, indent, mark=True)


def _members(sheet: Sheet, value: Mapping[str, Any], steps: Sequence[Segment], indent: int) -> None:
    step, rest = steps[0], steps[1:]
    sheet.add("{")
    last = len(value) - 1
    for number, (key, member) in enumerate(value.items()):
        sheet.newline(indent + 1)
        here = step in (key, "*")
        sheet.add(literal(key), mark=here and not rest)
        sheet.add(": ")
        if here:
            _node(sheet, member, rest, indent + 1)
        else:
            _all(sheet, member, indent + 1)
        sheet.add("," if number < last else "")
    if step != "*" and step not in value:
        sheet.newline(indent + 1)
        sheet.add(f"no {literal(step)}", mark=True, note=True)
    sheet.newline(indent)
    sheet.add("}")


def _items(sheet: Sheet, value: list[Any], steps: Sequence[Segment], indent: int) -> None:
    step, rest = steps[0], steps[1:]
    sheet.add("[")
    for number, item in enumerate(value):
        sheet.newline(indent + 1)
        if step in (number, "*"):
            _node(sheet, item, rest, indent + 1)
        else:
            _all(sheet, item, indent + 1)
        sheet.add("," if number < len(value) - 1 else "")
    if isinstance(step, int) and step >= len(value):
        sheet.newline(indent + 1)
        sheet.add(f"no item {step}", mark=True, note=True)
    sheet.newline(indent)
    sheet.add("]")


def _all(sheet: Sheet, value: Any, indent: int, mark: bool = False) -> None:
    """The whole value, all marked or nothing; its further lines stand under the place where it begins."""
    if isinstance(value, dict | list):
        first, *rest = _written(value)
        sheet.add(first, mark)
        for line in rest:
            sheet.newline(indent)
            sheet.add(line, mark)
    else:
        sheet.add(literal(value), mark)


def _written(value: Any) -> list[str]:
    return visible(json.dumps(value, indent=2, ensure_ascii=False), keep="\n").split("\n")
