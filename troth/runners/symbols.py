"""Names for the ids that a scenario created, the same on both targets: the first customer is ``customers#1`` on each.

A different id is then no difference, and an id that refers to another record is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from email.utils import parsedate_to_datetime

from troth.contracts.values import Value
from troth.runners.step_result import StepResult

__all__ = ["Symbols", "near_time"]

_SHORTEST = 4
"""Keys shorter than this (``7``) turn up in texts by accident, so they are replaced only as whole values."""


_WORD = re.compile(r"[A-Za-z0-9]+(?:[_.~-]+[A-Za-z0-9]+)*")
"""Runs of letters and digits, joined by what ids are joined with."""
_RUN = re.compile(r"[A-Za-z0-9]+")


class Symbols:
    """The keys of the records that one target created in one scenario, by symbol."""

    __slots__ = ("_odd", "_runs", "_whole")

    def __init__(self, results: Iterable[StepResult]) -> None:
        self._whole: dict[Value, str] = {}
        counts: dict[str, int] = {}
        for result in results:
            for collection, key in result.judgement.created if result.judgement else ():
                if not isinstance(key, str | int) or key in self._whole:
                    continue
                counts[collection] = counts.get(collection, 0) + 1
                self._whole[key] = f"{collection}#{counts[collection]}"
        long = [key for key in self._whole if isinstance(key, str) and len(key) >= _SHORTEST]
        words = [key for key in long if _WORD.fullmatch(key)]
        self._runs = max((len(_RUN.findall(key)) for key in words), default=0)
        """Of how many runs of letters and digits a key is made at most."""
        odd = "|".join(re.escape(key) for key in long if not _WORD.fullmatch(key))
        self._odd = re.compile(rf"(?<![A-Za-z0-9])(?:{odd})(?![A-Za-z0-9])") if odd else None

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
        if self._odd is not None:
            text = self._odd.sub(lambda found: self._whole[found.group()], text)
        pieces, at = [], 0
        for start, end in self._found(text):
            pieces += [text[at:start], self._whole[text[start:end]]]
            at = end
        return "".join([*pieces, text[at:]])

    def touched(self, *texts: str) -> frozenset[str]:
        """The symbols of the records that any of ``texts`` (URLs, bodies) mentions."""
        symbols = {self._whole[text[start:end]] for text in texts for start, end in self._found(text)}
        if self._odd is not None:
            symbols |= {self._whole[found] for text in texts for found in self._odd.findall(text)}
        return frozenset(symbols)

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        """Where keys stand, as whole words or as the parts of longer ones (``pi_1_secret_x``); the longest first.

        Not one pattern of all keys: a scenario may make hundreds, and every body of it is looked through.
        """
        if not self._runs:
            return
        for word in _WORD.finditer(text):
            runs = [run.span() for run in _RUN.finditer(text, *word.span())]
            first = 0
            while first < len(runs):
                last = self._longest(text, runs, first)
                if last is not None:
                    yield runs[first][0], runs[last][1]
                first = first + 1 if last is None else last + 1

    def _longest(self, text: str, runs: list[tuple[int, int]], first: int) -> int | None:
        start = runs[first][0]
        for last in range(min(first + self._runs, len(runs)) - 1, first - 1, -1):
            end = runs[last][1]
            if end - start >= _SHORTEST and text[start:end] in self._whole:
                return last
        return None


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
