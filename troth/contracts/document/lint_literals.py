"""Literals that were meant as matchers: ``amount: number`` in place of ``amount: $number``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from troth.contracts.document.document import Document
from troth.contracts.yaml_files.placed import Map, Seq
from troth.errors import Place, Problem

__all__ = ["forgotten_dollars"]

_WORDS: Final = frozenset({"string", "integer", "number", "boolean", "decimal", "timestamp", "uuid"})
"""Matchers that hardly any provider has as a value; ``text``, ``file`` or ``url`` many have."""
_KINDS: Final = frozenset({"type", "kind", "object", "format"})
"""Fields whose values are names of types in many an API: ``{type: string}`` is JSON Schema."""
_AROUND: Final = frozenset({"$array", "$nullable", "$optional", "$map", "$any_of", "$partial"})
_Pattern: TypeAlias = tuple[str, Any, Place]
"""A key, what stands there, and where."""
_BODIES: Final = ("json", "form", "multipart", "body", "query")


def forgotten_dollars(document: Document) -> Iterator[Problem]:
    """W011 for each literal that is the name of a matcher or a type of the contract, in types, requests and replies."""
    words = _WORDS | set(document.types)
    for key, value, place in _patterns(document):
        yield from _doubtful(key, value, place, words)


def _patterns(document: Document) -> Iterator[_Pattern]:
    yield from _members(document.types)
    sources = [document.root.get("defaults"), *(document.root.get("traits") or {}).values()]
    for source in [*sources, *(document.root.get("operations") or {}).values()]:
        if isinstance(source, Map):
            responses = source.get("responses")
            for part in (source.get("request"), *(responses.values() if isinstance(responses, Map) else ())):
                if isinstance(part, Map):
                    yield from (member for member in _members(part) if member[0] in _BODIES)


def _members(owner: Map) -> Iterator[_Pattern]:
    return ((key, value, owner.place(key)) for key, value in owner.items())


def _doubtful(key: str, value: Any, place: Place, words: frozenset[str]) -> Iterator[Problem]:
    """What stands under a matcher says values (`$enum`), and what overrides a type (`$Charge`) mostly does."""
    if key.startswith("$") and key not in _AROUND:
        return
    if isinstance(value, str):
        if value in words and key.removesuffix("?") not in _KINDS:
            fix = f"Write ${value}, or {{$enum: [{value}]}} for the text itself"
            yield Problem("W011", place, "a matcher, which begins with $", f"the text {value!r}", fix)
    elif isinstance(value, Map):
        for member in _members(value):
            yield from _doubtful(*member, words)
    elif isinstance(value, Seq) and key in _AROUND:
        for at, item in enumerate(value):
            yield from _doubtful(key, item, value.place(at), words)
