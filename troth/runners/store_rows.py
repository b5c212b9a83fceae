"""Rows of the store from the data of a run, and back."""

from __future__ import annotations

from dataclasses import asdict, fields
from decimal import Decimal
from math import isfinite
from typing import Any

from troth.contracts.values import ABSENT, Value
from troth.runners.finding import Finding, ProviderRun, RecordedExchange, Run
from troth.runners.history import Agreement
from troth.runners.store_tables import AgreementRow, ExchangeRow, FindingRow, ProviderRow, RunRow

__all__ = ["COMPLETED", "agreement_of", "exchange_of", "exchange_row", "finding_row", "provider_row", "run_row"]

COMPLETED = "completed"
"""Which scenarios ran to their end on the sandbox, beside what the coverage counts."""


def run_row(run: Run) -> RunRow:
    """The run itself, without its providers."""
    return RunRow(
        run_id=run.run_id,
        started=run.started,
        finished=run.finished,
        verdict=str(run.verdict),
        exit_code=run.exit_code,
        seed=run.seed,
        gate=run.gate,
        interrupted=run.interrupted,
        troth=run.troth,
        command=run.command,
    )


def provider_row(run: Run, provider: ProviderRun, contract_hash: str) -> ProviderRow:
    """What the run says of one provider, without exchanges and findings."""
    coverage = asdict(provider.coverage)
    coverage["responses"] = dict(provider.coverage.responses)
    coverage["notes"] = list(provider.coverage.notes)
    coverage[COMPLETED] = [
        item.scenario for item in provider.scenarios if item.target == "sandbox" and item.outcome in ("ok", "findings")
    ]
    return ProviderRow(
        run_id=run.run_id,
        provider=provider.provider,
        verdict=str(provider.verdict),
        reason=provider.reason,
        contract=provider.contract,
        contract_hash=contract_hash,
        sandbox_url=provider.sandbox_url,
        coverage=coverage,
        night=provider.history.night,
        agreed="",
    )


_APART = ("request_headers", "response_headers", "trail")
"""Fields that are written in another way; what the store keeps is judged again, and needs no name of its step."""
_SHARED = tuple(item.name for item in fields(RecordedExchange) if item.name not in _APART)


def exchange_row(run: Run, provider: str, exchange: RecordedExchange) -> ExchangeRow:
    """One exchange; redacted since it was captured."""
    return ExchangeRow(
        run_id=run.run_id,
        provider=provider,
        request_headers=[list(pair) for pair in exchange.request_headers],
        response_headers=[list(pair) for pair in exchange.response_headers],
        **{name: getattr(exchange, name) for name in _SHARED},
    )


def exchange_of(row: ExchangeRow) -> RecordedExchange:
    """The exchange that a row holds."""
    return RecordedExchange(
        request_headers=tuple((name, value) for name, value in row.request_headers),
        response_headers=tuple((name, value) for name, value in row.response_headers),
        **{name: getattr(row, name) for name in _SHARED},
    )


def finding_row(run: Run, finding: Finding) -> FindingRow:
    """One finding, without its exchanges and words."""
    said = {"contract": finding.contract, "simulator": finding.simulator, "sandbox": finding.sandbox}
    return FindingRow(
        run_id=run.run_id,
        provider=finding.provider,
        fingerprint=finding.fingerprint,
        code=finding.code,
        kind=finding.kind,
        severity=str(finding.severity),
        blame=str(finding.blame),
        operation=finding.operation,
        scenario=finding.scenario,
        step=finding.step,
        path=finding.path,
        origin=finding.origin,
        proof=finding.proof,
        since=finding.since,
        last_agreed=finding.last_agreed,
        caused_by=finding.caused_by,
        count=finding.count,
        said={side: _json(value) for side, value in said.items() if value is not ABSENT},
        responses=list(finding.responses),
        steadiness=finding.steadiness,
        accepted=str(finding.accepted.state) if finding.accepted is not None else "",
    )


def _json(value: Value) -> Any:
    """What JSON can hold; exact decimals, bytes and unknowns as text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, dict):
        return {str(key): _json(item) for key, item in value.items() if item is not ABSENT}
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, Decimal) else repr(value)


def agreement_of(row: AgreementRow, nights: int) -> Agreement:
    """The newest agreement that a row holds, which ``nights`` nights have shown."""
    return Agreement(
        origin=row.origin,
        where=row.where,
        edition=row.edition,
        troth=row.troth,
        run_id=row.last_run,
        time=row.last_time,
        scenario=row.scenario,
        contract_hash=row.contract_hash,
        hooks=row.hooks,
        first_run=row.first_run,
        nights=nights,
    )
