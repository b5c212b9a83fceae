"""Equal disagreements as one: twenty places that show a charge's currency are one finding, counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from troth.contracts.values import ABSENT
from troth.runners.disagreement import Disagreement
from troth.runners.finding import RecordedExchange
from troth.runners.places import promised_response
from troth.runners.trails import phase_of, step_words, written_step

__all__ = [
    "MOST_EXCHANGES",
    "MOST_PLACES",
    "Group",
    "collapse",
    "exchanges_of",
    "followed",
    "places_of",
    "responses_of",
]

MOST_EXCHANGES = 3
"""So many exchanges go with a finding."""
MOST_PLACES = 50


@dataclass(frozen=True, slots=True)
class Group:
    """Disagreements that are the same finding."""

    members: tuple[Disagreement, ...]
    """The one that is shown first, then the others in the order in which they were met."""
    cause: int | None
    """Index of the group that explains this one; None when something of this one stands by itself."""

    @property
    def first(self) -> Disagreement:
        """The one that is shown."""
        return self.members[0]


def collapse(found: Sequence[Disagreement], prints: Sequence[str], causes: Mapping[int, int]) -> list[Group]:
    """Group ``found`` by fingerprint and blame; ``causes`` maps indexes. Groups stand as their first members do."""
    keyed: dict[tuple[str, ...], list[int]] = {}
    for index, item in enumerate(found):
        keyed.setdefault((item.row, prints[index]), []).append(index)
    members = list(keyed.values())
    group_of = {index: position for position, indexes in enumerate(members) for index in indexes}
    return [
        Group(_shown_first(found, indexes, causes), _cause(indexes, position, causes, group_of))
        for position, indexes in enumerate(members)
    ]


def _shown_first(
    found: Sequence[Disagreement], indexes: list[int], causes: Mapping[int, int]
) -> tuple[Disagreement, ...]:
    """The members, in front the one that shows the fault itself: in a step of the scenario rather than in cleaning up,
    by itself rather than after something else, against a demand rather than against what the target did before.
    """

    def rank(index: int) -> tuple[bool, bool, bool, int]:
        item = found[index]
        return phase_of(item.trail) > 0, index in causes, followed(item), index

    lead = min(indexes, key=rank)
    return found[lead], *(found[index] for index in indexes if index != lead)


def followed(item: Disagreement) -> bool:
    """Is what the contract expects what the target said before, in the very form that is wrong?"""
    said = item.observed
    return item.expected is not ABSENT and item.expected.__class__ is said.__class__ and bool(item.expected == said)


def _cause(indexes: list[int], own: int, causes: Mapping[int, int], group_of: Mapping[int, int]) -> int | None:
    """The cause of the first member, unless some member has none: what stands by itself once is a finding by itself."""
    if any(index not in causes for index in indexes):
        return None
    return next((group_of[causes[index]] for index in indexes if group_of[causes[index]] != own), None)


def places_of(group: Group) -> tuple[str, ...]:
    """Where the group was met, each place once: operation, scenario, step; at most ``MOST_PLACES``."""
    return tuple(dict.fromkeys(_place(item) for item in group.members))[:MOST_PLACES]


def responses_of(group: Group) -> tuple[str, ...]:
    """Every ``operation.response`` that showed the group; where another reply came, the one that was promised too."""
    names: dict[str, None] = {}
    for item in group.members:
        result = item.on_sandbox or item.on_simulator
        judgement = result.judgement if result is not None else None
        if judgement is not None:
            names |= dict.fromkeys(
                f"{item.operation}.{name}" for name in (promised_response(item), judgement.response) if name
            )
    return tuple(names)


def _place(item: Disagreement) -> str:
    where = f"{item.operation}, {item.scenario}"
    return f"{where}, {step_words(written_step(item.trail), item.trail)}" if item.trail else where


def exchanges_of(group: Group) -> tuple[RecordedExchange, ...]:
    """What each target answered at the step that is shown, simulator first, then more examples of the sandbox's."""
    results = [group.first.on_simulator, group.first.on_sandbox]
    results += [item.on_sandbox or item.on_simulator for item in group.members[1:]]
    unique: dict[int, RecordedExchange] = {}
    for result in results:
        if result is not None:
            unique.setdefault(id(result), result.exchange)
    return tuple(unique.values())[:MOST_EXCHANGES]
