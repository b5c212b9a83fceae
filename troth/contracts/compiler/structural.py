"""The matchers with parts: what compiles each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Final

from troth.contracts.compiler.overrides import typed
from troth.contracts.compiler.patterns import COMMON, Matcher, Patterns, Spot, finished
from troth.contracts.compiler.spellings import Spellings
from troth.contracts.leaves import build_leaf
from troth.contracts.matcher import Origin
from troth.contracts.nodes.base import Node
from troth.contracts.nodes.choice import AnyOf, Branches, Nullable, OptionalNode
from troth.contracts.nodes.coders import CODERS, XmlCoder
from troth.contracts.nodes.leaf import LeafNode, Ref
from troth.contracts.nodes.link import LinkNode
from troth.contracts.nodes.links import LinksNode, UrlNode
from troth.contracts.nodes.lists import ArrayNode, EachNode, MapNode, TupleNode
from troth.contracts.nodes.shape import Shape
from troth.contracts.nodes.text import EncodedNode, PatternNode
from troth.contracts.quantity import QuantityError, count_range
from troth.contracts.suggest import did_you_mean
from troth.contracts.yaml_files.placed import Map
from troth.errors import Place

__all__ = ["STRUCTURAL"]


def _own(patterns: Patterns, found: Matcher, *known: str) -> None:
    """Report every modifier that the matcher does not have."""
    for key in found.modifiers:
        if key not in COMMON and key not in known:
            fix = did_you_mean(key, (*known, *COMMON), "modifiers")
            patterns.report("E157", found.place(key), f"a modifier of ${found.name}", repr(key), fix)


def _inside(found: Matcher, suffix: str = "") -> Spot:
    origin = found.spot.origin
    return Spot(found.spot.place, Origin(origin.type, origin.path + suffix), found.spot.names, found.spot.request)


def _inner(patterns: Patterns, found: Matcher) -> Node | None:
    if found.argument is None:
        patterns.report("E161", found.spot.place, f"${found.name} with a matcher: {{${found.name}: $string}}", "none")
        return None
    return patterns.compile(found.argument, found.spot)


def nullable(patterns: Patterns, found: Matcher) -> Node | None:
    _own(patterns, found)
    inner = _inner(patterns, found)
    return None if inner is None else Nullable(found.spot.origin, inner)


def optional(patterns: Patterns, found: Matcher) -> Node | None:
    _own(patterns, found)
    inner = _inner(patterns, found)
    return None if inner is None else OptionalNode(found.spot.origin, inner)


def array(patterns: Patterns, found: Matcher) -> Node | None:
    _own(patterns, found, "size", "key", "order")
    item = patterns.compile("$any" if found.argument is None else found.argument, _inside(found, "[*]"))
    order = found.modifiers.get("order")
    if order not in (None, "any"):
        patterns.report("E152", found.place("order"), "`order: any`, or no `order`", repr(order))
    size, said = _size(patterns, found)
    key = found.modifiers.get("key", "")
    return ArrayNode(found.spot.origin, item, size, said, str(key), order == "any")


def _size(patterns: Patterns, found: Matcher) -> tuple[tuple[int, int | None], Any]:
    raw = found.modifiers.get("size")
    if raw is None:
        return (0, None), None
    if isinstance(raw, str) and "{{" not in raw and ".." not in raw:
        return (0, None), patterns.bare(raw, found.spot.at(found.place("size")))
    if isinstance(raw, str) and "{{" in raw:
        return (0, None), patterns.said(raw, found.spot.at(found.place("size")))
    try:
        low, high = count_range(raw)
    except QuantityError as error:
        patterns.report(error.code, found.place("size"), error.asked, error.found, error.fix)
        return (0, None), None
    return (low, high), None


def map_(patterns: Patterns, found: Matcher) -> Node | None:
    _own(patterns, found, "size", "keys")
    item = patterns.compile("$any" if found.argument is None else found.argument, _inside(found, ".*"))
    keys = found.modifiers.get("keys")
    size, _ = _size(patterns, found)
    key_node = None if keys is None else patterns.compile(keys, found.spot.at(found.place("keys")))
    return MapNode(found.spot.origin, item, key_node, size)


def any_of(patterns: Patterns, found: Matcher) -> Node | None:
    _own(patterns, found)
    if not isinstance(found.argument, list) or not found.argument:
        patterns.report("E161", found.spot.place, "$any_of with a list of matchers", repr(found.argument))
        return None
    return AnyOf(found.spot.origin, tuple(patterns.compile(option, found.spot) for option in found.argument))


def _wrapped(patterns: Patterns, found: Matcher) -> Shape | None:
    _own(patterns, found, "from")
    argument = found.argument
    if isinstance(argument, dict) and not any(str(key).startswith("$") for key in argument):
        return patterns.shape(argument, found.spot)
    node = patterns.compile({} if argument is None else argument, found.spot)
    if isinstance(node, Ref) and patterns.describes(node.type):
        asked = f"${found.name} around another type than the one that is described here"
        patterns.report("E172", found.spot.place, asked, repr(argument))
        return None
    target = node.target if isinstance(node, Ref) else node
    if not isinstance(target, Shape):
        patterns.report("E161", found.spot.place, f"${found.name} around an object", repr(argument))
        return None
    return target


def open_(patterns: Patterns, found: Matcher) -> Node | None:
    shape = _wrapped(patterns, found)
    return None if shape is None else shape.having(unlisted="open")


def closed(patterns: Patterns, found: Matcher) -> Node | None:
    shape = _wrapped(patterns, found)
    return None if shape is None else shape.having(unlisted="closed")


def partial(patterns: Patterns, found: Matcher) -> Node | None:
    """All fields optional and defaults forgotten: in an update, absent means unchanged."""
    shape = _wrapped(patterns, found)
    return None if shape is None else _loosened(shape)


def _loosened(node: Node) -> Node:
    if isinstance(node, Shape):
        fields = tuple(field._replace(node=_loosened(field.node), optional=True) for field in node.fields)
        return finished(node.with_fields(fields, default=None))
    return node.having(default=None) if node.default is not None else node


def if_(patterns: Patterns, found: Matcher) -> Node | None:
    _own(patterns, found, "then", "else")
    selector = patterns.expression(found.argument, found.spot)
    if "then" not in found.modifiers:
        patterns.report("E161", found.spot.place, "`then` beside $if", ", ".join(found.modifiers) or "nothing")
    if selector is None or "then" not in found.modifiers:
        return None
    then = patterns.compile(found.modifiers["then"], found.spot.at(found.place("then")))
    branches = {True: then}
    other = None
    if "else" in found.modifiers:
        other = patterns.compile(found.modifiers["else"], found.spot.at(found.place("else")))
    return Branches(found.spot.origin, "if", selector, branches, other)


def case(patterns: Patterns, found: Matcher) -> Node | None:
    _own(patterns, found, "of", "else")
    selector = patterns.expression(found.argument, found.spot)
    options = found.modifiers.get("of")
    if not isinstance(options, dict) or not options:
        patterns.report("E161", found.spot.place, "`of: {value: matcher}` beside $case", repr(options))
        return None
    if selector is None:
        return None
    places = options.place if isinstance(options, Map) else lambda key: found.spot.place
    branches = {key: patterns.compile(value, found.spot.at(places(key))) for key, value in options.items()}
    other = None
    if "else" in found.modifiers:
        other = patterns.compile(found.modifiers["else"], found.spot.at(found.place("else")))
    return Branches(found.spot.origin, "case", selector, branches, other)


def each(patterns: Patterns, found: Matcher) -> Node | None:
    _own(patterns, found, "as", "where", "of")
    over = patterns.expression(found.argument, found.spot)
    name = found.modifiers.get("as", "it")
    if "of" not in found.modifiers or not isinstance(name, str):
        beside = ", ".join(found.modifiers) or "nothing"
        patterns.report("E161", found.spot.place, "`as: name` and `of: matcher` beside $each", beside)
        return None
    inside = _inside(found, "[*]")
    inside = Spot(inside.place, inside.origin, inside.names.with_names(name), inside.request)
    where = patterns.expression(found.modifiers["where"], inside) if "where" in found.modifiers else None
    item = patterns.compile(found.modifiers["of"], inside.at(found.place("of")))
    return None if over is None else EachNode(found.spot.origin, over, name, where, item)


def link(patterns: Patterns, found: Matcher) -> Node | None:
    _own(patterns, found)
    name = found.argument
    if not isinstance(name, str) or name not in patterns.collection_names:
        fix = did_you_mean(str(name), patterns.collection_names, "collections")
        patterns.report("E162", found.spot.place, "a collection in `state`", repr(name), fix)
        return None
    return LinkNode(found.spot.origin, name, patterns.look_up_collection)


def pattern(patterns: Patterns, found: Matcher) -> Node | None:
    _own(patterns, found, "parts")
    parts = found.modifiers.get("parts") or {}
    if not isinstance(found.argument, str) or not isinstance(parts, dict):
        patterns.report("E161", found.spot.place, '$pattern with a text: "t={t},v1={v1}"', repr(found.argument))
        return None
    pieces = _pieces(found.argument)
    if any(before[1] and after[1] for before, after in pairwise(pieces)):
        asked = "something between two parts of a $pattern, so that they can be told apart"
        patterns.report("E186", found.spot.place, asked, repr(found.argument))
        return None
    inside = found.spot
    inside = Spot(inside.place, inside.origin, inside.names.with_names("parts"), inside.request)
    nodes: dict[str, Node] = {}
    for name in {piece for piece, named in pieces if named}:
        if name not in parts:
            fix = did_you_mean(name, parts, "parts")
            patterns.report("E163", found.spot.place, f"a matcher for the part {{{name}}} under `parts`", "none", fix)
            return None
        place = parts.place(name) if isinstance(parts, Map) else inside.place
        nodes[name] = patterns.compile(parts[name], inside.at(place))
        _check_part(patterns, nodes, name, place, parts)
    return PatternNode(found.spot.origin, pieces, nodes)


def _check_part(patterns: Patterns, nodes: Mapping[str, Node], name: str, place: Place, parts: dict[str, Any]) -> None:
    """A part is a piece of text, and what it reads of other parts must be there."""
    node = nodes[name].target if isinstance(nodes[name], Ref) else nodes[name]  # type: ignore[attr-defined]
    if isinstance(node, Shape | MapNode | ArrayNode | TupleNode | EachNode):
        patterns.report("E186", place, "parts of a $pattern that are text", f"{{{name}}}, which has parts itself")
    saids = [said for said in (node.is_, node.default, node.not_) if said is not None]
    reads = [path for said in saids for expression in said.expressions for path in expression.reads]
    for other in sorted({path[1] for path in reads if path[0] == "parts" and path[1:]} - parts.keys()):
        patterns.report("E156", place, "a part of this $pattern", f"parts.{other}", did_you_mean(other, parts, "parts"))


def _pieces(text: str) -> tuple[tuple[str, bool], ...]:
    """``t={t},v1={v1}`` as literals and names in turn; ``{{`` and ``}}`` are braces."""
    pieces: list[tuple[str, bool]] = []
    rest = text
    while rest:
        start = rest.find("{")
        end = rest.find("}", start)
        if start < 0 or end < 0:
            pieces.append((rest, False))
            break
        if start:
            pieces.append((rest[:start], False))
        pieces.append((rest[start + 1 : end], True))
        rest = rest[end + 1 :]
    return tuple(pieces)


def encoded(patterns: Patterns, found: Matcher) -> Node | None:
    _own(patterns, found, "as", "key", "alg")
    as_ = found.modifiers.get("as")
    known = (*CODERS, "xml", *patterns.coders)
    if as_ not in known:
        later = as_ in ("jws", "jwt")
        asked = f"not yet: $encoded as {as_}" if later else f"`as` to be one of {', '.join(known)}"
        fix = did_you_mean(str(as_), known, "encodings")
        patterns.report("E090" if later else "E152", found.place("as"), asked, repr(as_), fix)
        return None
    inner = _inner(patterns, found)
    if inner is None:
        return None
    asked = _unencodable(inner.target if isinstance(inner, Ref) else inner, as_)
    if asked:
        patterns.report("E161", found.spot.place, asked, f"${inner.name}")
        return None
    coder = CODERS.get(as_) or patterns.coders.get(as_) or _xml(patterns, inner)
    return EncodedNode(found.spot.origin, inner, as_, coder)


def _unencodable(node: Node, as_: str) -> str:
    """What an encoding asks of what is in it, where ``node`` is not that."""
    if as_ not in ("base64", "base64_f32", "text", "xml"):
        return ""
    if as_ == "xml":
        rooted = isinstance(node, Shape) and len(node.fields) == 1 and not node.fields[0].optional
        return "" if rooted else "one member in XML, the root element: {Order: {...}}"
    if as_ == "base64_f32":
        floats = isinstance(node, ArrayNode) and node.item.name in ("number", "integer", "any")
        return "" if floats or node.name in ("any", "literal") else "{$array: $number} in base64_f32"
    parts = isinstance(node, Shape | MapNode | TupleNode | EachNode) or node.name == "array"
    return f"a text in {as_}; `as: json` for others" if parts else ""


def _xml(patterns: Patterns, inner: Node) -> XmlCoder:
    return XmlCoder(patterns.xml, lambda: Spellings(unseen=patterns.xml.lists == "repeat").of(inner))


def links(patterns: Patterns, found: Matcher) -> Node | None:
    """``$links``: a Link header, relation to URL. Samples write it; a reply's is read as text."""
    _own(patterns, found)
    if not isinstance(found.argument, dict):
        patterns.report("E161", found.spot.place, "$links with relations: {next: {$url: ...}}", repr(found.argument))
        return None
    nodes = {name: patterns.compile(raw, found.spot) for name, raw in found.argument.items()}
    return LinksNode(found.spot.origin, nodes)


def url(patterns: Patterns, found: Matcher) -> Node | None:
    """``$url`` with ``path``, ``query`` or ``host`` in expressions; without, a plain leaf."""
    own = {k: v for k, v in found.modifiers.items() if k not in COMMON}
    if found.argument is not None and not isinstance(found.argument, dict):
        fix = f"Write {{$url: {{path: {found.argument}}}}}, or {{$url: {{}}, is: {found.argument}}}"
        patterns.report("E251", found.spot.place, "a mapping as the argument of $url", repr(found.argument), fix)
        return None
    parts = {**(found.argument or {}), **own}
    if not parts:
        leaf = build_leaf("url", None, {}, found.spot.place, patterns.problems)
        return None if leaf is None else LeafNode(found.spot.origin, leaf)
    for key in parts:
        if key not in ("path", "query", "host"):
            fix = did_you_mean(key, ("path", "query", "host"), "modifiers")
            patterns.report("E157", found.spot.place, "a modifier of $url", repr(key), fix)
            return None
    said = {key: patterns.said(value, found.spot) for key, value in parts.items()}
    return UrlNode(found.spot.origin, {key: value for key, value in said.items() if value is not None})


STRUCTURAL: Final[Mapping[str, Callable[[Patterns, Matcher], Node | None]]] = {
    "Type": typed,
    "any_of": any_of,
    "array": array,
    "case": case,
    "closed": closed,
    "each": each,
    "encoded": encoded,
    "if": if_,
    "link": link,
    "links": links,
    "map": map_,
    "nullable": nullable,
    "open": open_,
    "optional": optional,
    "partial": partial,
    "pattern": pattern,
    "url": url,
}
