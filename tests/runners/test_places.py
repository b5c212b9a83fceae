"""Places of agreement: what a night proves, and what it does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fakes.target_runs import mismatch, run, step

from troth.contracts.judgement import Unobserved
from troth.contracts.matcher import Mismatch
from troth.runners.disagreement import Disagreement, Row
from troth.runners.places import Spot, agreed_spots, spots_of
from troth.runners.step_result import StepResult, TargetRun

KEPT = "a charge is kept"
REPLY = Spot(f"reply charge.created in {KEPT}", "charge.created", KEPT)
EXPECTED = Spot(f"expectations of charge.created in {KEPT}", "charge.created", KEPT)


def field(origin: str, where: str = "charge.created") -> Spot:
    """A demand of the contract, as a response shows it."""
    return Spot(origin, where)


def test_what_agreed_is_remembered_with_its_scenario() -> None:
    """Fields, the reply itself, and that nothing more was expected in vain."""
    assert agreed_spots(run(step(agreed=["Charge.id"]))) == {field("Charge.id"): KEPT, REPLY: KEPT, EXPECTED: KEPT}


def test_what_fitted_ten_times_and_failed_once_did_not_agree() -> None:
    """Not that night."""
    night = run(step(1, agreed=["Charge.status"]), step(2, mismatch(), agreed=["Charge.status", "Charge.amount"]))

    assert set(agreed_spots(night)) == {field("Charge.amount"), REPLY, EXPECTED}


def test_an_origin_agrees_where_it_is_shown() -> None:
    """That a charge's status is wrong says nothing about what another operation shows of it."""
    found = agreed_spots(run(step(1, mismatch()), step(2, operation="get", agreed=["Charge.status"])))

    assert field("Charge.status", "get.created") in found
    assert field("Charge.status") not in found


def test_an_answer_that_says_nothing_proves_nothing() -> None:
    """Neither do no answer and no run."""
    silent = step(agreed=["Charge.id"], unobserved=Unobserved("unreachable", "500"))

    assert agreed_spots(run(silent, replace(step(2), judgement=None))) == {}
    assert agreed_spots(TargetRun("sandbox", "", (), ())) == {}


def predicted(*names: str, wrong: Mismatch | None = None, **more: str) -> StepResult:
    """A step for which the contract predicts these responses."""
    result = step(1, *([wrong] if wrong else []), **more)  # type: ignore[arg-type]
    assert result.judgement is not None
    return replace(result, judgement=replace(result.judgement, predicted=names))


def test_a_reply_that_should_not_have_come_proves_neither_response() -> None:
    """That ``created`` came where ``declined`` was due."""
    response = mismatch("response", "response", "declined", "created", "charge.created")

    assert [spot for spot in agreed_spots(run(predicted("declined", wrong=response))) if spot.reply] == []


def test_a_reply_is_remembered_by_scenario() -> None:
    """A decline that comes with one card proves nothing about another."""
    response = mismatch("response", "response", "declined", "created", "charge.created")
    other = predicted("declined", response="declined", scenario="declines[generic]")
    found = agreed_spots(run(predicted("declined", wrong=response, scenario="declines[expired]"), other))

    assert [(spot.where, spot.scenario) for spot in found if spot.reply] == [("charge.declined", "declines[generic]")]


def test_an_expectation_that_was_not_met_is_not_remembered_as_met() -> None:
    """The reply itself was the right one."""
    found = agreed_spots(run(step(unmet=[mismatch("expect", "$.status")])))

    assert set(found) == {REPLY}


@pytest.mark.parametrize(
    ("wrong", "unmet", "spots"),
    [
        (mismatch(), False, [field("Charge.status")]),
        (mismatch("expect", "$.status", origin="charge.created"), True, [EXPECTED]),
        (mismatch("response", "response", "created", "declined"), False, [REPLY]),
        (mismatch("expect", "response", "created", "declined"), True, [REPLY]),
        (mismatch("value", "$.id", origin="charge.replay.id"), False, [field("charge.replay.id"), REPLY]),
    ],
)
def test_where_an_agreement_would_speak_against_a_disagreement(wrong: Mismatch, unmet: bool, spots: list[Spot]) -> None:
    """The same places as are remembered."""
    item = Disagreement(
        Row.PROVIDER, wrong.kind, "charge", KEPT, 1, wrong.path, str(wrong.origin), unmet=unmet, on_sandbox=step()
    )

    assert list(spots_of(item)) == spots


def test_the_operation_of_a_place() -> None:
    """It is in front of the response's name."""
    assert (REPLY.operation, REPLY.reply, EXPECTED.reply, field("T.a").reply) == ("charge", True, False, False)
