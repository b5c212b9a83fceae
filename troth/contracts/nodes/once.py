"""Which fields of a record that may change once (``changes: once``) have done so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from troth.contracts.nodes.base import member
from troth.contracts.nodes.shape import Shape
from troth.contracts.values import ABSENT, Json

if TYPE_CHECKING:
    from troth.contracts.nodes.base import Node
    from troth.contracts.record import Record

__all__ = ["has_once", "spend"]

_UNKNOWN: Final[Any] = object()


def spend(before: Record, after: Record, shape: Shape) -> None:
    """Note in ``after`` what has changed since ``before``."""
    changed = frozenset(_spent(shape, before.values, after.values, ""))
    if changed:
        after.spent = before.spent | changed


def _spent(shape: Shape, before: Mapping[str, Json], after: Mapping[str, Json], path: str) -> Iterator[str]:
    """The paths below a record (``.shipping.at``) whose known value is no longer what it was, nor known to be it."""
    for field in shape.fields:
        old, new = before.get(field.name, _UNKNOWN), after.get(field.name, _UNKNOWN)
        if old is _UNKNOWN or old is new:
            continue
        at = member(path, field.name)
        inner = _shape(field.node)
        if field.node.changing == "once":
            if ABSENT in (old, new) or new is _UNKNOWN or not field.node.same(old, new):
                yield at
        elif inner is not None and isinstance(old, dict) and isinstance(new, dict):
            yield from _spent(inner, old, new, at)


def has_once(shape: Shape | None, within: frozenset[int] = frozenset()) -> bool:
    """Is there a field that may change once, at any depth?"""
    if shape is None or id(shape) in within:
        return False
    within = within | {id(shape)}
    return any(field.node.changing == "once" or has_once(_shape(field.node), within) for field in shape.fields)


def _shape(node: Node | None) -> Shape | None:
    while node is not None and not isinstance(node, Shape):
        node = getattr(node, "target", None) or getattr(node, "inner", None)
    return node
