"""What a row of each table says, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from .twin.provider import Plant

__all__ = ["Drift", "Edit", "Fault", "Outcome", "Row"]


class Drift(NamedTuple):
    """One planted drift, and the finding that it must lead to."""

    name: str
    taxonomy: str
    """Its kind in the taxonomy: an id such as ``op-gone``."""
    plant: Plant
    finding: str
    """The kind of the finding; several that would do are separated by ``|``."""
    operation: str
    """Where it must be laid: the operation, or several of them."""
    severity: str
    """``breaking``, ``risky`` or ``notice``."""
    blame: str = "provider"
    past: int = 1
    """So many nights of agreement come first."""


class Fault(NamedTuple):
    """Something that keeps a run from checking anything, and the verdicts that say so."""

    name: str
    kind: str
    """Its class: ``provider-down``, ``rate-limited``, ..."""
    verdicts: str
    """``unreachable``, ``unauthorized`` or ``exhausted``; several that would do are separated by ``|``."""
    plant: Plant | None = None
    address: str = ""
    """Where the run looks for the provider instead; "" for where it is."""


class Edit(NamedTuple):
    """An edit of the contract: ``old`` becomes ``new`` in one of its files (``*``: all), and nothing else changes."""

    name: str
    file: str
    old: str
    new: str
    finding: str = ""
    """The kind of the finding that it leads to; "" for an edit that changes nothing about what is demanded."""
    plant: Plant | None = None
    """A drift of the provider on the same night, which must still be its own."""
    drift: str = ""
    """The kind of the finding that the drift leads to."""


class Outcome(StrEnum):
    """What came of a case, the better ones first."""

    FOUND = "found"
    """As it should be."""
    CLEAN = "clean"
    """Nothing was to be found, and nothing was."""
    CANNOT_CHECK = "cannot check"
    """As it should be when the provider is not there."""
    WRONG_SEVERITY = "wrong severity"
    WRONG_KIND = "wrong kind"
    """At the right place and with the right blame, but called something else."""
    WRONG_BLAME = "wrong blame"
    FALSE_ALARM = "false alarm"
    CALLED_DRIFT = "called drift"
    """A fault that says nothing about the contract, reported as drift."""
    MISSED = "missed"
    """Not found, though the run was not green."""
    SILENT = "silent green"
    """Not found, and the run agreed."""

    @property
    def good(self) -> bool:
        """Is it what it should be?"""
        return self in (Outcome.FOUND, Outcome.CLEAN, Outcome.CANNOT_CHECK)


@dataclass(frozen=True)
class Row:
    """One case and its outcome, as the result file has it."""

    group: str
    """``drift``, ``pair``, ``clean``, ``fault`` or ``edit``."""
    name: str
    kind: str
    severity: str
    expected: str
    found: tuple[str, ...]
    """Every root finding: kind, operation, path, severity, blame."""
    roots: int
    verdict: str
    exit_code: int
    seconds: float
    outcome: Outcome
