"""Where the value at a path of a reply is described, through types, records and pages: the nearest place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from troth.contracts.compiler.patterns import matcher_key
from troth.contracts.json_path import Segment, segments
from troth.contracts.repair.places import BODY_KEYS, Entry, entry_at, respelled, responses_of
from troth.contracts.yaml_files.placed import Map, Seq

__all__ = ["described_at"]

_NAME = re.compile(r"\{\{\s*(\w+)(\.items)?\s*\}\}")
_RECORD = re.compile(r"\s*state\.(\w+)\(")
_MOST = 200


def described_at(root: Map, response: str, path: str) -> Entry | None:
    """The entry that describes ``path`` (``$.data[0].price``) in replies of ``operation.response``; None for none."""
    entry, steps = responses_of(root, response), segments(path)
    if entry is None or steps is None or not path.startswith("$") or not isinstance(entry.raw, Map):
        return None
    body = next((Entry(entry.raw, key) for key in BODY_KEYS if key in entry.raw), None)
    return None if body is None else _Walk(root, response).to(body, steps)


class _Walk:
    def __init__(self, root: Map, response: str) -> None:
        self._root, self._response, self._left = root, response, _MOST

    def to(self, entry: Entry, steps: tuple[Segment, ...]) -> Entry | None:
        """Depth first; bounded, because types may contain themselves."""
        self._left -= 1
        if not steps or self._left < 0:
            return entry if not steps else None
        raw = entry.raw
        if isinstance(raw, str):
            return next((found for named in self._named(raw) if (found := self.to(named, steps)) is not None), None)
        key = matcher_key(raw) if isinstance(raw, Map) else None
        if key is not None:
            inside = self._inside(Entry(raw, key), steps[0])
            return next(
                (found for part, rest in inside if (found := self.to(part, steps[1:] if rest else steps)) is not None),
                None,
            )
        field = respelled(raw, str(steps[0])) if isinstance(raw, Map) else None
        if field is None and isinstance(raw, Seq) and isinstance(steps[0], int) and raw:
            field = Entry(raw, min(steps[0], len(raw) - 1))
        return None if field is None else self.to(field, steps[1:])

    def _named(self, text: str) -> Iterator[Entry]:
        """What a text names: a type, a record of a collection, or the items of a page."""
        if text.startswith("$") and not text.startswith("$$"):
            found = entry_at(self._root, "types", text[1:])
            yield from () if found is None else (found,)
            return
        named = _NAME.fullmatch(text)
        let = self._let(named[1]) if named else None
        collection: Any = None
        if isinstance(let, str) and (record := _RECORD.match(let)):
            collection = record[1]
        elif isinstance(let, Map):
            collection = let.get("$select")
        of = entry_at(self._root, "state", collection, "of") if isinstance(collection, str) else None
        if of is not None:
            page = Map([("items", Map([("$array", of.raw)]))])
            yield Entry(page, "items") if named and named[2] else of

    def _let(self, name: str) -> Any:
        operation = self._response.rpartition(".")[0]
        found = entry_at(self._root, "operations", operation, "let", name)
        return None if found is None else found.raw

    def _inside(self, matcher: Entry, step: Segment) -> Iterator[tuple[Entry, bool]]:
        name, owner = matcher.key[1:], matcher.owner
        if name[:1].isupper():
            yield matcher, False
            type_ = entry_at(self._root, "types", name)
            yield from () if type_ is None else ((type_, False),)
        elif name in ("array", "map"):
            yield matcher, True
        elif name == "each" and isinstance(owner, Map) and "of" in owner:
            yield Entry(owner, "of"), True
        elif name == "any_of" and isinstance(matcher.raw, Seq):
            yield from ((Entry(matcher.raw, index), False) for index in range(len(matcher.raw)))
        elif name in ("if", "case") and isinstance(owner, Map):
            branches = owner.get("of")
            yield from ((Entry(owner, key), False) for key in ("then", "else") if key in owner)
            yield from ((Entry(branches, key), False) for key in branches) if isinstance(branches, Map) else ()
        else:
            yield matcher, False
