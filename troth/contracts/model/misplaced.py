"""Fields that are not where they must be, all for one reason: an envelope around an object, another way to write names.

One drift is one finding, so the first such field stands for all of an object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from troth.contracts.json_path import Segment, segments, value_below
from troth.contracts.matcher import Mismatch, Out
from troth.contracts.model.doubt import cause_of
from troth.contracts.values import Value

__all__ = ["mark_misplaced"]

_GONE = frozenset({"missing_field", "gone"})


def mark_misplaced(found: Out, body: Value, operation: str) -> None:
    """Let the first missing field of an object explain the others, where nothing that the contract lists is in the
    object, and where another member holds them now.
    """
    for place, missing in _missing(found.mismatches).items():
        holder = value_below(body, place)
        if len(missing) < 2 or not isinstance(holder, dict):
            continue
        unlisted = _unlisted(found, place) & holder.keys()
        if holder.keys() <= unlisted:
            moved, extra = missing, _extra(found.mismatches, place)
            where = f", as is every field of the object, which has {_words(holder)}"
        else:
            new = max(sorted(unlisted, key=str), key=lambda name: len(_held(holder[name], missing)), default=None)
            moved, extra = {} if new is None else _held(holder[new], missing), []
            where = f", and in {new} now"
        if len(moved) > 1:
            _hang(found.mismatches, [*moved.values(), *extra], operation, where)


def _missing(mismatches: Iterable[Mismatch]) -> dict[tuple[Segment, ...], dict[Segment, int]]:
    """The index of each mismatch about a field that is not there, by the object and the field's name."""
    found: dict[tuple[Segment, ...], dict[Segment, int]] = {}
    for index, mismatch in enumerate(mismatches):
        if mismatch.kind in _GONE and mismatch.caused_by is None and mismatch.path.startswith("$"):
            steps = segments(mismatch.path)
            if steps:
                found.setdefault(steps[:-1], {})[steps[-1]] = index
    return found


def _unlisted(found: Out, place: tuple[Segment, ...]) -> set[Segment]:
    """The members of an object that the contract does not list."""
    paths = [*found.unlisted, *(each.path for each in found.mismatches if each.kind == "new_field")]
    steps = [segments(path) for path in paths]
    return {each[-1] for each in steps if each and each[:-1] == place}


def _extra(mismatches: Iterable[Mismatch], place: tuple[Segment, ...]) -> list[int]:
    """What a closed object says of the members that stand there instead."""
    return [
        index
        for index, each in enumerate(mismatches)
        if each.kind == "new_field" and each.caused_by is None and (segments(each.path) or ())[:-1] == place
    ]


def _held(value: Value, missing: Mapping[Segment, int]) -> dict[Segment, int]:
    return {name: index for name, index in missing.items() if isinstance(value, dict) and name in value}


def _words(holder: Mapping[str, Value]) -> str:
    names = sorted(holder)
    return ", ".join(names[:3]) + (" ..." if len(names) > 3 else "") if names else "nothing in it"


def _hang(mismatches: list[Mismatch], indexes: list[int], operation: str, where: str) -> None:
    first, *others = indexes
    cause = cause_of(operation, mismatches[first])
    mismatches[first] = replace(mismatches[first], want=(mismatches[first].want or "required") + where)
    for index in others:
        mismatches[index] = replace(mismatches[index], caused_by=cause)
