"""Where the contract leaves a choice: differences are notices, and noise is none."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest
from fakes.acmepay import acmepay
from fakes.target_runs import NIGHT, choice, contract, mismatch, run, step

from troth.contracts.kinds import Severity
from troth.contracts.nodes.shape import Shape
from troth.contracts.values import ABSENT
from troth.runners.compare import compare
from troth.runners.finding import Blame, Finding
from troth.runners.step_result import StepResult

ISO = datetime.fromtimestamp(NIGHT + 5, UTC).isoformat()
LATER = format_datetime(datetime.fromtimestamp(NIGHT + 9, UTC))


def pair(simulator: StepResult, sandbox: StepResult) -> list[Finding]:
    """The findings of one step on both targets."""
    return list(compare(contract(), run(simulator, target="simulator"), run(sandbox)).findings)


def chosen(what: str, mine: Any, theirs: Any) -> list[Finding]:
    """The findings when the two targets chose like this at ``$.note``."""
    return pair(step(choices={"$.note": choice(what, mine)}), step(choices={"$.note": choice(what, theirs)}))


@pytest.mark.parametrize(
    ("what", "mine", "theirs", "kind"),
    [
        ("default", 1, 2, "loose_value"),
        ("default", 1, True, "loose_value"),
        ("default", 1, 1.0, "loose_value"),
        ("size", 2, 3, "loose_size"),
        ("order", ["a", "b"], ["b", "a"], "loose_order"),
    ],
)
def test_each_class_of_choice(what: str, mine: Any, theirs: Any, kind: str) -> None:
    """What differs is told, with both values, as a notice."""
    (found,) = chosen(what, mine, theirs)

    assert (found.kind, found.blame, found.severity) == (kind, Blame.LOOSE, Severity.NOTICE)
    assert (found.contract, found.simulator, found.sandbox) == (ABSENT, mine, theirs)


@pytest.mark.parametrize(
    ("what", "kind", "mine", "theirs"),
    [("presence", "loose_presence", {"note": "x"}, {}), ("null", "loose_null", {"note": "x"}, {"note": None})],
)
def test_presence_and_null_show_what_stands_there(what: str, kind: str, mine: Any, theirs: Any) -> None:
    """That says more than that something does."""
    (found,) = pair(
        step(body=mine, choices={"$.note": choice(what, True)}),
        step(body=theirs, choices={"$.note": choice(what, False)}),
    )

    assert (found.kind, found.simulator, found.sandbox) == (kind, "x", theirs.get("note", ABSENT))


LISTED = acmepay().operations["list_charges"].response("page")
assert LISTED is not None
assert isinstance(LISTED.body, Shape)
SELECTION = str(LISTED.body.by_name["data"].node.origin)


def listing(
    what: str, value: Any, *ids: Any, made: Any = "", inside: dict[str, Any] | None = None, number: int = 1
) -> StepResult:
    """A page of charges, of which the scenario made one or none."""
    body = {"data": [{"id": id_, "n": 1} for id_ in ids]}
    created = [("charges", made)] if made else []
    choices = {"$.data": choice(what, value, SELECTION), **(inside or {})}
    return step(number, operation="list_charges", body=body, created=created, choices=choices)


@pytest.mark.parametrize(("what", "mine", "theirs"), [("size", 1, 3), ("order", ["a"], ["b"])])
@pytest.mark.parametrize(
    ("simulated", "real", "found"),
    [
        (["ch_sim1"], ["ch_real"], 1),
        (["ch_sim1"], ["ch_real", "ch_other"], 0),
        (["ch_sim1", "ch_other"], ["ch_real"], 0),
        ([], ["ch_other"], 0),
        ([], [], 1),
    ],
)
def test_a_selection_that_strangers_are_in_is_not_compared(
    what: str, mine: Any, theirs: Any, simulated: list[str], real: list[str], found: int
) -> None:
    """What others left in a shared sandbox is no difference."""
    simulator = listing(what, mine, *simulated, made="ch_sim1" if simulated else "")
    sandbox = listing(what, theirs, *real, made="ch_real" if simulated else "")
    compared = compare(acmepay(), run(simulator, target="simulator"), run(sandbox)).findings

    assert len(compared) == found


def test_a_page_after_one_with_strangers_is_not_compared() -> None:
    """They have moved a record of the run over to it, and it shows no stranger itself."""
    mine = [listing("size", 2, "ch_sim1", made="ch_sim1"), listing("size", 0, number=2)]
    theirs = [listing("size", 2, "ch_other", "ch_x", made="ch_real"), listing("size", 1, "ch_real", number=2)]

    assert compare(acmepay(), run(*mine, target="simulator"), run(*theirs)).findings == ()
    # Without the strangers it would be a difference.
    own = [listing("size", 2, "ch_real", made="ch_real"), theirs[1]]
    assert [found.kind for found in compare(acmepay(), run(*mine, target="simulator"), run(*own)).findings] == [
        "loose_size"
    ]


def test_a_stranger_that_mentions_a_record_of_the_run_stays_a_stranger() -> None:
    """Numbers are equal by accident, and others may refer to what the run made."""
    simulator = listing("size", 1, 1, made=1)
    sandbox = listing("size", 2, 1, 5, made=1)

    assert compare(acmepay(), run(simulator, target="simulator"), run(sandbox)).findings == ()


def test_what_strangers_in_a_selection_chose_is_not_compared() -> None:
    """Only the run's own records have a counterpart."""
    simulator = listing("size", 1, "ch_sim1", made="ch_sim1", inside={"$.data[0].note": choice("default", "x")})
    others = {"$.data[1].note": choice("default", "y"), "$.data[1].tags": choice("size", 9)}
    sandbox = listing("size", 2, "ch_real", "ch_other", made="ch_real", inside=others)

    assert compare(acmepay(), run(simulator, target="simulator"), run(sandbox)).findings == ()


def test_a_list_of_things_that_are_no_records_is_compared() -> None:
    """Nothing in it was made by anybody."""
    body = {"data": [{"n": 1}]}
    simulator = step(body=body, choices={"$.data": choice("size", 1)})
    sandbox = step(body={"data": [{"n": 1}, {"n": 2}]}, choices={"$.data": choice("size", 2)})

    assert [item.kind for item in pair(simulator, sandbox)] == ["loose_size"]


@pytest.mark.parametrize("what", ["default", "presence", "null", "size", "order"])
def test_equal_choices_are_silent(what: str) -> None:
    """The same choice is no difference."""
    assert chosen(what, 1, 1) == []


@pytest.mark.parametrize(
    ("mine", "theirs"), [(NIGHT, NIGHT + 60), (int(NIGHT) * 1000, int(NIGHT) * 1000 + 9), (ISO, LATER)]
)
def test_two_times_near_their_own_now_are_equal(mine: Any, theirs: Any) -> None:
    """A default of ``now`` is another time on each target."""
    assert chosen("default", mine, theirs) == []


def test_a_time_far_from_now_is_a_difference() -> None:
    """Only times that say now are alike."""
    assert [item.kind for item in chosen("default", NIGHT, NIGHT + 86_400)] == ["loose_value"]


def test_ids_of_the_same_record_are_equal() -> None:
    """A default that contains an id stands for the record, not for its letters."""
    mine = step(created=[("docs", "doc_sim")], choices={"$.url": choice("default", "/docs/doc_sim")})
    theirs = step(created=[("docs", "doc_real")], choices={"$.url": choice("default", "/docs/doc_real")})

    assert pair(mine, theirs) == []


def test_ids_of_different_records_are_a_difference() -> None:
    """The first record here and the second there."""
    created = [("docs", "doc_one"), ("docs", "doc_two")]
    mine = step(created=created, choices={"$.url": choice("default", "/docs/doc_one")})
    theirs = step(created=created, choices={"$.url": choice("default", "/docs/doc_two")})

    assert [item.kind for item in pair(mine, theirs)] == ["loose_value"]


def test_a_default_on_one_side_and_absence_on_the_other_is_presence() -> None:
    """A field that has a value here and is not there at all."""
    mine, theirs = step(choices={"$.note": choice("default", "x")}), step(choices={"$.note": choice("presence", False)})

    assert [item.kind for item in pair(mine, theirs)] == ["loose_presence"]


def test_a_choice_that_only_one_target_had_is_silent() -> None:
    """There is nothing to set it against."""
    assert pair(step(choices={"$.note": choice("default", 1)}), step()) == []


def test_strangers_in_a_list_make_no_difference() -> None:
    """A shared sandbox holds other people's records: one of them is enough like ours."""
    mine = step(choices={"$.data[0].note": choice("presence", True)})
    theirs = step(choices={f"$.data[{n}].note": choice("presence", n == 2) for n in range(3)})

    assert pair(mine, theirs) == []


def test_lists_whose_items_all_differ_are_one_finding() -> None:
    """No item of one side chose as an item of the other did."""
    mine = step(choices={f"$.data[{n}].note": choice("presence", True) for n in range(2)})
    theirs = step(choices={f"$.data[{n}].note": choice("presence", False) for n in range(3)})
    (found,) = pair(mine, theirs)

    assert (found.kind, found.count) == ("loose_presence", 1)


def test_a_place_that_is_wrong_is_not_loose_as_well() -> None:
    """One finding a path."""
    theirs = step(1, mismatch("enum", "$.note"), choices={"$.note": choice("default", 2)})

    assert [item.kind for item in pair(step(choices={"$.note": choice("default", 1)}), theirs)] == ["enum"]


def test_two_allowed_responses_are_one_notice_and_their_bodies_are_not_compared() -> None:
    """The contract allows both; the simulator gives one."""
    mine = step(response="created", choices={"$.note": choice("default", 1)})
    theirs = step(response="declined", choices={"$.note": choice("default", 2)})
    (found,) = pair(mine, theirs)

    assert (found.kind, found.simulator, found.sandbox) == ("loose_response", "created", "declined")


def test_a_response_that_is_wrong_is_not_loose_as_well() -> None:
    """It has its finding already."""
    wrong = mismatch("response", "status", "created", "declined", "charge.created")

    assert [item.kind for item in pair(step(), step(1, wrong, response="declined"))] == ["response"]
