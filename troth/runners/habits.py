"""What a sandbox did where its contract leaves something open: one *showing* for each run of a scenario.

A showing says of each ``operation.response`` what was seen at each *facet* of it, as texts that can be compared with
those of another showing:

- ``field $.note``: ``yes`` or ``no``, both where some objects had it and others not;
- ``value $.currency``: what stood there, ids replaced by symbols, near times by ``<time>``;
- ``size $.data``: lengths of the list;
- ``order $.data``: ``oldest first`` or ``newest first``, by when the scenario made the records in it;
- ``header x-limit``: ``yes``, or both.

Beside them stands each operation with the facet ``response``: the names of those that came.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from statistics import median
from typing import TypeAlias

from troth.contracts.json_path import written_segment
from troth.contracts.values import Value
from troth.runners.step_result import StepResult, TargetRun
from troth.runners.symbols import Symbols, near_time
from troth.runners.triangulate import unobserved_of

__all__ = ["RESPONSE", "Habits", "Showing", "habits_of", "parent_of", "seen_at", "showings_of"]

Showing: TypeAlias = Mapping[str, Mapping[str, tuple[str, ...]]]
"""``operation.response`` (or ``operation``) to facet to what was seen, sorted."""
RESPONSE = "response"
_VALUES = 4
"""So many different values at one facet are kept; what has more is no habit."""
_LONG = 60
_PATHS = 2_000
"""Facets of one response that are kept."""
_PASSING = frozenset(
    {
        *("age", "connection", "content-encoding", "content-length", "date", "deprecation", "keep-alive", "server"),
        *("set-cookie", "sunset", "trailer", "transfer-encoding", "vary", "via", "x-cache"),
    }
)
"""Headers that belong to one connection or one way through the network, and those that have codes of their own."""


@dataclass(frozen=True, slots=True)
class Habits:
    """The showings of one night. ``night`` 0 is the one that goes on."""

    run_id: str
    night: int
    contract_hash: str
    """Nights under another contract had other scenarios, and are not compared."""
    showings: Mapping[str, tuple[Showing, ...]] = field(default_factory=dict)
    """By scenario, in the order in which it was run."""
    latency: Mapping[str, tuple[float, int]] = field(default_factory=dict)
    """By ``operation.response``: the median in seconds, and of how many answers."""


def habits_of(run_id: str, contract_hash: str, runs: Iterable[TargetRun]) -> Habits:
    """Of one night, from all that ran on the sandbox."""
    showings: dict[str, list[Showing]] = {}
    times: dict[str, list[float]] = {}
    for run in runs:
        for scenario, showing in showings_of(run).items():
            showings.setdefault(scenario, []).append(showing)
        for result in filter(_tells, run.results):
            times.setdefault(_where(result), []).append(result.exchange.elapsed)
    return Habits(
        run_id,
        0,
        contract_hash,
        {scenario: tuple(found) for scenario, found in showings.items()},
        {where: (round(median(found), 6), len(found)) for where, found in times.items()},
    )


def showings_of(run: TargetRun) -> dict[str, Showing]:
    """By scenario; only of those that came to their end."""
    ended = {outcome.scenario for outcome in run.outcomes if outcome.outcome == "ok"}
    results: dict[str, list[StepResult]] = {}
    for result in run.results:
        if result.scenario in ended and result.final and _tells(result):
            results.setdefault(result.scenario, []).append(result)
    return {scenario: _showing(found) for scenario, found in results.items()}


def seen_at(showing: Showing, where: str, facet: str) -> tuple[str, ...]:
    """What a showing shows at a facet; () for nothing. A field or header that never comes is ``no`` where it could."""
    facets = showing.get(where)
    if facets is None:
        return ()
    kind, _, path = facet.partition(" ")
    if facet in facets:
        return facets[facet]
    if kind == "header":
        return ("no",)
    return ("no",) if kind == "field" and f"object {parent_of(path)}" in facets else ()


def parent_of(path: str) -> str:
    """What the last member of a schema path is in."""
    return path[: path.rfind(".")] if "." in path else ""


def _tells(result: StepResult) -> bool:
    return result.judgement is not None and result.judgement.response is not None and unobserved_of(result) is None


def _where(result: StepResult) -> str:
    return f"{result.operation}.{result.judgement.response if result.judgement else None}"


def _showing(results: list[StepResult]) -> Showing:
    symbols = Symbols(results)
    replies: dict[str, list[StepResult]] = {}
    names: dict[str, set[str]] = {}
    for result in results:
        where = _where(result)
        replies.setdefault(where, []).append(result)
        names.setdefault(result.operation, set()).add(where.rpartition(".")[2])
    showing: dict[str, Mapping[str, tuple[str, ...]]] = {
        operation: {RESPONSE: tuple(sorted(found))} for operation, found in names.items()
    }
    return showing | {where: _facets(found, symbols) for where, found in replies.items()}


def _facets(results: list[StepResult], symbols: Symbols) -> dict[str, tuple[str, ...]]:
    page = _Page(symbols)
    for result in results:
        page.now = result.exchange.started
        page.read(result.judgement.body if result.judgement else None, "$")
    facets = dict(page.facets())
    counts: dict[str, int] = {}
    for result in results:
        for name in {name.lower() for name, _ in result.exchange.response_headers} - _PASSING:
            counts[name] = counts.get(name, 0) + 1
    facets |= {f"header {name}": _presence(count, len(results)) for name, count in sorted(counts.items())}
    return facets


def _presence(count: int, of: int) -> tuple[str, ...]:
    return ("yes",) if count == of else ("no", "yes")


class _Page:
    """Collects what the bodies of one response show."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self.now = 0.0
        self._objects: dict[str, int] = {}
        self._fields: dict[str, int] = {}
        self._seen: dict[str, set[str]] = {}

    def read(self, value: Value, path: str) -> None:
        """A value at a schema path, and all that is in it."""
        if isinstance(value, dict):
            self._objects[path] = self._objects.get(path, 0) + 1
            inside = {f"{path}{written_segment(name)}": item for name, item in value.items() if "." not in name}
            for name, item in inside.items():
                self._fields[name] = self._fields.get(name, 0) + 1
                self.read(item, name)
        elif isinstance(value, list):
            self._say("size", path, str(len(value)))
            order = _order([self._number(item) for item in value])
            if order:
                self._say("order", path, order)
            for item in value:
                self.read(item, f"{path}[*]")
        elif value is None or isinstance(value, str | int | float):
            self._say("value", path, self._token(value))

    def facets(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What was seen, in the end."""
        if len(self._fields) + len(self._seen) > _PATHS:
            return
        for path in self._objects:
            yield f"object {path}", ("yes",)
        for path, count in self._fields.items():
            if not path.endswith("[*]"):
                yield f"field {path}", _presence(count, self._objects[parent_of(path)])
        for facet, values in self._seen.items():
            if len(values) <= _VALUES:
                yield facet, tuple(sorted(values))

    def _say(self, kind: str, path: str, what: str) -> None:
        seen = self._seen.setdefault(f"{kind} {path}", set())
        if len(seen) <= _VALUES:
            seen.add(what)

    def _token(self, value: Value) -> str:
        if near_time(value, self.now):
            return "<time>"
        text = json.dumps(self._symbols.value(value), ensure_ascii=False, default=str)
        return text if len(text) <= _LONG else f"#{blake2b(text.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"

    def _number(self, item: Value) -> tuple[str, int] | None:
        """The collection of a record that the scenario made, and the how manieth of them it was."""
        for value in item.values() if isinstance(item, dict) else ():
            if isinstance(value, str) and value in self._symbols:
                collection, _, number = str(self._symbols.value(value)).rpartition("#")
                return collection, int(number)
        return None


def _order(numbers: list[tuple[str, int] | None]) -> str:
    own = [number for number in numbers if number is not None]
    if len({collection for collection, _ in own}) != 1 or len({number for _, number in own}) < 2:
        return ""
    if own == sorted(own):
        return "oldest first"
    return "newest first" if own == sorted(own, reverse=True) else "mixed"
