"""What kind of value is due where there is none, in words."""

from __future__ import annotations

from typing import Final

from troth.contracts.nodes.base import NOTHING, Node
from troth.contracts.nodes.choice import AnyOf, Branches, Nullable, OptionalNode
from troth.contracts.nodes.leaf import LeafNode, Literal, Ref

__all__ = ["due"]

_WORDS: Final = {
    "object": "an object",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}
"""By the type of a JSON Schema."""


def due(node: Node) -> str:
    """``a whole number``, ``one of card, cash``, ``an object or null``; ``a value`` where any will do."""
    if isinstance(node, Ref):
        return due(node.target)
    if isinstance(node, LeafNode):
        fault = node.leaf.fault(None) or node.leaf.fault({})
        return fault.want if fault is not None else "a value"
    if isinstance(node, Literal) and node.constant is not NOTHING:
        return repr(node.constant)
    if isinstance(node, OptionalNode):
        return due(node.inner)
    if isinstance(node, Nullable):
        return f"{due(node.inner)} or null"
    if isinstance(node, AnyOf | Branches):
        return " or ".join(dict.fromkeys(due(option) for option in node.children())) or "a value"
    return _WORDS.get(node.schema().get("type", ""), "a value")
