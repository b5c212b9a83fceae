"""Names for the ids that a scenario created, the same on both targets: the first customer is ``customers#1`` on each.

A different id is then no difference, and an id that refers to another record is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from email.utils import parsedate_to_datetime

from troth.contracts.values import Value
from troth.runners.step_result import StepResult

__all__ = ["Symbols", "near_time"]

_SHORTEST = 4
"""Keys shorter than this (``7``) turn up in texts by accident, so they are replaced only as whole values."""


class Symbols:
    """The keys of the records that one target created in one scenario, by symbol."""

    __slots__ = ("_pattern", "_whole")

    def __init__(self, results: Iterable[StepResult]) -> None:
        self._whole: dict[Value, str] = {}
        counts: dict[str, int] = {}
        for result in results:
            for collection, key in result.judgement.created if result.judgement else ():
                if not isinstance(key, str | int) or key in self._whole:
                    continue
                counts[collection] = counts.get(collection, 0) + 1
                self._whole[key] = f"{collection}#{counts[collection]}"
        # As whole words: a short id inside a longer one is not it.
        words = "|".join(re.escape(key) for key in self._whole if isinstance(key, str) and len(key) >= _SHORTEST)
        self._pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{words})(?![A-Za-z0-9])") if words else None

    def __contains__(self, value: Value) -> bool:
        return value in self._whole

    def value(self, value: Value) -> Value:
        """``value`` with every created id replaced by its symbol."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return self._whole.get(value, value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {key: self.value(item) for key, item in value.items()}
        return value

    def _text(self, text: str) -> str:
        if text in self._whole:
            return self._whole[text]
        return self._pattern.sub(lambda found: self._whole[found.group()], text) if self._pattern else text

    def touched(self, *texts: str) -> frozenset[str]:
        """The symbols of the records that any of ``texts`` (URLs, bodies) mentions."""
        if self._pattern is None:
            return frozenset()
        return frozenset(self._whole[found] for text in texts for found in self._pattern.findall(text))


def near_time(value: Value, time: float, within: float = 120.0) -> bool:
    """Does ``value`` say a time within some seconds of ``time`` (Unix seconds), in any of the usual formats?"""
    said = _instant(value)
    return any(abs(candidate - time) <= within for candidate in said)


def _instant(value: Value) -> tuple[float, ...]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (float(value), value / 1000)
    if not isinstance(value, str) or not any(letter.isdigit() for letter in value):
        return ()
    try:
        return (datetime.fromisoformat(value).timestamp(),)
    except (ValueError, OverflowError):
        pass
    try:
        return (parsedate_to_datetime(value).timestamp(),)
    except (ValueError, TypeError, OverflowError):
        return ()
