"""Which findings somebody answers for: the entries of ``accepted.yaml`` held against the findings of a run.

An entry is for one finding, by its fingerprint, and for what follows from it. It is void when what stands at the
place has changed: another finding is there now, or the same one is worse, or on the other side. After its day it is
expired, and fails the run as long as the finding is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from troth.contracts.document.accepted_document import AcceptanceDoc
from troth.contracts.json_path import schema_path
from troth.contracts.kinds import Severity
from troth.runners.finding import Blame, Finding, PastFinding
from troth.runners.stage import Acceptance, Accepted, Stage

__all__ = ["ACCEPTED_CHECK", "Answered", "answered", "side_of", "today"]

ACCEPTED_CHECK = "accepted findings"
"""The name of the check that tells how it stands with them."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The findings, with who answers for them, and a line about each entry that somebody has to look at."""

    findings: tuple[Finding, ...]
    lines: tuple[str, ...] = ()
    valid: int = 0
    """Entries that hold for a finding of this run."""


def today(moment: float) -> str:
    """The day of a moment (Unix seconds), ``2027-01-31`` in UTC."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}"


def side_of(blame: Blame) -> str:
    """Whose answer a finding is about: ``simulator``, else ``provider``."""
    return "simulator" if blame is Blame.SIMULATOR else "provider"


def answered(
    findings: Sequence[Finding], entries: Sequence[AcceptanceDoc], day: str, past: Iterable[PastFinding] = ()
) -> Answered:
    """Hold ``entries`` against the findings; ``day`` is today, ``past`` what earlier nights had besides."""
    if not entries:
        return Answered(tuple(findings))
    accepted: dict[int, Accepted] = {}
    lines: list[str] = []
    gone = {item.fingerprint: item for item in past}
    for entry in entries:
        found = _found(entry, findings)
        for number in found:
            accepted[number] = _accepted(entry, findings[number], day)
        lines += _lines(entry, [accepted[number] for number in found], day, gone.get(entry.finding))
    valid = sum(item.state is Acceptance.VALID for item in accepted.values())
    staged = [_with(finding, accepted.get(number)) for number, finding in enumerate(findings)]
    return Answered(_with_consequences(staged), tuple(lines), valid)


def _found(entry: AcceptanceDoc, findings: Sequence[Finding]) -> list[int]:
    """The numbers of the findings that an entry is about; where it is not there, of what stands at its place now."""
    same = [
        number
        for number, finding in enumerate(findings)
        if finding.fingerprint == entry.finding and entry.side in (None, side_of(finding.blame))
    ]
    if same or not entry.operation:
        return same
    place = entry.scenario, entry.operation, schema_path(entry.path)
    return [
        number
        for number, finding in enumerate(findings)
        if (finding.scenario, finding.operation, schema_path(finding.path)) == place and finding.caused_by is None
    ]


def _accepted(entry: AcceptanceDoc, finding: Finding, day: str) -> Accepted:
    state, words = Acceptance.VALID, ""
    if finding.fingerprint != entry.finding or entry.side not in (None, side_of(finding.blame)):
        state, words = Acceptance.VOID, f"it was given for {entry.finding}, and something else is wrong there now"
    elif _worse(finding, entry.severity):
        state, words = Acceptance.VOID, f"it was given for a finding that was {entry.severity}"
    elif entry.until < day:
        state, words = Acceptance.EXPIRED, f"it was given until {entry.until}"
    severity = entry.severity or ""
    return Accepted(entry.owner, entry.reason, entry.until, entry.link, severity, state, entry.finding, words)


def _worse(finding: Finding, severity: str | None) -> bool:
    return bool(severity) and finding.severity.rank < Severity(str(severity)).rank


def _lines(entry: AcceptanceDoc, accepted: Sequence[Accepted], day: str, gone: PastFinding | None) -> list[str]:
    """What has to be said of an entry; nothing while it holds."""
    name = f"{entry.finding}, accepted by {entry.owner} until {entry.until}"
    if any(item.state is Acceptance.EXPIRED for item in accepted):
        return [f"{name}, has expired and is still there: mend it, or accept it again with a new date"]
    if accepted and accepted[0].state is Acceptance.VOID:
        return [f"{name}, has changed, so that this no longer counts: {accepted[0].words}"]
    if accepted:
        return []
    if gone is not None and gone.stage is Stage.FIXED:
        return [f"{name}, is fixed: remove the entry"]
    if entry.until < day:
        return [f"{name}, has expired, and was not seen in this run: remove the entry"]
    return []


def _with(finding: Finding, accepted: Accepted | None) -> Finding:
    if accepted is None:
        return finding
    stage = Stage.ACKNOWLEDGED if accepted.state is Acceptance.VALID else finding.stage
    return replace(finding, accepted=accepted, stage=stage)


def _with_consequences(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """What follows from an accepted finding is accepted with it, as far as it is not worse."""
    by_print = {finding.fingerprint: finding for finding in findings}
    return tuple(
        finding if finding.accepted is not None else _with(finding, _of_cause(finding, by_print))
        for finding in findings
    )


def _of_cause(finding: Finding, by_print: Mapping[str, Finding]) -> Accepted | None:
    cause: Finding | None = finding
    for _ in by_print:
        cause = by_print.get(cause.caused_by or "") if cause is not None else None
        if cause is not None and cause.accepted is not None:
            covers = cause.accepted.state is not Acceptance.VOID and not _worse(finding, cause.accepted.severity)
            return cause.accepted if covers else None
    return None
