"""Records that are there without a request: the ``seeds`` of a collection, and what a sampled link points to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from troth.contracts.exchange import Interval
from troth.contracts.record import Record
from troth.contracts.values import ABSENT, Json

if TYPE_CHECKING:
    from troth.contracts.contract import Collection
    from troth.contracts.model.scope import ExchangeScope
    from troth.contracts.nodes.base import Node

__all__ = ["known", "linked_key", "sow"]


def sow(collection: Collection, seed: Mapping[str, Json], scope: ExchangeScope) -> Record:
    """A record of these values; what they leave out is generated, optional fields are absent."""
    shape = collection.shape
    values = dict(shape.express(dict(seed), scope, "") if shape is not None else seed)
    for field in shape.fields if shape is not None else ():
        values.setdefault(field.name, ABSENT)
        if field.node.name == "encoded" and isinstance(values[field.name], str):
            values[field.name] = field.node.decoded(values[field.name])  # type: ignore[attr-defined]
    return Record(collection.name, values[collection.key], values, scope.when)


def known(collection: Collection, given: Mapping[str, Json], at: Interval) -> Record:
    """A judge's record of what is said to be there: no more is known of it, and others may change it."""
    values = dict(given)
    for name, value in given.items():
        node = collection.node(name)
        if node is not None and node.name == "encoded" and isinstance(value, str):
            values[name] = node.decoded(value)  # type: ignore[attr-defined]
    return Record(collection.name, values[collection.key], values, at, own=False)


def linked_key(collection: Collection, key_node: Node | None, scope: ExchangeScope) -> Json:
    """Sample: the key of the newest record of a collection; where it has none, of one that is made now.

    A client that follows the link finds what it was told of. ABSENT where the key must be new, because this reply's own
    effects make the record, and where no record can be made because its type needs more than a request says.
    """
    if any(effect.verb == "put" and effect.collection == collection.name for effect in scope.effects):
        return ABSENT
    newest = scope.newest(collection.name)
    if newest is not None or key_node is None:
        return newest.key if newest is not None else ABSENT
    inner = scope.inner()
    key = key_node.generate(inner, collection.key)
    # First only its name, so that what it links to may link back to it.
    scope.state.put(Record(collection.name, key, {collection.key: key}, scope.when))
    record = sow(collection, {collection.key: key}, inner)
    if _lacking(record, collection, scope.version_index):
        scope.state.forget(collection.name, key)
        return ABSENT
    scope.state.put(record)
    return key


def _lacking(record: Record, collection: Collection, version: int) -> bool:
    """Is a field not there that has to be?"""
    fields = collection.shape.fields if collection.shape is not None else ()
    wanted = (field.name for field in fields if not field.optional and field.lives(version))
    return any(record.values[name] is ABSENT for name in wanted)
