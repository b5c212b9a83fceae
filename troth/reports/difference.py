"""One value beside another, with the part that differs marked.

Values are compared as they are on the wire: ``true``, ``1``, ``1.0`` and ``"1"`` all differ.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from troth.contracts.values import ABSENT, Unknown, Value
from troth.reports.pieces import Line, Sheet
from troth.reports.visible import visible

__all__ = ["beside", "literal", "same", "written"]

_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)
_TOKENS = 400
"""Texts with more tokens than this are compared by their common beginning and end only."""
_TEXT = 600
"""Characters of one text that are shown."""
_INLINE = 60
"""Structures without structures inside that are not longer stand on one line."""
_DEPTH = 60
_LIMIT = 4_000


def same(one: Value, other: Value) -> bool:
    """Are both the same on the wire?"""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, Unknown) and isinstance(other, Unknown):
        return one.label == other.label
    return type(one) is type(other) and bool(one == other)


def literal(value: Value) -> str:
    """A value that is no structure, as one line of text."""
    if isinstance(value, str):
        return visible(json.dumps(value, ensure_ascii=False))
    if value is ABSENT:
        return "absent"
    if isinstance(value, Unknown):
        return "not known"
    if isinstance(value, bytes | bytearray):
        return f"{len(value)} bytes: {bytes(value[:24]).hex(' ')}" + (" …" if len(value) > 24 else "")
    if isinstance(value, Decimal):
        return str(value)
    try:
        return visible(json.dumps(value))
    except (TypeError, ValueError):
        return visible(str(value))


def written(value: Value, limit: int = _LIMIT) -> list[Line]:
    """The value, indented, nothing marked."""
    return beside(value, value, limit)


def beside(value: Value, reference: Value, limit: int = _LIMIT) -> list[Line]:
    """``value``, indented, with what differs from ``reference`` marked; about ``limit`` characters at most."""
    sheet = Sheet(limit)
    _node(sheet, value, reference, 0)
    return list(sheet.lines)


def _node(sheet: Sheet, value: Value, reference: Value, indent: int) -> None:
    if sheet.full:
        return
    if indent > _DEPTH:
        sheet.add("… nested deeper", note=True)
    elif isinstance(value, str) and isinstance(reference, str):
        _text(sheet, value, reference)
    elif isinstance(value, Mapping) and isinstance(reference, Mapping):
        _object(sheet, value, reference, indent)
    elif isinstance(value, list | tuple) and isinstance(reference, list | tuple):
        _array(sheet, value, reference, indent)
    else:
        _whole(sheet, value, not same(value, reference), indent)


def _whole(sheet: Sheet, value: Value, mark: bool, indent: int) -> None:
    """A value of which all or nothing is marked."""
    if isinstance(value, Mapping) and value:
        _brackets(sheet, "{}", [(_key(key), member) for key, member in value.items()], mark, indent)
    elif isinstance(value, list | tuple) and value:
        _brackets(sheet, "[]", [("", item) for item in value], mark, indent)
    elif isinstance(value, Mapping | list | tuple):
        sheet.add("{}" if isinstance(value, Mapping) else "[]", mark)
    elif isinstance(value, str):
        clipped = value if len(value) <= _TEXT else value[:_TEXT]
        sheet.add(literal(clipped), mark)
        _left_out(sheet, len(value) - len(clipped))
    else:
        sheet.add(literal(value), mark, note=value is ABSENT)


def _brackets(sheet: Sheet, ends: str, members: list[tuple[str, Value]], mark: bool, indent: int) -> None:
    inline = _inline(members)
    sheet.add(ends[0], mark)
    for number, (label, member) in enumerate(members):
        if sheet.full:
            return
        if not inline:
            sheet.newline(indent + 1)
        sheet.add(label, mark)
        if indent < _DEPTH:
            _whole(sheet, member, mark, indent + 1)
        else:
            sheet.add("… nested deeper", note=True)
        if number < len(members) - 1:
            sheet.add(", " if inline else ",", mark)
    if not inline:
        sheet.newline(indent)
    sheet.add(ends[1], mark)


def _inline(members: list[tuple[str, Value]]) -> bool:
    size = 0
    for label, member in members[:_INLINE]:
        if isinstance(member, Mapping | list | tuple) and member:
            return False
        size += len(label) + (len(member) if isinstance(member, str) else 6) + 4
    return size <= _INLINE and len(members) <= _INLINE


def _key(key: Any) -> str:
    return literal(str(key)) + ": "


def _object(sheet: Sheet, value: Mapping[Any, Value], reference: Mapping[Any, Value], indent: int) -> None:
    missing = [key for key in reference if key not in value]
    if not value and not missing:
        sheet.add("{}")
        return
    sheet.add("{")
    for number, (key, member) in enumerate(value.items()):
        if sheet.full:
            return
        sheet.newline(indent + 1)
        if key in reference:
            sheet.add(_key(key))
            _node(sheet, member, reference[key], indent + 1)
        else:
            sheet.add(_key(key), mark=True)
            _whole(sheet, member, True, indent + 1)
        if number < len(value) - 1:
            sheet.add(",")
    for key in missing[:5]:
        sheet.newline(indent + 1)
        sheet.add(f"no {literal(str(key))}", mark=True, note=True)
    if len(missing) > 5:
        sheet.newline(indent + 1)
        sheet.add(f"and {len(missing) - 5} more that are not there", mark=True, note=True)
    sheet.newline(indent)
    sheet.add("}")


def _array(
    sheet: Sheet, value: list[Value] | tuple[Value, ...], reference: list[Value] | tuple[Value, ...], indent: int
) -> None:
    fewer = len(reference) - len(value)
    if not value and fewer <= 0:
        sheet.add("[]")
        return
    sheet.add("[")
    for number, item in enumerate(value):
        if sheet.full:
            return
        sheet.newline(indent + 1)
        if number < len(reference):
            _node(sheet, item, reference[number], indent + 1)
        else:
            _whole(sheet, item, True, indent + 1)
        if number < len(value) - 1:
            sheet.add(",")
    if fewer > 0:
        sheet.newline(indent + 1)
        sheet.add(f"{fewer} {'item' if fewer == 1 else 'items'} fewer", mark=True, note=True)
    sheet.newline(indent)
    sheet.add("]")


def _text(sheet: Sheet, value: str, reference: str) -> None:
    if value == reference:
        _whole(sheet, value, False, 0)
        return
    if not value:
        sheet.add('""', mark=True)
        return
    value, reference, before, after = _window(value, reference)
    sheet.add('"')
    _left_out(sheet, before)
    for text, mark in _spans(value, reference):
        sheet.add(literal(text)[1:-1], mark)
    _left_out(sheet, after)
    sheet.add('"')


def _window(value: str, reference: str) -> tuple[str, str, int, int]:
    """Both texts around their first difference, and how much of ``value`` was left out before and after."""
    if max(len(value), len(reference)) <= _TEXT:
        return value, reference, 0, 0
    start = max(0, _common(value, reference) - 80)
    end = start + _TEXT
    return value[start:end], reference[start:end], start, max(0, len(value) - end)


def _spans(value: str, reference: str) -> list[tuple[str, bool]]:
    """``value`` in runs; True where a run does not stand in ``reference``."""
    spans = _runs(value, reference)
    # Only something left out: no part of this text is what differs, all of it is.
    return spans if any(mark for _, mark in spans) else [(value, True)]


def _runs(value: str, reference: str) -> list[tuple[str, bool]]:
    ours, theirs = _TOKEN.findall(value), _TOKEN.findall(reference)
    if len(ours) + len(theirs) > _TOKENS:
        return _by_ends(value, reference)
    matcher = difflib.SequenceMatcher(None, theirs, ours, autojunk=False)
    if matcher.ratio() < 0.3:
        # Two texts that have only commas and blanks in common are simply two texts.
        return _by_ends(value, reference)
    return [
        ("".join(ours[start:end]), tag != "equal") for tag, _, _, start, end in matcher.get_opcodes() if start < end
    ]


def _by_ends(value: str, reference: str) -> list[tuple[str, bool]]:
    head = _common(value, reference)
    tail = _common(value[head:][::-1], reference[head:][::-1])
    end = len(value) - tail
    return [
        (text, mark) for text, mark in ((value[:head], False), (value[head:end], True), (value[end:], False)) if text
    ]


def _common(one: str, other: str) -> int:
    """How many characters both begin with."""
    limit = min(len(one), len(other))
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _left_out(sheet: Sheet, count: int) -> None:
    if count > 0:
        sheet.add(f"…{count:,} more characters…", note=True)
