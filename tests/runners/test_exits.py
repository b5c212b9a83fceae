"""Exit codes: one test for each row of the table, then what outweighs what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from troth.contracts.kinds import Severity
from troth.runners.exits import Exit, exit_code
from troth.runners.finding import Blame, Check, Coverage, Finding, ProviderRun, Run, ScenarioRun, Verdict

RAN = (ScenarioRun("s", "simulator", "ok"),)


def finding(severity: Severity = Severity.BREAKING, blame: Blame = Blame.PROVIDER) -> Finding:
    """A finding of this severity and blame."""
    return Finding("TR301", "value", severity, blame, "p", "o", "s", 1, "$", 1, 1, 2, "v1:0")


def provider(
    verdict: Verdict, *findings: Finding, scenarios: tuple[ScenarioRun, ...] = RAN, **more: Any
) -> ProviderRun:
    """What a run says of one provider."""
    return ProviderRun("p", verdict, Coverage(), findings, scenarios, **more)


def code(*providers: ProviderRun, fail_on: Severity = Severity.BREAKING, **more: Any) -> Exit:
    """The exit code of a run over these providers."""
    return exit_code(Run("r", 0.0, 1.0, Verdict.AGREE, providers, **more), fail_on)


@pytest.mark.parametrize(
    ("severity", "fail_on", "want"),
    [
        (Severity.BREAKING, Severity.BREAKING, Exit.DRIFT),
        (Severity.RISKY, Severity.BREAKING, Exit.OK),
        (Severity.NOTICE, Severity.BREAKING, Exit.OK),
        (Severity.RISKY, Severity.RISKY, Exit.DRIFT),
        (Severity.NOTICE, Severity.RISKY, Exit.OK),
        (Severity.NOTICE, Severity.NOTICE, Exit.DRIFT),
    ],
)
def test_1_for_drift_at_or_above_the_threshold(severity: Severity, fail_on: Severity, want: Exit) -> None:
    """Milder drift is reported and does not fail."""
    assert code(provider(Verdict.DRIFT, finding(severity)), fail_on=fail_on) is want


def test_2_for_an_interrupted_run() -> None:
    """Whatever the part that ran says."""
    assert code(provider(Verdict.DRIFT, finding()), interrupted=True) is Exit.INTERRUPTED


def test_3_for_broken() -> None:
    """Our own fault."""
    assert code(provider(Verdict.BROKEN)) is Exit.BROKEN


@pytest.mark.parametrize("verdict", [Verdict.BROKEN, Verdict.UNAUTHORIZED, Verdict.UNREACHABLE])
def test_4_for_what_the_user_has_to_mend(verdict: Verdict) -> None:
    """An invalid contract, a refused credential, an impossible address."""
    assert code(provider(verdict, refused=True)) is Exit.USAGE
    assert code(provider(verdict, finding(), refused=True)) is Exit.USAGE


@pytest.mark.parametrize("scenarios", [(), (ScenarioRun("s", "simulator", "skipped"),)])
def test_5_when_nothing_ran(scenarios: tuple[ScenarioRun, ...]) -> None:
    """Nothing that ran is no success."""
    assert code(provider(Verdict.SKIPPED, scenarios=scenarios)) is Exit.NOTHING_RAN


def test_5_without_any_provider() -> None:
    """An empty run proves nothing."""
    assert code() is Exit.NOTHING_RAN


@pytest.mark.parametrize("verdict", [Verdict.UNAUTHORIZED, Verdict.UNREACHABLE, Verdict.EXHAUSTED])
def test_6_when_the_sandbox_could_not_be_checked(verdict: Verdict) -> None:
    """Neither drift nor a pass."""
    assert code(provider(verdict)) is Exit.UNOBSERVED


def test_7_for_stale() -> None:
    """Not verified for longer than the contract allows."""
    assert code(provider(Verdict.STALE)) is Exit.SHORTFALL


def test_8_for_flaky() -> None:
    """Now this, now that."""
    assert code(provider(Verdict.FLAKY)) is Exit.FLAKY


@pytest.mark.parametrize("steadiness", ["intermittent", "dismissed"])
@pytest.mark.parametrize(
    ("severity", "want"), [(Severity.BREAKING, Exit.FLAKY), (Severity.RISKY, Exit.OK), (Severity.NOTICE, Exit.OK)]
)
def test_8_only_for_what_would_fail_if_it_stayed(severity: Severity, want: Exit, steadiness: str) -> None:
    """A notice that comes and goes fails no more than one that stays."""
    flaky = replace(finding(severity), steadiness=steadiness)

    assert code(provider(Verdict.FLAKY, flaky)) is want
    assert code(provider(Verdict.DRIFT, flaky, finding(Severity.NOTICE))) is want


@pytest.mark.parametrize("steadiness", ["", "confirmed", "unconfirmed"])
def test_1_for_all_else(steadiness: str) -> None:
    """What was seen and not disproved counts; what is steady outweighs what is not."""
    steady = replace(finding(), steadiness=steadiness)

    assert code(provider(Verdict.DRIFT, steady)) is Exit.DRIFT
    assert code(provider(Verdict.DRIFT, replace(finding(), steadiness="dismissed"), steady)) is Exit.DRIFT


@pytest.mark.parametrize("verdict", [Verdict.DRIFT, Verdict.FLAKY])
def test_6_beside_drift_that_does_not_fail(verdict: Verdict) -> None:
    """A scenario that gave no answer is no pass because another shows a notice."""
    partly = replace(provider(verdict, finding(Severity.NOTICE)), coverage=Coverage(scenarios=2, ran=1, unobserved=1))

    assert code(partly) is Exit.UNOBSERVED


@pytest.mark.parametrize("verdict", [Verdict.AGREE, Verdict.SKIPPED])
def test_0_for_agreement_and_for_a_closed_gate(verdict: Verdict) -> None:
    """With the gate closed the simulator alone decides."""
    assert code(provider(verdict)) is Exit.OK


def test_a_simulator_that_disagrees_fails_although_the_sandbox_was_not_asked() -> None:
    """The verdict is worse than ``skipped``."""
    assert code(provider(Verdict.DRIFT, finding(blame=Blame.SIMULATOR))) is Exit.DRIFT


def test_what_was_not_observed_never_fails_as_drift() -> None:
    """A leak is severe enough, and says nothing about the contract."""
    assert code(provider(Verdict.AGREE, finding(blame=Blame.UNOBSERVED))) is Exit.OK


def test_loose_findings_fail_only_when_notices_shall() -> None:
    """The contract allows both."""
    loose = provider(Verdict.AGREE, finding(Severity.NOTICE, Blame.LOOSE))

    assert (code(loose), code(loose, fail_on=Severity.NOTICE)) == (Exit.OK, Exit.DRIFT)


def test_a_pass_of_generated_requests_counts_as_run() -> None:
    """Not only scenarios do."""
    fuzzed = provider(Verdict.SKIPPED, scenarios=(), checks=(Check("fuzz", "ok"),))
    idle = provider(Verdict.SKIPPED, scenarios=(), checks=(Check("fuzz", "skipped"),))

    assert (code(fuzzed), code(idle)) == (Exit.OK, Exit.NOTHING_RAN)


@pytest.mark.parametrize(
    ("verdicts", "want"),
    [
        ([Verdict.DRIFT, Verdict.BROKEN], Exit.BROKEN),
        ([Verdict.UNREACHABLE, Verdict.DRIFT], Exit.DRIFT),
        ([Verdict.FLAKY, Verdict.EXHAUSTED], Exit.UNOBSERVED),
        ([Verdict.FLAKY, Verdict.STALE], Exit.FLAKY),
        ([Verdict.AGREE, Verdict.SKIPPED, Verdict.STALE], Exit.SHORTFALL),
    ],
)
def test_the_worst_provider_decides(verdicts: list[Verdict], want: Exit) -> None:
    """In the order of the verdicts."""
    providers = [provider(verdict, *([finding()] if verdict is Verdict.DRIFT else [])) for verdict in verdicts]

    assert code(*providers) is want


def test_mild_drift_does_not_hide_a_sandbox_that_is_down() -> None:
    """Drift below the threshold is 0, so the next worst provider speaks."""
    mild = provider(Verdict.DRIFT, finding(Severity.RISKY))

    assert code(mild, provider(Verdict.UNREACHABLE)) is Exit.UNOBSERVED


def test_7_for_a_budget_that_was_too_small() -> None:
    """Our own limit; what the provider refused besides weighs more, and so does drift."""
    cut = Coverage(over_budget=2, skipped=2)
    run = replace(provider(Verdict.EXHAUSTED), coverage=cut)
    assert code(run) is Exit.SHORTFALL
    assert code(replace(run, coverage=replace(cut, unobserved=1))) is Exit.UNOBSERVED
    mild = provider(Verdict.DRIFT, finding(Severity.NOTICE))
    assert code(replace(mild, coverage=cut)) is Exit.SHORTFALL
    assert code(replace(provider(Verdict.DRIFT, finding()), coverage=cut)) is Exit.DRIFT
