"""From the work done for one provider to what the run says of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import troth.contracts
from troth.contracts.contract import Contract
from troth.runners.acceptance import ACCEPTED_CHECK, Answered, answered, today
from troth.runners.caller import where
from troth.runners.compare import Backdrop, Comparison, compare
from troth.runners.coverage import coverage_of, scenario_runs
from troth.runners.drift_settings import DriftSettings
from troth.runners.finding import Check, Coverage, Finding, PastFinding, ProviderRun, ScenarioRun, Verdict
from troth.runners.gate import Open, Shut
from troth.runners.habits import Habits, habits_of
from troth.runners.history import History
from troth.runners.lifecycle import Look, lived, past, sight_of
from troth.runners.memory import Memory
from troth.runners.places import agreed_spots
from troth.runners.plan import planned
from troth.runners.provider_work import ProviderWork
from troth.runners.reproduce import Reproduction
from troth.runners.rerun import Reruns
from troth.runners.step_result import TargetRun
from troth.runners.usage import with_tests
from troth.runners.verdicts import Said, verdict_of, worst
from troth.runners.written import Written

__all__ = ["contract_name", "provider_result"]

_PACKS = Path(troth.contracts.__file__).parent / "providers"


def provider_result(work: ProviderWork, memory: Memory) -> ProviderRun:
    """Compare, blame, count, and give the verdict; where we fail in that, give what ran all the same."""
    try:
        return _result(work, memory)
    except Exception as error:  # a defect must not cost anybody what ran
        return _unread(work, f"E415 Troth itself failed to compare what it saw: {where(error)}")


def _unread(work: ProviderWork, why: str) -> ProviderRun:
    """What was seen, without a word on what it means."""
    simulator, sandbox = work.simulator, work.sandbox
    runs = [run for run in (simulator, sandbox) if run is not None]
    return ProviderRun(
        provider=work.contract.provider,
        verdict=Verdict.BROKEN,
        coverage=Coverage(scenarios=len(work.items), notes=(why, *work.notes)),
        scenarios=tuple(item for run in runs for item in scenario_runs(run, {})),
        reason=why,
        title=work.contract.title,
        contract=contract_name(work.contract, work.shared.settings.root),
        sandbox_url=sandbox.url if sandbox else "",
        checks=_checks(work),
        exchanges=tuple(result.exchange for run in runs for result in run.results),
        refused=work.refused,
    )


def _result(work: ProviderWork, memory: Memory) -> ProviderRun:
    contract, simulator, sandbox = work.contract, work.simulator, work.sandbox
    history = memory.history(contract.provider)
    comparison = _compared(work, memory, history)
    memory.agree(contract, sandbox)
    shut = work.decision if isinstance(work.decision, Shut) else None
    verdict, reason = worst([*_own(work), verdict_of(simulator, sandbox, comparison, _said(shut))])
    coverage = coverage_of(contract, simulator, sandbox, shut.reason if shut else "")
    remembered = memory.look_back(history, called=sandbox is not None)
    found = (*comparison.findings, *(work.fuzzed.findings if work.fuzzed else ()))
    staged, gone = _lived(work, memory, found, remembered.night)
    held = answered(staged, work.accepted, today(memory.started), gone)
    usage = memory.usage()
    return ProviderRun(
        provider=contract.provider,
        verdict=verdict,
        coverage=replace(coverage, notes=(*coverage.notes, *work.notes, *usage.notes, *_unconfirmed(work, comparison))),
        findings=with_tests(held.findings, usage),
        scenarios=_scenarios(simulator, sandbox, comparison),
        reason=reason,
        title=contract.title,
        contract=contract_name(contract, work.shared.settings.root),
        sandbox_url=sandbox.url if sandbox else "",
        checks=(*_checks(work), *_accepted_check(work, held)),
        exchanges=tuple(result.exchange for run in (simulator, sandbox) if run for result in run.results),
        history=remembered,
        past=gone,
        volatile=comparison.volatile,
        refused=work.refused,
    )


def _lived(
    work: ProviderWork, memory: Memory, found: tuple[Finding, ...], night: int
) -> tuple[tuple[Finding, ...], tuple[PastFinding, ...]]:
    """The findings with their stages, and what became of those of earlier nights; as they are without a history."""
    looks = memory.looks(work.contract.provider)
    if looks is None:
        return found, ()
    came = agreed_spots(work.sandbox).items() if work.sandbox is not None else ()
    tonight = Look(
        memory.run_id,
        night,
        {finding.fingerprint: sight_of(finding) for finding in found},
        frozenset((scenario, spot.where) for spot, scenario in came if spot.reply),
    )
    fixed_after = work.shared.settings.fixed_after
    scenarios = {item.label for item in planned(work.contract)}
    return lived(found, tonight, looks, fixed_after), past(tonight, looks, scenarios, fixed_after)


def _accepted_check(work: ProviderWork, held: Answered) -> Iterator[Check]:
    """How it stands with the accepted findings, where there are any."""
    if work.accepted:
        count = f"{len(work.accepted)} accepted, {held.valid} of them seen in this run"
        yield Check(ACCEPTED_CHECK, "findings" if held.lines else "ok", "\n".join((count, *held.lines)))


def _nights(work: ProviderWork, memory: Memory) -> tuple[Habits, ...]:
    """What the sandbox did, night by night and tonight, where the contract leaves something open."""
    if work.sandbox is None:
        return ()
    later = [run.sandbox for run in work.reruns.runs] if work.reruns else []
    tonight = habits_of(memory.run_id, work.contract.content_hash, [work.sandbox, *later])
    before = memory.habits(work.contract.provider)
    memory.watch(work.contract.provider, tonight)
    return (*before, tonight)


def _compared(work: ProviderWork, memory: Memory, history: History) -> Comparison:
    backdrop = Backdrop(
        run_id=memory.run_id,
        history=history,
        past=memory.evidence(work.contract, history).past,
        reproduce=_reproduction(work).command,
        written=Written(work.contract, partial(_file_name, root=work.shared.settings.root)).at,
        nights=_nights(work, memory),
    )
    first = compare(work.contract, work.simulator, work.sandbox, backdrop)
    return first if work.reruns is None else _looked_again(work, work.reruns, first, backdrop)


def _unconfirmed(work: ProviderWork, comparison: Comparison) -> Iterator[str]:
    count = sum(item.steadiness == "unconfirmed" and item.caused_by is None for item in comparison.findings)
    if count and work.reruns is not None:
        words = "1 finding counts as seen and was" if count == 1 else f"{count} findings count as seen and were"
        why = work.reruns.ended or "that did not come to an end"
        yield f"{words} not confirmed by running the scenario again: {why}"


def _looked_again(work: ProviderWork, reruns: Reruns, first: Comparison, backdrop: Backdrop) -> Comparison:
    """With what only a further run showed, and how steadily each finding was seen."""
    found, backdrop = list(first.findings), replace(backdrop, nights=())
    for run in reruns.runs:
        known = {finding.fingerprint for finding in found}
        later = compare(work.contract, run.simulator, run.sandbox, backdrop).findings
        found += [finding for finding in reruns.news(later) if finding.fingerprint not in known]
    return replace(first, findings=reruns.steadied(found))


def _reproduction(work: ProviderWork) -> Reproduction:
    settings: DriftSettings = work.shared.settings
    provider = work.contract.provider
    return Reproduction(
        path=contract_name(work.contract, settings.root),
        seed=settings.seed,
        url=settings.urls.get(provider),
        provider=provider,
        sandbox=isinstance(work.decision, Open),
    )


def contract_name(contract: Contract, root: Path) -> str:
    """How a user of the project names the contract: a pack's name, else its path, relative where it can be."""
    path = contract.path
    if path.is_relative_to(_PACKS):
        return path.relative_to(_PACKS).parts[0]
    return _file_name(path, root)


def _file_name(path: Path | str, root: Path) -> str:
    """A file of a contract, relative to the packs or to the project where it can be."""
    path = Path(path)
    if path.is_relative_to(_PACKS):
        return path.relative_to(_PACKS).as_posix()
    absolute = path.resolve()
    base = root.resolve()
    return absolute.relative_to(base).as_posix() if absolute.is_relative_to(base) else absolute.as_posix()


def _own(work: ProviderWork) -> list[Said]:
    """What went wrong on our side, and what the generated requests found."""
    said: list[Said] = []
    if work.error:
        said.append((Verdict.BROKEN, work.error))
    if work.fuzzed is not None and work.fuzzed.verdict is not Verdict.AGREE:
        said.append((work.fuzzed.verdict, work.fuzzed.check.detail))
    return said


def _said(shut: Shut | None) -> Said | None:
    return (shut.verdict, shut.reason) if shut else None


def _scenarios(simulator: TargetRun, sandbox: TargetRun | None, comparison: Comparison) -> tuple[ScenarioRun, ...]:
    runs = scenario_runs(simulator, comparison.broken)
    return (*runs, *scenario_runs(sandbox, comparison.broken)) if sandbox else runs


def _checks(work: ProviderWork) -> tuple[Check, ...]:
    later = [run.sandbox for run in work.reruns.runs] if work.reruns else []
    runs = (work.simulator, work.sandbox, *later)
    leaks = [leak for run in runs if run for item in run.outcomes for leak in item.leaks]
    leaks += [words for run in runs if run for _, words in run.leftovers]
    checks: list[Check] = []
    if work.sandbox is not None:
        checks.append(Check("cleanup", "findings" if leaks else "ok", "; ".join(leaks)))
    if work.fuzzed is not None:
        checks.append(work.fuzzed.check)
    return tuple(checks)
