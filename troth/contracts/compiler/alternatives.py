"""What a value may be: the matchers behind names, nulls, choices and branches."""

from __future__ import annotations

from collections.abc import Iterator

from troth.contracts.nodes.base import Node
from troth.contracts.nodes.choice import AnyOf, Branches, Nullable
from troth.contracts.nodes.leaf import Ref

__all__ = ["alternatives"]


def alternatives(node: Node) -> Iterator[Node]:
    """Each matcher that may describe the value, none of them a name for others."""
    if isinstance(node, Ref):
        yield from alternatives(node.target)
    elif isinstance(node, Nullable | AnyOf | Branches):
        for child in node.children():
            yield from alternatives(child)
    else:
        yield node
