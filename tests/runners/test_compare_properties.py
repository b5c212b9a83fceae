"""Properties of comparison, over runs that Hypothesis makes up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fakes.target_runs import choice, contract, mismatch, run, step
from hypothesis import given, settings
from hypothesis import strategies as st

from troth.contracts.kinds import KINDS
from troth.contracts.values import ABSENT
from troth.runners.compare import compare
from troth.runners.finding import Blame, Finding
from troth.runners.step_result import StepResult

ACME = contract()
KIND = st.sampled_from(
    sorted(name for name in KINDS if not name.startswith("loose") and name not in ("broken", "leak"))
)
PATH = st.sampled_from(["$.a", "$.b", "$.data[0].a", "$.data[7].a", "status", "response", "headers.x", "$['k-17']"])
VALUE: st.SearchStrategy[Any] = st.sampled_from(["x", "y", "declined", 1, 2, 1.5, True, None, ABSENT, [1], {"a": 1}])
ORIGIN = st.sampled_from(["T.a", "T.b", "charge.created"])
IDS = st.sampled_from(["ch_aaaa", "ch_bbbb"])

MISMATCH = st.builds(mismatch, KIND, PATH, VALUE, VALUE, ORIGIN)
CHOICES = st.dictionaries(
    PATH, st.builds(choice, st.sampled_from(["default", "presence", "null", "size"]), VALUE, ORIGIN), max_size=3
)
STEP = st.fixed_dictionaries(
    {
        "wrong": st.lists(MISMATCH, max_size=3),
        "unmet": st.lists(st.builds(mismatch, st.just("expect"), PATH, VALUE, VALUE, ORIGIN), max_size=1),
        "operation": st.sampled_from(["charge", "get"]),
        "scenario": st.sampled_from(["one", "two[case]"]),
        "response": st.sampled_from(["created", "declined"]),
        "choices": CHOICES,
        "body": st.dictionaries(st.sampled_from(["a", "b", "id"]), st.sampled_from(["x", 1, None]), max_size=3),
        "created": st.lists(st.tuples(st.just("charges"), IDS), max_size=1),
    }
)
STEPS = st.lists(STEP, max_size=5)
LIMITS = settings(max_examples=100, deadline=None, database=None)


def steps(plans: list[dict[str, Any]]) -> list[StepResult]:
    """The steps of a run."""
    return [_step(number, plan) for number, plan in enumerate(plans, 1)]


def _step(number: int, plan: Mapping[str, Any]) -> StepResult:
    rest = {name: value for name, value in plan.items() if name != "wrong"}
    return step(number, *plan["wrong"], **rest)


def blamed(simulator: list[StepResult], sandbox: list[StepResult]) -> tuple[Finding, ...]:
    """The findings of two runs."""
    return compare(ACME, run(*simulator, target="simulator"), run(*sandbox)).findings


@LIMITS
@given(STEPS)
def test_two_runs_that_agree_with_the_contract_and_each_other_give_no_finding(plans: list[dict[str, Any]]) -> None:
    """Whatever their choices were."""
    clean = steps([plan | {"wrong": [], "unmet": []} for plan in plans])

    assert blamed(clean, clean) == ()


@LIMITS
@given(STEPS)
def test_two_identical_runs_are_never_laid_on_provider_or_simulator(plans: list[dict[str, Any]]) -> None:
    """Both do the same, so it is the contract, or a scenario of it."""
    same = steps(plans)

    assert {item.blame for item in blamed(same, same)} <= {Blame.CONTRACT}


@LIMITS
@given(STEPS, STEPS)
def test_every_mismatch_is_told(one: list[dict[str, Any]], two: list[dict[str, Any]]) -> None:
    """Collapsed, counted, hung below something: never lost."""
    simulator, sandbox = steps(one), steps(two)
    found = blamed(simulator, sandbox)
    told = {(item.kind, item.origin) for item in found}
    there = [(item, wrong) for item in sandbox for wrong in [*item.judgement.mismatches, *item.unmet]]  # type: ignore[union-attr]

    assert {(wrong.kind, str(wrong.origin)) for _, wrong in there} <= told
    assert sum(item.count for item in found if item.blame is not Blame.LOOSE) >= len(there)


@LIMITS
@given(STEPS, STEPS)
def test_causes_are_findings_and_have_no_cause_themselves(one: list[dict[str, Any]], two: list[dict[str, Any]]) -> None:
    """One level, no circles, nothing below something that is not there."""
    found = blamed(steps(one), steps(two))
    roots = {item.fingerprint for item in found if item.caused_by is None}

    assert {item.caused_by for item in found if item.caused_by is not None} <= roots


@LIMITS
@given(STEPS, STEPS)
def test_order_of_keys_and_of_mismatches_changes_no_fingerprint(
    one: list[dict[str, Any]], two: list[dict[str, Any]]
) -> None:
    """A provider may write its members in any order."""

    def backwards(plan: dict[str, Any]) -> dict[str, Any]:
        return plan | {name: dict(reversed(plan[name].items())) for name in ("body", "choices")}

    straight = blamed(steps(one), steps(two))
    turned = blamed(steps([backwards(plan) for plan in one]), steps([backwards(plan) for plan in two]))

    assert [item.fingerprint for item in straight] == [item.fingerprint for item in turned]


@LIMITS
@given(STEPS, st.integers(0, 10**9), st.floats(0, 4e9))
def test_ids_ports_and_times_change_no_fingerprint(plans: list[dict[str, Any]], number: int, at: float) -> None:
    """Another night."""

    def tonight(result: StepResult) -> StepResult:
        exchange = replace(result.exchange, started=at, elapsed=at / 2, url=f"http://other:{number}/x")
        judged = replace(result.judgement, created=[(name, f"{key}{number}") for name, key in result.judgement.created])  # type: ignore[type-var, union-attr]
        return replace(result, exchange=exchange, judgement=judged)

    straight = steps(plans)
    clean = steps([plan | {"wrong": [], "unmet": []} for plan in plans])
    before = {item.fingerprint for item in blamed(clean, straight)}
    after = {item.fingerprint for item in blamed(clean, [tonight(item) for item in straight])}

    assert before == after
