"""What keeps the store bounded. Whatever is dropped is said, so that nobody looks for it in vain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from troth.runners.store_tables import AgreedRow, AgreementRow, ExchangeRow, HabitRow, ProviderRow, RunRow

__all__ = ["Bounds", "prune"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is kept; the newest first. What shows an agreement is kept beyond all bounds: it is the proof."""

    runs: int = 1000
    """Runs with the sandbox keep their verdicts and findings."""
    offline: int = 100
    """Runs without it: on a laptop there are many, and they prove nothing about a provider."""
    exchanges: int = 60
    """Runs that keep their exchanges, and what else they showed."""
    editions: int = 5
    """Editions of a contract that keep their last agreement at an origin."""


def prune(session: Session, bounds: Bounds) -> tuple[str, ...]:
    """Drop what is over the bounds; gives it in words."""
    _drop_editions(session, bounds.editions)
    proofs = set(session.scalars(select(AgreementRow.last_run)))
    notes = [*_drop_runs(session, proofs, True, bounds.runs), *_drop_runs(session, proofs, False, bounds.offline)]
    newest = session.scalars(select(RunRow.run_id).order_by(RunRow.started.desc())).all()
    old = [run_id for run_id in newest[bounds.exchanges :] if run_id not in proofs]
    session.execute(delete(HabitRow).where(HabitRow.run_id.in_(newest[bounds.exchanges :])))
    held = session.scalars(select(ExchangeRow.run_id).where(ExchangeRow.run_id.in_(old)).distinct()).all()
    if held:
        session.execute(delete(ExchangeRow).where(ExchangeRow.run_id.in_(held)))
        notes.append(f"the store dropped the exchanges of {_runs(held)}, older than the newest {bounds.exchanges}")
    session.execute(delete(AgreedRow).where(AgreedRow.digest.not_in(select(ProviderRow.agreed))))
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


def _drop_editions(session: Session, keep: int) -> None:
    newest_first = func.row_number().over(
        partition_by=(AgreementRow.provider, AgreementRow.origin, AgreementRow.where),
        order_by=AgreementRow.last_time.desc(),
    )
    ranked = select(AgreementRow.id, newest_first.label("rank")).subquery()
    old = select(ranked.c.id).where(ranked.c.rank > keep)
    session.execute(delete(AgreementRow).where(AgreementRow.id.in_(old)))
