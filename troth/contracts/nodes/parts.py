"""A whole beside its parts: what is wrong with a part alone is not wrong with the whole as well."""

from __future__ import annotations

from collections.abc import Iterable

from troth.contracts.json_path import segments, value_at
from troth.contracts.leaves.base import same_json
from troth.contracts.matcher import Mismatch
from troth.contracts.values import ABSENT, Json, Value

__all__ = ["explained"]


def explained(whole: Mismatch, parts: Iterable[Mismatch], path: str) -> bool:
    """Is ``whole``, which says that the value at ``path`` is another one, no more than what ``parts`` say already?"""
    if whole.path != path or whole.kind not in ("value", "stored") or not isinstance(whole.expected, dict | list):
        return False
    value: Value = whole.observed
    for part in parts:
        rest = segments(part.path.removeprefix(path)) if part.path.startswith((f"{path}.", f"{path}[")) else None
        if rest:
            value = _with(value, rest, value_at(whole.expected, f"${part.path.removeprefix(path)}"))
    return same_json(value, whole.expected)


def _with(value: Value, steps: tuple[str | int, ...], other: Value) -> Value:
    """A copy of ``value`` with ``other`` where ``steps`` lead to; ABSENT takes away what is there."""
    if not steps:
        return other
    step, rest = steps[0], steps[1:]
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return [_with(part, rest, other) if index == step else part for index, part in enumerate(value)]
    if not isinstance(value, dict) or isinstance(step, int):
        return value
    made: dict[str, Json] = {**value, step: _with(value.get(step, ABSENT), rest, other)}
    return made if made[step] is not ABSENT else {name: part for name, part in made.items() if name != step}
