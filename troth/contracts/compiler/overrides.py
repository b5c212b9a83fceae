"""``{$Type: {field: value}, from: [body, charge]}``: a type with something said of its fields.

Overrides merge deeply, arrays replace. A literal or an expression keeps the field's matcher and is its ``is``.
"""

from __future__ import annotations

from typing import Any

from troth.contracts.compiler.patterns import COMMON, Matcher, Patterns, Spot, field_name, finished, matcher_key
from troth.contracts.expressions.expression import compile_expression
from troth.contracts.nodes.base import NOTHING, Node, Source, constant_of
from troth.contracts.nodes.choice import Branches, Nullable
from troth.contracts.nodes.leaf import Literal, Ref
from troth.contracts.nodes.lists import ArrayNode, MapNode
from troth.contracts.nodes.shape import Field, Shape
from troth.contracts.suggest import did_you_mean
from troth.contracts.yaml_files.placed import Map
from troth.frozen import frozen

__all__ = ["overridden", "typed", "with_sources"]

MOST_FIELDS = 10_000
"""Fields for which one ``from`` looks for a source."""


def typed(patterns: Patterns, found: Matcher) -> Node | None:
    """The node of ``$Type`` with its overrides and sources."""
    for key in [key for key in found.modifiers if key != "from" and key not in COMMON]:
        fix = did_you_mean(key, ("from", *COMMON), "modifiers")
        patterns.report("E157", found.spot.place, f"a modifier of ${found.name}", repr(key), fix)
    sources = _sources(patterns, found)
    if found.argument in (None, {}) and not sources:
        return Ref(found.spot.origin, found.name, patterns.type_node)
    if patterns.describes(found.name):
        asked = "overrides of another type than the one that is described here"
        patterns.report("E172", found.spot.place, asked, f"${found.name} inside of itself", "Write it alone")
        return None
    node: Node = patterns.type_node(found.name)
    if found.argument not in (None, {}):
        node = overridden(patterns, node, found.argument, found.spot, found.name)
    if sources and _spread(node) > MOST_FIELDS:
        asked = f"`from` over a type of at most {MOST_FIELDS:,} fields, those of its types included"
        patterns.report("E184", found.place("from"), asked, f"${found.name} with more")
    elif sources:
        work = _From(patterns, tuple(sources), found.spot)
        node = with_sources(work, node, (), frozenset({found.name}), found.argument)
    if isinstance(node, Shape):
        node = finished(node.having(type=found.name))
    return node


def _sources(patterns: Patterns, found: Matcher) -> list[tuple[str, bool]]:
    """The expressions of ``from``, and whether each names a record."""
    if "from" not in found.modifiers:
        return []
    raw = found.modifiers["from"]
    texts = raw if isinstance(raw, list) else [raw]
    sources = []
    for text in texts:
        expression = patterns.expression(text, found.spot.at(found.place("from")))
        if expression is None:
            continue
        if expression.path is None:
            patterns.report("E159", found.place("from"), "`from` to name what to take: body, or a record", repr(text))
            continue
        sources.append((expression.source, bool(found.spot.names.collection_of(expression.path[0]))))
    return sources


def overridden(patterns: Patterns, node: Node, raw: Any, spot: Spot, where: str) -> Node:
    """The node with what ``raw`` says of it. ``where`` names it in messages."""
    if isinstance(raw, dict) and matcher_key(raw) is None:
        return _merged(patterns, node, raw, spot, where)
    if isinstance(raw, dict) or (isinstance(raw, str) and raw.startswith("$") and not raw.startswith("$$")):
        new = patterns.compile(raw, Spot(spot.place, node.origin, spot.names, spot.request))
        return new.having(said_origin=spot.origin)
    if isinstance(raw, list) and _has_matchers(raw):
        return patterns.compile(raw, Spot(spot.place, node.origin, spot.names, spot.request))
    said = patterns.said(raw, spot)
    if said is None:
        return node
    if isinstance(node, Literal) and node.constant is not NOTHING:
        if said.constant and constant_of(said) != node.constant:
            asked = f"{where} to stay {node.constant!r}, as its type says"
            patterns.report("E154", spot.place, asked, repr(raw), "Make it an $enum in the type")
        return node if said.constant else Literal(node.origin).having(is_=said)
    patterns.fits(node, said, raw, spot)
    return node.having(is_=said, said_origin=spot.origin)


def _has_matchers(raw: Any) -> bool:
    if isinstance(raw, dict):
        return matcher_key(raw) is not None or any(map(_has_matchers, raw.values()))
    if isinstance(raw, list):
        return any(map(_has_matchers, raw))
    return isinstance(raw, str) and raw.startswith("$") and not raw.startswith("$$")


def _merged(patterns: Patterns, node: Node, raw: dict[str, Any], spot: Spot, where: str) -> Node:
    """A mapping over an object: field by field."""
    shape = _inner_shape(node)
    if shape is None:
        if isinstance(node, MapNode | Nullable) and not _has_matchers(raw):
            said = patterns.said(raw, spot)
            return node if said is None else node.having(is_=said, said_origin=spot.origin)
        return patterns.compile(raw, Spot(spot.place, node.origin, spot.names, spot.request))
    changed: dict[str, Field | None] = {}
    for key, value in raw.items():
        name, optional = field_name(key)
        place = raw.place(key) if isinstance(raw, Map) else spot.place
        changed[name] = _override(patterns, shape, name, value, optional, spot.below(name, place), f"{where}.{name}")
    fields = [changed.pop(field.name, field) for field in shape.fields]
    kept = [field for field in (*fields, *changed.values()) if field is not None]
    new = shape.with_fields(tuple(kept))
    return finished(new)


def _override(
    patterns: Patterns, shape: Shape, name: str, value: Any, optional: bool, spot: Spot, where: str
) -> Field | None:
    field = shape.by_name.get(name)
    if isinstance(value, str) and value.replace(" ", "") == "{{absent}}":
        return None
    if field is None:
        if shape.unlisted != "open":
            fix = did_you_mean(name, shape.by_name, "fields")
            patterns.report("E154", spot.place, f"a field of {where.rpartition('.')[0]}", repr(name), fix)
            return None
        return Field(name, patterns.compile(value, spot), optional)
    node = overridden(patterns, field.node, value, spot, where)
    since, until = patterns.lifetime(value, spot.place)
    return Field(name, node, optional and field.optional, since or field.since, until or field.until)


def _inner_shape(node: Node) -> Shape | None:
    while not isinstance(node, Shape):
        if isinstance(node, Ref):
            node = node.target
        elif isinstance(node, Nullable):
            node = node.inner
        else:
            return None
    return node


def _spread(node: Node, within: frozenset[str] = frozenset(), count: int = 0) -> int:
    """The number of fields that ``from`` has to look up; above ``MOST_FIELDS`` it is not counted to its end."""
    while isinstance(node, Ref | Nullable):
        if isinstance(node, Ref):
            if node.type in within:
                return count + 1
            within = within | {node.type}
        node = node.target if isinstance(node, Ref) else node.inner
    count += 1
    for child in node.children() if isinstance(node, Shape) else ():
        if count > MOST_FIELDS:
            break
        count = _spread(child, within, count)
    return count


@frozen
class _From:
    """``from``: the sources' expressions, and whether each names a record."""

    patterns: Patterns
    sources: tuple[tuple[str, bool], ...]
    spot: Spot


def with_sources(work: _From, node: Node, path: tuple[str, ...], within: frozenset[str], given: Any = None) -> Node:
    """Let every field that is not ``given`` take its value from the same path of the sources."""
    if given is not None and not (isinstance(given, dict) and matcher_key(given) is None):
        return node
    if node.is_ is not None or isinstance(node, Branches):
        return node
    if isinstance(node, Literal) and node.constant is not NOTHING:
        return node
    if isinstance(node, Ref) and isinstance(node.target, Shape) and node.type not in within:
        within = within | {node.type}
        node = node.target.having(default=node.default)
    own = _compiled(work, path)
    if isinstance(node, Shape):
        says = {field_name(key)[0]: value for key, value in (given or {}).items()}
        fields = tuple(
            field._replace(node=with_sources(work, field.node, (*path, field.name), within, says.get(field.name)))
            if field.name not in says or says[field.name] is not None
            else field
            for field in node.fields
        )
        return finished(node.with_fields(fields, sources=own if path else ()))
    own = tuple(source._replace(unsure=_unsure(node, source, work.spot)) for source in own)
    if isinstance(node, Nullable):
        inner = with_sources(work, node.inner, path, within, given)
        if _inner_shape(inner) is None or isinstance(inner, Ref):
            inner = node.inner
        return node.having(inner=inner, sources=own)
    return node.having(sources=own)


def _compiled(work: _From, path: tuple[str, ...]) -> tuple[Source, ...]:
    if not path or not all(name.isidentifier() for name in path):
        return ()
    found = []
    for text, record in work.sources:
        if not record and not _in_request(work.spot, text, path):
            continue
        expression = compile_expression(".".join((text, *path)), work.spot.place, work.patterns.problems)
        if expression is not None:
            found.append(Source(expression, record))
    return tuple(found)


def _unsure(node: Node, source: Source, spot: Spot) -> bool:
    """May the source give a value that the field refuses? Not when both have the same matcher."""
    path = source.expression.path or ()
    if source.record or not path:
        return False
    sent = spot.names.shapes.get(path[0])
    for name in path[1:]:
        shape = _inner_shape(sent) if sent is not None else None
        field = shape.by_name.get(name) if shape is not None else None
        sent = field.node if field is not None else None
    if sent is None:
        return True
    ours, theirs = _bare(node), _bare(sent)
    wide = ours.name in ("string", "text") and ours.schema() == {"type": "string"}
    return not ((wide and theirs.schema().get("type") == "string") or _alike(ours, theirs))


def _bare(node: Node) -> Node:
    while isinstance(node, Ref | Nullable):
        node = node.target if isinstance(node, Ref) else node.inner
    return node


def _alike(ours: Node, theirs: Node) -> bool:
    """Do both take the same values?"""
    if ours.name != theirs.name:
        return False
    if isinstance(ours, MapNode | ArrayNode) and isinstance(theirs, MapNode | ArrayNode):
        return _alike(_bare(ours.item), _bare(theirs.item))
    if ours.name == "integer" and not ours.schema().keys() - {"type"}:
        return True
    return ours.schema() == theirs.schema()


def _in_request(spot: Spot, root: str, path: tuple[str, ...]) -> bool:
    """Does the request have this field? One that it never has need not be asked for at every reply."""
    node = spot.names.shapes.get(root)
    for name in path:
        shape = _inner_shape(node) if node is not None else None
        if shape is None or shape.unlisted == "open":
            return True
        if name not in shape.by_name:
            return False
        node = shape.by_name[name].node
    return True
