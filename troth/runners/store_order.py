"""When each scenario was last verified, and last drifted, out of the store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from troth.runners.finding import Blame
from troth.runners.history import Stamp
from troth.runners.order import Record
from troth.runners.places import Spot
from troth.runners.store_looks import MOST_LOOKS
from troth.runners.store_rows import COMPLETED
from troth.runners.store_tables import AgreedRow, FindingRow, ProviderRow, RunRow

__all__ = ["records_of"]

_DRIFT = frozenset({Blame.PROVIDER, Blame.CONTRACT, Blame.SIMULATOR, Blame.ALL})


def records_of(session: Session, provider: str) -> dict[str, Record]:
    """By scenario, from the newest nights of a provider."""
    newest = (
        select(ProviderRow, RunRow.troth)
        .join(RunRow, RunRow.run_id == ProviderRow.run_id)
        .where(ProviderRow.provider == provider, ProviderRow.night > 0)
        .order_by(ProviderRow.night.desc(), RunRow.started.desc())
        .limit(MOST_LOOKS)
    )
    verified: dict[str, tuple[int, Mapping[Spot, Stamp]]] = {}
    nights: dict[str, int] = {}
    for row, troth in session.execute(newest):
        nights[row.run_id] = row.night
        came = _came(session.get(AgreedRow, row.agreed), troth) if row.agreed else {}
        for scenario in _verified(row.coverage, came):
            verified.setdefault(scenario, (row.night, came.get(scenario, {})))
    drifted = _drifted(session, provider, nights)
    return {
        scenario: Record(*verified.get(scenario, (0, {})), drifted.get(scenario, 0))
        for scenario in {**verified, **drifted}
    }


def _verified(coverage: Mapping[str, Any], came: Mapping[str, Any]) -> Iterable[str]:
    """What ran to its end; older nights kept only which replies came."""
    said = coverage.get(COMPLETED)
    return [str(scenario) for scenario in said] if isinstance(said, list) else came


def _came(agreed: AgreedRow | None, troth: str) -> dict[str, dict[Spot, Stamp]]:
    found: dict[str, dict[Spot, Stamp]] = {}
    for origin, where, edition, hooks, scenario in agreed.places if agreed is not None else ():
        if Spot(origin, where).reply:
            found.setdefault(scenario, {})[Spot(origin, where, scenario)] = Stamp(edition, hooks, troth)
    return found


def _drifted(session: Session, provider: str, nights: Mapping[str, int]) -> dict[str, int]:
    wanted = select(FindingRow.scenario, FindingRow.run_id).where(
        FindingRow.provider == provider, FindingRow.run_id.in_(nights), FindingRow.blame.in_(_DRIFT)
    )
    found: dict[str, int] = {}
    for scenario, run_id in session.execute(wanted.distinct()):
        found[scenario] = max(found.get(scenario, 0), nights[run_id])
    return found
