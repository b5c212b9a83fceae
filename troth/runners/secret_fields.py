"""Finds the values of fields that a contract marks ``secret: true``, so that they are replaced like other secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from troth.contracts.contract import Contract, Operation
from troth.contracts.nodes.base import Node
from troth.contracts.values import Json

__all__ = ["secret_names", "secret_values"]


def secret_names(contract: Contract, operation: Operation) -> frozenset[str]:
    """Names of the fields and headers that the operation's request and responses mark as secret, at any depth."""
    request = operation.request
    roots: list[Node | None] = [request.path_fields, request.query, request.headers, request.cookies, request.body]
    for response in operation.responses:
        roots += [response.body, response.headers]
    roots += [collection.type for collection in contract.collections.values()]
    return frozenset(_marked(root for root in roots if root is not None))


def _marked(roots: Iterable[Node]) -> Iterator[str]:
    waiting, seen = list(roots), set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        for field in getattr(node, "fields", ()):
            if field.node.secret:
                yield field.name
        waiting.extend(node.children())
        target = getattr(node, "target", None)
        if isinstance(target, Node):
            waiting.append(target)


def secret_values(value: Json, names: frozenset[str], inside: str = "") -> Iterator[tuple[str, str]]:
    """(field, text) of every value below a field called one of ``names``."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from secret_values(item, names, inside or (name if name in names else ""))
    elif isinstance(value, list):
        for item in value:
            yield from secret_values(item, names, inside)
    elif inside and isinstance(value, str | int | float) and not isinstance(value, bool):
        yield inside, str(value)
