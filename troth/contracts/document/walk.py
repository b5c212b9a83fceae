"""Walks over matchers as they were read: which are named where, and which expressions stand in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from troth.contracts.yaml_files.placed import Map, Seq
from troth.errors import Place

__all__ = ["Named", "expressions", "identifiers", "matchers", "texts"]

_SHORT = re.compile(r"\$([A-Za-z_]\w*)")
_LITERAL = frozenset({"enum", "open_enum"})
_BRACES = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_NO_MODIFIERS = Map()
_IDENTIFIER = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_BARE = frozenset(
    {
        "$if", "$case", "$each", "after", "at", "check", "delete", "each", "from", "inline", "is", "key", "let", "not",
        "order", "set", "size", "until", "when", "where",
    }
)  # fmt: skip
"""Keys under which a text is an expression without braces."""


class Named(NamedTuple):
    """One use of a matcher: ``$string``, or ``{$string: {...}, max: 3}``."""

    name: str
    """Without the dollar."""
    argument: Any
    """None for the short form."""
    modifiers: Map
    """The mapping it stands in; empty for the short form."""
    place: Place


def matchers(value: Any, place: Place | None = None) -> Iterator[Named]:
    """Every matcher in ``value`` (which stands at ``place``), outermost first."""
    waiting: list[tuple[Any, Any, Any]] = [(value, None, place)]
    while waiting:
        # Places are made only for what is found: a contract has ten values for every matcher.
        item, owner, where = waiting.pop()
        if isinstance(item, str):
            match = _SHORT.fullmatch(item) if item.startswith("$") else None
            if match:
                at = where or Place() if owner is None else owner.place(where)
                yield Named(match[1], None, _NO_MODIFIERS, at)
        elif isinstance(item, Seq):
            waiting.extend((item[index], item, index) for index in range(len(item) - 1, -1, -1))
        elif isinstance(item, Map):
            skipped = None
            for key in item:
                if key.startswith("$") and not key.startswith("$$"):
                    yield Named(key[1:], item[key], item, item.key_place(key))
                    skipped = key if key[1:] in _LITERAL else skipped
            waiting.extend((item[key], item, key) for key in reversed(item) if key != skipped)


def texts(value: Any) -> Iterator[str]:
    """Every text in ``value``, keys aside."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)


def expressions(value: Any, *, bare: bool = False) -> Iterator[str]:
    """The source of every expression in ``value``: in braces, and bare where only an expression can stand."""
    if isinstance(value, str):
        if bare:
            yield value
        else:
            yield from _BRACES.findall(value)
    elif isinstance(value, list):
        for item in value:
            yield from expressions(item, bare=bare)
    elif isinstance(value, dict):
        names = bare and not any(key.startswith("$") for key in value)  # the entries of a `let`
        for key, item in value.items():
            yield from expressions(item, bare=key in _BARE or key == "keep" or names)


def identifiers(source: str) -> set[str]:
    """The names that an expression begins a path with. Functions, filters and words like ``and`` are among them."""
    return set(_IDENTIFIER.findall(_QUOTED.sub("''", source)))
