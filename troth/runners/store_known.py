"""Findings by fingerprint, out of the store."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from troth.contracts.kinds import Severity
from troth.runners.acceptance import side_of
from troth.runners.finding import Blame
from troth.runners.known import KnownFinding, with_worst
from troth.runners.store_tables import FindingRow, ProviderRow, RunRow

__all__ = ["known_by"]


def known_by(session: Session, fingerprint: str) -> KnownFinding | None:
    """The finding as the newest run that saw it did; None when none did."""
    newest = session.execute(
        select(FindingRow.run_id, FindingRow.provider)
        .join(RunRow, RunRow.run_id == FindingRow.run_id)
        .where(FindingRow.fingerprint == fingerprint)
        .order_by(RunRow.started.desc())
    ).first()
    if newest is None:
        return None
    run_id, provider = newest
    contract = session.scalars(
        select(ProviderRow.contract).where(ProviderRow.run_id == run_id, ProviderRow.provider == provider)
    ).first()
    rows = session.scalars(select(FindingRow).where(FindingRow.run_id == run_id, FindingRow.provider == provider))
    every = with_worst(_known(row, contract or "") for row in rows)
    return next(item for item in every if item.fingerprint == fingerprint)


def _known(row: FindingRow, contract: str) -> KnownFinding:
    return KnownFinding(
        fingerprint=row.fingerprint,
        provider=row.provider,
        contract=contract,
        code=row.code,
        kind=row.kind,
        severity=Severity(row.severity),
        side=side_of(Blame(row.blame)),
        operation=row.operation,
        scenario=row.scenario,
        path=row.path,
        caused_by=row.caused_by,
    )
