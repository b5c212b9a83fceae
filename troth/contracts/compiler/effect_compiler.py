"""``put``, ``set``, ``delete``: what they name is looked up, what they say gets the matchers of the record's fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from troth.contracts.compiler.overrides import overridden
from troth.contracts.compiler.patterns import Patterns, Spot, field_name, finished, matcher_key
from troth.contracts.compiler.static import Names, record_of
from troth.contracts.contract import Collection, Effect
from troth.contracts.expressions.expression import Expression
from troth.contracts.matcher import Origin
from troth.contracts.nodes.base import Node
from troth.contracts.nodes.leaf import Ref
from troth.contracts.nodes.shape import Field, Shape
from troth.contracts.suggest import did_you_mean
from troth.contracts.yaml_files.placed import Map

__all__ = ["EffectCompiler"]


class EffectCompiler:
    """Compiles the effects of responses and moves."""

    def __init__(self, patterns: Patterns, collections: Mapping[str, Collection]) -> None:
        self.patterns, self.collections = patterns, collections

    def compile(self, docs: Sequence[Any], names: Names, where: str) -> tuple[Effect, ...]:
        """Every effect that makes sense; the others are reported."""
        names = names.with_names("reply")
        found = [self._effect(doc, names, where) for doc in docs]
        return tuple(effect for effect in found if effect is not None)

    def _effect(self, doc: Any, names: Names, where: str) -> Effect | None:
        each = None
        if doc.each is not None:
            each = self.patterns.expression(doc.each, Spot(doc.place("each"), Origin(where), names))
            names = names.with_names(doc.as_ or "it")
        when = None
        if doc.when is not None:
            when = self.patterns.expression(doc.when, Spot(doc.place("when"), Origin(where), names))
        rest: dict[str, Any] = {"when": when, "each": each, "as_": doc.as_ or "it"}
        if doc.put is not None:
            return self._put(doc, names, where, rest)
        verb = "set" if doc.set is not None else "delete"
        return self._change(verb, doc, names, where, rest)

    def _put(self, doc: Any, names: Names, where: str, rest: dict[str, Any]) -> Effect | None:
        collection = self.collections.get(doc.put)
        if collection is None:
            fix = did_you_mean(doc.put, self.collections, "collections")
            self.patterns.report("E162", doc.place("put"), "a collection in `state`", repr(doc.put), fix)
            return None
        value = None
        if doc.has("value"):
            value = self._value(doc.value, Spot(doc.place("value"), Origin(where, ".value"), names), collection)
        also = self._fields(doc.also or {}, collection, names, f"{where}.also")
        return Effect("put", doc.put, None, value, {}, also, **rest)

    def _value(self, raw: Any, spot: Spot, collection: Collection) -> Node:
        """The record that a ``put`` spells out: only its own fields, each with the type's matcher."""
        if isinstance(raw, dict) and matcher_key(raw) is None:
            fields = self._fields(raw, collection, spot.names, str(spot.origin))
            shape = Shape(spot.origin, tuple(Field(name, node, True) for name, node in fields.items()))
            return finished(shape)
        return self.patterns.compile(raw, spot)

    def _fields(self, raw: Mapping[str, Any], collection: Collection, names: Names, where: str) -> dict[str, Node]:
        fields: dict[str, Node] = {}
        for written, value in raw.items():
            name, _ = field_name(written)
            place = raw.place(written) if isinstance(raw, Map) else None
            known = self._field(collection, name)
            spot = Spot(place or self.patterns.types.at, Origin(where, f".{name}"), names)  # type: ignore[attr-defined]
            if known is None:
                if collection.type is not None:
                    choices = (*_shape(collection).by_name, *collection.hidden)
                    fix = did_you_mean(name, choices, "fields")
                    self.patterns.report("E170", spot.place, f"a field of {collection.name}", repr(name), fix)
                fields[name] = self.patterns.compile(value, spot)
            else:
                fields[name] = overridden(self.patterns, known, value, spot, f"{collection.name}.{name}")
        return fields

    @staticmethod
    def _field(collection: Collection, name: str) -> Node | None:
        if name in collection.hidden:
            return collection.hidden[name]
        field = _shape(collection).by_name.get(name)
        return field.node if field is not None else None

    def _change(self, verb: Any, doc: Any, names: Names, where: str, rest: dict[str, Any]) -> Effect | None:
        raw = doc.set if verb == "set" else doc.delete
        place = doc.place(verb)
        record = self.patterns.expression(raw, Spot(place, Origin(where), names))
        if record is None:
            return None
        name = names.collection_of(record.path[0]) if record.path is not None and len(record.path) == 1 else ""
        name = name or record_of(record)
        collection = self.collections.get(name)
        if collection is None and _without_meaning(record, names, doc.as_ or "it"):
            return None  # what is wrong with the `let` was told where it stands
        if collection is None:
            fix = "Name a record: a `let` with state.C(key), or state.C(key) itself"
            self.patterns.report("E171", place, f"`{verb}` of a record", repr(raw), fix)
            return None
        if collection.key in {field_name(written)[0] for written in doc.to or ()}:
            fix = "A record with another key is another record: delete this one, put that one"
            self.patterns.report("E185", doc.place("to"), "`set` of other fields than the key", collection.key, fix)
        to = self._fields(doc.to or {}, collection, names, f"{where}.set")
        if doc.has("also"):
            to.update(self._fields(doc.also or {}, collection, names, f"{where}.also"))
        return Effect(verb, name, record, None, to, {}, **rest)


def _without_meaning(record: Expression, names: Names, item: str) -> bool:
    """Is it about a name of the author's own whose `let` could not be compiled?"""
    known = {*names.lets, "reply", "parts", item}
    return record.path is not None and record.path[0] in names.extra - known


def _shape(collection: Collection) -> Shape:
    node = collection.type.target if isinstance(collection.type, Ref) else collection.type
    return node if isinstance(node, Shape) else Shape(Origin(collection.name), ())
