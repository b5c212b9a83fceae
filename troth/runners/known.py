"""Findings that are known by their fingerprint: from the last report, or from the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from troth.contracts.kinds import Severity
from troth.runners.acceptance import side_of
from troth.runners.finding import Run

__all__ = ["KnownFinding", "known_in", "with_worst"]


@dataclass(frozen=True, slots=True)
class KnownFinding:
    """What an entry of ``accepted.yaml`` says of a finding."""

    fingerprint: str
    provider: str
    contract: str
    """The contract as the run named it."""
    code: str
    kind: str
    severity: Severity
    """The worst of its own and of what follows from it."""
    side: str
    """``provider`` or ``simulator``: whose answer it is about."""
    operation: str
    scenario: str
    path: str
    caused_by: str | None = None


def known_in(run: Run) -> tuple[KnownFinding, ...]:
    """Every finding of a run."""
    return with_worst(
        KnownFinding(
            fingerprint=finding.fingerprint,
            provider=provider.provider,
            contract=provider.contract,
            code=finding.code,
            kind=finding.kind,
            severity=finding.severity,
            side=side_of(finding.blame),
            operation=finding.operation,
            scenario=finding.scenario,
            path=finding.path,
            caused_by=finding.caused_by,
        )
        for provider in run.providers
        for finding in provider.findings
    )


def with_worst(findings: Iterable[KnownFinding]) -> tuple[KnownFinding, ...]:
    """With the severities that follow from them; ``findings`` are all of one run."""
    every = list(findings)
    causes = {item.fingerprint: item.caused_by for item in every}
    worst = {item.fingerprint: item.severity for item in every}
    for item in every:
        for cause in _chain(item.fingerprint, causes):
            if cause in worst and item.severity.rank < worst[cause].rank:
                worst[cause] = item.severity
    return tuple(replace(item, severity=worst[item.fingerprint]) for item in every)


def _chain(print_: str, causes: dict[str, str | None]) -> Sequence[str]:
    found: list[str] = []
    cause = causes.get(print_)
    while cause is not None and cause not in found:
        found.append(cause)
        cause = causes.get(cause)
    return found
