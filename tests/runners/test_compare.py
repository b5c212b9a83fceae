"""Comparison: each row of the blame table, what is one finding, what is none, and what explains what."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fakes.target_runs import choice, contract, mismatch, run, step

from troth.contracts.contract import Proven
from troth.contracts.judgement import Unobserved
from troth.contracts.values import ABSENT
from troth.runners.blame import Past
from troth.runners.compare import Backdrop, compare
from troth.runners.finding import Blame, Finding
from troth.runners.history import Agreement, History, Sighting
from troth.runners.places import Spot
from troth.runners.step_result import Outcome, StepResult

ACME = contract()
WRONG = mismatch()


def findings(
    simulator: list[StepResult], sandbox: list[StepResult] | None, backdrop: Backdrop | None = None
) -> list[Finding]:
    """Compare two lists of steps."""
    there = None if sandbox is None else run(*sandbox)
    return list(compare(ACME, run(*simulator, target="simulator"), there, backdrop).findings)


# Rows of the blame table


def test_two_equal_runs_give_no_finding() -> None:
    """Agreement is silent."""
    body = {"id": "ch_1", "status": "succeeded"}

    assert findings([step(body=body)], [step(body=body)]) == []


def test_provider_row_without_history_blames_the_contract_as_never_proven() -> None:
    """C=S, not P, and nothing shows that it was ever so."""
    (found,) = findings([step(body={"status": "succeeded"})], [step(1, WRONG, body={"status": "pending"})])

    assert (found.blame, found.proof, found.since) == (Blame.CONTRACT, "none", None)
    assert (found.contract, found.simulator, found.sandbox) == ("succeeded", "succeeded", "pending")
    assert "nothing shows yet that it ever did" in found.why


def test_provider_row_with_history_blames_the_provider_since_the_first_night_after() -> None:
    """C=S, not P, and they agreed before: the provider changed."""
    agreed = Agreement("Charge.status", "charge.created", "e", "1", "night-3", 300.0, "a charge is kept")
    (bare,) = findings([step()], [step(1, WRONG)])
    history = History.of(
        [agreed], [Sighting(bare.fingerprint, name, at) for name, at in [("n2", 200.0), ("n5", 500.0)]]
    )
    backdrop = Backdrop("night-6", history, lambda spot: Past(agreed, stands=True))
    (found,) = findings([step()], [step(1, WRONG)], backdrop)

    assert (found.blame, found.proof, found.last_agreed) == (Blame.PROVIDER, "history", "night-3")
    assert found.since == "n5"


def test_provider_row_after_an_edit_that_broke_the_agreement_blames_the_contract() -> None:
    """They agreed before, but what was answered then does not fit the contract of today."""
    agreed = Agreement("Charge.status", "charge.created", "e", "1", "night-3", 300.0, "a charge is kept")
    (found,) = findings([step()], [step(1, WRONG)], Backdrop("n6", past=lambda spot: Past(agreed, stands=False)))

    assert (found.blame, found.proof, found.last_agreed) == (Blame.CONTRACT, "history", "night-3")
    assert "edited" in found.why


def test_provider_row_with_a_claimed_proof_blames_the_provider() -> None:
    """``proven`` stands in for history that is not there."""
    acme = contract(proven=Proven("documentation", "2026-10-01"))
    (found,) = compare(acme, run(step(), target="simulator"), run(step(1, WRONG))).findings

    assert (found.blame, found.proof, found.claim) == (Blame.PROVIDER, "claimed", "documentation, 2026-10-01")


def test_simulator_row() -> None:
    """C=P, not S: pull requests were tested against a lie."""
    (found,) = findings([step(1, WRONG, body={"status": "pending"})], [step(body={"status": "succeeded"})])

    assert found.blame is Blame.SIMULATOR
    assert (found.simulator, found.sandbox) == ("pending", "succeeded")


def test_simulator_alone_decides_without_a_sandbox() -> None:
    """With the gate closed the simulator is still held to the contract, and the sandbox's side is empty."""
    (found,) = findings([step(1, WRONG)], None)

    assert (found.blame, found.sandbox) == (Blame.SIMULATOR, ABSENT)


def test_stale_row() -> None:
    """S=P, not C: the same wrong value on both."""
    (found,) = findings([step(1, WRONG)], [step(1, WRONG)])

    assert (found.blame, found.contract, found.simulator, found.sandbox) == (
        Blame.CONTRACT,
        "succeeded",
        "pending",
        "pending",
    )
    assert "stale" in found.why


def test_all_row() -> None:
    """Three different values."""
    (found,) = findings([step(1, WRONG)], [step(1, mismatch(observed="failed"))])

    assert found.blame is Blame.ALL


def test_two_wrong_ids_that_stand_for_the_same_record_are_stale_and_not_all() -> None:
    """Ids differ between targets; what they refer to does not."""
    simulator = step(1, mismatch(observed="ch_sim1"), created=[("charges", "ch_sim1")])
    sandbox = step(1, mismatch(observed="ch_real"), created=[("charges", "ch_real")])
    (found,) = findings([simulator], [sandbox])

    assert found.blame is Blame.CONTRACT


def test_two_times_that_are_equally_wrong_are_stale_and_not_all() -> None:
    """An hour off on both targets, some seconds apart."""
    (found,) = findings(
        [step(1, mismatch(expected=1_800_000_000, observed=1_800_003_600))],
        [step(1, mismatch(expected=1_800_000_007, observed=1_800_003_608))],
    )

    assert found.blame is Blame.CONTRACT


def test_the_same_wrong_items_in_another_order_are_stale() -> None:
    """Items of lists stand beside whichever item of the other side did the same."""
    first, second = mismatch(path="$.data[0].status"), mismatch(path="$.data[1].status", observed="failed")
    turned = mismatch(path="$.data[0].status", observed="failed"), mismatch(path="$.data[4].status")
    (found,) = findings([step(1, first, second)], [step(1, *turned)])

    assert (found.blame, found.count) == (Blame.CONTRACT, 2)


def test_different_kinds_at_one_place_are_all() -> None:
    """A wrong type here and a missing field there are two different wrongs."""
    (found,) = findings([step(1, mismatch("type"))], [step(1, mismatch("missing_field", observed=ABSENT))])

    assert found.blame is Blame.ALL


def test_unobserved_row_is_never_agreement() -> None:
    """An answer that says nothing is a finding without blame on anybody."""
    (found,) = findings([step()], [step(response=None, unobserved=Unobserved("exhausted", "429 Too Many Requests"))])

    assert (found.kind, found.blame, found.simulator, found.sandbox) == (
        "unobserved",
        Blame.UNOBSERVED,
        "created",
        ABSENT,
    )
    assert "429 Too Many Requests" in found.message


def test_no_answer_at_all_is_unobserved() -> None:
    """A closed connection is no judgement."""
    (found,) = findings([step()], [replace(step(), judgement=None)])

    assert found.kind == "unobserved"


def test_a_target_that_was_given_up_is_not_told_once_for_each_step() -> None:
    """The verdict says it once."""
    down = Unobserved("unreachable", "connection refused")
    sandbox = run(step(unobserved=down), stopped=down)

    assert compare(ACME, run(step(), target="simulator"), sandbox).findings == ()


def test_rows_are_split_by_path() -> None:
    """One reply, two places: the provider is wrong at one and the simulator at the other."""
    found = findings([step(1, mismatch(path="$.a", origin="T.a"))], [step(1, mismatch(path="$.b", origin="T.b"))])

    assert {(item.path, item.blame) for item in found} == {("$.a", Blame.SIMULATOR), ("$.b", Blame.CONTRACT)}


def test_the_same_value_that_fits_on_one_target_only_is_broken() -> None:
    """C=P and S=P without C=S cannot be; then it is our own fault."""
    type_ = mismatch("type", expected=ABSENT, observed="pending")
    (found,) = findings([step(1, type_)], [step(body={"status": "pending"}, agreed=["Charge.status"])])

    assert (found.blame, "fault of Troth" in found.why) == (Blame.ALL, True)


def test_the_same_value_that_fits_on_the_simulator_only_is_broken() -> None:
    """The other way round it is no less impossible."""
    type_ = mismatch("type", expected=ABSENT, observed="pending")
    (found,) = findings([step(body={"status": "pending"}, agreed=["Charge.status"])], [step(1, type_)])

    assert (found.blame, "fault of Troth" in found.why) == (Blame.ALL, True)


def test_a_demand_that_depends_on_the_target_is_no_contradiction() -> None:
    """The same value may be right on the sandbox and wrong on the simulator when each must be another."""
    (found,) = findings([step(1, WRONG)], [step(body={"status": "pending"}, agreed=["Charge.status"])])

    assert found.blame is Blame.SIMULATOR


# One finding


def test_rule_7_twenty_places_of_one_origin_are_one_finding_with_a_count() -> None:
    """Indexes do not make findings."""
    many = [mismatch(path=f"$.data[{index}].status") for index in range(20)]
    (found,) = findings([step()], [step(1, *many)])

    assert (found.count, found.path) == (20, "$.data[0].status")


def test_the_same_place_in_several_steps_is_one_finding_with_at_most_three_exchanges() -> None:
    """The exchanges of the step that is shown, then one more example."""
    steps = [step(number) for number in range(1, 6)]
    (found,) = findings(steps, [step(number, WRONG) for number in range(1, 6)])

    assert (found.count, found.step) == (5, 1)
    assert [(item.target, item.step) for item in found.exchanges] == [("simulator", 1), ("sandbox", 1), ("sandbox", 2)]


@pytest.mark.parametrize("change", [{"operation": "get"}, {"scenario": "another"}])
def test_rule_7_a_field_of_a_type_is_one_finding_wherever_it_is_shown(change: dict[str, str]) -> None:
    """Twenty places that show a charge's currency are one finding, which names them all."""
    sandbox = [step(1, WRONG), step(2, WRONG, **change)]
    (found,) = findings([replace(item, judgement=step().judgement) for item in sandbox], sandbox)

    assert found.count == 2
    assert len(found.places) == 2


@pytest.mark.parametrize(("change", "want"), [({"operation": "get"}, 2), ({"scenario": "another"}, 1)])
def test_a_demand_of_a_response_is_a_finding_of_its_operation(change: dict[str, str], want: int) -> None:
    """What a response says of a field is written there, and is another demand than any other response's."""
    wrongs = [mismatch(origin=f"{change.get('operation', 'charge')}.created$.amount")] * 2
    wrongs[0] = mismatch(origin="charge.created$.amount")
    sandbox = [step(1, wrongs[0]), step(2, wrongs[1], **change)]
    found = findings([replace(item, judgement=step().judgement) for item in sandbox], sandbox)

    assert len({item.fingerprint for item in found}) == want


def test_what_a_scenario_expects_is_a_finding_of_the_scenario() -> None:
    """Two scenarios that expect the same of an operation have a finding each."""
    wrong = mismatch(kind="expect", path="$.amount", origin="charge.created")
    sandbox = [step(1, unmet=[wrong]), step(1, unmet=[wrong], scenario="another")]
    found = findings([replace(item, unmet=()) for item in sandbox], sandbox)

    assert len({item.fingerprint for item in found}) == 2


def test_fingerprints_do_not_depend_on_ids_amounts_or_times() -> None:
    """Two nights with other ids, amounts and times give the same fingerprints."""

    def night(id_: str, amount: int, at: float) -> list[Finding]:
        body = {"id": id_, "amount": amount}
        wrong = mismatch(path=f"$.data[{amount}].amount", expected=amount, observed=amount + 1, want=f"{amount}")
        result = step(1, wrong, body=body, created=[("charges", id_)], url=f"http://t/{id_}")
        return findings([step(body=body)], [replace(result, exchange=replace(result.exchange, started=at))])

    assert night("ch_1", 5, 1.0)[0].fingerprint == night("ch_2", 700, 9e9)[0].fingerprint


def test_order_of_keys_changes_nothing() -> None:
    """A reply is the same whatever order its members stand in."""
    one, two = {"a": 1, "status": "x"}, {"status": "x", "a": 1}
    choices = {"$.a": choice("default", one), "$.b": choice("default", 1)}
    backwards = {"$.b": choice("default", 1), "$.a": choice("default", two)}

    assert findings([step(body=one, choices=choices)], [step(body=two, choices=backwards)]) == []


def test_the_same_runs_give_the_same_findings_in_the_same_order() -> None:
    """Nothing depends on the order of sets or on the run itself."""
    sandbox = [step(1, mismatch(path="$.b"), mismatch("type", path="$.a")), step(2, WRONG)]

    assert findings([step(), step(2)], sandbox) == findings([step(), step(2)], sandbox)


# What the simulator says


def test_the_other_side_shows_its_response_where_responses_differ() -> None:
    """For a finding about which reply came, the three values are names of responses."""
    wrong = mismatch("response", "status", "declined", "created", "charge.declined")
    (found,) = findings([step(response="declined")], [step(1, wrong)])

    assert (found.contract, found.simulator, found.sandbox) == ("declined", "declined", "created")


def test_responses_that_say_nothing_are_not_shown_as_expected() -> None:
    """Any request may be throttled; the contract still promised the other one."""
    acme = contract(responses=["created", "throttled", "declined"])
    charge = acme.operations["charge"]
    shapes = tuple(replace(item, means="exhausted") if item.name == "throttled" else item for item in charge.responses)
    acme = replace(acme, operations={"charge": replace(charge, responses=shapes)})
    wrong = mismatch("response", "response", "throttled, declined", "created", "charge.created")
    (found,) = compare(acme, run(step(response="declined"), target="simulator"), run(step(1, wrong))).findings

    assert (found.contract, found.simulator, found.sandbox) == ("declined", "declined", "created")


def test_the_history_of_a_response_is_that_of_the_one_that_should_have_come() -> None:
    """That ``created`` came rightly before says nothing about ``declined``."""
    asked: list[Spot] = []
    wrong = mismatch("response", "response", "declined", "created", "charge.created")
    findings(
        [step(response="declined")],
        [replace(step(1, wrong), judgement=replace(step(1, wrong).judgement, predicted=("declined",)))],  # type: ignore[type-var]
        Backdrop(past=lambda spot: asked.append(spot) or Past()),
    )

    assert [(spot.where, spot.scenario, spot.reply) for spot in asked] == [
        ("charge.declined", "a charge is kept", True)
    ]


def test_the_history_of_a_replay_is_that_of_the_whole_replay() -> None:
    """A replay agrees as a whole, and disagrees at a path."""
    agreed = Agreement("charge.replay", "charge.replay", "e", "1", "night-3", 300.0, "a charge is kept")
    wrong = mismatch("value", "$.id", "ch_1", "ch_2", "charge.replay.id")
    backdrop = Backdrop(past=lambda spot: Past(agreed, True) if spot.reply else Past())
    (found,) = findings([step(response="replay")], [step(1, wrong, response="replay")], backdrop)

    assert (found.blame, found.last_agreed) == (Blame.PROVIDER, "night-3")


@pytest.mark.parametrize(
    ("observed", "simulated", "want"),
    [
        ("status 200", "declined", ("declined", "declined", "created")),
        ("created", "declined", ("declined", "declined", "created")),
        ("created", None, ("declined", "status 402", "created")),
    ],
)
def test_replies_are_told_by_their_names(observed: str, simulated: str | None, want: tuple[str, str, str]) -> None:
    """A response's name on each side; its status where it has none."""
    other = step(response=simulated)
    other = replace(other, exchange=replace(other.exchange, status=402))
    wrong = mismatch("invalid_accepted", "body.amount", "declined", observed)
    (found,) = [item for item in findings([other], [step(1, wrong)]) if item.kind == "invalid_accepted"]

    assert (found.contract, found.simulator, found.sandbox) == want


def test_an_undeclared_reply_is_told_by_its_status() -> None:
    """It has no name; the simulator's has."""
    wrong = mismatch("undeclared", "status", "created", 418, "charge.418")
    (found,) = findings([step()], [step(1, wrong, response=None)])

    assert (found.contract, found.simulator, found.sandbox) == ("created", "created", 418)


def test_the_other_side_shows_its_status_where_statuses_differ() -> None:
    """... or statuses."""
    (found,) = findings([step()], [step(1, mismatch("status", "status", 200, 201))])

    assert (found.contract, found.simulator, found.sandbox) == (200, 200, 201)


def test_the_other_side_shows_its_header() -> None:
    """Headers are found by their names in lower case."""
    simulator = step()
    judged = replace(simulator.judgement, headers={"request_id": "req_1"})  # type: ignore[type-var]
    wrong = mismatch("missing_header", "headers.Request-Id", ABSENT, ABSENT, "charge.created")
    (found,) = findings([replace(simulator, judgement=judged)], [step(1, wrong)])

    assert found.simulator == "req_1"


def test_bodies_of_different_responses_are_not_shown_side_by_side() -> None:
    """What another reply has at the same path means something else. (That it is another reply is a notice.)"""
    found = findings([step(response="declined", body={"status": "no"})], [step(1, WRONG)])

    assert [item.simulator for item in found if item.kind == "value"] == [ABSENT]


def test_a_step_that_the_simulator_did_not_reach_still_counts_against_the_provider() -> None:
    """A fifth page that only the sandbox has is held to the contract too."""
    (found,) = findings([step()], [step(), step(2, WRONG, trail="1.repeat2")])

    assert (found.blame, found.simulator) == (Blame.CONTRACT, ABSENT)


def test_a_poll_that_is_not_the_last_is_judged_too() -> None:
    """Only ``expect`` waits for the end of polling; a broken form does not."""
    (found,) = findings([step()], [step(1, WRONG, final=False), step(2, trail="1")])

    assert found.path == "$.status"


# Cleanup


def test_a_leak_is_reported_without_blame() -> None:
    """What could not be cleaned says nothing about the contract."""
    sandbox = run(step(), outcomes=(Outcome("a charge is kept", "ok", leaks=("customers cus_1: 500",)),))
    (found,) = compare(ACME, run(step(), target="simulator"), sandbox).findings

    assert (found.kind, found.blame) == ("leak", Blame.UNOBSERVED)
    assert "customers cus_1: 500" in found.message


# Where a finding is shown


def test_the_step_is_the_written_one_and_the_trail_says_which_call() -> None:
    """The fourteenth call of two steps is not step 14."""
    sandbox = step(14, WRONG, trail="2.repeat13")
    (found,) = findings([step(14, trail="2.repeat13")], [sandbox])

    assert (found.step, found.trail) == (2, "2.repeat13")
    assert found.places == ("charge, a charge is kept, step 2.repeat13",)


@pytest.mark.parametrize("trail", ["cleanup.1", "undo.1"])
def test_a_step_of_the_scenario_is_shown_before_one_that_cleans_up(trail: str) -> None:
    """Even when another scenario's cleaning up came earlier."""
    sandbox = [step(2, WRONG, trail=trail, operation="get"), step(1, WRONG, scenario="later")]
    (found,) = findings([replace(item, judgement=step().judgement) for item in sandbox], sandbox)

    assert (found.scenario, found.trail, found.count) == ("later", "1", 2)
    assert found.places == ("charge, later, step 1", f"get, a charge is kept, step {trail}")


def test_a_place_where_the_contract_demands_something_is_shown_before_one_where_it_follows_the_provider() -> None:
    """What the provider said itself is no demand, and is not shown as one."""
    follows = mismatch("type", expected=12, observed=12, want="a decimal in a text")
    demands = mismatch("type", expected="12.00", observed=12, want="a decimal in a text")
    sandbox = [step(1, follows), step(2, demands)]
    (found,) = findings([step(), step(2)], sandbox)
    (alone,) = findings([step()], [step(1, follows)])

    assert (found.step, found.contract) == (2, "12.00")
    assert (alone.contract, alone.message) == (ABSENT, "a decimal in a text")
