"""Where a sandbox differs from itself: learned from its repeats, with a bound, and used no further than it is proven.

A repeat is one run of a scenario after another one of the same contract, in one night or from night to night. What
differs from itself is no difference to the simulator when the simulator does one of the things that the sandbox does.
Where it never does, the difference may be *masked*, which hides it: only of a value, never of structure, status or
length, and never at a path that also covers something stable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from troth.contracts.json_path import schema_path
from troth.runners.disagreement import Disagreement, Row
from troth.runners.finding import Volatile
from troth.runners.habits import RESPONSE, Habits, Showing, seen_at
from troth.runners.rate import CONFIDENCE, at_least

__all__ = ["ENOUGH", "Sifted", "Volatility", "facet_of", "learn", "sift", "unsettled"]

LEAST = 0.05
"""What differs from itself in fewer repeats than this is not volatile: it has changed."""
DIFFERING = 2
"""So many repeats differ at least in one scenario: a single change may be the provider's for good."""
ENOUGH = 10
"""After so many repeats without a difference a scenario counts as stable there (it may differ in up to 26 %)."""

_FACETS = {
    "loose_value": "value",
    "loose_null": "value",
    "loose_presence": "field",
    "loose_size": "size",
    "loose_order": "order",
}
_NEVER = {
    "loose_response": "which response comes is the status of the answer",
    "loose_presence": "whether a field is there is structure",
    "loose_null": "whether it is null is structure",
    "loose_size": "how many items there are is length",
    "loose_order": "of a list without its order nothing would be left that is compared",
}
"""Why a kind is never masked."""


@dataclass(frozen=True, slots=True)
class Volatility:
    """Of one place: in how many of ``repeats`` the sandbox differed from itself."""

    repeats: int = 0
    differed: int = 0
    most: int = 0
    """In how many repeats of one scenario at most."""
    stable: tuple[str, ...] = ()
    """Scenarios in which the place never differed, in at least ``ENOUGH`` repeats."""

    @property
    def bound(self) -> float:
        """The share of repeats in which it differs at least (95 %, Clopper-Pearson)."""
        return at_least(self.differed, self.repeats)

    @property
    def shown(self) -> bool:
        """Is it shown that the sandbox differs from itself here?"""
        return self.most >= DIFFERING and self.bound >= LEAST


@dataclass(frozen=True, slots=True)
class Sifted:
    """The loose differences that are left, and what was learned of the places of the others."""

    kept: tuple[Disagreement, ...] = ()
    volatile: tuple[Volatile, ...] = field(default=())


def facet_of(item: Disagreement) -> tuple[str, str] | None:
    """Where in a showing a loose difference stands; None for what showings do not show."""
    judged = item.on_sandbox.judgement if item.on_sandbox else None
    if item.row is not Row.LOOSE or judged is None:
        return None
    if item.kind == "loose_response":
        return item.operation, RESPONSE
    kind = _FACETS.get(item.kind)
    return (f"{item.operation}.{judged.response}", f"{kind} {schema_path(item.path)}") if kind else None


def learn(nights: Sequence[Habits], where: str, facet: str) -> Volatility:
    """What the repeats say of one place; ``nights`` oldest first, tonight last."""
    repeats = differed = most = 0
    stable: list[str] = []
    for scenario in dict.fromkeys(name for night in nights for name in night.showings):
        pairs = [before != after for before, after in _repeats(nights, scenario, where, facet)]
        repeats += len(pairs)
        differed += sum(pairs)
        most = max(most, sum(pairs))
        if len(pairs) >= ENOUGH and not any(pairs):
            stable.append(scenario)
    return Volatility(repeats, differed, most, tuple(stable))


def _repeats(
    nights: Sequence[Habits], scenario: str, where: str, facet: str
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    last: tuple[str, tuple[str, ...]] | None = None
    for night in nights:
        for showing in night.showings.get(scenario, ()):
            seen = seen_at(showing, where, facet)
            if seen:
                if last is not None and last[0] == night.contract_hash:
                    yield last[1], seen
                last = night.contract_hash, seen


def sift(
    found: Iterable[Disagreement],
    nights: Sequence[Habits],
    simulated: dict[str, Showing],
    tested: Callable[[Disagreement], str],
) -> Sifted:
    """Sort the loose differences of a night out; ``tested`` tries a mask and says why it must not be used, or "".

    ``nights`` as in ``learn``; ``simulated`` are the simulator's showings.
    """
    kept: list[Disagreement] = []
    hidden: list[Disagreement] = []
    places: dict[tuple[str, str], Volatile] = {}
    for item in found:
        place = facet_of(item)
        said = _said(item, place, nights, simulated, tested) if place is not None else None
        (kept if said is None or said.refused else hidden).append(item)
        if said is not None and place is not None:
            before = places.get(place)
            # What is refused once is not silenced at all.
            places[place] = said if before is None or said.refused else before
    refused = {place for place, said in places.items() if said.refused}
    return Sifted((*kept, *(item for item in hidden if facet_of(item) in refused)), tuple(places.values()))


def unsettled(found: Iterable[Disagreement], nights: Sequence[Habits]) -> tuple[str, ...]:
    """The scenarios with loose differences of which it is not known yet whether the sandbox differs from itself."""
    scenarios: dict[str, None] = {}
    for item in found:
        place = facet_of(item)
        if place is not None:
            learned = learn(nights, *place)
            if not learned.shown and learned.repeats < ENOUGH:
                scenarios[item.scenario] = None
    return tuple(scenarios)


def _said(
    item: Disagreement,
    place: tuple[str, str],
    nights: Sequence[Habits],
    simulated: dict[str, Showing],
    tested: Callable[[Disagreement], str],
) -> Volatile | None:
    """What is made of one difference; None where nothing shows that the place is volatile."""
    where, facet = place
    learned = learn(nights, where, facet)
    if not learned.shown:
        return None
    said = Volatile(
        where=where,
        path=item.path if facet == RESPONSE else schema_path(item.path),
        kind=item.kind,
        repeats=learned.repeats,
        differed=learned.differed,
        bound=round(learned.bound, 4),
        confidence=CONFIDENCE,
    )
    if _does_too(item, nights, simulated, place):
        return replace(said, alike=True)
    return replace(said, refused=_refusal(item, learned) or tested(item))


def _does_too(
    item: Disagreement, nights: Sequence[Habits], simulated: dict[str, Showing], place: tuple[str, str]
) -> bool:
    """Is what the simulator does there among what the sandbox does, in the same scenario?"""
    mine = seen_at(simulated.get(item.scenario, {}), *place)
    contract_hash = nights[-1].contract_hash if nights else ""
    theirs = {
        what
        for night in nights
        if night.contract_hash == contract_hash
        for showing in night.showings.get(item.scenario, ())
        for what in seen_at(showing, *place)
    }
    return bool(mine) and set(mine) <= theirs


def _refusal(item: Disagreement, learned: Volatility) -> str:
    """Why a place must not be masked, whatever was learned of it."""
    if item.kind in _NEVER:
        return _NEVER[item.kind]
    if isinstance(item.sandbox, dict | list):
        return "what stands there is structure"
    if learned.stable:
        return f"the path also covers what is stable: it never differed in {learned.stable[0]}"
    return ""
