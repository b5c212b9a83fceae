"""In which order the scenarios of a contract run, so that runs that are cut off get everywhere in time.

First what was never verified, then what was verified longest ago; among those of one night first what the contract has
changed since, then what drifted lately, then as the contract has them. Nothing is drawn, so the order is the same
wherever the history is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from troth.runners.history import Stamp
from troth.runners.places import Spot

__all__ = ["Queued", "Record", "queue"]


@dataclass(frozen=True, slots=True)
class Record:
    """What the history knows of one scenario."""

    night: int = 0
    """The last night on which it ran to its end on the sandbox; 0 for none."""
    agreed: Mapping[Spot, Stamp] = field(default_factory=dict)
    """The replies that came as they should on that night, and what that rested on."""
    drifted: int = 0
    """The last night that found something in it; 0 for none."""


@dataclass(frozen=True, slots=True)
class Queued:
    """A scenario (with its case), and why it runs where it does."""

    label: str
    why: str


def queue(labels: Sequence[str], records: Mapping[str, Record], stamp: Callable[[Spot], Stamp]) -> tuple[Queued, ...]:
    """``labels`` in the order in which they run; ``stamp`` is what an agreement of today would rest on."""
    known = [(records.get(label, Record()), label) for label in labels]
    changed = {label: _changed(record, stamp) for record, label in known}
    known.sort(key=lambda item: (item[0].night, not changed[item[1]], -item[0].drifted))
    return tuple(Queued(label, _why(record, changed[label])) for record, label in known)


def _changed(record: Record, stamp: Callable[[Spot], Stamp]) -> bool:
    """Does a part of the contract that it showed to be right read otherwise now? What Troth is, has no say."""
    today = ((then, stamp(spot)) for spot, then in record.agreed.items())
    return any((then.edition, then.hooks) != (now.edition, now.hooks) for then, now in today)


def _why(record: Record, changed: bool) -> str:
    if not record.night:
        return "never verified"
    words = [f"verified on night {record.night}"]
    words += ["changed since"] * changed
    words += [f"drifted on night {record.drifted}"] * bool(record.drifted)
    return ", ".join(words)
