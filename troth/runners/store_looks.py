"""What earlier runs saw of a provider, out of the store: their findings, and which replies came as they should."""

from __future__ import annotations

from functools import cache

from sqlalchemy import select
from sqlalchemy.orm import Session

from troth.contracts.kinds import Severity
from troth.runners.finding import Blame
from troth.runners.lifecycle import Look, Sight
from troth.runners.places import Spot
from troth.runners.store_tables import AgreedRow, FindingRow, ProviderRow, RunRow

__all__ = ["MOST_LOOKS", "looks_of"]

MOST_LOOKS = 200
"""Runs that are looked back at, the newest."""


def looks_of(session: Session, provider: str) -> tuple[Look, ...]:
    """The newest runs of a provider, oldest first."""
    newest = (
        select(ProviderRow.run_id, ProviderRow.night, ProviderRow.agreed)
        .join(RunRow, RunRow.run_id == ProviderRow.run_id)
        .where(ProviderRow.provider == provider)
        .order_by(RunRow.started.desc(), ProviderRow.night.desc())
        .limit(MOST_LOOKS)
    )
    rows = session.execute(newest).all()[::-1]
    seen: dict[str, dict[str, Sight]] = {row.run_id: {} for row in rows}
    findings = select(FindingRow).where(FindingRow.provider == provider, FindingRow.run_id.in_(seen))
    for finding in session.scalars(findings.order_by(FindingRow.id)):
        seen[finding.run_id].setdefault(finding.fingerprint, _sight(finding))

    @cache
    def came(digest: str) -> frozenset[tuple[str, str]]:
        # Most nights agree at the same places, and share their set of them.
        agreed = session.get(AgreedRow, digest) if digest else None
        return frozenset(
            (scenario, where)
            for origin, where, _, _, scenario in (agreed.places if agreed is not None else ())
            if Spot(origin, where).reply
        )

    return tuple(Look(run_id, night, seen[run_id], came(agreed)) for run_id, night, agreed in rows)


def _sight(row: FindingRow) -> Sight:
    return Sight(
        fingerprint=row.fingerprint,
        kind=row.kind,
        code=row.code,
        severity=Severity(row.severity),
        blame=Blame(row.blame),
        operation=row.operation,
        scenario=row.scenario,
        path=row.path,
        responses=tuple(row.responses),
        follows=row.caused_by is not None,
    )
