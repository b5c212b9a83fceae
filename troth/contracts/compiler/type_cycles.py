"""Types that can never end: a cycle of required fields has no smallest value."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from troth.contracts.yaml_files.placed import Map
from troth.errors import Place, Problems

__all__ = ["check_cycles"]

_MAY_END = frozenset({"$array", "$map", "$optional", "$nullable", "$partial", "$link", "$if", "$case", "$each"})
_WRAPPERS = frozenset({"$nullable", "$optional", "$partial", "$open", "$closed"})
"""Matchers whose value is a value of what they wrap."""


def check_cycles(types: Mapping[str, Any], problems: Problems) -> bool:
    """Report every type that contains itself with no way out; True when there is one."""
    needs = {name: _needed(raw) for name, raw in types.items()}
    ends: set[str] = set()
    while True:
        more = {name for name, groups in needs.items() if name not in ends and _can_end(groups, ends, types)}
        if not more:
            break
        ends |= more
    stuck = [name for name in types if name not in ends]
    bare = {name: _bare(raw) & types.keys() for name, raw in types.items()}
    empty = [name for name in types if name in ends and _only_itself(name, bare)]
    for name in stuck:
        place = types.key_place(name) if isinstance(types, Map) else Place()
        inside = sorted(other for group in needs[name] for other in group if other not in ends)
        fix = "Make one field of the cycle optional, nullable or a list"
        problems.add("E172", place, f"a type {name} that can end", f"it always contains {', '.join(inside)}", fix)
    for name in empty:
        place = types.key_place(name) if isinstance(types, Map) else Place()
        fix = "Say what it is: an object, a list, a text"
        problems.add("E172", place, f"a type {name} that is something besides itself", f"it is {name} again", fix)
    return bool(stuck or empty)


def _can_end(groups: list[frozenset[str]], ends: set[str], types: Mapping[str, Any]) -> bool:
    """Each group is a choice: one of its types must be able to end (an unknown type is reported elsewhere)."""
    return all(any(name in ends or name not in types for name in group) for group in groups)


def _only_itself(name: str, bare: Mapping[str, Collection[str]]) -> bool:
    """Is a value of the type again a value of it, with no object or list between?"""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        for other in bare[waiting.pop()]:
            if other == name:
                return True
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return False


def _bare(raw: Any) -> frozenset[str]:
    """The types that a value itself may be, rather than something in it."""
    if isinstance(raw, str):
        return frozenset({raw[1:]}) if raw[:1] == "$" and raw[1:2].isupper() else frozenset()
    key = _key(raw) if isinstance(raw, dict) else None
    if key is None:
        return frozenset()
    if key[1:2].isupper():
        return frozenset({key[1:]})
    options: list[Any] = {
        "$any_of": raw[key] if isinstance(raw[key], list) else [],
        "$if": [raw.get("then"), raw.get("else")],
        "$case": [raw.get("else"), *(raw["of"].values() if isinstance(raw.get("of"), dict) else ())],
    }.get(key, [raw[key]] if key in _WRAPPERS else [])
    return frozenset().union(*map(_bare, options))


def _key(raw: Mapping[str, Any]) -> str | None:
    """The key of a matcher."""
    return next((key for key in raw if key[:1] == "$" and key[:2] != "$$"), None)


def _needed(raw: Any) -> list[frozenset[str]]:
    """For every place that a value always has: the types of which one must stand there."""
    if isinstance(raw, str):
        return [frozenset({raw[1:]})] if raw[:1] == "$" and raw[1:2].isupper() else []
    if isinstance(raw, list):
        return [group for item in raw for group in _needed(item)]
    if not isinstance(raw, dict):
        return []
    key = _key(raw)
    if key is None:
        return [g for name, value in raw.items() if not str(name).endswith("?") for g in _needed(value)]
    if key in _MAY_END:
        return []
    if key == "$any_of":
        options = [_needed(option) for option in raw[key]] if isinstance(raw[key], list) else []
        if not options or any(not option for option in options):
            return []
        return [frozenset().union(*(group for option in options for group in option[:1]))]
    own = [frozenset({key[1:]})] if key[1:2].isupper() else []
    return own + _needed(raw[key] if isinstance(raw[key], dict | list) else None)
