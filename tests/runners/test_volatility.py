"""A sandbox that differs from itself: learned from repeats, with a bound; masked only where that was tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from fakes.nights import KEPT, ChangingPay, Nights
from fakes.runs import on_sandbox, on_simulator
from fakes.showings import answer, night, sandbox
from fakes.target_runs import choice
from fakes.tiny_server import Seen

from troth.contracts.loader import load
from troth.reports.volatile import volatile_lines
from troth.runners.disagreement import Disagreement, Row
from troth.runners.finding import ProviderRun, Volatile
from troth.runners.habits import showings_of
from troth.runners.loose import loose
from troth.runners.masks import MaskTest
from troth.runners.step_result import TargetRun
from troth.runners.store import Store
from troth.runners.triangulate import line_up
from troth.runners.volatility import learn, sift

WHERE, FACET = "charge.created", "value $.note"


def nights(*values: Any, scenario: str = KEPT, contract: str = "hash") -> list[Any]:
    """A night for each value of ``note``; a list is a night with repeats."""
    return [
        night(
            number,
            [
                sandbox(answer({"note": one}, scenario=scenario))
                for one in (value if isinstance(value, list) else [value])
            ],
            contract,
        )
        for number, value in enumerate(values, 1)
    ]


@pytest.mark.parametrize(
    ("values", "repeats", "differed", "shown"),
    [
        (["a"] * 11, 10, 0, False),
        (["a", "b", "a", "b", "c"], 4, 4, True),
        ([["a", "b", "c"]], 2, 2, True),
        ([["a", "a"], ["b", "b"]], 3, 1, False),  # changed once: that may be for good
        ([*["a"] * 20, "b", *["a"] * 20], 40, 2, False),  # a single odd night in forty
        ([*["a", "a", "b"] * 4], 11, 7, True),
    ],
)
def test_what_repeats_teach(values: list[Any], repeats: int, differed: int, shown: bool) -> None:
    """In one night and from night to night."""
    learned = learn(nights(*values), WHERE, FACET)

    assert (learned.repeats, learned.differed, learned.shown) == (repeats, differed, shown)


def test_two_scenarios_that_changed_once_are_a_change() -> None:
    """As when the provider brings something new between a run and its repeat."""
    both = [sandbox(*(answer({"note": one}, scenario=name) for name in (KEPT, "another"))) for one in "aab"]

    assert not learn([night(1, both)], WHERE, FACET).shown
    assert learn([night(1, [*both, both[0]])], WHERE, FACET).shown


def test_runs_under_another_contract_are_no_repeats() -> None:
    """Its scenario may ask for something else."""
    learned = learn([*nights("a", contract="old"), *nights("b"), *nights("c", contract="new")], WHERE, FACET)

    assert learned.repeats == 0


def loose_item(kind: str = "loose_value", mine: Any = "x", theirs: Any = "b") -> tuple[Disagreement, Any]:
    """A loose difference at ``$.note``, and what the simulator showed."""
    result = answer({"note": theirs}, choices={"$.note": choice("default", theirs)})
    item = Disagreement(
        Row.LOOSE, kind, "charge", KEPT, 1, "$.note", "Charge.note", simulator=mine, sandbox=theirs, on_sandbox=result
    )
    return item, showings_of(sandbox(answer({"note": mine})))


def test_what_the_simulator_does_too_is_no_difference() -> None:
    """The sandbox says a and b, the simulator a: it is as good as the sandbox."""
    item, simulated = loose_item(mine="a")
    found = sift([item], nights("a", "b", "a", "b"), simulated, lambda item: "never asked")

    assert found.kept == ()
    assert [(said.alike, said.repeats, said.differed, said.refused) for said in found.volatile] == [(True, 3, 3, "")]


def test_what_is_not_shown_to_be_volatile_stays() -> None:
    """However the simulator does it."""
    item, simulated = loose_item(mine="a")

    assert sift([item], nights("b", "b", "b", "a"), simulated, lambda item: "").kept == (item,)
    assert sift([item], nights("b"), simulated, lambda item: "").volatile == ()


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("loose_presence", "structure"),
        ("loose_null", "structure"),
        ("loose_size", "length"),
        ("loose_response", "status"),
    ],
)
def test_structure_status_and_length_are_never_masked(kind: str, why: str) -> None:
    """With the reason; the difference is told."""
    item, _ = loose_item(kind)
    facets = {
        "loose_presence": [{"note": "a", "n": 1}, {"n": 1}],
        "loose_null": [{"note": None}, {"note": "a"}],
        "loose_size": [{"note": [1]}, {"note": [1, 2]}],
        "loose_response": [{}, {}],
    }
    turns = [
        night(
            number,
            [
                sandbox(
                    answer(
                        body,
                        response=("created" if number % 2 else "declined") if kind == "loose_response" else "created",
                    )
                )
            ],
        )
        for number, body in enumerate(facets[kind] * 3)
    ]
    found = sift([item], turns, {}, lambda item: "")

    assert found.kept == (item,)
    assert why in found.volatile[0].refused


def test_a_path_that_also_covers_something_stable_is_not_masked() -> None:
    """What never differed in ten repeats of another scenario would be hidden with it."""
    item, simulated = loose_item()
    known = [
        night(number, [sandbox(answer({"note": "ab"[number % 2]}), answer({"note": "s"}, scenario="another"))])
        for number in range(12)
    ]
    found = sift([item], known, simulated, lambda item: "")

    assert found.kept == (item,)
    assert found.volatile[0].refused == "the path also covers what is stable: it never differed in another"


def test_a_mask_that_fails_its_trial_is_not_used() -> None:
    """At none of the places that it is for."""
    (first, simulated), (second, _) = loose_item(), loose_item()
    refusals = iter(["", "planted, and not seen"])
    found = sift([first, second], nights("a", "b", "a", "b"), simulated, lambda item: next(refusals))

    assert set(map(id, found.kept)) == {id(first), id(second)}
    assert [said.refused for said in found.volatile] == ["planted, and not seen"]


# In runs

FIELD = "    currency: {$string: {}, default: usd}\n"


def project(folder: Path, field: str = FIELD) -> Nights:
    """AcmePay with a field that the provider fills in."""
    found = Nights(folder)
    found.edit("    note?: $string\n    client_secret", f"    note?: $string\n{field}    client_secret")
    return found


def filling(values: Iterator[Any]) -> Callable[[Seen, dict[str, Any]], dict[str, Any]]:
    """A change that fills in another value for each charge that is made, and keeps it."""
    kept: dict[str, Any] = {}

    def change(seen: Seen, body: dict[str, Any]) -> dict[str, Any]:
        if "data" in body:
            return {"data": [change(seen, item) for item in body["data"]]}
        if "amount" not in body:
            return body
        if body["id"] not in kept:
            kept[body["id"]] = next(values)
        return {**body, "currency": kept[body["id"]]}

    return change


def ran(found: Nights, values: Iterator[Any]) -> ProviderRun:
    """One night."""
    with ChangingPay(filling(values)) as provider:
        (one,) = found.night(provider.url).providers
    return one


def kinds(one: ProviderRun) -> set[str]:
    """The kinds of its findings."""
    return {item.kind for item in one.findings}


def test_a_volatile_value_ends_as_no_notice(tmp_path: Path) -> None:
    """Told at first; repeated in each night until it is learned; then masked, and shown with its bound."""
    found, values = project(tmp_path), cycle(["eur", "gbp", "chf", "sek", "nok"])
    first = ran(found, values)
    later = [ran(found, values) for _ in range(2)]

    assert "loose_value" in kinds(first)
    assert kinds(later[-1]) == set()
    assert {(said.path, said.kind, said.refused, said.alike) for said in later[-1].volatile} == {
        ("$.currency", "loose_value", "", False)
    }
    line = next(iter(volatile_lines(later[-1])))
    assert "repeats (at least" in line
    assert "masked here, which was tried with planted changes" in line
    with Store.open(found.store) as store:
        assert learn(store.habits("acmepay"), "create_charge.created", "value $.currency").shown


def test_a_steady_difference_stays_a_notice(tmp_path: Path) -> None:
    """Night after night: the sandbox does not differ from itself."""
    found = project(tmp_path)
    runs = [ran(found, cycle(["eur"])) for _ in range(4)]

    assert all("loose_value" in kinds(one) for one in runs)
    assert runs[-1].volatile == ()


def test_under_a_mask_another_type_is_still_drift(tmp_path: Path) -> None:
    """A mask hides which value it is, and no more."""
    found, values = project(tmp_path), cycle(["eur", "gbp", "chf", "sek", "nok"])
    for _ in range(3):
        ran(found, values)

    assert "type" in kinds(ran(found, cycle([7])))


def test_a_mask_where_nothing_else_is_demanded_is_refused(tmp_path: Path) -> None:
    """Of ``$any`` nothing would be left that is checked: a planted change is not seen."""
    found, values = (
        project(tmp_path, "    currency: {$any: {}, default: usd}\n"),
        cycle(["eur", "gbp", "chf", "sek", "nok"]),
    )
    last = [ran(found, values) for _ in range(3)][-1]

    assert "loose_value" in kinds(last)
    assert {said.refused for said in last.volatile} == {"a value of another type, planted there, was not seen"}


def test_the_trial_needs_a_comparison_that_tells(tmp_path: Path) -> None:
    """Where what is planted beside the mask goes unseen, or nothing can be planted, the mask is refused."""
    contract = load(project(tmp_path).contract_file)
    with ChangingPay(filling(cycle(["eur"]))) as provider:
        real = on_sandbox(contract, provider.url)
    simulated = on_simulator(contract)
    item = next(loose(line_up(simulated, real), contract))
    nothing = TargetRun("simulator", "", (), ())

    assert MaskTest(contract, simulated, real)(item) == ""
    assert MaskTest(contract, nothing, real)(item) == "that the field is gone, planted there, was not seen"
    assert "could not be tried" in MaskTest(contract, simulated, nothing)(item)


def test_the_lines_of_a_report() -> None:
    """What was made of each place."""
    base = Volatile("get.found", "$.a", "loose_value", 9, 3, 0.0977, 0.95)
    lines = list(
        volatile_lines(
            ProviderRun(
                "p",
                None,  # type: ignore[arg-type]
                None,  # type: ignore[arg-type]
                volatile=(base, Volatile("get.found", "$.b", "loose_size", 9, 3, 0.0977, 0.95, refused="it is length")),
            )
        )
    )

    assert lines[0].startswith(
        "volatile: get.found $.a, 3 of 9 repeats (at least 9.8%, with 95% confidence); loose_value is masked"
    )
    assert lines[1].endswith("still told as loose_size: it is length")
