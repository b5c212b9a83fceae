"""What earlier runs say: when contract and sandbox last agreed somewhere, and since when a finding is seen.

Agreement is evidence. Without it nobody can tell "the provider changed" from "the contract was always wrong": on a
single night the two look alike. A night is a run that called the sandbox.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Agreement", "History", "Night", "Sighting", "Stamp"]


class Stamp(NamedTuple):
    """What an agreement rests on: an agreement with another stamp does not by itself speak for today's contract."""

    edition: str
    """Hash of what the place depends on in the contract."""
    hooks: str
    """Hash of the hooks that had a say; "" for none."""
    troth: str
    """The version that judged."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Sandbox and contract agreed at ``origin``, last in run ``run_id`` at ``time`` (Unix seconds).

    ``where`` is the ``operation.response`` that showed it: that a refund shows its currency proves nothing about a
    charge. ``edition``, ``hooks`` and ``troth`` are its stamp; ``scenario`` is one that showed it. Of ``nights`` nights
    with this stamp ``first_run`` was the first.
    """

    origin: str
    where: str
    edition: str
    troth: str
    run_id: str
    time: float
    scenario: str
    contract_hash: str = ""
    hooks: str = ""
    first_run: str = ""
    nights: int = 1

    @property
    def stamp(self) -> Stamp:
        """What it rests on."""
        return Stamp(self.edition, self.hooks, self.troth)


@dataclass(frozen=True, slots=True)
class Sighting:
    """A finding with this fingerprint was in run ``run_id``, which started at ``time`` (Unix seconds)."""

    fingerprint: str
    run_id: str
    time: float


@dataclass(frozen=True, slots=True)
class Night:
    """One night of a provider, the ``number``th; ``started`` in Unix seconds."""

    run_id: str
    number: int
    started: float


@dataclass(frozen=True, slots=True)
class History:
    """All that earlier runs say of one provider."""

    agreements: Mapping[tuple[str, str], tuple[Agreement, ...]] = field(default_factory=dict)
    """By origin and where it was shown, oldest first."""
    sightings: Mapping[str, tuple[Sighting, ...]] = field(default_factory=dict)
    """By fingerprint, oldest first."""
    nights: tuple[Night, ...] = ()
    """Oldest first."""

    @classmethod
    def of(
        cls,
        agreements: Iterable[Agreement] = (),
        sightings: Iterable[Sighting] = (),
        nights: Iterable[Night] = (),
    ) -> History:
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
            tuple(sorted(nights, key=lambda night: (night.started, night.number))),
        )

    def agreed(self, origin: str, where: str) -> tuple[Agreement, ...]:
        """The agreements there, of whatever edition of the contract, newest first."""
        return self.agreements.get((origin, where), ())[::-1]

    def last_agreed(self, origin: str, where: str) -> Agreement | None:
        """The newest agreement there; None when there never was one."""
        return next(iter(self.agreed(origin, where)), None)

    def all_agreed(self) -> list[Agreement]:
        """Every agreement, newest first."""
        found = [agreement for items in self.agreements.values() for agreement in items]
        return sorted(found, key=lambda item: -item.time)

    def first_seen(self, fingerprint: str, after: float | None = None) -> Sighting | None:
        """The first run that had this finding; with ``after`` (Unix seconds), the first one later than that."""
        return next(self._seen(fingerprint, after), None)

    def times_seen(self, fingerprint: str, after: float | None = None) -> int:
        """In how many earlier runs this finding was, after ``after``."""
        return sum(1 for _ in self._seen(fingerprint, after))

    def _seen(self, fingerprint: str, after: float | None) -> Iterator[Sighting]:
        for sighting in self.sightings.get(fingerprint, ()):
            if after is None or sighting.time > after:
                yield sighting

    def number(self, run_id: str | None) -> int | None:
        """Which night of the provider a run was; None when it was none, or is not known."""
        return next((night.number for night in self.nights if night.run_id == run_id), None)

    @property
    def last_night(self) -> Night | None:
        """The newest night; None before the first."""
        return self.nights[-1] if self.nights else None

    @property
    def next_number(self) -> int:
        """The number of the night to come."""
        return 1 + max((night.number for night in self.nights), default=0)
