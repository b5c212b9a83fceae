"""What a contract makes of a recorded night: the findings, beside a run of the same scenarios on its simulator."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qs, urlsplit

from troth.contracts.contract import Contract
from troth.contracts.document.document import Document
from troth.contracts.json_path import segments
from troth.contracts.kinds import Severity
from troth.contracts.loader import compiled
from troth.contracts.matcher import Mismatch
from troth.contracts.repair.proposal import Complaint
from troth.contracts.values import ABSENT, Json
from troth.runners.compare import compare
from troth.runners.engine import run_target
from troth.runners.finding import Finding, RecordedExchange
from troth.runners.plan import RunPlan
from troth.runners.redact import Redactor
from troth.runners.repair.recorded import Night, Replayed, replay
from troth.runners.step_result import StepResult
from troth.runners.target import simulator_target
from troth.runners.triangulate import mismatches
from troth.simulators.simulator import Simulator

__all__ = ["TOKEN", "Sight", "disagreements", "grave", "look"]

TOKEN = "[secret:"
"""What stands for a secret in what was recorded: it disagrees with everything, and that means nothing."""


@dataclass(frozen=True)
class Sight:
    """One document on one night."""

    document: Document
    contract: Contract
    replayed: Replayed
    findings: Mapping[str, Finding]
    """By fingerprint."""

    @cached_property
    def results(self) -> tuple[StepResult, ...]:
        """The replayed steps."""
        return self.replayed.run.results

    def complaint(self, finding: Finding) -> Complaint:
        """What a finding says, with all that the provider showed there on that night."""
        found = [(result, mismatch) for result in self.results for mismatch in _of(result, finding)]
        seen = [mismatch.observed for _, mismatch in found if mismatch.observed is not ABSENT]
        if not found or finding.kind in ("expect", "undeclared"):
            seen = [] if finding.sandbox is ABSENT else [finding.sandbox]
        result = found[0][0] if found else None
        judged = result.judgement if result is not None else None
        return Complaint(
            kind=finding.kind,
            path=finding.path,
            origin=finding.origin,
            operation=finding.operation,
            responses=finding.responses,
            scenario=finding.scenario,
            trail=finding.trail,
            expected=finding.contract,
            simulator=finding.simulator,
            seen=tuple(value for value in seen if TOKEN not in repr(value)),
            status=result.exchange.status if result is not None else None,
            body=judged.body if judged is not None else ABSENT,
            sent=ABSENT if result is None else _sent(result.exchange, finding.path),
        )


def look(document: Document, night: Night, seed: int) -> Sight:
    """Run the simulator, replay the night, compare. Raises ContractError where the document makes no contract."""
    contract = compiled(document)
    plan = RunPlan(night.run_id, Redactor(b"replay"), seed)
    simulator = asyncio.run(run_target(contract, simulator_target(contract, Simulator(contract, seed=seed)), plan))
    replayed = replay(contract, night, seed)
    found = compare(contract, simulator, replayed.run).findings
    told = {item.fingerprint: item for item in found if TOKEN not in repr((item.sandbox, item.contract))}
    return Sight(document, contract, replayed, told)


def grave(finding: Finding) -> bool:
    """Is it more than a notice, and no mere consequence of another one?"""
    return finding.caused_by is None and finding.severity in (Severity.BREAKING, Severity.RISKY)


def disagreements(replayed: Replayed) -> set[tuple[str, ...]]:
    """Where a replayed night disagrees with the contract: kind, operation, origin, and the scenario for its own."""
    return {
        (mismatch.kind, result.operation, str(mismatch.origin), result.scenario if unmet else "")
        for result in replayed.run.results
        if result.final
        for mismatch, unmet in mismatches(result)
        if TOKEN not in repr((mismatch.observed, mismatch.expected))
    }


def _of(result: StepResult, finding: Finding) -> Iterator[Mismatch]:
    for mismatch, unmet in mismatches(result):
        same = mismatch.kind == finding.kind and str(mismatch.origin) == finding.origin
        here = not unmet or (result.scenario, result.trail, mismatch.path) == (
            finding.scenario,
            finding.trail,
            finding.path,
        )
        if same and here:
            yield mismatch


def _sent(exchange: RecordedExchange, path: str) -> Json:
    """What the request had at ``amount``, in its body or query; ABSENT for nothing."""
    query = {name: values[0] for name, values in parse_qs(urlsplit(exchange.url).query).items()}
    found = (_part(sent, f"$.{path}") for sent in (_body(exchange.request_body), query))
    return next((value for value in found if value is not ABSENT and TOKEN not in repr(value)), ABSENT)


def _part(value: Any, path: str) -> Json:
    for part in segments(path) or ():
        if isinstance(part, int):
            value = value[part] if isinstance(value, list) and part < len(value) else ABSENT
        else:
            value = value.get(part, ABSENT) if isinstance(value, dict) else ABSENT
    return value


def _body(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {name: values[0] for name, values in parse_qs(text).items()}
