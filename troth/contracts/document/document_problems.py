"""What pydantic says, as Problems: one message for one mistake, at the place where it was written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from troth.contracts.describe import describe
from troth.contracts.document.document_base import problem_of
from troth.contracts.suggest import did_you_mean
from troth.contracts.yaml_files.placed import Map, Seq, place_of
from troth.errors import Place, Problem

__all__ = ["problems_of"]


def problems_of(error: ValidationError, root: Map) -> list[Problem]:
    """Every mistake in ``error``; ``root`` is what was validated."""
    return [_problem(item, root) for item in error.errors(include_url=False)]


def _problem(item: Mapping[str, Any], root: Map) -> Problem:
    path, given, kind = tuple(item["loc"]), item["input"], item["type"]
    place = place_of(root, path)
    context = item.get("ctx", {})
    if kind == "troth":
        return problem_of(place, context)
    name = _trail(path, root)
    if kind == "missing":
        where = _trail(path[:-1], root) or ("the operation" if len(path) > 1 else "the contract")
        found = ", ".join(map(str, given)) if isinstance(given, dict) and given else "nothing"
        return Problem("E032", place, f"the key {path[-1]!r} in {where}", found)
    if kind == "literal_error":
        return _literal(place, name, given, str(context.get("expected", "")))
    if kind in _TYPES:
        return Problem("E031", place, f"{name} to be {_TYPES[kind]}", describe(given), _type_fix(kind, given))
    if kind in _LIMITS:
        return Problem("E035", place, _LIMITS[kind](name, context), describe(given))
    return Problem("E031", place, f"{name}: {item['msg']}", describe(given))


_TYPES = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping (name: value)",
}
_LIMITS: dict[str, Callable[[str, Mapping[str, Any]], str]] = {
    "string_pattern_mismatch": lambda name, ctx: f"{name} to match {ctx['pattern']}",
    "string_too_long": lambda name, ctx: f"{name} of at most {ctx['max_length']} characters",
    "greater_than_equal": lambda name, ctx: f"{name} of at least {ctx['ge']}",
    "less_than_equal": lambda name, ctx: f"{name} of at most {ctx['le']}",
    "too_short": lambda name, ctx: f"{name} with at least {ctx['min_length']} in it",
    "too_long": lambda name, ctx: f"{name} with at most {ctx['max_length']} in it",
}


def _literal(place: Place, name: str, given: Any, expected: str) -> Problem:
    words = [word.strip().strip("'") for word in expected.replace(" or ", ", ").split(",")]
    hint = did_you_mean(given, words, "values") if isinstance(given, str) else ""
    fix = hint if hint.startswith("Did") else ""
    return Problem("E035", place, f"{name} to be {' or '.join(words)}", describe(given), fix)


def _type_fix(kind: str, given: Any) -> str:
    if kind == "string_type" and isinstance(given, bool | int | float):
        return f'Quote it: "{str(given).lower() if isinstance(given, bool) else given}"'
    if kind in ("int_type", "float_type") and isinstance(given, str) and given.lstrip("-").isdigit():
        return f"Write {given} without quotes"
    return ""


_SHARED = {"operations": 2, "traits": 2, "defaults": 1}
"""Sections whose entries are merged into each other, and how many steps lead to what they have in common."""


def _trail(path: Iterable[object], root: Map) -> str:
    """The steps of ``path`` that stand in the file: ``targets.sandbox.limits.rate``, ``responses.found.status``.

    Without the names of operations and traits, so that a mistake in `defaults` is one problem, not one for each
    operation that inherits it.
    """
    value: Any = root
    steps: list[str] = []
    for step in path:
        if step == "[key]":
            continue
        if isinstance(value, Map) and isinstance(step, str):
            if step in value or not steps or not _is_internal(step):
                steps.append(step)
            value = value.get(step, value)
        elif isinstance(value, Seq) and isinstance(step, int):
            steps.append(str(step + 1))
            value = value[step] if step < len(value) else None
    return ".".join(steps[_SHARED.get(steps[0], 0) :]) if steps else ""


def _is_internal(step: str) -> bool:
    return "[" in step or "-" in step
