"""What a run says of one provider: the worst thing that happened, with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from troth.runners.compare import Comparison
from troth.runners.finding import Blame, Finding, Verdict
from troth.runners.step_result import TargetRun
from troth.runners.triangulate import unobserved_of

__all__ = ["Said", "verdict_of", "worst"]

Said: TypeAlias = tuple[Verdict, str]
"""A verdict and its reason."""

_DISAGREEING = frozenset({Blame.PROVIDER, Blame.CONTRACT, Blame.SIMULATOR, Blame.ALL})
"""What the contract leaves open, and what was not observed, is no drift."""


def verdict_of(
    simulator: TargetRun, sandbox: TargetRun | None, comparison: Comparison, shut: Said | None = None
) -> Said:
    """The verdict on one provider; ``shut`` is the gate's, when the sandbox was not called."""
    said = [
        *_broken(simulator, sandbox, comparison),
        *_drift(comparison.findings),
        *_unobserved(sandbox),
        *_over_budget(sandbox),
        *([shut] if shut else ()),
        *_unrun(simulator, sandbox),
    ]
    return worst(said)


def worst(said: Iterable[Said]) -> Said:
    """The worst verdict, with the first reason given for it; agreement when nothing was said."""
    return min(said, key=lambda item: item[0].rank, default=(Verdict.AGREE, ""))


def _broken(simulator: TargetRun, sandbox: TargetRun | None, comparison: Comparison) -> Iterator[Said]:
    for scenario, reason in comparison.broken.items():
        yield Verdict.BROKEN, f"{scenario}: {reason}"
    for run in (simulator, sandbox) if sandbox else (simulator,):
        for outcome in run.outcomes:
            if outcome.outcome == "broken":
                yield Verdict.BROKEN, f"{outcome.scenario} on the {run.target}: {outcome.reason}"
    if simulator.stopped is not None:
        yield Verdict.BROKEN, f"the simulator was given up: {simulator.stopped.reason}"
    for result in simulator.results:
        nothing = unobserved_of(result)
        if nothing is not None:
            where = f"{result.scenario}, step {result.trail} ({result.operation})"
            yield Verdict.BROKEN, f"{where}: the simulator gave no answer to judge: {nothing.reason}. Run `troth check`"


def _drift(findings: Iterable[Finding]) -> Iterator[Said]:
    for finding in findings:
        if finding.blame in _DISAGREEING and not finding.flaky:
            yield Verdict.DRIFT, ""
        elif finding.blame in _DISAGREEING:
            where = f"{finding.scenario}, {finding.operation} {finding.path}"
            yield Verdict.FLAKY, f"{where}: seen in {finding.seen} of {finding.runs} runs"


def _unobserved(sandbox: TargetRun | None) -> Iterator[Said]:
    if sandbox is None:
        return
    if sandbox.stopped is not None:
        yield Verdict(sandbox.stopped.verdict), sandbox.stopped.reason
    explained: set[str] = set()
    for result in sandbox.results:
        nothing = unobserved_of(result)
        if nothing is not None and result.final:
            explained.add(result.scenario)
            where = f"{result.scenario}, step {result.trail} ({result.operation})"
            yield Verdict(nothing.verdict), f"{where}: {nothing.reason}"
    for outcome in sandbox.outcomes:
        if outcome.outcome == "unobserved" and outcome.scenario not in explained and sandbox.stopped is None:
            yield Verdict.UNREACHABLE, f"{outcome.scenario}: {outcome.reason}"


def _over_budget(sandbox: TargetRun | None) -> Iterator[Said]:
    """Our own limits are no drift, and what they cut off was not checked."""
    cut = [outcome for outcome in sandbox.outcomes if outcome.over_budget] if sandbox is not None else []
    if sandbox is not None and cut:
        first = f"{cut[0].scenario}: {cut[0].reason}"
        yield Verdict.EXHAUSTED, f"{len(cut)} of {len(sandbox.outcomes)} scenarios were not run to their end: {first}"


def _unrun(simulator: TargetRun, sandbox: TargetRun | None) -> Iterator[Said]:
    """Scenarios that were skipped were not checked, and no scenario at all is no agreement."""
    deciding = sandbox or simulator
    for outcome in deciding.outcomes:
        if outcome.outcome == "skipped":
            yield Verdict.SKIPPED, f"{outcome.scenario}: {outcome.reason}"
    if not deciding.outcomes:
        yield Verdict.SKIPPED, "no scenario ran"
