"""What keeps the store bounded. Whatever is dropped is said, so that nobody looks for it in vain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from troth.runners.history import Agreement
from troth.runners.store_tables import AgreementRow, ExchangeRow, RunRow

__all__ = ["KEEP_EDITIONS", "KEEP_EXCHANGES", "KEEP_OFFLINE", "KEEP_RUNS", "keep_agreements", "prune"]

KEEP_RUNS = 1000
"""So many runs with the sandbox keep their verdicts and findings."""
KEEP_OFFLINE = 100
"""So many runs without it do: on a laptop there are many, and they prove nothing about a provider."""
KEEP_EXCHANGES = 60
"""So many runs keep their exchanges; also kept are those that show an agreement."""
KEEP_EDITIONS = 5
"""So many editions of a contract keep their last agreement at an origin."""


def keep_agreements(session: Session, provider: str, agreements: Iterable[Agreement]) -> None:
    """One row for each origin and edition, moved on each night: the table grows with the contract, not with time."""
    rows = session.scalars(select(AgreementRow).where(AgreementRow.provider == provider))
    known = {(row.origin, row.where, row.edition, row.troth): row for row in rows}
    for item in agreements:
        row = known.get((item.origin, item.where, item.edition, item.troth))
        if row is None:
            row = AgreementRow(
                provider=provider,
                origin=item.origin,
                where=item.where,
                edition=item.edition,
                troth=item.troth,
                first_run=item.run_id,
                first_time=item.time,
                nights=0,
            )
            known[item.origin, item.where, item.edition, item.troth] = row
            session.add(row)
        row.contract_hash, row.scenario = item.contract_hash, item.scenario
        row.last_run, row.last_time = item.run_id, item.time
        row.nights += 1


def prune(session: Session) -> tuple[str, ...]:
    """Drop what is over the bounds; gives it in words."""
    _drop_editions(session)
    proofs = set(session.scalars(select(AgreementRow.last_run)))
    notes = [*_drop_runs(session, proofs, True, KEEP_RUNS), *_drop_runs(session, proofs, False, KEEP_OFFLINE)]
    newest = session.scalars(select(RunRow.run_id).order_by(RunRow.started.desc())).all()
    old = [run_id for run_id in newest[KEEP_EXCHANGES:] if run_id not in proofs]
    held = session.scalars(select(ExchangeRow.run_id).where(ExchangeRow.run_id.in_(old)).distinct()).all()
    if held:
        session.execute(delete(ExchangeRow).where(ExchangeRow.run_id.in_(held)))
        notes.append(f"the store dropped the exchanges of {_runs(held)}, older than the newest {KEEP_EXCHANGES}")
    return tuple(notes)


def _drop_runs(session: Session, proofs: set[str], gate: bool, keep: int) -> list[str]:
    kept = select(RunRow.run_id).where(RunRow.gate.is_(gate)).order_by(RunRow.started.desc())
    gone = [run_id for run_id in session.scalars(kept).all()[keep:] if run_id not in proofs]
    if not gone:
        return []
    session.execute(delete(RunRow).where(RunRow.run_id.in_(gone)))
    which = "with" if gate else "without"
    return [f"the store dropped {_runs(gone)} {which} the sandbox, older than the newest {keep}"]


def _runs(items: Sequence[str]) -> str:
    return f"{len(items)} run{'s' if len(items) != 1 else ''}"


def _drop_editions(session: Session) -> None:
    newest_first = func.row_number().over(
        partition_by=(AgreementRow.provider, AgreementRow.origin, AgreementRow.where),
        order_by=AgreementRow.last_time.desc(),
    )
    ranked = select(AgreementRow.id, newest_first.label("rank")).subquery()
    old = select(ranked.c.id).where(ranked.c.rank > KEEP_EDITIONS)
    session.execute(delete(AgreementRow).where(AgreementRow.id.in_(old)))
