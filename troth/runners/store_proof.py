"""What the nights of the store prove, and what is known to be wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from troth.runners.finding import Blame
from troth.runners.proof import OperationProof, Proof, ProviderProof, Shown, Wrong
from troth.runners.stage import Acceptance
from troth.runners.store_tables import AgreedRow, AgreementRow, FindingRow, ProviderRow, RunRow
from troth.runners.trial import Steadiness

__all__ = ["proof_of"]

NIGHTS = 30
"""How many nights are looked back for a finding whose scenario has not been run since."""
_WRONG = frozenset({Blame.PROVIDER, Blame.CONTRACT, Blame.SIMULATOR, Blame.ALL})
"""What the contract leaves open, and what was not observed, is nothing wrong."""


_REPLY = "reply "
_OF_SCENARIOS = (_REPLY, "expectations ")
"""How the origins of places begin that belong to one scenario."""


class _Night(NamedTuple):
    row: ProviderRow
    started: float


def proof_of(session: Session) -> Proof:
    """Of every provider that had a night."""
    found = session.execute(
        select(ProviderRow, RunRow.started)
        .join(RunRow, RunRow.run_id == ProviderRow.run_id)
        .where(ProviderRow.night > 0)
        .order_by(RunRow.started.desc(), ProviderRow.night.desc())
    ).all()
    nights: dict[str, list[_Night]] = {}
    for row, started in found:
        nights.setdefault(row.provider, []).append(_Night(row, started))
    return Proof({name: _provider(session, name, items) for name, items in nights.items()})


def _provider(session: Session, name: str, nights: Sequence[_Night]) -> ProviderProof:
    numbers = {night.row.run_id: night.row.night for night in nights}
    shown = _shown(session, name, numbers)
    wrong: dict[str, list[Wrong]] = {}
    accepted: dict[str, list[Wrong]] = {}
    for finding in _open(session, nights[:NIGHTS]):
        place = accepted if finding.accepted == str(Acceptance.VALID) else wrong
        for operation in _operations(finding):
            place.setdefault(operation, []).append(_wrong(finding))
    operations = {
        operation: OperationProof(
            shown.get(operation, {}), tuple(wrong.get(operation, ())), tuple(accepted.get(operation, ()))
        )
        for operation in sorted({*shown, *wrong, *accepted})
    }
    last = nights[0]
    return ProviderProof(last.row.night, last.row.run_id, last.started, operations)


def _shown(session: Session, name: str, numbers: Mapping[str, int]) -> dict[str, dict[str, Shown]]:
    """The last agreement of each response, by operation; a response is proven when it came as it should."""
    wanted = select(AgreementRow).where(AgreementRow.provider == name).order_by(AgreementRow.last_time)
    rows = session.scalars(wanted).all()
    # The edition of an operation alone; where a scenario has a say, that is in it too.
    editions = {row.where: row.edition for row in rows if not row.origin.startswith(_OF_SCENARIOS)}
    found: dict[str, dict[str, Shown]] = {}
    for row in rows:
        operation, _, response = row.where.rpartition(".")
        if row.origin.startswith(_REPLY):
            shown = Shown(row.last_time, row.last_run, numbers.get(row.last_run), editions.get(row.where, ""))
            found.setdefault(operation, {})[response] = shown
    return found


def _open(session: Session, nights: Sequence[_Night]) -> Iterator[FindingRow]:
    """Findings whose scenario has not been run since without them, the newest sighting of each."""
    seen: set[str] = set()
    ran: set[str] = set()
    for night in nights:
        wanted = select(FindingRow).where(
            FindingRow.run_id == night.row.run_id,
            FindingRow.provider == night.row.provider,
            FindingRow.caused_by.is_(None),
            FindingRow.blame.in_(_WRONG),
            # What did not come again that night is not known to be wrong; an earlier night may have seen it steadily.
            FindingRow.steadiness != str(Steadiness.DISMISSED),
        )
        for finding in session.scalars(wanted.order_by(FindingRow.id)):
            if finding.fingerprint not in seen and finding.scenario not in ran:
                seen.add(finding.fingerprint)
                yield finding
        agreed = session.get(AgreedRow, night.row.agreed)
        ran |= {scenario for origin, *_, scenario in (agreed.places if agreed else ()) if origin.startswith(_REPLY)}


def _operations(finding: FindingRow) -> list[str]:
    return sorted({finding.operation, *(name.rpartition(".")[0] for name in finding.responses)})


def _wrong(finding: FindingRow) -> Wrong:
    return Wrong(
        fingerprint=finding.fingerprint,
        code=finding.code,
        kind=finding.kind,
        severity=finding.severity,
        blame=finding.blame,
        path=finding.path,
        responses=tuple(finding.responses),
        run=finding.run_id,
    )
