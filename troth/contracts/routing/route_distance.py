"""How near a path is to a template: what a mistyped request was probably meant for."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from troth.contracts.routing.path_template import Segment

__all__ = ["distance"]

_MOST_SEGMENTS = 64
_PARAMETER = 0.02
"""A parameter fits anything, but a literal that fits is nearer."""


def distance(template: Sequence[Segment], path: Sequence[str], known: dict[tuple[str, str], float]) -> float:
    """0 for a path that fits; about 1 for each segment that is missing, added or another; less for a slip in one.

    ``known`` remembers what two words are apart, since templates share most of their words.
    """
    path = path[:_MOST_SEGMENTS]
    before = [float(count) for count in range(len(path) + 1)]
    for index, segment in enumerate(template, start=1):
        row = [float(index)]
        for at, text in enumerate(path, start=1):
            changed = before[at - 1] + _apart(segment, text, known)
            row.append(min(changed, before[at] + 1, row[at - 1] + 1))
        before = row
    return before[-1]


def _apart(segment: Segment, text: str, known: dict[tuple[str, str], float]) -> float:
    if segment.literal is None:
        if not segment.literals:
            return _PARAMETER if text else 1.0
        return _PARAMETER / 2 if segment.parts(text) else 0.6
    if segment.literal == text:
        return 0.0
    pair = (segment.literal, text)
    if pair not in known:
        ratio = SequenceMatcher(None, segment.literal[:100], text[:100], autojunk=False).ratio()
        known[pair] = 1.0 - ratio if ratio > 0.5 else 1.0
    return known[pair]
