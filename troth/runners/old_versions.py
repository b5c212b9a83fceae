"""Replies that show how a record was before: every field that has changed since is wrong, for one reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from troth.contracts.json_path import Segment, segments, value_below
from troth.contracts.values import ABSENT, Value
from troth.runners.disagreement import Disagreement, Row
from troth.runners.step_result import StepResult
from troth.runners.symbols import Symbols
from troth.runners.triangulate import Lined

__all__ = ["old_versions"]

_CHANGED = frozenset({"appeared", "decreased", "gone", "stored"})

Steps = tuple[Segment, ...]


def old_versions(found: Sequence[Disagreement], lined: Lined) -> dict[int, int]:
    """Index of each wrong field of a record to the first one, where an earlier reply showed the record just so.

    Two fields that are wrong for two reasons were not both so before.
    """
    together: dict[tuple[str, int, Steps], list[tuple[int, Steps]]] = {}
    for index, item in enumerate(found):
        steps = segments(item.path) if item.kind in _CHANGED and item.path.startswith("$") else None
        if steps and item.row is Row.PROVIDER and item.on_sandbox is not None and item.names is None:
            place = _record(item.on_sandbox, steps, lined)
            if place is not None:
                together.setdefault((item.scenario, item.number, place), []).append((index, steps[len(place) :]))
    result: dict[int, int] = {}
    for (_, _, place), fields in together.items():
        first = fields[0][0]
        if len(fields) > 1 and _shown_before(found[first], place, [rest for _, rest in fields], lined):
            result |= {index: first for index, _ in fields[1:]}
    return result


def _record(result: StepResult, steps: Steps, lined: Lined) -> Steps | None:
    """Where the record stands that a field belongs to: the nearest object with the key of one that the run made."""
    symbols = lined.symbols("sandbox", result.scenario)
    body = result.judgement.body if result.judgement is not None else ABSENT
    places = (steps[:depth] for depth in range(len(steps) - 1, -1, -1))
    return next((place for place in places if _keys(value_below(body, place), symbols)), None)


def _keys(value: Value, symbols: Symbols) -> set[tuple[str, Value]]:
    """Which record it is, and which ones it names."""
    members = value.items() if isinstance(value, dict) else ()
    return {(name, part) for name, part in members if isinstance(part, str | int) and part in symbols}


def _shown_before(item: Disagreement, place: Steps, fields: Sequence[Steps], lined: Lined) -> bool:
    """Did an earlier reply of the scenario show all of these fields as this one does?"""
    now = item.on_sandbox
    assert now is not None
    assert now.judgement is not None
    symbols = lined.symbols("sandbox", item.scenario)
    shown = value_below(now.judgement.body, place)
    keys = _keys(shown, symbols)
    said = [value_below(shown, field) for field in fields]
    for (scenario, _), result in lined.sandbox.items():
        if scenario == item.scenario and result.number < now.number and result.judgement is not None:
            for other in _objects(result.judgement.body):
                if keys <= _keys(other, symbols) and [value_below(other, field) for field in fields] == said:
                    return True
    return False


def _objects(value: Value) -> Iterator[dict[str, Value]]:
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(part)
