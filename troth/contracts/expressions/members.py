"""What ``value.name`` and ``value(key)`` mean in expressions: an item of the value, never a Python attribute."""

from __future__ import annotations

from collections.abc import Mapping

from troth.contracts.expressions.comparisons import show, type_name
from troth.contracts.expressions.expression_error import Site
from troth.contracts.values import ABSENT, Unknown, Value

__all__ = ["look_up", "member"]


def member(value: Value, name: str) -> Value:
    """Field ``name`` of an object, a record or an unknown thing; ABSENT for anything that has no fields."""
    item = getattr(value, "item", None)  # records, pages, unknown things: see values.Item
    if item is not None:
        return item(name)
    return value.get(name, ABSENT) if isinstance(value, Mapping) else ABSENT


def look_up(value: Value, key: Value, site: Site) -> Value:
    """``value(key)``: the member of an object that a computed key names; ABSENT when there is none."""
    if value is ABSENT or key is ABSENT or value is None:
        return ABSENT
    if isinstance(value, Unknown) or isinstance(key, Unknown):
        return Unknown(f"{show(value)}({show(key)})")
    if isinstance(key, str):
        return member(value, key)
    if isinstance(value, Mapping):
        return ABSENT
    raise site.error(
        f"{show(value)}({show(key)}): a look-up in {type_name(value)}",
        "Look up names in objects and records; write `list | at(0)` for an item of a list",
    )
