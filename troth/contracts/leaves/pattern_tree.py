"""The syntax tree of a regular expression, in the few shapes that sampling and judging its cost need.

Built from the parser of the standard library's ``re`` (``re._parser``), so that nothing is read differently there and
here. ``\\d``, ``\\w`` and ``\\s`` are ASCII, as in JSON Schema.
"""

from __future__ import annotations

import re
from re import _parser
from typing import Any, Final, TypeAlias

from troth.frozen import frozen

__all__ = ["OTHER", "UNBOUNDED", "Branch", "Chars", "Element", "Elements", "Group", "Look", "Repeat", "parse"]

OTHER: Final = -1
"""Stands in a set of characters for all those beyond ASCII."""
UNBOUNDED: Final = 1 << 20
"""The upper bound of a repeat that has none."""

_ASCII: Final = frozenset(range(128))
_EVERYTHING: Final = _ASCII | {OTHER}
_CATEGORIES: Final = {
    f"CATEGORY_{name}": frozenset(code for code in _ASCII if re.match(written, chr(code), re.ASCII))
    for name, written in (("DIGIT", r"\d"), ("WORD", r"\w"), ("SPACE", r"\s"))
}


@frozen
class Chars:
    """One character out of ``codes``; ``listed``: the author listed them, rather than what they are not."""

    codes: frozenset[int]
    listed: bool = True


@frozen
class Repeat:
    """``body`` from ``low`` to ``high`` times."""

    low: int
    high: int
    body: Elements


@frozen
class Branch:
    """One of several sequences."""

    ways: tuple[Elements, ...]


@frozen
class Group:
    """A numbered group, or (``body`` None) the text of one again."""

    number: int
    body: Elements | None


@frozen
class Look:
    """Something that takes no character: an anchor, a look-ahead."""

    body: Elements = ()


Element: TypeAlias = "Chars | Repeat | Branch | Group | Look"
Elements: TypeAlias = "tuple[Element, ...]"


def parse(source: str) -> tuple[Elements, int]:
    """The tree and the least number of characters it takes.

    Raises ``re.error`` for what is no regular expression, ``ValueError`` for what we do not take.
    """
    tree = _parser.parse(source, re.ASCII)
    if tree.state.flags & ~re.ASCII:
        raise ValueError("inline flags like (?i)")
    return _sequence(tree), int(tree.getwidth()[0])


def _sequence(tree: Any) -> Elements:
    return tuple(element for op, value in tree for element in _element(str(op), value))


def _element(op: str, value: Any) -> Elements:
    if op in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
        return (_chars(op, value),)
    if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        low, high, body = value
        return (Repeat(int(low), min(int(high), UNBOUNDED), _sequence(body)),)
    if op == "BRANCH":
        return (Branch(tuple(_sequence(way) for way in value[1])),)
    if op == "SUBPATTERN":
        number, added, removed, body = value
        if added or removed:
            raise ValueError("inline flags like (?i:...)")
        inner = _sequence(body)
        return inner if number is None else (Group(int(number), inner),)
    if op == "ATOMIC_GROUP":
        return _sequence(value)
    if op == "GROUPREF":
        return (Group(int(value), None),)
    if op == "AT":
        return (Look(),)
    if op in ("ASSERT", "ASSERT_NOT"):
        return (Look(_sequence(value[1])),)
    raise ValueError(f"the construct {op.lower()}")


def _chars(op: str, value: Any) -> Chars:
    if op == "LITERAL":
        return Chars(_code(value))
    if op == "NOT_LITERAL":
        return Chars(_EVERYTHING - {value}, listed=False)
    if op == "ANY":
        return Chars(_EVERYTHING - {ord("\n")}, listed=False)
    negated = bool(value) and str(value[0][0]) == "NEGATE"
    codes: set[int] = set()
    for kind, part in value[1:] if negated else value:
        codes |= _part(str(kind), part)
    return Chars(_EVERYTHING - (codes - {OTHER}), listed=False) if negated else Chars(frozenset(codes))


def _part(kind: str, part: Any) -> frozenset[int]:
    if kind == "LITERAL":
        return _code(part)
    if kind == "RANGE":
        low, high = part
        # A range far beyond ASCII is sampled from its beginning.
        codes = frozenset(range(low, min(high, low + 255) + 1))
        return codes | {OTHER} if high > 127 else codes
    name = str(part)
    if name in _CATEGORIES:
        return _CATEGORIES[name]
    return _EVERYTHING - _CATEGORIES[name.replace("_NOT_", "_")]


def _code(code: int) -> frozenset[int]:
    return frozenset((code,)) if code < 128 else frozenset((code, OTHER))
