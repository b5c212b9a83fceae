"""Every case in a list, and how one is run. A case is named by its group and number, so that any process can run it."""

from __future__ import annotations

import random
from contextlib import AbstractContextManager, nullcontext
from itertools import combinations
from typing import NamedTuple

from .drifts import DRIFTS
from .edits import EDITS
from .faults import CLOSED_PORT, FAULTS, NO_CERTIFICATE, PLAIN_TLS, Trouble
from .nights import Night, Nights, closed_port, no_certificate
from .noise import noise
from .rows import Drift, Edit, Fault, Row
from .scoring import clean_row, drift_row, edit_row, fault_row, pair_row

__all__ = ["PAIRS", "Case", "cases", "run_case", "short"]

MOST_PAIRS = 40
HURRIED = Edit("several scenarios at once", "contract.yaml", "limits: {", "limits: {concurrency: 4, ")


class Case(NamedTuple):
    """``number`` counts within ``group``; for ``clean`` it is the seed of the noise."""

    group: str
    number: int


def _pairs() -> tuple[tuple[Drift, Drift], ...]:
    """Drifts that touch different operations and are of different kinds, drawn once and for all."""
    one_place = [
        drift
        for drift in DRIFTS
        if drift.severity != "notice" and drift.past == 1 and " " not in drift.operation and drift.operation != "*"
    ]
    both = [
        (one, other)
        for one, other in combinations(one_place, 2)
        if one.operation != other.operation and one.taxonomy != other.taxonomy
    ]
    return tuple(random.Random(1).sample(both, MOST_PAIRS))


PAIRS = _pairs()


def cases(clean: int) -> list[Case]:
    """All cases, with ``clean`` nights of noise."""
    counts = {"drift": len(DRIFTS), "pair": len(PAIRS), "fault": len(FAULTS), "edit": len(EDITS), "clean": clean}
    return [Case(group, number) for group, count in counts.items() for number in range(count)]


def short(every: list[Case]) -> list[Case]:
    """A selection that takes half a minute: every so-manieth of each group."""
    steps = {"drift": 9, "pair": 20, "fault": 7, "edit": 9}
    chosen = [case for case in every if case.group in steps and case.number % steps[case.group] == 0]
    # A history takes as long as ten nights.
    chosen = [case for case in chosen if case.group != "drift" or DRIFTS[case.number].past == 1]
    return chosen + [Case("clean", seed) for seed in range(4)]


def run_case(case: Case, nights: Nights) -> Row:
    """Run it, and say what came of it."""
    number = case.number
    match case.group:
        case "drift":
            drift = DRIFTS[number]
            return drift_row(drift, nights.run(Night([drift.plant], past=drift.past)))
        case "pair":
            pair = PAIRS[number]
            return pair_row(pair, nights.run(Night([drift.plant for drift in pair])))
        case "fault":
            return _fault(FAULTS[number], nights)
        case "edit":
            edit = EDITS[number]
            plants = [edit.plant] if edit.plant is not None else []
            try:
                return edit_row(edit, nights.run(Night(plants, contract=nights.edited(edit))))
            finally:
                nights.restore()
        case _:
            tonight = noise(number)
            contract = nights.edited(HURRIED) if tonight.hurried else None
            night = Night(tonight.plants, number, tonight.ahead, tonight.manners, contract)
            try:
                return clean_row(number, nights.run(night))
            finally:
                nights.restore()


def _fault(fault: Fault, nights: Nights) -> Row:
    plants = [fault.plant.fresh()] if isinstance(fault.plant, Trouble) else []
    with _place(fault.address, nights) as url:
        return fault_row(fault, nights.run(Night(plants, url=url)))


def _place(address: str, nights: Nights) -> AbstractContextManager[str]:
    """Where the run looks for the provider; "" for where it is."""
    if address == CLOSED_PORT:
        return closed_port()
    if address == NO_CERTIFICATE:
        return no_certificate(nights.provider)
    if address == PLAIN_TLS:
        return nullcontext(nights.wire.url.replace("http://", "https://"))
    return nullcontext(address)
