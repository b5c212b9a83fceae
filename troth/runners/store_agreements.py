"""Agreements as the store keeps them: of each night the set of places, and of each place the nights."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from troth.runners.history import Agreement
from troth.runners.store_tables import AgreedRow, AgreementRow, ProviderRow

__all__ = ["keep_agreements", "nights_of"]


def keep_agreements(session: Session, provider: str, agreements: Iterable[Agreement]) -> str:
    """Keep the agreements of one night; gives the digest of the set of their places, "" for none.

    There is one row for each place and stamp, moved on each night: the table grows with the contract, not with time.
    Nights may come in any order: a pulled one may be older than what is there.
    """
    items = list(agreements)
    rows = session.scalars(select(AgreementRow).where(AgreementRow.provider == provider))
    known = {(row.origin, row.where, row.edition, row.hooks, row.troth): row for row in rows}
    for item in items:
        key = (item.origin, item.where, *item.stamp)
        if key in known:
            _move(known[key], item)
        else:
            known[key] = _row(provider, item)
            session.add(known[key])
    return _keep_set(session, items)


def nights_of(session: Session, provider: str) -> Counter[tuple[str, str, str, str]]:
    """How many nights that are kept agreed at each place: by origin, where, edition and hooks."""
    wanted = select(ProviderRow.agreed, func.count()).where(ProviderRow.provider == provider, ProviderRow.agreed != "")
    counts = {row[0]: row[1] for row in session.execute(wanted.group_by(ProviderRow.agreed))}
    found: Counter[tuple[str, str, str, str]] = Counter()
    for row in session.scalars(select(AgreedRow).where(AgreedRow.digest.in_(counts))):
        for origin, where, edition, hooks, _ in row.places:
            found[origin, where, edition, hooks] += counts[row.digest]
    return found


def _row(provider: str, item: Agreement) -> AgreementRow:
    return AgreementRow(
        provider=provider,
        origin=item.origin,
        where=item.where,
        edition=item.edition,
        hooks=item.hooks,
        troth=item.troth,
        contract_hash=item.contract_hash,
        scenario=item.scenario,
        first_run=item.run_id,
        first_time=item.time,
        last_run=item.run_id,
        last_time=item.time,
    )


def _move(row: AgreementRow, item: Agreement) -> None:
    if item.time < row.first_time:
        row.first_run, row.first_time = item.run_id, item.time
    if item.time >= row.last_time:
        row.contract_hash, row.scenario = item.contract_hash, item.scenario
        row.last_run, row.last_time = item.run_id, item.time


def _keep_set(session: Session, items: Iterable[Agreement]) -> str:
    places = sorted([item.origin, item.where, item.edition, item.hooks, item.scenario] for item in items)
    if not places:
        return ""
    digest = blake2b(json.dumps(places).encode(), digest_size=16).hexdigest()
    if session.get(AgreedRow, digest) is None:
        session.add(AgreedRow(digest=digest, places=places))
    return digest
