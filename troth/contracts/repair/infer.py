"""A matcher that takes some observed values, as an author would write it: no narrower than the values show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from troth.contracts.leaves import build_leaf
from troth.contracts.nodes.base import json_type
from troth.contracts.repair.emit import Unwritable, literal
from troth.contracts.values import Json
from troth.errors import Place, Problems

__all__ = ["fits_leaf", "inferred", "timestamp_for"]

_MOST_FIELDS = 40
"""Members of an object that are listed; one with more is a map."""
_FIELD = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_TIMESTAMPS = ("rfc3339", "rfc2822", "http", "date", "unix", "unix_ms")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)


def inferred(values: Sequence[Json]) -> Any:
    """What to write; ``$any`` where nothing was seen or kinds are mixed."""
    seen = [value for value in values if value is not None]
    if not seen:
        return "$null" if values else "$any"
    inner = _of_one_kind(seen)
    return inner if len(seen) == len(values) or inner == "$any" else {"$nullable": inner}


def _of_one_kind(values: Sequence[Json]) -> Any:
    kinds = {json_type(value) for value in values}
    if kinds == {"integer", "number"}:
        kinds = {"number"}
    if len(kinds) > 1:
        return "$any"
    (kind,) = kinds
    if kind == "string":
        return _text(values)
    if kind == "array":
        items = [item for value in values for item in value]
        return {"$array": inferred(items)} if items else "$array"
    return _object(values) if kind == "object" else f"${kind}"


def _text(values: Sequence[str]) -> Any:
    if all(_UUID.fullmatch(value) for value in values):
        return "$uuid"
    stamp = timestamp_for(values, ("rfc3339", "rfc2822", "http", "date"))
    if stamp is not None:
        return {"$timestamp": stamp}
    return "$url" if all(value.startswith(("https://", "http://")) for value in values) else "$string"


def _object(values: Sequence[dict[str, Json]]) -> Any:
    names = list(dict.fromkeys(name for value in values for name in value))
    members = [item for value in values for item in value.values()]
    if len(names) > _MOST_FIELDS or not all(_FIELD.fullmatch(name) for name in names):
        return {"$map": inferred(members)}
    fields = {}
    for name in names:
        shown = [value[name] for value in values if name in value]
        fields[name if len(shown) == len(values) else f"{name}?"] = inferred(shown)
    return fields


def timestamp_for(values: Iterable[Json], formats: Iterable[str] = _TIMESTAMPS) -> str | None:
    """The format in which all of the values are times; None when they are not."""
    values = list(values)
    return next((name for name in formats if values and fits_leaf("timestamp", name, {}, values)), None)


def fits_leaf(name: str, argument: Any, modifiers: dict[str, Any], values: Iterable[Json]) -> bool:
    """Does the leaf matcher exist, and take all of the values?"""
    problems = Problems()
    leaf = build_leaf(name, argument, modifiers, Place(), problems)
    return leaf is not None and not problems.items and all(leaf.fault(value) is None for value in values)


def constant(values: Sequence[Json]) -> Any:
    """The one scalar that all of them are, as a literal; Unwritable when they are not one."""
    if not values or any(value != values[0] or type(value) is not type(values[0]) for value in values):
        raise Unwritable("values that differ")
    if isinstance(values[0], dict | list):
        raise Unwritable("a structure")
    return literal(values[0])
