"""Equal disagreements as one: twenty places that show a charge's currency are one finding, counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from troth.runners.disagreement import Disagreement
from troth.runners.finding import RecordedExchange

__all__ = ["MOST_EXCHANGES", "MOST_PLACES", "Group", "collapse", "exchanges_of", "places_of"]

MOST_EXCHANGES = 3
"""So many exchanges go with a finding."""
MOST_PLACES = 50


@dataclass(frozen=True, slots=True)
class Group:
    """Disagreements that are the same finding, in the order in which they were met."""

    members: tuple[Disagreement, ...]
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
        Group(tuple(found[index] for index in indexes), _cause(indexes, position, causes, group_of))
        for position, indexes in enumerate(members)
    ]


def _cause(indexes: list[int], own: int, causes: Mapping[int, int], group_of: Mapping[int, int]) -> int | None:
    """The cause of the first member, unless some member has none: what stands by itself once is a finding by itself."""
    if any(index not in causes for index in indexes):
        return None
    return next((group_of[causes[index]] for index in indexes if group_of[causes[index]] != own), None)


def places_of(group: Group) -> tuple[str, ...]:
    """Where the group was met, each place once: operation, scenario, step; at most ``MOST_PLACES``."""
    places = (f"{item.operation}, {item.scenario}, step {item.number}" for item in group.members)
    return tuple(dict.fromkeys(places))[:MOST_PLACES]


def exchanges_of(group: Group) -> tuple[RecordedExchange, ...]:
    """What each target answered at the step that is shown, simulator first, then more examples of the sandbox's."""
    results = [group.first.on_simulator, group.first.on_sandbox]
    results += [item.on_sandbox or item.on_simulator for item in group.members[1:]]
    unique: dict[int, RecordedExchange] = {}
    for result in results:
        if result is not None:
            unique.setdefault(id(result), result.exchange)
    return tuple(unique.values())[:MOST_EXCHANGES]
