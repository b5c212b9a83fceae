"""``python -m selftest.costs FILE``: what becomes of planted drifts when explanations cost otherwise.

A judge believes the cheapest explanation of a reply (``troth.contracts.model.judge``). Three weights decide: a value
that does not fit, another declared response than the predicted one, and a departure (a key ignored, a move at the wrong
time, an invalid request accepted). This plants the drifts in which they compete, once with each set of weights.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from troth.contracts.model import judge, predict, scope, worlds

from .cases import Case, run_case
from .drifts import DRIFTS
from .nights import Nights, nights
from .rows import Outcome, Row

__all__ = ["AS_THEY_ARE", "WEIGHTS", "Tried", "Weights", "weighed"]

DEPARTED = frozenset({"early", "idempotency_ignored", "idempotency_scope", "invalid_accepted", "late"})
OTHERWISE = frozenset({"response", "response_variant", "status", "undeclared", "valid_refused"})
EVERY = 3
"""Of the drifts that lead to another response, every so-manieth; of those in which a departure competes, all."""
CLEAN = (Case("clean", 1), Case("clean", 2))


@dataclass(frozen=True)
class Weights:
    """What each explanation costs."""

    value: int
    other_response: int
    departure: int


@dataclass(frozen=True)
class Tried:
    """What came of the same drifts under one set of weights."""

    weights: Weights
    planted: int
    as_expected: int
    wrong: int
    """Called something else, at another severity, laid at another door, or missed."""
    silent: int
    more_roots: int
    false_alarms: int
    changed: tuple[str, ...]
    """The drifts that are not as expected."""


AS_THEY_ARE = Weights(judge.VALUE_COST, judge.OTHER_RESPONSE_COST, 1)
WEIGHTS = (
    AS_THEY_ARE,
    Weights(1, 3, 1),
    Weights(4, 3, 1),
    Weights(2, 1, 1),
    Weights(2, 9, 1),
    Weights(2, 3, 0),
    Weights(2, 3, 2),
    Weights(2, 3, 99),
    Weights(2, 99, 1),
    Weights(2, 0, 1),
)
"""Each weight by itself, lower and higher, and so that one explanation is never believed, or always."""


@contextmanager
def weighed(weights: Weights) -> Iterator[None]:
    """Judge by other weights for a while."""
    modules: tuple[Any, ...] = (predict, scope)
    costs: Any = judge
    before = costs.VALUE_COST, costs.OTHER_RESPONSE_COST
    costs.VALUE_COST, costs.OTHER_RESPONSE_COST = weights.value, weights.other_response
    for module in modules:
        module.Departure = partial(_departure, weights.departure)
    try:
        yield
    finally:
        costs.VALUE_COST, costs.OTHER_RESPONSE_COST = before
        for module in modules:
            module.Departure = worlds.Departure


def _departure(weight: int, code: str, cost: int, *rest: Any) -> worlds.Departure:
    return worlds.Departure(code, weight, *rest)


def tried(weights: Weights, cases: Sequence[Case], made: Nights) -> Tried:
    """The rows under these weights, counted."""
    with weighed(weights):
        rows = [run_case(case, made) for case in (*cases, *CLEAN)]
    drifts = [row for row in rows if row.group == "drift"]
    return Tried(
        weights,
        planted=len(drifts),
        as_expected=sum(row.outcome.good for row in drifts),
        wrong=sum(not row.outcome.good and row.outcome is not Outcome.SILENT for row in drifts),
        silent=sum(row.outcome is Outcome.SILENT for row in drifts),
        more_roots=sum(row.roots > 1 for row in drifts),
        false_alarms=sum(row.outcome is Outcome.FALSE_ALARM for row in rows),
        changed=tuple(_words(row) for row in drifts if not row.outcome.good),
    )


def _words(row: Row) -> str:
    return f"{row.name}: {row.outcome.value}"


def main() -> None:
    """Try every set, and write what came of each."""
    named = [(Case("drift", number), set(drift.finding.split("|"))) for number, drift in enumerate(DRIFTS)]
    cases = [case for case, kinds in named if kinds & DEPARTED]
    cases += [case for case, kinds in named if kinds & OTHERWISE and not kinds & DEPARTED][::EVERY]
    with nights() as made:
        found = [asdict(tried(weights, cases, made)) for weights in WEIGHTS]
    path = Path(sys.argv[1])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
