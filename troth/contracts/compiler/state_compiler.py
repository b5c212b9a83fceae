"""Collections: their types, hidden fields, seeds, links and moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from troth.contracts.compiler.effect_compiler import EffectCompiler
from troth.contracts.compiler.patterns import Patterns, Spot, field_name, finished
from troth.contracts.compiler.static import LANGUAGE_NAMES, Names
from troth.contracts.contract import Collection, Effect, Move
from troth.contracts.document.document import Document
from troth.contracts.expressions.expression import compile_expression
from troth.contracts.matcher import Origin, Out
from troth.contracts.nodes.base import BAD, NOTHING, Node, Reading
from troth.contracts.nodes.leaf import LeafNode, Ref
from troth.contracts.nodes.shape import Field, Shape
from troth.contracts.nodes.text import EncodedNode
from troth.contracts.values import Json
from troth.contracts.yaml_files.placed import Map

__all__ = ["StateCompiler"]


class StateCompiler:
    """Compiles ``state``: first the collections, then (when all are known) what refers to them."""

    def __init__(self, document: Document, patterns: Patterns, names: Names) -> None:
        self.document, self.patterns, self.names = document, patterns, names

    def compile_into(self, collections: dict[str, Collection]) -> None:
        """Every collection without its moves."""
        for name, doc in self.document.state.items():
            place = self.document.place("state", name)
            node: Node | None = None
            if doc.has("of"):
                node = self.patterns.compile(doc.of, Spot(doc.place("of"), Origin(name, "$"), self.names))
                node = self._record_type(node, name, doc.key, doc)
            hidden = self._hidden(doc, name)
            inline = None
            if doc.inline is not None:
                inline = compile_expression(doc.inline, doc.place("inline"), self.patterns.problems)
                if inline is not None:
                    lets = {let for found in self.document.operations.values() for let in (found.let or ())}
                    strangers = inline.names - LANGUAGE_NAMES - lets - {"here"}
                    for stranger in sorted(strangers):
                        self.patterns.report("E113", doc.place("inline"), "a name that is known here", repr(stranger))
            collections[name] = Collection(name, doc.key, node, hidden, (), inline)
            collections[name] = replace(collections[name], seeds=self._seeds(doc, name, node, place))
        self._refuse_keys_in_circles(collections)

    def _refuse_keys_in_circles(self, collections: dict[str, Collection]) -> None:
        """The key of a record may be that of another; somewhere one must begin."""
        for name in collections:
            way: list[str] = []
            at = name
            while at in collections and at not in way:
                way.append(at)
                shape = collections[at].type
                field = shape.by_name.get(collections[at].key) if isinstance(shape, Shape) else None
                at = getattr(field.node, "collection", "") if field is not None else ""
            if at == name and len(way) > 1:
                place = self.document.state[name].place("key")
                found = " is that of ".join((*way, at))
                self.patterns.report("E167", place, f"a key of {name} that is not linked to itself", found)

    def _record_type(self, node: Node, name: str, key: str, doc: Any) -> Node | None:
        target = node.target if isinstance(node, Ref) else node
        if not isinstance(target, Shape):
            self.patterns.report("E166", doc.place("of"), f"an object as the type of {name}", node.name)
            return None
        field = target.by_name.get(key)
        if field is None or field.optional:
            asked = f"a required field {key!r} in the type of {name}, since it is the key"
            found = "no such field" if field is None else "an optional one"
            self.patterns.report("E167", doc.place("key"), asked, found)
            return None
        if _no_key(field.node) or getattr(field.node, "collection", "") == name:
            self.patterns.report(
                "E167", doc.place("key"), f"a text or a whole number as the key of {name}", _words(field.node)
            )
            return None
        if isinstance(node, Ref) and isinstance(field.node, LeafNode):
            # New records need new keys: the type itself, so that every reply that makes one has it.
            target = self._with_new_keys(node.type, target, field)
        return target.having(keyed=(name, key))

    def _with_new_keys(self, type_name: str, shape: Shape, key: Field) -> Shape:
        """The type with a key that samples draw at random, where its matcher would say the same every time."""
        if key.node.name not in ("integer", "string"):
            return shape
        node = key.node.having(fresh=True)
        fields = tuple(field._replace(node=node) if field.name == key.name else field for field in shape.fields)
        return self.patterns.replace_type(type_name, finished(shape.with_fields(fields)))

    def _hidden(self, doc: Any, name: str) -> dict[str, Node]:
        hidden = {}
        for written, raw in (doc.also or {}).items():
            field, _ = field_name(written)
            place = doc.also.place(written) if isinstance(doc.also, Map) else doc.at
            hidden[field] = self.patterns.compile(raw, Spot(place, Origin(name, f".{field}"), self.names))
        return hidden

    def _seeds(self, doc: Any, name: str, node: Node | None, place: Any) -> tuple[dict[str, Json], ...]:
        seeds = []
        for index, raw in enumerate(doc.seeds):
            at = self.document.place("state", name, "seeds", index)
            said = self.patterns.said(raw, Spot(at, Origin(name, ".seeds"), self.names))
            if said is None:
                continue
            if not said.constant:
                self.patterns.report("E168", at, "seeds of constants", "an expression")
                continue
            values = said.run(None)  # type: ignore[arg-type]
            if not isinstance(values, dict) or doc.key not in values:
                found = repr(values) if not isinstance(values, dict) else ", ".join(values) or "nothing"
                self.patterns.report("E168", at, f"a seed with its key {doc.key!r}", found)
                continue
            if not isinstance(values[doc.key], str | int) or isinstance(values[doc.key], bool):
                found = repr(values[doc.key])
                self.patterns.report("E168", at, f"a seed whose key {doc.key!r} is a text or a whole number", found)
                continue
            self._fits(node, doc, values, at)
            seeds.append(values)
        return tuple(seeds)

    def _fits(self, node: Node | None, doc: Any, values: dict[str, Json], place: Any) -> None:
        """Every field that a seed gives must fit the type."""
        if not isinstance(node, Shape):
            return
        for name, value in values.items():
            field = node.by_name.get(name)
            if field is None:
                if name not in {field_name(key)[0] for key in (doc.also or {})}:
                    self.patterns.report("E168", place, "fields of the collection's type in a seed", repr(name))
                continue
            out = Out()
            described = field.node.inner if isinstance(field.node, EncodedNode) else field.node
            if described.fit(value, name, Reading(out, None), NOTHING) is BAD or out.mismatches:
                want = next((found.want for found in out.mismatches if found.want), field.node.name)
                self.patterns.report("E168", place, f"a seed whose {name} fits ({want})", repr(value))

    def compile_moves(self, collections: dict[str, Collection], names: Names) -> None:
        """Every collection's moves, now that all records are known."""
        for name, doc in self.document.state.items():
            if not doc.moves or name not in collections:
                continue
            inside = replace(names, record=name, lets={})
            moves = []
            for move_name, move in doc.moves.items():
                place = self.document.place("state", name, "moves", move_name)
                when = self.patterns.expression(move.when, Spot(move.place("when"), Origin(name), inside))
                low, high = move.takes
                simulated = low if move.simulated is None else move.simulated
                if not low <= simulated <= high:
                    asked = f"`simulated` within `takes` ({low:g}s..{high:g}s), so that a judge accepts what samples do"
                    self.patterns.report("E169", place, asked, f"{simulated:g}s")
                effects: tuple[Effect, ...] = EffectCompiler(self.patterns, collections).compile(
                    move.effects, inside, f"{name}.{move_name}"
                )
                if when is not None:
                    moves.append(Move(move_name, when, low, high, simulated, effects))
            collections[name] = replace(collections[name], moves=tuple(moves))


_NO_KEYS = frozenset(
    {
        "array",
        "boolean",
        "bytes",
        "each",
        "encoded",
        "file",
        "list",
        "map",
        "null",
        "nullable",
        "number",
        "object",
        "optional",
    }
)


def _no_key(node: Node) -> bool:
    """Is it sure that no value of the matcher can be a key?"""
    node = node.target if isinstance(node, Ref) else node
    return node.name in _NO_KEYS


def _words(node: Node) -> str:
    return "a link to itself" if node.name == "link" else f"${node.name}"
