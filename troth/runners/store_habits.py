"""The habits of a sandbox in the store: of each night one row, so that histories of several machines add up."""

from __future__ import annotations

from collections.abc import Mapping
from sys import intern
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from troth.runners.habits import Habits
from troth.runners.store_tables import HabitRow, ProviderRow, RunRow

__all__ = ["MOST_NIGHTS", "habit_row", "habits_before", "plain_habits"]

MOST_NIGHTS = 60
"""Nights that are looked back at, the newest."""


def habits_before(session: Session, provider: str) -> tuple[Habits, ...]:
    """The habits of the newest nights of a provider, oldest first."""
    newest = (
        select(HabitRow.run_id, HabitRow.habits, ProviderRow.night, ProviderRow.contract_hash)
        .join(RunRow, RunRow.run_id == HabitRow.run_id)
        .join(ProviderRow, (ProviderRow.run_id == HabitRow.run_id) & (ProviderRow.provider == HabitRow.provider))
        .where(HabitRow.provider == provider)
        .order_by(RunRow.started.desc(), ProviderRow.night.desc())
        .limit(MOST_NIGHTS)
    )
    return tuple(_habits(*row) for row in session.execute(newest).all()[::-1])


def habit_row(run_id: str, provider: str, habits: Habits) -> HabitRow:
    """One night."""
    return HabitRow(run_id=run_id, provider=provider, habits=plain_habits(habits))


def plain_habits(habits: Habits) -> dict[str, Any]:
    """As JSON. What was seen is the same in most scenarios, so each facet with what was seen stands there once."""
    seen: dict[tuple[str, tuple[str, ...]], int] = {}
    showings = {
        scenario: [
            {where: [seen.setdefault(facet, len(seen)) for facet in facets.items()] for where, facets in one.items()}
            for one in found
        ]
        for scenario, found in habits.showings.items()
    }
    return {
        "seen": [[facet, *what] for facet, what in seen],
        "showings": showings,
        "latency": {where: list(pair) for where, pair in habits.latency.items()},
    }


def _habits(run_id: str, plain: Mapping[str, Any], night: int, contract_hash: str) -> Habits:
    seen = [(intern(facet), tuple(map(intern, what))) for facet, *what in plain["seen"]]
    known: dict[tuple[int, ...], Mapping[str, tuple[str, ...]]] = {}

    def facets(numbers: list[int]) -> Mapping[str, tuple[str, ...]]:
        key = tuple(numbers)
        if key not in known:
            known[key] = dict(seen[number] for number in key)
        return known[key]

    return Habits(
        run_id,
        night,
        contract_hash,
        {
            scenario: tuple({where: facets(numbers) for where, numbers in one.items()} for one in found)
            for scenario, found in plain["showings"].items()
        },
        {where: (float(middle), int(count)) for where, (middle, count) in plain["latency"].items()},
    )
