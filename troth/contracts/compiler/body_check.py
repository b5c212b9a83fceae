"""Whether a codec can carry what a body is described as: a form has fields, a text has none, JSON has no bytes."""

from __future__ import annotations

from collections.abc import Iterator

from troth.contracts.compiler.alternatives import alternatives
from troth.contracts.contract import BodyCodec
from troth.contracts.nodes.base import NOTHING, Node
from troth.contracts.nodes.leaf import Literal, Ref
from troth.contracts.nodes.lists import ArrayNode, EachNode, MapNode, TupleNode
from troth.contracts.nodes.shape import Shape
from troth.errors import Place, Problems

__all__ = ["check_body", "has_encoded"]

_PARTS = (Shape, MapNode, ArrayNode, TupleNode, EachNode)
_BINARY = frozenset({"bytes", "file"})


def check_body(node: Node, codec: BodyCodec, place: Place, problems: Problems) -> None:
    """Report (E183) what ``codec`` cannot carry. Expressions may give anything, so they pass."""
    if codec == "json":
        named = next((found.name for found in _inside(node) if found.name in _BINARY), None)
        if named is not None:
            fix = "Encode them: {$encoded: $bytes, as: base64}, or give the body as `bytes`"
            problems.add("E183", place, "a JSON body of what JSON has", f"${named} in it", fix)
        return
    asked = {"text": "a text as the body", "bytes": "`$bytes` as the body"}.get(codec, f"fields in a {codec} body")
    for option in alternatives(node):
        if not _carried(option, codec):
            problems.add("E183", place, asked, _words(option))


def _carried(node: Node, codec: BodyCodec) -> bool:
    if node.name == "any" or (isinstance(node, Literal) and node.constant is NOTHING):
        return True
    if codec == "text" and isinstance(node, Literal):
        return node.constant is not None
    if codec == "text":
        return not isinstance(node, _PARTS) and node.name not in (*_BINARY, "items")
    if codec == "bytes":
        return node.name in _BINARY
    return isinstance(node, Shape | MapNode)


def _words(node: Node) -> str:
    if isinstance(node, Literal):
        return f"the literal {node.constant!r}"
    return {"object": "an object", "list": "a list", "items": "a list"}.get(node.name, f"${node.name}")


def _inside(node: Node) -> Iterator[Node]:
    """Every node at any depth, what stands inside of a text aside; each type once."""
    waiting, seen = [node], set[str]()
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Ref):
            if node.type not in seen:
                seen.add(node.type)
                waiting.append(node.target)
        elif node.name != "encoded":
            waiting.extend(node.children())


def has_encoded(node: Node | None) -> bool:
    """Is there a value inside of a text, at any depth?"""
    return node is not None and any(found.name == "encoded" for found in _inside(node))
