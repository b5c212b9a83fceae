"""A new record that is just what its reply shows is kept as the reply's JSON, until somebody reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from troth.contracts.model.effects import KEYS, shape_of
from troth.contracts.model.inlining import inlines
from troth.contracts.record import Record
from troth.contracts.values import ABSENT, Json

if TYPE_CHECKING:
    from troth.contracts.contract import Collection, Contract, ResponseShape
    from troth.contracts.model.scope import ExchangeScope

__all__ = ["Packing", "packed", "packing"]

_ESCAPED_SURROGATE: Final = b"\\ud"
"""Half a character, which can be written but not read back."""


class Packing(NamedTuple):
    """What a response puts into state: the whole body, a record of ``collection`` with these ``fields``."""

    collection: Collection
    fields: tuple[str, ...]
    links: tuple[str, ...]
    """Those that may show other records, of which state remembers the keys."""


def packing(contract: Contract, shape: ResponseShape) -> Packing | None:
    """None where there is more to what the response puts: what depends on values, or JSON would not bring back."""
    if not shape.packs:
        return None
    collection = contract.collections[shape.packs]
    kind, shown = collection.shape, shape_of(shape.body)
    if kind is None or shown is None or kind.type != shape.type_name or kind.versioned or collection.moves:
        return None
    if not shown.through_json:
        return None
    return Packing(collection, tuple(field.name for field in kind.fields), tuple(field.name for field in kind.links))


def packed(found: Packing, scope: ExchangeScope, text: bytes, body: Json) -> Record | None:
    """The record that ``text``, the JSON of ``body``, describes; None where it has to be looked at more closely."""
    collection, fields, links = found
    if body.__class__ is not dict or _ESCAPED_SURROGATE in text:
        return None
    key = body.get(collection.key, ABSENT)
    if key.__class__ not in KEYS or scope.state.get(collection.name, key) is not None:
        return None
    if links:
        shown = [value for name in links if (value := body.get(name)) is not None]
        if shown and (inlines(scope) or any(isinstance(value, dict | list) for value in shown)):
            return None
    lacking = tuple(collection.hidden)
    if len(body) < len(fields):
        lacking += tuple(name for name in fields if name not in body)
    return Record.packed(collection.name, key, text, lacking, scope.when)
