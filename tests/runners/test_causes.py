"""What explains what: one drift is one finding, and nothing is explained away by mere order."""

from __future__ import annotations

import pytest
from fakes.target_runs import contract, mismatch, run, step

from troth.contracts.matcher import Mismatch
from troth.runners.compare import compare
from troth.runners.finding import Blame, Finding
from troth.runners.step_result import StepResult

WRONG = mismatch()


def findings(simulator: list[StepResult], sandbox: list[StepResult]) -> list[Finding]:
    """Compare two lists of steps."""
    return list(compare(contract(), run(*simulator, target="simulator"), run(*sandbox)).findings)


def unmet() -> Mismatch:
    """An expectation that was not met."""
    return mismatch("expect", "status", "declined", "created", "charge.declined")


def test_rule_15_an_unmet_expectation_is_a_finding() -> None:
    """Met on the simulator, not on the sandbox: the provider does something else."""
    (found,) = findings([step(response="declined")], [step(unmet=[unmet()])])

    assert (found.kind, found.blame, found.caused_by) == ("expect", Blame.CONTRACT, None)


def test_rule_15_an_expectation_that_neither_target_meets_is_a_fault_of_the_scenario() -> None:
    """The contract itself does not give what its scenario expects."""
    (found,) = findings([step(unmet=[unmet()])], [step(unmet=[unmet()])])

    assert (found.blame, "scenario has to be mended" in found.why) == (Blame.CONTRACT, True)


def test_what_several_scenarios_expect_of_an_operation_is_one_finding() -> None:
    """They all get the same in its stead; but a scenario that its own contract does not meet is one by itself."""
    names = ["a charge is kept", "a charge is listed"]
    wrong = [step(scenario=name, unmet=[unmet()]) for name in names]
    first, second = findings([step(response="declined", scenario=name) for name in names], wrong)

    assert (first.caused_by, second.caused_by) == (None, first.fingerprint)
    assert [found.caused_by for found in findings(wrong, wrong)] == [None, None]


def test_an_expectation_that_only_the_sandbox_meets_is_the_simulators() -> None:
    """It can be met, so the simulator is wrong."""
    (found,) = findings([step(unmet=[unmet()])], [step(response="declined")])

    assert found.blame is Blame.SIMULATOR


def test_rule_15_an_unmet_expectation_hangs_under_the_finding_of_the_same_step() -> None:
    """One drift, one root."""
    response = mismatch("response", "status", "declined", "created", "charge.declined")
    cause, consequence = sorted(
        findings([step(response="declined")], [step(1, response, unmet=[unmet()])]),
        key=lambda item: item.kind == "expect",
    )

    assert (cause.caused_by, consequence.caused_by) == (None, cause.fingerprint)


def test_an_unmet_expectation_hangs_under_what_is_wrong_at_the_same_place() -> None:
    """And under nothing else that is wrong in the same reply."""
    wanted = mismatch("expect", "$.status", "succeeded", "pending", "charge.created")
    found = findings([step()], [step(1, mismatch(path="$.other", origin="T.other"), WRONG, unmet=[wanted])])
    by_path = {(item.kind, item.path): item for item in found}

    assert by_path["expect", "$.status"].caused_by == by_path["value", "$.status"].fingerprint


def test_another_response_is_not_explained_by_a_field() -> None:
    """That a field is missing did not bring the other response about."""
    found = findings([step(response="declined")], [step(1, mismatch("missing_field"), unmet=[unmet()])])

    assert [item.caused_by for item in found] == [None, None]


@pytest.mark.parametrize(("reads", "explained"), [("this.status", True), ("this.amount", False), ("status", False)])
def test_a_check_hangs_under_what_is_wrong_in_what_it_reads(reads: str, explained: bool) -> None:
    """A ``check`` has no place of its own."""
    check = mismatch("expect", "check", f"{reads} == 1", {reads: 2}, "charge.created")
    by_kind = {item.kind: item for item in findings([step()], [step(1, WRONG, unmet=[check])])}

    assert (by_kind["expect"].caused_by == by_kind["value"].fingerprint) == explained


def test_an_unmet_expectation_of_a_later_step_hangs_under_what_diverted_its_record() -> None:
    """The refund that should have been refused changes what the charge says afterwards."""
    created = [("charges", "ch_long_id")]
    simulator = [step(response="declined"), step(2, url="http://t/charges/ch_long_id", operation="get")]
    response = mismatch("response", "status", "declined", "created", "charge.declined")
    later = mismatch("expect", "$.status", "open", "closed", "get.found")
    sandbox = [
        step(1, response, created=created),
        step(2, unmet=[later], url="http://t/charges/ch_long_id", operation="get"),
    ]
    by_kind = {item.kind: item for item in findings(simulator, sandbox)}

    assert by_kind["expect"].caused_by == by_kind["response"].fingerprint


def test_a_later_finding_about_another_record_stands_by_itself() -> None:
    """Nothing is explained away by mere order."""
    response = mismatch("response", "status", "declined", "created", "charge.declined")
    other = mismatch("response", "status", "found", "missing", "get.found")
    sandbox = [
        step(1, response, created=[("charges", "ch_long_id")]),
        step(2, other, url="http://t/charges/ch_other_id", operation="get"),
    ]

    assert [item.caused_by for item in findings([step(), step(2, operation="get")], sandbox)] == [None, None]


@pytest.mark.parametrize(("kind", "hangs"), [("list_size", True), ("response", False)])
def test_a_wrong_list_explains_its_next_pages_and_nothing_else(kind: str, hangs: bool) -> None:
    """Where the order is wrong, later pages hold other items."""
    created = [("charges", "ch_long_id")]
    sandbox = [
        step(1, mismatch("list_order", "$.data[1]", origin="get.page"), created=created, operation="get"),
        step(2, mismatch(kind, origin="get.other"), url="http://t/charges/ch_long_id", operation="get"),
    ]
    by_kind = {item.kind: item for item in findings([step(operation="get"), step(2, operation="get")], sandbox)}

    assert (by_kind[kind].caused_by == by_kind["list_order"].fingerprint) == hangs


def test_a_wrong_form_is_never_a_consequence() -> None:
    """That another reply came does not make its fields badly formed."""
    created = [("charges", "ch_long_id")]
    response = mismatch("response", "status", "declined", "created", "charge.declined")
    sandbox = [
        step(1, response, created=created),
        step(2, mismatch("type"), url="http://t/charges/ch_long_id", operation="get"),
    ]

    assert [item.caused_by for item in findings([step(), step(2, operation="get")], sandbox)] == [None, None]


def test_rule_6_the_model_names_the_cause() -> None:
    """Doubt: later hits of a field that once mismatched are consequences."""
    later = mismatch("stored", "$.data[0].status", origin="Charge.status", caused_by="charge value $.status")
    found = findings([step(), step(2, operation="get")], [step(1, WRONG), step(2, later, operation="get")])
    by_kind = {item.kind: item for item in found}

    assert by_kind["stored"].caused_by == by_kind["value"].fingerprint


def test_a_finding_that_stands_by_itself_once_is_no_consequence() -> None:
    """If one of several equal disagreements has no cause, the finding has none."""
    hung = mismatch("stored", "$.a", origin="Charge.a", caused_by="charge value $.status")
    free = mismatch("stored", "$.a", origin="Charge.a")
    sandbox = [step(1, WRONG), step(2, hung, operation="get"), step(3, free, operation="get")]
    simulator = [step(number, operation=item.operation) for number, item in enumerate(sandbox, 1)]

    assert {item.kind: item.caused_by for item in findings(simulator, sandbox)}["stored"] is None


def test_a_consequence_of_a_consequence_hangs_under_the_root() -> None:
    """A report shows one level."""
    second = mismatch("stored", "$.a", origin="Charge.a", caused_by="charge value $.status")
    third = mismatch("gone", "$.b", origin="Charge.b", caused_by="get stored $.a")
    sandbox = [step(1, WRONG), step(2, second, operation="get"), step(3, third, operation="get")]
    simulator = [step(number, operation=item.operation) for number, item in enumerate(sandbox, 1)]
    by_kind = {item.kind: item for item in findings(simulator, sandbox)}

    assert by_kind["gone"].caused_by == by_kind["value"].fingerprint


def test_what_one_target_did_explains_nothing_on_the_other() -> None:
    """The simulator's finding is no excuse for the sandbox's."""
    response = mismatch("response", "status", "declined", "created", "charge.declined")
    found = findings([step(1, response)], [step(response="declined", unmet=[unmet()])])

    assert [item.caused_by for item in found] == [None, None]


@pytest.mark.parametrize(
    ("wrong", "expected", "explained"),
    [
        ("$.error.code", "$.error", True),
        ("$.error", "$.error.code", True),
        ("$.data[3]", "$.data[0].id", True),
        ("$.err", "$.error", False),
        ("$", "$.error", False),
    ],
)
def test_an_unmet_expectation_hangs_under_what_is_wrong_in_or_around_it(
    wrong: str, expected: str, explained: bool
) -> None:
    """A wrong member makes its object another one."""
    wanted = mismatch("expect", expected, "a", "b", "charge.created")
    found = findings([step()], [step(1, mismatch(path=wrong, origin="T.other"), unmet=[wanted])])
    by_kind = {item.kind: item for item in found}

    assert (by_kind["expect"].caused_by == by_kind["value"].fingerprint) == explained
