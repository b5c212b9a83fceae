"""What was checked and what was not, as the page, the summaries and JUnit show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from troth.contracts.kinds import Severity
from troth.reports.clusters import consequences_of
from troth.reports.exchange_view import duration
from troth.reports.outcome import verdict_words
from troth.reports.visible import shorten, visible
from troth.runners.finding import Finding, ProviderRun, RecordedExchange, ScenarioRun, Verdict
from troth.runners.trails import phase_of

__all__ = [
    "OperationRow",
    "ScenarioCell",
    "ScenarioRow",
    "StepRow",
    "Unchecked",
    "following_words",
    "mismatched",
    "observed",
    "operation_rows",
    "scenario_rows",
    "severity_counts",
    "simulator_passes",
    "targets_of",
    "unchecked",
]

_UNDECIDED = "what the contract says there depends on things that the run has not seen"
_INEXACT = ("not judged exactly", "about records that this run did not make")
_HELP = {
    "several declared responses fitted": "give them another status, or a literal that tells them apart",
    "a condition could not be decided": "let a step before it make or read what the condition asks for",
    "a value was not known": "let a step before it read the value; what hangs on other people's records stays open",
    "a value was in doubt": "deal with the finding first",
    "a change of state was due": "let the scenario wait until the change is over",
    "a limit of the judge": "make the scenario shorter",
    "no response for an invalid request": "declare one with `when: mismatch`",
    "does not list the field": "list it in the contract, if your code reads it",
    "did not make": "make the record in the scenario, if the answer matters",
}
"""What a person can do about each reason for a check that was not exact."""
_GAPS = {"skipped": "did not run", "broken": "broke", "unobserved": "gave no answer that could be judged"}
"""Outcomes of scenarios that leave something unchecked."""
_STEPS = 60
"""Calls of one scenario that are listed."""


@dataclass(frozen=True, slots=True)
class Unchecked:
    """One thing that could not be checked, and why."""

    what: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class OperationRow:
    """One operation, with each of its responses and whether the sandbox gave it."""

    name: str
    responses: tuple[tuple[str, bool], ...]

    @property
    def observed(self) -> int:
        """Responses that the sandbox gave."""
        return sum(seen for _, seen in self.responses)


@dataclass(frozen=True, slots=True)
class ScenarioCell:
    """How a scenario went on one target; ``outcome`` is empty when it did not run there at all."""

    target: str
    outcome: str
    reason: str
    took: str


@dataclass(frozen=True, slots=True)
class StepRow:
    """One call of a scenario; ``answers`` has what came back on each target, empty where it was not made."""

    step: str
    operation: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScenarioRow:
    """One scenario on all targets."""

    name: str
    cells: tuple[ScenarioCell, ...]
    steps: tuple[StepRow, ...]


def unchecked(provider: ProviderRun) -> tuple[Unchecked, ...]:
    """Each thing that this run could not check of the provider; the weightiest first."""
    found: list[Unchecked] = []
    if provider.verdict not in (Verdict.AGREE, Verdict.DRIFT, Verdict.FLAKY):
        found.append(Unchecked(verdict_words(provider), provider.reason))
    if not provider.coverage.scenarios:
        found.append(Unchecked("No scenario was there to run", "what no scenario calls is not checked"))
    if provider.history.warning:
        found.append(Unchecked("Since when something differs", visible(provider.history.warning)))
    notes = _notes(provider)
    found += _scenarios_by_reason(provider)
    found += [Unchecked(note) for note in notes if not _inexact(note)]
    found += _unseen(provider)
    found += [Unchecked(note, _what_helps(note)) for note in notes if _inexact(note)]
    if provider.coverage.undecided and not any(map(_inexact, notes)):
        count = provider.coverage.undecided
        text = "1 exchange" if count == 1 else f"{count} exchanges"
        found.append(Unchecked(f"{text} could not be judged exactly", _UNDECIDED))
    return tuple(found)


def _inexact(note: str) -> bool:
    return any(words in note for words in _INEXACT)


def _what_helps(note: str) -> str:
    return next((words for reason, words in _HELP.items() if reason in note), "")


def _unseen(provider: ProviderRun) -> list[Unchecked]:
    responses = provider.coverage.responses
    unseen = [name for name, seen in responses.items() if not seen]
    if not unseen:
        return []
    if len(unseen) == len(responses) and provider.reason:
        return [Unchecked(f"None of the {len(responses)} declared responses was seen on the sandbox")]
    names = ", ".join(unseen[:12]) + (f" and {len(unseen) - 12} more" if len(unseen) > 12 else "")
    were = "declared response was" if len(unseen) == 1 else "responses that the contract declares were"
    return [Unchecked(f"{len(unseen)} {were} never seen on the sandbox; scenarios could bring them about", names)]


def _notes(provider: ProviderRun) -> list[str]:
    """Without those that say once more what the scenarios and the verdict say."""
    told = {run.scenario for run in provider.scenarios if run.outcome in _GAPS}
    notes = [note for note in provider.coverage.notes if note.partition(": ")[0] not in told]
    if provider.reason:
        notes = [note for note in notes if not note.startswith("the sandbox was not called")]
    return notes


def _scenarios_by_reason(provider: ProviderRun) -> list[Unchecked]:
    """One line for each reason, not for each of two hundred scenarios that a closed gate skipped."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for run in provider.scenarios:
        if run.outcome in _GAPS:
            groups.setdefault((run.outcome, run.target, run.reason), []).append(run.scenario)
    lines = []
    for (outcome, target, why), names in groups.items():
        reason = _news(why, provider)
        what = _GAPS[outcome]
        if len(names) == 1:
            lines.append(Unchecked(f"The scenario “{names[0]}” {what} on the {target}", reason))
        else:
            listed = ", ".join(f"“{name}”" for name in names[:5]) + (" …" if len(names) > 5 else "")
            lines.append(Unchecked(f"{len(names)} scenarios {what} on the {target}: {listed}", reason))
    return lines


def _news(reason: str, provider: ProviderRun) -> str:
    """The reason, unless it is what stands at the provider already."""
    return "" if reason == provider.reason else reason


def observed(provider: ProviderRun) -> tuple[int, int]:
    """Declared responses that the sandbox gave, and all declared ones."""
    return sum(provider.coverage.responses.values()), len(provider.coverage.responses)


def simulator_passes(provider: ProviderRun) -> tuple[int, int] | None:
    """Scenarios that went well on the simulator, and all that were to run there; None when none was."""
    outcomes = [run.outcome for run in provider.scenarios if run.target == "simulator"]
    return (outcomes.count("ok"), len(outcomes)) if outcomes else None


def mismatched(provider: ProviderRun) -> int:
    """Scenarios that ran on the sandbox, and where it or the simulator did not do what the contract says."""
    ran = {run.scenario for run in provider.scenarios if run.target != "simulator" and run.outcome in _RAN}
    return len({run.scenario for run in provider.scenarios if run.outcome in _BAD and run.scenario in ran})


_BAD = ("findings", "broken")
_RAN = ("ok", *_BAD)


def operation_rows(provider: ProviderRun) -> tuple[OperationRow, ...]:
    """The operations in the order of the contract."""
    rows: dict[str, list[tuple[str, bool]]] = {}
    for name, seen in provider.coverage.responses.items():
        operation, _, response = name.rpartition(".")
        rows.setdefault(operation, []).append((response, seen))
    return tuple(OperationRow(name, tuple(responses)) for name, responses in rows.items())


def targets_of(provider: ProviderRun) -> tuple[str, ...]:
    """The targets that any scenario ran on, simulator first."""
    names = {run.target: None for run in provider.scenarios}
    return tuple(sorted(names, key=lambda name: (name != "simulator", list(names).index(name))))


def scenario_rows(provider: ProviderRun) -> tuple[ScenarioRow, ...]:
    """The scenarios in the order of the run, each with its outcome on every target."""
    targets = targets_of(provider)
    runs: dict[str, dict[str, ScenarioRun]] = {}
    for run in provider.scenarios:
        runs.setdefault(run.scenario, {})[run.target] = run
    calls: dict[str, list[RecordedExchange]] = {}
    for exchange in provider.exchanges:
        calls.setdefault(exchange.scenario, []).append(exchange)
    rows = []
    for name, by_target in runs.items():
        cells = tuple(_cell(target, by_target.get(target), provider) for target in targets)
        rows.append(ScenarioRow(name, cells, _step_rows(calls.get(name, ()), targets)))
    return tuple(rows)


def _step_rows(exchanges: Sequence[RecordedExchange], targets: Sequence[str]) -> tuple[StepRow, ...]:
    """In the order in which they were made; of polls, which share a trail, the last answer."""
    steps: dict[tuple[str, str], dict[str, str]] = {}
    order: dict[tuple[str, str], tuple[int, int]] = {}
    for exchange in exchanges:
        key = exchange.trail or str(exchange.step), exchange.operation
        steps.setdefault(key, {})[exchange.target] = _answer(exchange)
        order.setdefault(key, (phase_of(exchange.trail), exchange.step))
    return tuple(
        StepRow(*key, tuple(steps[key].get(target, "") for target in targets))
        for key in sorted(steps, key=order.__getitem__)[:_STEPS]
    )


def _cell(target: str, run: ScenarioRun | None, provider: ProviderRun) -> ScenarioCell:
    if run is None:
        return ScenarioCell(target, "", "", "")
    return ScenarioCell(target, run.outcome, _news(run.reason, provider), duration(run.seconds) if run.seconds else "")


def _answer(exchange: RecordedExchange) -> str:
    if exchange.status is None:
        answer = exchange.error or "no answer"
    else:
        answer = f"{exchange.status} {exchange.response_name or 'not declared'}"
    return f"{shorten(visible(answer), 120)}, {duration(exchange.elapsed)}"


def severity_counts(provider: ProviderRun) -> tuple[tuple[Severity, int], ...]:
    """How many causes of each severity there are, worst first, none with 0; consequences are not counted."""
    return _by_severity(provider.findings[root] for root in consequences_of(provider.findings))


def following_words(findings: Sequence[Finding]) -> str:
    """``3 (1 breaking, 2 risky)``: the findings that follow from others, which may be worse than these; "" for none."""
    roots = consequences_of(findings)
    after = [finding for number, finding in enumerate(findings) if number not in roots]
    severities = ", ".join(f"{count} {severity}" for severity, count in _by_severity(after))
    return f"{len(after)} ({severities})" if after else ""


def _by_severity(findings: Iterable[Finding]) -> tuple[tuple[Severity, int], ...]:
    counts = Counter(finding.severity for finding in findings)
    return tuple((severity, counts[severity]) for severity in Severity if counts[severity])
