"""What was checked, and what was not: a check that did not run is never a pass, and leniency is counted.

The numbers are about the sandbox. When it was not called, no scenario counts as run, and the checks are those that the
simulator passed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from troth.contracts.contract import Contract
from troth.contracts.judgement import Why
from troth.runners.finding import Coverage, ScenarioRun
from troth.runners.standing import never_comes
from troth.runners.step_result import Outcome, StepResult, TargetRun
from troth.runners.triangulate import mismatches, unobserved_of

__all__ = ["coverage_of", "scenario_runs"]

_EXAMPLES = 3
_MISSING = re.compile(r"not [^\W\d]\w*")
_REASONS = {
    "undecided": "several declared responses fitted",
    "maybe": "the contract says `maybe`",
    "unknown": "a value was not known",
    "doubt": "a value was in doubt after an earlier finding",
    "timer": "a change of state was due at about that time",
    "when": "a condition could not be decided",
    "limit": "a limit of the judge was reached",
    "mismatch": "the contract declares no response for an invalid request",
    "unlisted": "the contract does not list the field",
}


def coverage_of(contract: Contract, simulator: TargetRun, sandbox: TargetRun | None, shut: str = "") -> Coverage:
    """The coverage of one provider; ``shut`` says why the sandbox was not called."""
    deciding = sandbox or simulator
    outcomes = {item.scenario: item for item in sandbox.outcomes} if sandbox else {}
    names = dict.fromkeys([*(item.scenario for item in simulator.outcomes), *outcomes])
    counts = Counter(outcomes[name].outcome if name in outcomes else "skipped" for name in names)
    return Coverage(
        scenarios=len(names),
        ran=len(names) - counts["skipped"] - counts["unobserved"],
        skipped=counts["skipped"],
        over_budget=sum(outcome.over_budget for outcome in outcomes.values()),
        unobserved=counts["unobserved"],
        checks=sum(_checks(result) for result in deciding.results),
        undecided=sum(_undecided(result) for result in deciding.results),
        responses=_responses(contract, sandbox),
        notes=tuple(_notes(simulator, sandbox, outcomes, shut)),
    )


def scenario_runs(run: TargetRun, broken: Mapping[str, str]) -> tuple[ScenarioRun, ...]:
    """How each scenario went; ``broken`` names those that prove nothing, and why."""
    return tuple(_scenario_run(run, outcome, broken.get(outcome.scenario)) for outcome in run.outcomes)


def _scenario_run(run: TargetRun, outcome: Outcome, broken: str | None) -> ScenarioRun:
    results = [item for item in run.results if item.scenario == outcome.scenario]
    how, reason = outcome.outcome, outcome.reason
    if broken is not None:
        how, reason = "broken", broken
    elif how == "ok" and any(True for item in results for _ in mismatches(item)):
        how = "findings"
    return ScenarioRun(outcome.scenario, run.target, how, reason, len(results), outcome.seconds)


def _checks(result: StepResult) -> int:
    """Places of one answer that were held against the contract."""
    if result.judgement is None or unobserved_of(result) is not None:
        return len(result.unmet)
    return len(result.judgement.agreed) + len(result.judgement.mismatches) + len(result.unmet)


def _undecided(result: StepResult) -> bool:
    return result.judgement is not None and any(why.reason == "undecided" for why in result.judgement.unjudged)


def _responses(contract: Contract, sandbox: TargetRun | None) -> dict[str, bool]:
    """Every declared response that a run can bring about, and did one; the same ones every night.

    Left out are those that say nothing (``means``) unless a step expects them, and refusals of a wrong request where
    the request has nothing that can be wrong.
    """
    expected = set(_expected(contract))
    seen = {
        f"{result.operation}.{result.judgement.response}"
        for result in (sandbox.results if sandbox else ())
        if result.judgement is not None and result.judgement.response is not None and unobserved_of(result) is None
    }
    declared: dict[str, bool] = {}
    for operation in contract.operations.values():
        shapes = list(operation.responses)
        if operation.idempotency is not None and operation.idempotency.conflict is not None:
            shapes.append(operation.idempotency.conflict)
        for shape in shapes:
            name = f"{operation.name}.{shape.name}"
            if name in seen or name in expected or (shape.means is None and not never_comes(operation, shape)):
                declared[name] = name in seen
    return declared


def _expected(contract: Contract) -> Iterator[str]:
    for scenario in contract.scenarios.values():
        for step in (*scenario.steps, *scenario.cleanup):
            if step.call is not None:
                yield from (f"{step.call.operation}.{name}" for name in step.expect.responses)


def _notes(
    simulator: TargetRun, sandbox: TargetRun | None, outcomes: Mapping[str, Outcome], shut: str
) -> Iterator[str]:
    if sandbox is None:
        yield f"the sandbox was not called: {shut or 'no reason given'}; the checks are the simulator's"
    for outcome in simulator.outcomes:
        if sandbox is not None and outcome.scenario not in outcomes:
            yield f"{outcome.scenario}: did not run on the sandbox"
    for run in (simulator, sandbox) if sandbox else (simulator,):
        for outcome in run.outcomes:
            if outcome.outcome != "ok":
                reason = outcome.reason or "no reason given"
                yield f"{outcome.scenario}: {outcome.outcome} on the {run.target}: {reason}"
        yield from run.notes
    yield from _lenient(sandbox or simulator)


def _of_stranger(why: Why) -> bool:
    """Was it asked whether a record is there (``not charge``), which nobody knows of other people's?"""
    return why.reason == "when" and _MISSING.fullmatch(why.what) is not None


def _lenient(run: TargetRun) -> Iterator[str]:
    """Where the judge could not be exact, counted by reason, with examples."""
    found: dict[str, Counter[str]] = {}
    strangers = 0
    for result in run.results:
        whys = result.judgement.unjudged if result.judgement else ()
        strangers += any(_of_stranger(why) for why in whys)
        for why in whys:
            if why.reason != "unobserved" and not _of_stranger(why):
                found.setdefault(why.reason, Counter())[f"{result.operation} {why.what}".strip()] += 1
    if strangers:
        yield (
            f"{strangers} {'reply' if strangers == 1 else 'replies'} about records that this run did not make: both "
            "found and missing were possible"
        )
    for reason, whats in sorted(found.items()):
        examples = ", ".join(what for what, _ in whats.most_common(_EXAMPLES))
        more = ", ..." if len(whats) > _EXAMPLES else ""
        yield f"{whats.total()} not judged exactly, because {_REASONS.get(reason, reason)}: {examples}{more}"
