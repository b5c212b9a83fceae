"""Where a finding stands in its life from night to night, and who answers for it meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Acceptance", "Accepted", "Stage"]


class Stage(StrEnum):
    """Of a finding of this run: the first five. Of one that an earlier night had and this run has not: the others."""

    NEW = "new"
    ONGOING = "ongoing"
    INTERMITTENT = "intermittent"
    """It comes and goes: within this run, or over the last few nights."""
    RETURNED = "returned"
    """It was fixed, and is there again."""
    ACKNOWLEDGED = "acknowledged"
    """Somebody answers for it until a date."""
    CLEARING = "clearing"
    """This night looked and did not see it; not yet often enough to call it fixed."""
    FIXED = "fixed"
    """Seen on none of so many nights that looked, the last of them this one."""
    UNCHECKED = "unchecked"
    """This night could not look: its scenario did not run, or did not get there."""


class Acceptance(StrEnum):
    """What an entry of ``accepted.yaml`` is worth."""

    VALID = "valid"
    EXPIRED = "expired"
    """Its date is past: the finding fails the run, whatever its severity."""
    VOID = "void"
    """It was given for another finding: what stands at the place has changed since."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The entry of ``accepted.yaml`` about a finding."""

    owner: str
    reason: str
    until: str
    """The last day on which it is valid, ``2027-01-31`` in UTC."""
    link: str = ""
    severity: str = ""
    """The worst that it was accepted for, what follows from it included; "" for any."""
    state: Acceptance = Acceptance.VALID
    finding: str = ""
    """The fingerprint that was accepted; another one than the finding's where that changed."""
    words: str = ""
    """What is wrong with it; "" while it is valid."""
