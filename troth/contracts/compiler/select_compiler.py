"""``$select`` in a ``let``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from troth.contracts.compiler.patterns import Patterns, Spot
from troth.contracts.quantity import QuantityError, duration, duration_range
from troth.contracts.select import Select
from troth.contracts.suggest import did_you_mean
from troth.contracts.yaml_files.placed import Map

__all__ = ["compile_select"]

_KEYS = ("$select", "where", "order", "size", "after", "at", "lag", "complete")


def compile_select(patterns: Patterns, name: str, raw: dict[str, Any], spot: Spot) -> Select | None:
    """The view that a ``let`` calls ``name``; None when something is wrong, with the problems noted."""

    def at(key: str) -> Spot:
        return spot.at(raw.place(key) if isinstance(raw, Map) else spot.place)

    for key in raw:
        if key not in _KEYS:
            patterns.report("E178", at(key).place, "a key of $select", repr(key), did_you_mean(key, _KEYS, "keys"))
    collection = raw["$select"]
    if not isinstance(collection, str) or collection not in patterns.collection_names:
        fix = did_you_mean(str(collection), patterns.collection_names, "collections")
        patterns.report("E162", at("$select").place, "a collection in `state`", repr(collection), fix)
        return None
    rows = at("where")
    rows = rows._replace(names=replace(spot.names, record=collection))
    found = {key: patterns.expression(raw[key], at(key)) for key in ("size", "after", "at") if raw.get(key) is not None}
    size = found.get("size")
    if size is not None and size.constant and not _counts(size.run(None)):  # type: ignore[arg-type]
        patterns.report("E152", at("size").place, "`size` to be a number of items", repr(raw["size"]))
    order = raw.get("order")
    written = order if isinstance(order, list) else [] if order in (None, "any") else [order]
    said = [patterns.said(item, at("order")) for item in written]
    return Select(
        name,
        collection,
        patterns.expression(raw["where"], rows) if "where" in raw else None,
        tuple(item for item in said if item is not None),
        order in (None, "any"),
        found.get("size"),
        found.get("after"),
        found.get("at"),
        _lag(patterns, raw.get("lag"), at("lag")),
        raw.get("complete") is not False,
    )


def _counts(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _lag(patterns: Patterns, raw: Any, spot: Spot) -> float:
    """The most seconds by which a list may be behind."""
    if raw is None:
        return 0.0
    try:
        return duration_range(raw)[1] if isinstance(raw, str) and ".." in raw else duration(raw)
    except QuantityError as error:
        patterns.report(error.code, spot.place, error.asked, error.found, error.fix)
        return 0.0
