"""Coverage: it adds up, it is about the sandbox, and leniency is counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fakes.target_runs import contract, mismatch, run, step

from troth.contracts.judgement import Unobserved, Why
from troth.contracts.loader import load
from troth.runners.coverage import coverage_of, scenario_runs
from troth.runners.finding import ScenarioRun
from troth.runners.step_result import Outcome, StepResult

ACME = contract()
OUTCOMES = (
    Outcome("a", "ok", seconds=1.5),
    Outcome("b", "unobserved", "429"),
    Outcome("c", "skipped", "not chosen"),
    Outcome("d", "broken", "a hook failed"),
)


def lenient(*whys: Why) -> StepResult:
    """A step that could not be judged exactly."""
    result = step()
    assert result.judgement is not None
    return replace(result, judgement=replace(result.judgement, unjudged=whys))


def test_scenarios_add_up() -> None:
    """Run, skipped and unobserved are all there are."""
    simulator = run(target="simulator", outcomes=tuple(Outcome(name, "ok") for name in "abcde"))
    found = coverage_of(ACME, simulator, run(outcomes=OUTCOMES))

    assert (found.scenarios, found.ran, found.skipped, found.unobserved) == (5, 2, 2, 1)


def test_without_a_sandbox_everything_is_skipped_and_the_reason_is_said() -> None:
    """The simulator's checks are counted, and called so."""
    simulator = run(step(agreed=["T.a"]), target="simulator")
    found = coverage_of(ACME, simulator, None, "no --sandbox")

    assert (found.scenarios, found.ran, found.skipped, found.checks) == (1, 0, 1, 1)
    assert found.notes == ("the sandbox was not called: no --sandbox; the checks are the simulator's",)


def test_checks_are_places_that_were_judged() -> None:
    """Agreed, mismatched and unmet; an answer that says nothing is no check."""
    sandbox = run(
        step(1, mismatch(), agreed=["T.a", "T.b"], unmet=[mismatch("expect")]),
        step(2, unobserved=Unobserved("unreachable", "500"), agreed=["T.c"]),
        replace(step(3), judgement=None),
    )

    assert coverage_of(ACME, run(target="simulator"), sandbox).checks == 4


def test_responses_that_came_on_the_sandbox() -> None:
    """Each declared one, and was it seen; the simulator does not count."""
    found = coverage_of(ACME, run(step(response="declined"), target="simulator"), run(step()))

    assert found.responses == {
        "charge.created": True,
        "charge.declined": False,
        "get.created": False,
        "get.declined": False,
    }


def test_responses_that_say_nothing_are_listed_only_when_they_were_proven() -> None:
    """Nobody can be asked to prove a throttled request."""
    charge = ACME.operations["charge"]
    shapes = tuple(replace(shape, means="exhausted") for shape in charge.responses)
    acme = replace(ACME, operations={"charge": replace(charge, responses=shapes)})

    assert coverage_of(acme, run(target="simulator"), run(step())).responses == {"charge.created": True}


def test_everything_that_was_not_checked_is_said() -> None:
    """With its reason."""
    simulator = run(target="simulator", outcomes=(Outcome("a", "ok"), Outcome("e", "ok")), notes=("a note",))
    notes = coverage_of(ACME, simulator, run(outcomes=OUTCOMES)).notes

    assert notes == (
        "e: did not run on the sandbox",
        "a note",
        "b: unobserved on the sandbox: 429",
        "c: skipped on the sandbox: not chosen",
        "d: broken on the sandbox: a hook failed",
    )


def test_rule_12_leniency_is_counted_with_its_reason_and_examples() -> None:
    """Rule 12 of the model: else it would be a silent green."""
    whys = [Why("unknown", f"charges[{letter}].amount") for letter in "abcd"]
    sandbox = run(lenient(*whys, whys[0], Why("undecided", "declined")), lenient(Why("undecided", "declined")))
    found = coverage_of(ACME, run(target="simulator"), sandbox)

    assert found.undecided == 2
    assert found.notes == (
        "2 not judged exactly, because several declared responses fitted: charge declined",
        (
            "5 not judged exactly, because a value was not known: charge charges[a].amount, "
            "charge charges[b].amount, charge charges[c].amount, ..."
        ),
    )


def test_how_each_scenario_went() -> None:
    """With findings where there are some, broken where it proves nothing."""
    steps = [step(1, mismatch(), scenario="a"), step(2, scenario="a"), step(1, scenario="b")]
    found = scenario_runs(run(*steps, outcomes=(OUTCOMES[0], Outcome("b", "ok"), OUTCOMES[1])), {"b": "why"})

    assert found == (
        ScenarioRun("a", "sandbox", "findings", "", 2, 1.5),
        ScenarioRun("b", "sandbox", "broken", "why", 1),
        ScenarioRun("b", "sandbox", "broken", "why", 1),
    )


def test_replies_about_other_peoples_records_are_one_line() -> None:
    """Whether such a record is there, nobody knows; the other doubts are listed by themselves."""
    sandbox = run(
        lenient(Why("when", "not charge"), Why("when", "not customer")),
        lenient(Why("when", "not charge")),
        lenient(Why("when", "charge.amount < 5")),
    )

    assert coverage_of(ACME, run(target="simulator"), sandbox).notes == (
        "2 replies about records that this run did not make: both found and missing were possible",
        "1 not judged exactly, because a condition could not be decided: charge charge.amount < 5",
    )


def test_a_refusal_of_a_request_that_has_nothing_wrong_is_not_listed(tmp_path: Path) -> None:
    """Nobody can bring it about; with a query that has a type somebody can."""
    text = """
troth: 1
provider: plain
operations:
  ping:
    request: {method: GET, path: /ping}
    responses:
      invalid: {status: 400, when: mismatch}
      ok: {status: 200}
  find:
    request: {method: GET, path: /find, query: {limit?: $integer}}
    responses:
      invalid: {status: 400, when: mismatch}
      ok: {status: 200}
scenarios:
  all:
    steps:
      - call: ping
"""
    (tmp_path / "contract.yaml").write_text(text)
    found = coverage_of(load(tmp_path / "contract.yaml"), run(target="simulator"), None)

    assert found.responses == {"ping.ok": False, "find.invalid": False, "find.ok": False}
