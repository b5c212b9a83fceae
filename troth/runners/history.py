"""What earlier runs say: when contract and sandbox last agreed somewhere, and since when a finding is seen.

Agreement is evidence. Without it nobody can tell "the provider changed" from "the contract was always wrong": on a
single night the two look alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

__all__ = ["Agreement", "History", "Sighting"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Sandbox and contract agreed at ``origin``, last in run ``run_id`` at ``time`` (Unix seconds).

    ``where`` is the ``operation.response`` that showed it: that a refund shows its currency proves nothing about a
    charge. ``edition`` is the hash of what the operation depended on in the contract of that run, ``troth`` the version
    that judged: an agreement of another edition or version does not by itself prove that the provider changed.
    ``scenario`` is one that showed it.
    """

    origin: str
    where: str
    edition: str
    troth: str
    run_id: str
    time: float
    scenario: str
    contract_hash: str = ""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A finding with this fingerprint was in run ``run_id``, which started at ``time`` (Unix seconds)."""

    fingerprint: str
    run_id: str
    time: float


@dataclass(frozen=True, slots=True)
class History:
    """All that earlier runs say of one provider."""

    agreements: Mapping[tuple[str, str], tuple[Agreement, ...]] = field(default_factory=dict)
    """By origin and where it was shown, oldest first."""
    sightings: Mapping[str, tuple[Sighting, ...]] = field(default_factory=dict)
    """By fingerprint, oldest first."""

    @classmethod
    def of(cls, agreements: Iterable[Agreement] = (), sightings: Iterable[Sighting] = ()) -> History:
        """Group and order rows."""
        by_place: dict[tuple[str, str], list[Agreement]] = {}
        for agreement in sorted(agreements, key=lambda item: item.time):
            by_place.setdefault((agreement.origin, agreement.where), []).append(agreement)
        by_fingerprint: dict[str, list[Sighting]] = {}
        for sighting in sorted(sightings, key=lambda item: item.time):
            by_fingerprint.setdefault(sighting.fingerprint, []).append(sighting)
        return cls(
            {place: tuple(items) for place, items in by_place.items()},
            {print_: tuple(items) for print_, items in by_fingerprint.items()},
        )

    def last_agreed(self, origin: str, where: str) -> Agreement | None:
        """The newest agreement there, of whatever edition of the contract; None when there never was one."""
        found = self.agreements.get((origin, where))
        return found[-1] if found else None

    def first_seen(self, fingerprint: str, after: float | None = None) -> Sighting | None:
        """The first run that had this finding; with ``after`` (Unix seconds), the first one later than that."""
        for sighting in self.sightings.get(fingerprint, ()):
            if after is None or sighting.time > after:
                return sighting
        return None
