"""The sandbox against its own past, inside what the contract allows: what it did night after night, and does no more.

A change is told when what was seen before and what is seen since have nothing in common, in each scenario that ran both
before and since, and when chance is ruled out: a thing that comes and goes at random, however often, would have to look
like this by a chance of at most ``CHANCE``. Each run of a scenario counts once, however often it shows the thing. What
was seen both ways before is volatile, and never a change.

Latency is compared by the medians of nights with the rank test of H. B. Mann and D. R. Whitney (On a test of whether
one of two random variables is stochastically larger than the other, 1947): one slow answer moves no median, and one
slow night no rank sum.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb
from statistics import median

from troth.contracts.json_path import value_at
from troth.contracts.values import ABSENT, Value
from troth.runners.disagreement import Disagreement, Row
from troth.runners.habits import Habits, Showing, parent_of, seen_at
from troth.runners.rate import at_most, by_chance
from troth.runners.step_result import StepResult, TargetRun

__all__ = ["CHANCE", "NIGHTS", "changed", "doubtful", "rank_chance"]

NIGHTS = 3
"""So many nights at least must be known from before a change."""
CHANCE = 0.0001
"""The chance that is taken of calling something changed that is volatile."""
RECENT = 7
"""Nights for which a change is told; then it is how the sandbox is."""
SLOW_NIGHTS = 7
"""Nights that must be slower; of a few nothing is said."""
SLOW_BEFORE = 14
"""So many nights at least must be known from before them."""
SLOW_CHANCE = 1e-5
"""As ``CHANCE``, for each of many responses anew every night."""
SLOWER = 1.5
"""How many times as long the median must take."""
SLOWER_BY = 0.05
"""Seconds that it must take longer."""
_KINDS = {
    "field": ("field_came", "field_went"),
    "header": ("header_came", "header_went"),
    "value": ("value_changed", "value_changed"),
    "order": ("order_changed", "order_changed"),
}
_AGED = 20


@dataclass(frozen=True, slots=True)
class _Change:
    """From one thing to another at a facet, as one scenario shows it; ``at`` and ``last`` are indexes of nights."""

    was: str
    now: str
    at: int
    """The first night that shows ``now``."""
    last: int
    """The last night that shows ``was``."""
    night: int
    nights: int
    """How many nights show ``was``."""
    earlier: int
    later: int
    """Runs of the scenario before and since."""
    scenarios: tuple[str, ...]
    chance: float = 1.0
    """Of a volatile thing to look like this."""


def changed(nights: Sequence[Habits], sandbox: TargetRun, simulated: Mapping[str, Showing]) -> Iterator[Disagreement]:
    """Every change of the last nights; ``nights`` oldest first, tonight last, ``simulated`` what the simulator showed.

    A value that the simulator has too is what the contract says, or is as good: no change is told of it.
    """
    known = _known(nights)
    results = _first_results(sandbox)
    for where, facet, found in _changes(known, simulated):
        if where in results and found.chance <= CHANCE:
            yield _told(found, results[where], *facet.split(" ", 1))
    yield from _slower(known, results)


def doubtful(nights: Sequence[Habits], simulated: Mapping[str, Showing]) -> tuple[str, ...]:
    """The scenarios of tonight that show what looks like a change, and may be chance: to be run once more."""
    found = [change for _, _, change in _changes(_known(nights), simulated) if change.chance > CHANCE]
    return tuple(dict.fromkeys(name for change in found for name in change.scenarios))


def _known(nights: Sequence[Habits]) -> list[Habits]:
    return [night for night in nights if night.contract_hash == nights[-1].contract_hash]


def _changes(nights: Sequence[Habits], simulated: Mapping[str, Showing]) -> Iterator[tuple[str, str, _Change]]:
    for where, facet in _facets(nights):
        found = _change(nights, where, facet)
        if found is None:
            continue
        if facet.startswith("value ") and found.now in _simulated(simulated, where, facet):
            continue
        if not facet.startswith("field ") or _is_record(nights, where, facet):
            yield where, facet, found


def _facets(nights: Sequence[Habits]) -> list[tuple[str, str]]:
    """Everything that was seen tonight, or on the last nights."""
    return sorted(
        {
            (where, facet)
            for night in nights[-RECENT - 1 :]
            for showings in night.showings.values()
            for showing in showings
            for where, facets in showing.items()
            for facet in facets
            if facet.partition(" ")[0] in _KINDS
        }
    )


def _change(nights: Sequence[Habits], where: str, facet: str) -> _Change | None:
    """The change at a facet that all scenarios show which ran before it and tonight; None for none, or for chance."""
    told: list[_Change] = []
    for scenario in nights[-1].showings:
        line = list(_line(nights, scenario, where, facet))
        if not line or line[-1][0] != len(nights) - 1 or line[0][0] == len(nights) - 1:
            # It was not seen tonight, or tonight for the first time: it may show that the place is volatile, no more.
            if len({seen for _, seen in line}) > 1:
                return None
            continue
        found = _turn(line, nights, scenario)
        if found is None:
            return None
        told.append(found)
    if not told:
        return None
    since = min(change.at for change in told)
    before, after = sum(change.earlier for change in told), sum(change.later for change in told)
    known = max(change.nights for change in told)
    if any(change.last >= since for change in told) or len(nights) - since > RECENT or known < NIGHTS:
        return None
    return replace(
        min(told, key=lambda change: change.at),
        nights=known,
        scenarios=tuple(name for change in told for name in change.scenarios),
        chance=by_chance(before, after),
    )


def _line(nights: Sequence[Habits], scenario: str, where: str, facet: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """What each run of a scenario showed at a facet, with the index of its night."""
    for at, night in enumerate(nights):
        for showing in night.showings.get(scenario, ()):
            seen = seen_at(showing, where, facet)
            if seen:
                yield at, seen


def _turn(line: list[tuple[int, tuple[str, ...]]], nights: Sequence[Habits], scenario: str) -> _Change | None:
    """Where a line goes from always one thing to always another one."""
    now = line[-1][1]
    first = len(line)
    while first and line[first - 1][1] == now:
        first -= 1
    before = line[:first]
    if len(now) != 1 or not before or len({seen for _, seen in before}) != 1 or len(before[0][1]) != 1:
        return None
    at = line[first][0]
    return _Change(
        was=before[0][1][0],
        now=now[0],
        at=at,
        last=before[-1][0],
        night=nights[at].night,
        nights=len({index for index, _ in before}),
        earlier=len(before),
        later=len(line) - first,
        scenarios=(scenario,),
    )


def _is_record(nights: Sequence[Habits], where: str, facet: str) -> bool:
    """Has the object of a field another member that was always there? What has none is a map, whose keys are data."""
    parent = parent_of(facet.partition(" ")[2])
    members = {
        other
        for showings in nights[-1].showings.values()
        for showing in showings
        for other in showing.get(where, ())
        if other.startswith("field ") and other != facet and parent_of(other.partition(" ")[2]) == parent
    }
    return any(
        all(
            seen_at(showing, where, other) in ((), ("yes",))
            for night in nights
            for showings in night.showings.values()
            for showing in showings
        )
        for other in members
    )


def _simulated(simulated: Mapping[str, Showing], where: str, facet: str) -> set[str]:
    return {what for showing in simulated.values() for what in seen_at(showing, where, facet)}


def _first_results(sandbox: TargetRun) -> dict[str, StepResult]:
    found: dict[str, StepResult] = {}
    for result in sandbox.results:
        if result.judgement is not None and result.judgement.response is not None:
            found.setdefault(f"{result.operation}.{result.judgement.response}", result)
    return found


def _told(found: _Change, result: StepResult, kind: str, path: str) -> Disagreement:
    came, went = _KINDS[kind]
    name = went if found.now == "no" else came
    bound = at_most(0, found.nights)
    was = {"yes": "there", "no": "not there"}.get(found.was, found.was)
    want = f"{was} on each of {found.nights} nights before"
    if found.nights < _AGED:
        want += f"; what is constant for so long may still change by itself, on up to {bound:.0%} of nights"
    return _item(
        result,
        name,
        f"headers.{path}" if kind == "header" else path,
        _shown(found.now, result, path),
        want,
        found.night,
    )


def _shown(now: str, result: StepResult, path: str) -> Value:
    """What stands there tonight, as a value."""
    if now == "no":
        return ABSENT
    if now == "yes":
        headers = {name.lower(): value for name, value in result.exchange.response_headers}
        return headers.get(path, _first(result.judgement.body if result.judgement else ABSENT, path))
    try:
        return json.loads(now)
    except ValueError:
        return now


def _first(body: Value, path: str) -> Value:
    """The first value at a schema path."""
    return value_at(body, path.replace("[*]", "[0]"))


def _item(result: StepResult, kind: str, path: str, now: Value, want: str, since: int) -> Disagreement:
    response = result.judgement.response if result.judgement else None
    return Disagreement(
        row=Row.PAST,
        kind=kind,
        operation=result.operation,
        scenario=result.scenario,
        number=result.number,
        path=path,
        origin=f"{result.operation}.{response}",
        sandbox=now,
        want=want,
        on_sandbox=result,
        standing=f"changed since night {since}" if since else "changed tonight",
    )


def _slower(nights: Sequence[Habits], results: dict[str, StepResult]) -> Iterator[Disagreement]:
    """Responses whose medians of the last nights are higher than those of the nights before."""
    for where in sorted(nights[-1].latency):
        if where not in results:
            continue
        known = [(night, night.latency[where][0]) for night in nights if where in night.latency]
        before = [value for _, value in known[:-SLOW_NIGHTS]]
        since = [value for _, value in known[-SLOW_NIGHTS:]]
        if len(before) < SLOW_BEFORE or len(since) < SLOW_NIGHTS:
            continue
        was, now = median(before), median(since)
        chance = rank_chance(before, since)
        if now >= was * SLOWER and now - was >= SLOWER_BY and chance <= SLOW_CHANCE:
            want = f"{was * 1000:.0f} ms, the median of {len(before)} nights before; "
            want += f"so many slower nights come by chance in {chance:.1g} of cases"
            first = known[-SLOW_NIGHTS][0].night
            yield _item(results[where], "slower", "latency", f"{now * 1000:.0f} ms", want, first)


def rank_chance(before: Iterable[float], since: Iterable[float]) -> float:
    """How likely ``since`` ranks at least as high as it does when both are alike (exact, one-sided; ties half)."""
    low, high = list(before), list(since)
    score = sum(1.0 if b > a else 0.5 if b == a else 0.0 for a in low for b in high)
    # The number of ways in which the pairs that are in order add up to each score.
    ways = _ways(len(low), len(high))
    return sum(ways[int(score) :]) / comb(len(low) + len(high), len(high))


def _ways(first: int, second: int) -> list[int]:
    """In how many orders of ``first`` and ``second`` values so many pairs are in order: a Gaussian binomial."""
    ways = [1] + [0] * (first * second)
    for part in range(1, second + 1):
        ways = _times(ways, first + part, part)
    return ways


def _times(ways: list[int], up: int, down: int) -> list[int]:
    """Multiplied by (1 - q^up) and divided by (1 - q^down)."""
    found = [count - (ways[at - up] if at >= up else 0) for at, count in enumerate(ways)]
    for at in range(down, len(found)):
        found[at] += found[at - down]
    return found
