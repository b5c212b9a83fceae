"""Verdicts: the worst thing that happened, never a pass for what did not run."""

from __future__ import annotations

import pytest
from fakes.target_runs import choice, contract, mismatch, run, step

from troth.contracts.judgement import Unobserved
from troth.runners.compare import compare
from troth.runners.finding import Verdict
from troth.runners.step_result import Outcome, StepResult, TargetRun
from troth.runners.verdicts import verdict_of

DOWN = Unobserved("unreachable", "connection refused")
OK = run(step(), target="simulator")


def verdict(
    simulator: TargetRun, sandbox: TargetRun | None, shut: tuple[Verdict, str] | None = None
) -> tuple[Verdict, str]:
    """The verdict on two runs."""
    return verdict_of(simulator, sandbox, compare(contract(), simulator, sandbox), shut)


def unmet() -> StepResult:
    """A step whose expectation was not met."""
    return step(unmet=[mismatch("expect", "status", "declined", "created", "charge.declined")])


def test_agree_when_both_ran_and_agree() -> None:
    """The only pass."""
    assert verdict(OK, run(step())) == (Verdict.AGREE, "")


def test_loose_findings_are_agreement() -> None:
    """The contract allows both."""
    mine = run(step(choices={"$.a": choice("default", 1)}), target="simulator")

    assert verdict(mine, run(step(choices={"$.a": choice("default", 2)})))[0] is Verdict.AGREE


def test_drift_when_anybody_disagrees_with_the_contract() -> None:
    """The provider, the simulator, with or without a sandbox."""
    wrong = step(1, mismatch())

    assert verdict(OK, run(wrong))[0] is Verdict.DRIFT
    assert verdict(run(wrong, target="simulator"), run(step()))[0] is Verdict.DRIFT
    assert verdict(run(wrong, target="simulator"), None, (Verdict.SKIPPED, "shut"))[0] is Verdict.DRIFT


@pytest.mark.parametrize("word", ["unauthorized", "unreachable", "exhausted"])
def test_a_target_that_was_given_up(word: str) -> None:
    """With the reason that the runner gave."""
    stopped = Unobserved(word, "because")  # type: ignore[arg-type]

    assert verdict(OK, run(step(unobserved=stopped), stopped=stopped)) == (Verdict(word), "because")


def test_one_answer_that_says_nothing_is_no_agreement() -> None:
    """Although every other step agreed."""
    found, reason = verdict(run(step(), step(2), target="simulator"), run(step(), step(2, unobserved=DOWN)))

    assert (found, reason) == (Verdict.UNREACHABLE, "a charge is kept, step 2 (charge): connection refused")


def test_a_poll_that_says_nothing_is_forgiven_when_a_later_one_speaks() -> None:
    """That is what polling is for."""
    assert verdict(OK, run(step(unobserved=DOWN, final=False), step(2, trail="1")))[0] is Verdict.AGREE


def test_an_unobserved_scenario_is_no_agreement() -> None:
    """Even without a step that says why."""
    sandbox = run(outcomes=(Outcome("a charge is kept", "unobserved", "timed out"),))

    assert verdict(OK, sandbox) == (Verdict.UNREACHABLE, "a charge is kept: timed out")


def test_the_reason_of_an_unobserved_scenario_is_that_of_its_step() -> None:
    """A spent quota does not become an unreachable target because the scenario ended there."""
    spent = Unobserved("exhausted", "429")
    outcomes = (Outcome("a charge is kept", "unobserved", "step 1: 429"),)

    assert verdict(OK, run(step(unobserved=spent), outcomes=outcomes))[0] is Verdict.EXHAUSTED
    assert verdict(OK, run(outcomes=outcomes, stopped=spent))[0] is Verdict.EXHAUSTED


@pytest.mark.parametrize("said", [Verdict.SKIPPED, Verdict.UNAUTHORIZED, Verdict.UNREACHABLE])
def test_a_closed_gate_is_told_with_its_reason(said: Verdict) -> None:
    """The simulator is fine, and nothing is known about the provider."""
    assert verdict(OK, None, (said, "no key")) == (said, "no key")


def test_a_skipped_scenario_is_no_agreement() -> None:
    """One that did not run was not checked."""
    sandbox = run(step(), outcomes=(Outcome("a charge is kept", "ok"), Outcome("b", "skipped", "not chosen")))

    assert verdict(OK, sandbox) == (Verdict.SKIPPED, "b: not chosen")


def test_no_scenario_at_all_is_no_agreement() -> None:
    """An empty contract proves nothing."""
    empty = TargetRun("simulator", "", (), ())

    assert verdict(empty, TargetRun("sandbox", "", (), ()))[0] is Verdict.SKIPPED


@pytest.mark.parametrize(
    ("simulator", "sandbox"),
    [
        (run(unmet(), target="simulator"), run(unmet())),
        (run(unmet(), target="simulator"), None),
        (run(step(unobserved=DOWN), target="simulator"), run(step())),
        (run(step(), target="simulator", stopped=DOWN), run(step())),
        (run(step(), target="simulator", outcomes=(Outcome("s", "broken", "why"),)), run(step())),
        (run(step(), target="simulator"), run(step(), outcomes=(Outcome("s", "broken", "why"),))),
        (run(step(), target="simulator"), run(step(1, mismatch("broken")))),
    ],
    ids=["scenario", "scenario alone", "simulator silent", "simulator gone", "simulator", "sandbox", "judge"],
)
def test_broken(simulator: TargetRun, sandbox: TargetRun | None) -> None:
    """Our own faults, and scenarios that ask for what their contract does not give."""
    found, reason = verdict(simulator, sandbox)

    assert found is Verdict.BROKEN
    assert reason


def test_the_worst_counts() -> None:
    """Drift outweighs a sandbox that went away afterwards."""
    sandbox = run(step(1, mismatch()), step(2, unobserved=DOWN), stopped=DOWN)

    assert verdict(run(step(), step(2), target="simulator"), sandbox)[0] is Verdict.DRIFT


def test_an_expectation_that_a_wrong_simulator_explains_is_no_broken_scenario() -> None:
    """The simulator gave another response than the contract says; of course the scenario missed its own."""
    wrong = mismatch("response", "response", "declined", "created", "charge.created")
    simulator = run(step(1, wrong, unmet=unmet().unmet), target="simulator")

    assert verdict(simulator, None, (Verdict.SKIPPED, "shut"))[0] is Verdict.DRIFT
