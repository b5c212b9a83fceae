"""From what an author wrote in a matcher position to a node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from troth.contracts.codecs import XmlOptions
from troth.contracts.compiler.static import Names
from troth.contracts.contract import Collection
from troth.contracts.expressions.expression import Expression, compile_expression, compile_template
from troth.contracts.expressions.said import Said, compile_said
from troth.contracts.leaves import LEAF_NAMES, build_leaf
from troth.contracts.matcher import Origin, Out
from troth.contracts.nodes.base import BAD, NOTHING, Node, Reading, constant_of, json_type, member
from troth.contracts.nodes.choice import Nullable
from troth.contracts.nodes.coders import Coder
from troth.contracts.nodes.items import ItemsNode, MoreNode
from troth.contracts.nodes.leaf import AnyNode, LeafNode, Literal, Ref
from troth.contracts.nodes.lists import TupleNode
from troth.contracts.nodes.shape import Field, Shape
from troth.contracts.nodes.text import EncodedNode
from troth.contracts.select import Select
from troth.contracts.suggest import did_you_mean
from troth.contracts.values import ABSENT
from troth.contracts.yaml_files.placed import Map, Seq
from troth.errors import Place, Problems

__all__ = ["COMMON", "Patterns", "Spot", "field_name", "matcher_key"]

COMMON = ("default", "is", "not", "changes", "secret", "since", "until")
"""Modifiers that every matcher takes."""
CHANGES = ("never", "up", "once", "freely")


class Spot(NamedTuple):
    """A place in a structure: where it is written, what a finding calls it, and which names are known."""

    place: Place
    origin: Origin
    names: Names
    request: bool = False
    """Requests: only constants, defaults, and what a value must look like."""

    def below(self, name: str, place: Place) -> Spot:
        """The member ``name``."""
        return Spot(place, Origin(self.origin.type, member(self.origin.path, name)), self.names, self.request)

    def at(self, place: Place) -> Spot:
        """The same, written elsewhere."""
        return Spot(place, self.origin, self.names, self.request)


@dataclass
class Patterns:
    """Compiles matchers; knows the types and the collections, and looks both up lazily, so that they may be cyclic."""

    types: Mapping[str, Any]
    problems: Problems
    versions: tuple[str, ...] = ()
    collections: Mapping[str, Collection] = field(default_factory=dict)
    collection_names: frozenset[str] = frozenset()
    type_names: Names = field(default_factory=Names)
    structural: Mapping[str, Callable[[Patterns, Matcher], Node | None]] = field(default_factory=dict)
    """``name`` to what compiles it (``Type`` for every type), from ``troth.contracts.compiler.structural``."""
    coders: Mapping[str, Coder] = field(default_factory=dict)
    """Those of the contract's hooks, by name."""
    xml: XmlOptions = field(default_factory=XmlOptions)
    """How the contract writes XML, also inside of texts."""
    _compiled: dict[str, Node] = field(default_factory=dict)
    _open: set[str] = field(default_factory=set)

    # Types

    def type_node(self, name: str) -> Node:
        """The node of a type. The name is known to exist."""
        found = self._compiled.get(name)
        if found is None:
            if name in self._open:
                # What needs its fields has asked `describes` before.
                return Literal(Origin(name))
            self._open.add(name)
            place = self.types.place(name) if isinstance(self.types, Map) else Place()
            found = self.compile(self.types[name], Spot(place, Origin(name), self.type_names))
            if isinstance(found, Shape) and not found.type:
                found = found.having(type=name)
            self._open.discard(name)
            self._compiled[name] = found
        return found

    def replace_type(self, name: str, shape: Shape) -> Shape:
        """Put another node in a type's place, before anything but other types has been compiled with it."""
        self._compiled[name] = shape
        return shape

    def describes(self, name: str) -> bool:
        """Is this the type that is being compiled, or one around it? Then nobody knows its fields yet."""
        return name in self._open

    def look_up_collection(self, name: str) -> Collection:
        """A compiled collection by its name; while the types are being compiled, one of which nothing is known."""
        return self.collections.get(name) or Collection(name, "", None)

    def report(self, code: str, place: Place, asked: str, found: str, fix: str = "") -> None:
        """Note a problem."""
        self.problems.add(code, place, asked, found, fix)

    # Structures

    def compile(self, raw: Any, spot: Spot) -> Node:
        """The node for anything that stands in a matcher position."""
        if isinstance(raw, dict):
            key = matcher_key(raw)
            return self.shape(raw, spot) if key is None else self.matcher(raw, key, spot)
        if isinstance(raw, list):
            items = [self.compile(item, self._indexed(spot, raw, i)) for i, item in enumerate(raw)]
            return TupleNode(spot.origin, tuple(items))
        if isinstance(raw, str):
            return self.text(raw, spot)
        return Literal(spot.origin, raw)

    @staticmethod
    def _indexed(spot: Spot, raw: list[Any], index: int) -> Spot:
        place = raw.place(index) if isinstance(raw, Seq) else spot.place
        return Spot(place, Origin(spot.origin.type, f"{spot.origin.path}[{index}]"), spot.names, spot.request)

    def shape(self, raw: dict[str, Any], spot: Spot, unlisted: str = "allow") -> Shape:
        """An object written out: ``name`` required, ``name?`` optional."""
        fields = []
        for key, value in raw.items():
            name, optional = field_name(key)
            place = raw.place(key) if isinstance(raw, Map) else spot.place
            node = self.compile(value, spot.below(name, place))
            since, until = self.lifetime(value, place)
            fields.append(Field(name, node, optional, since, until))
        return finished(Shape(spot.origin, tuple(fields), unlisted))

    def lifetime(self, raw: Any, place: Place) -> tuple[int | None, int | None]:
        """The indexes of ``since`` and ``until`` among the versions."""
        if not isinstance(raw, dict) or matcher_key(raw) is None:
            return None, None
        return self.version(raw.get("since"), place), self.version(raw.get("until"), place)

    def version(self, name: Any, place: Place) -> int | None:
        """The index of a version; None for none."""
        if name is None:
            return None
        if str(name) not in self.versions:
            fix = did_you_mean(str(name), self.versions, "versions") if self.versions else "List it in versions.known"
            self.report("E158", place, "a version that `versions.known` lists", repr(name), fix)
            return None
        return self.versions.index(str(name))

    # Scalars

    def text(self, raw: str, spot: Spot) -> Node:
        """A text: ``$name``, an expression, or a literal."""
        if raw.startswith("$") and not raw.startswith("$$"):
            return self.matcher(Map([(raw, None)], spot.place), raw, spot)
        if "{" not in raw:
            return Literal(spot.origin, raw[1:] if raw.startswith("$$") else raw)
        said = self.said(raw, spot)
        if said is None or said.whole is None:
            return Literal(spot.origin, raw)
        return self.expressed(said, said.whole, raw, spot)

    def said(self, raw: Any, spot: Spot) -> Said | None:
        """What an author says: data with expressions; None when a name in it stands for nothing."""
        said = compile_said(raw, spot.place, self.problems)
        fine = [spot.names.check(expression, self.problems) for expression in said.expressions]
        return said if all(fine) else None

    def bare(self, raw: Any, spot: Spot) -> Said | None:
        """``is`` and ``not``: a bare expression, ``{{ }}`` allowed too; what is not a text is a literal."""
        if not isinstance(raw, str) or "{{" in raw:
            return self.said(raw, spot)
        expression = self.expression(raw, spot)
        if expression is None:
            return None
        whole = expression
        return Said(spot.place, whole.run, whole.value, (whole,), whole, constant=whole.constant)

    def expression(self, raw: Any, spot: Spot) -> Expression | None:
        """A bare expression, every name checked."""
        if isinstance(raw, str) and "{{" in raw:
            found = compile_template(raw, spot.place, self.problems)
            if isinstance(found, str):
                return None
            expression = found
        else:
            expression = compile_expression(raw, spot.place, self.problems)
        if expression is not None and not spot.names.check(expression, self.problems):
            return None
        return expression

    def expressed(self, said: Said, expression: Expression, raw: str, spot: Spot) -> Node:
        """An expression where no matcher stands: what it reads says which matcher describes it."""
        path = expression.path
        if path is not None:
            let = spot.names.lets.get(path[0])
            if isinstance(let, Select) and len(path) == 2:
                return self._page_part(let, path, spot)
            node = spot.names.matcher_of(path)
            if node is not None:
                node = node.having(is_=said)
                return node if len(path) > 1 else keyed(node, spot.names.collection_of(path[0]), self)
        if spot.names.uncertain(expression):
            if not raw.strip().startswith("{{") or not raw.strip().endswith("}}") or path is None:
                leaf = build_leaf("string", None, {}, spot.place, self.problems) if _is_text(raw) else None
                if leaf is not None:
                    return LeafNode(spot.origin, leaf).having(is_=said)
            asked = "a matcher: on a sandbox this may be unknown, and no field goes unchecked"
            self.report("E155", spot.place, asked, raw, "Say what it fits: {$integer: {}, is: ...}, or use a $Type")
        return Literal(spot.origin).having(is_=said)

    def _page_part(self, select: Select, path: tuple[str, ...], spot: Spot) -> Node:
        let, part = path
        collection = self.collections.get(select.collection)
        if part == "items":
            if collection is None or collection.type is None:
                self.report("E155", spot.place, "a collection whose records have a type (`of`)", select.collection)
                return Literal(spot.origin, [])
            item = keyed(collection.type, select.collection, self)
            return ItemsNode(spot.origin, let, select.collection, item, collection.key)
        name = {"more": "boolean", "total": "integer"}.get(part, "token")
        inner: Node = LeafNode(spot.origin, _leaf(name, spot.place, self.problems))
        if part == "cursor":
            inner = Nullable(spot.origin, inner)
        return MoreNode(spot.origin, let, part, inner)

    # Matchers

    def matcher(self, raw: dict[str, Any], key: str, spot: Spot) -> Node:
        """``{$name: argument, modifier: ...}``."""
        name = key[1:]
        place = raw.place(key) if isinstance(raw, Map) else spot.place
        modifiers = {k: v for k, v in raw.items() if k != key}
        found = Matcher(name, raw[key], modifiers, spot.at(place), raw)
        if name[:1].isupper():
            node = self._type(found)
        elif name in self.structural:
            node = self.structural[name](self, found)
        elif name in LEAF_NAMES:
            node = self._leaf_node(found)
        else:
            fix = did_you_mean(name, (*LEAF_NAMES, *self.structural, *self.types), "matchers")
            self.report("E150", raw.key_place(key) if isinstance(raw, Map) else place, "a matcher", f"${name}", fix)
            node = None
        return Literal(spot.origin) if node is None else self._with_common(node, found)

    def _leaf_node(self, found: Matcher) -> Node | None:
        own = {k: v for k, v in found.modifiers.items() if k not in COMMON}
        argument = found.argument
        if isinstance(argument, str) and found.name in ("text", "string"):
            # {$text: "words"} says those words, and demands only a text.
            found.modifiers.setdefault("default", argument)
            argument = None
        said = "default" in found.modifiers or "is" in found.modifiers
        leaf = build_leaf(found.name, argument, own, found.spot.place, self.problems, said=said)
        if leaf is None:
            return None
        return AnyNode(found.spot.origin) if leaf.name == "any" else LeafNode(found.spot.origin, leaf)

    def _type(self, found: Matcher) -> Node | None:
        if found.name not in self.types:
            fix = did_you_mean(found.name, self.types, "types")
            self.report("E151", found.spot.place, "a type that the contract defines", f"${found.name}", fix)
            return None
        return self.structural["Type"](self, found)

    def _with_common(self, node: Node, found: Matcher) -> Node:
        """``default is not changes secret``; ``since`` and ``until`` are the field's."""
        changes: dict[str, Any] = {}
        modifiers, spot = found.modifiers, found.spot
        if "default" in modifiers:
            changes["default"] = self.said(modifiers["default"], spot)
            self.fits(node, changes["default"], modifiers["default"], spot)
        if "is" in modifiers:
            changes["is_"] = self.bare(modifiers["is"], spot)
            self.fits(node, changes["is_"], modifiers["is"], spot)
        if "not" in modifiers:
            changes["not_"] = self.bare(modifiers["not"], spot)
        if "changes" in modifiers:
            said = modifiers["changes"]
            if said not in CHANGES:
                fix = did_you_mean(str(said), CHANGES, "choices")
                self.report("E152", spot.place, f"`changes` to be one of {', '.join(CHANGES)}", repr(said), fix)
            else:
                changes["changes"] = modifiers["changes"]
        if "secret" in modifiers:
            if not isinstance(modifiers["secret"], bool):
                self.report("E152", spot.place, "`secret` to be true or false", repr(modifiers["secret"]))
            changes["secret"] = modifiers["secret"] is True
        return node.having(**{k: v for k, v in changes.items() if v is not None}) if changes else node

    def fits(self, node: Node, said: Said | None, raw: Any, spot: Spot) -> None:
        """A constant that its matcher refuses is a mistake of the author; so is a time where no time can be."""
        if said is None:
            return
        if said.whole is not None and said.whole.path == ("now",) and not _timely(node):
            self.report("E153", spot.place, f"a value that fits its matcher ({node.name})", f"{raw!r}, a time")
        if not said.constant:
            return
        out = Out()
        value = constant_of(said)
        if value is ABSENT:
            return
        if isinstance(node, EncodedNode):
            node = node.inner  # the author says the value, not the text that it is in
        read = node.fit(value, "$", Reading(out, None), NOTHING)
        if read is BAD or out.mismatches:
            want = next((found.want for found in out.mismatches if found.want), node.name)
            self.report("E153", spot.place, f"a value that fits its matcher ({want})", f"{raw!r}, {json_type(value)}")


@dataclass
class Matcher:
    """One ``$name`` with its argument and the keys beside it."""

    name: str
    argument: Any
    modifiers: dict[str, Any]
    spot: Spot
    raw: dict[str, Any]

    def place(self, key: str) -> Place:
        """Where a modifier's value is written."""
        return self.raw.place(key) if isinstance(self.raw, Map) else self.spot.place


def matcher_key(raw: dict[str, Any]) -> str | None:
    """The one ``$`` key of a matcher; None for a structure."""
    return next((key for key in raw if key.startswith("$") and not key.startswith("$$")), None)


def field_name(key: str) -> tuple[str, bool]:
    """``note?`` is the optional field ``note``; ``$$x`` the field ``$x``."""
    name = key[1:] if key.startswith("$$") else key
    return (name[:-1], True) if name.endswith("?") else (name, False)


def finished(shape: Shape) -> Shape:
    """Note whether any part reads ``this``."""
    shape.uses_this = any(reads_this(node) for node in shape.children())
    return shape


def reads_this(node: Node) -> bool:
    """Does anything in this node, other objects aside, read ``this``?"""
    for said in (node.is_, node.not_, node.default):
        if said is not None and any("this" in expression.names for expression in said.expressions):
            return True
    if node.sources and any("this" in source.expression.names for source in node.sources):
        return True
    selector = getattr(node, "selector", None)
    if selector is not None and "this" in selector.names:
        return True
    return not isinstance(node, Shape | Ref) and any(reads_this(child) for child in node.children())


def keyed(node: Node, collection: str, patterns: Patterns) -> Node:
    """The node of a collection's record: what a reply shows of it becomes known."""
    if isinstance(node, Ref):
        node = node.target.having(is_=node.is_, sources=node.sources, default=node.default)
    if isinstance(node, Shape) and collection in patterns.collections:
        return node.having(keyed=(collection, patterns.collections[collection].key))
    return node


def _timely(node: Node) -> bool:
    """May the value be a time, or is that for some branch to say?"""
    while isinstance(node, Nullable):
        node = node.inner
    return not isinstance(node, LeafNode | Shape | TupleNode) or node.name == "timestamp"


def _leaf(name: str, place: Place, problems: Problems) -> Any:
    return build_leaf(name, None, {}, place, problems)


def _is_text(raw: str) -> bool:
    """Is there text around the expressions?"""
    text = raw.strip()
    return not (text.startswith("{{") and text.endswith("}}") and text.count("{{") == 1)
