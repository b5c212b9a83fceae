"""The sandbox against its own past: what is constant and changes is told, what varies by itself is not."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from fakes.nights import ChangingPay, Nights
from fakes.showings import answer, night, sandbox
from fakes.tiny_server import Reply, Seen

from troth.contracts.kinds import Severity
from troth.contracts.values import ABSENT
from troth.runners.disagreement import Disagreement
from troth.runners.finding import Blame, Finding, Verdict
from troth.runners.habits import Habits
from troth.runners.past_self import changed, doubtful, rank_chance
from troth.runners.step_result import StepResult, TargetRun
from troth.runners.store import Store

SCENARIOS = ("a charge is kept", "a charge is paid", "a charge is refunded")
USUAL = {"id": "ch_1", "note": "x", "currency": "usd"}


def look(nights: list[tuple[Habits, TargetRun]]) -> list[Disagreement]:
    """What the last of the nights tells."""
    return list(changed([habits for habits, _ in nights], nights[-1][1], {}))


def nights_of(*bodies: Callable[[str], StepResult]) -> list[tuple[Habits, TargetRun]]:
    """A night for each function from a scenario to an answer."""
    found = []
    for number, body in enumerate(bodies, 1):
        one = sandbox(*(body(scenario) for scenario in SCENARIOS))
        found.append((night(number, [one]), one))
    return found


def showing(body: dict[str, Any], **headers: str) -> Callable[[str], StepResult]:
    """The same answer in each scenario."""
    return lambda scenario: answer(body, scenario=scenario, headers=headers)


@pytest.mark.parametrize(
    ("before", "after", "kind", "path", "value"),
    [
        (showing(USUAL), showing({**USUAL, "risk": 3}), "field_came", "$.risk", 3),
        (showing(USUAL), showing({"id": "ch_1", "currency": "usd"}), "field_went", "$.note", ABSENT),
        (showing(USUAL), showing({**USUAL, "currency": "eur"}), "value_changed", "$.currency", "eur"),
        (showing(USUAL), showing(USUAL, Limit="9"), "header_came", "headers.limit", "9"),
        (showing(USUAL, Limit="9"), showing(USUAL), "header_went", "headers.limit", ABSENT),
    ],
)
def test_each_kind_of_change(
    before: Callable[[str], StepResult], after: Callable[[str], StepResult], kind: str, path: str, value: Any
) -> None:
    """With the night from which on it is so, as soon as chance is ruled out."""
    (found,) = look(nights_of(*[before] * 9, *[after] * 2))

    assert (found.kind, found.path, found.sandbox, found.standing) == (kind, path, value, "changed since night 10")
    assert "each of 9 nights before" in found.want
    assert "28%" in found.want  # 1 - 0.05 ** (1 / 9): so much may be hidden in nine nights
    assert look(nights_of(*[before] * 11)) == []
    assert look(nights_of(*[before] * 9, *[after] * 8)) == []  # after a week it is how the sandbox is


def test_the_order_of_a_list() -> None:
    """By when the scenario made the records that are in it; who else is in it says nothing."""

    def listed(*ids: str) -> Callable[[str], StepResult]:
        made = [("charges", "ch_one"), ("charges", "ch_two")]
        body = {"data": [{"id": one} for one in (*ids, "ch_stranger")]}
        return lambda scenario: answer(body, scenario=scenario, created=made)

    old, new = listed("ch_one", "ch_two"), listed("ch_two", "ch_one")
    (found,) = look(nights_of(*[old] * 9, *[new] * 2))

    assert (found.kind, found.path, found.sandbox) == ("order_changed", "$.data", "newest first")
    assert look(nights_of(*[old] * 9, new, old)) == []


def test_what_is_in_a_new_field_is_not_told_again() -> None:
    """One change is one finding."""
    after = {**USUAL, "risk": {"score": 3, "level": "low"}}

    assert [item.path for item in look(nights_of(*[showing(USUAL)] * 9, *[showing(after)] * 2))] == ["$.risk"]


def test_new_keys_of_a_map_are_data() -> None:
    """What has no member that is always there is a map."""
    names = iter("abcdefghijklmnopqrstuvwxyz")
    nights = [showing({**USUAL, "totals": {next(names): 1}}) for _ in range(11)]

    assert look(nights_of(*nights)) == []


def test_two_nights_prove_nothing() -> None:
    """Three at least must be known from before."""
    after = showing({**USUAL, "currency": "eur"})

    assert look(nights_of(*[showing(USUAL)] * 2, *[after] * 7)) == []
    assert len(look(nights_of(*[showing(USUAL)] * 3, *[after] * 7))) == 1


def test_an_edited_contract_begins_anew() -> None:
    """Its scenarios may be others, and what they bring about is not the provider's doing."""
    one = sandbox(answer(USUAL))
    other = sandbox(answer({**USUAL, "currency": "eur"}))
    before = [night(number, [one], "old") for number in range(1, 16)]

    assert [item.kind for item in changed([*before, night(0, [other] * 5, "old")], other, {})] == ["value_changed"]
    assert list(changed([*before, night(0, [other] * 5, "new")], other, {})) == []


def test_what_varies_in_one_scenario_is_no_change_in_another() -> None:
    """The place is shown to be volatile, also by a scenario that does not show it tonight."""

    def seen(first: str, second: str | None) -> TargetRun:
        body = {"id": "ch_1"} if second is None else {"id": "ch_1", "currency": second}
        return sandbox(answer({"id": "ch_1", "currency": first}), answer(body, scenario=SCENARIOS[1]))

    steady = [night(number, [seen("usd", "usd")]) for number in range(1, 16)]
    varied = [night(number, [seen("usd", "usd" if number % 2 else "eur")]) for number in range(1, 16)]
    tonight = seen("eur", None)

    def kinds(before: list[Habits]) -> list[str]:
        return [item.kind for item in changed([*before, night(0, [tonight] * 5)], tonight, {})]

    assert "value_changed" in kinds(steady)
    assert "value_changed" not in kinds(varied)


def test_what_chance_may_have_done_is_looked_at_again() -> None:
    """The scenarios that show it are named, until there is proof."""
    old, new = sandbox(answer(USUAL)), sandbox(answer({**USUAL, "currency": "eur"}))
    before = [night(number, [old]) for number in range(1, 16)]

    assert doubtful([*before, night(0, [new])], {}) == (SCENARIOS[0],)
    assert list(changed([*before, night(0, [new])], new, {})) == []
    assert doubtful([*before, night(0, [new, old])], {}) == ()
    assert doubtful([*before, night(0, [new] * 5)], {}) == ()
    assert [item.kind for item in changed([*before, night(0, [new] * 5)], new, {})] == ["value_changed"]


# Latency


def slow(medians: list[float], spikes: float = 0.0) -> list[Disagreement]:
    """What the last night tells, when the nights had these medians."""
    nights = []
    for number, took in enumerate(medians, 1):
        answers = [
            answer(USUAL, scenario=name, took=took * factor)
            for name, factor in zip(SCENARIOS, (0.9, 1, 1.1), strict=True)
        ]
        one = sandbox(*answers, *([answer(USUAL, scenario="spike", took=spikes)] if spikes else []))
        nights.append((night(number, [one]), one))
    return look(nights)


def test_a_sandbox_that_stays_slower() -> None:
    """By the medians of seven nights against those before."""
    (found,) = slow([*[0.1, 0.12, 0.11, 0.09, 0.1, 0.13, 0.1] * 2, 0.3, 0.28, 0.31, 0.29, 0.3, 0.3, 0.3])

    assert (found.kind, found.path, found.sandbox) == ("slower", "latency", "300 ms")
    assert found.standing == "changed since night 15"


def test_no_single_slow_answer_or_night_is_told() -> None:
    """Nor a shift that nobody feels."""
    usual = [0.1, 0.12, 0.11, 0.09, 0.1, 0.13, 0.1, 0.12, 0.1, 0.11]

    assert slow(usual * 2, spikes=30.0) == []
    assert slow([*usual * 2, 9.0]) == []
    assert slow([*usual * 2, 9.0, 0.1, 9.0, 0.1, 9.0, 9.0, 9.0]) == []
    assert slow([*usual * 2, *[0.14] * 7]) == []


def test_the_rank_test_is_exact() -> None:
    """As by counting all ways in which fifteen values can fall."""
    values = list(range(8))
    since = [3, 6, 7]
    score = sum(b > a for a in values if a not in since for b in since)
    ways = [sum(b > a for a in values if a not in pick for b in pick) for pick in combinations(values, 3)]

    assert rank_chance([a for a in values if a not in since], since) == pytest.approx(
        sum(way >= score for way in ways) / len(ways)
    )
    assert rank_chance(range(10), range(20, 25)) == pytest.approx(1 / 3003)


# No false alarms


@pytest.mark.parametrize("seed", range(3))
def test_two_hundred_nights_of_noise_alarm_nobody(seed: int) -> None:
    """Ids, clocks, coins of every bias for presence, values, nulls, order and headers; latency with spikes."""
    draw = random.Random(seed)
    coins = (0.02, 0.1, 0.3, 0.5, 0.8, 0.97)

    def noisy(scenario: str) -> StepResult:
        body: dict[str, Any] = {"id": f"ch_{draw.random()}", "created": 1_800_000_000 + draw.randrange(60), "n": 7}
        headers = {"Request-Id": str(draw.random()), "Always": "1"}
        for number, bias in enumerate(coins):
            if draw.random() < bias:
                body[f"may{number}"] = draw.choice(["a", "b"])
                headers[f"X-May-{number}"] = "1"
            body[f"value{number}"] = "a" if draw.random() < bias else "b"
            body[f"null{number}"] = None if draw.random() < bias else 1
        made = [("charges", f"ch_{draw.random()}") for _ in range(2)]
        listed = [{"id": key} for _, key in made]
        draw.shuffle(listed)
        took = draw.lognormvariate(-2, 0.4) * (50 if draw.random() < 0.05 else 1)
        return answer({**body, "data": listed}, scenario=scenario, headers=headers, created=made, took=took)

    told: Counter[str] = Counter()
    nights: list[tuple[Habits, TargetRun]] = []
    for number in range(1, 201):
        first = sandbox(*map(noisy, SCENARIOS))
        runs = [first]
        known = [habits for habits, _ in nights]
        while len(runs) < 5 and (again := doubtful([*known, night(number, runs)], {})):
            runs.append(sandbox(*map(noisy, again)))
        nights = [*nights, (night(number, runs), first)][-60:]
        told.update(f"{item.kind} {item.path}" for item in look(nights))

    assert told == {}


# In the store


@pytest.fixture
def project(tmp_path: Path) -> Nights:
    """Three nights on which the provider did the same."""
    nights = Nights(tmp_path)
    for _ in range(3):
        with ChangingPay() as provider:
            run = nights.night(provider.url)
        assert run.exit_code == 0
    return nights


def fourth(project: Nights, provider: ChangingPay) -> tuple[Verdict, list[Finding]]:
    """The verdict and the findings about the past of the fourth night."""
    with provider:
        (ran,) = project.night(provider.url).providers
    kinds = {"field_came", "field_went", "value_changed", "order_changed", "header_came", "header_went", "slower"}
    return ran.verdict, [item for item in ran.findings if item.kind in kinds]


def test_after_three_nights_a_new_field_is_told(project: Nights) -> None:
    """As a notice that fails nothing, on runs that were repeated until chance was ruled out."""

    def change(seen: Seen, body: dict[str, Any]) -> dict[str, Any]:
        return {**body, "risk": "low"} if "amount" in body else body

    verdict, found = fourth(project, ChangingPay(change))

    assert {item.kind for item in found} == {"field_came"}
    assert {item.path for item in found} == {"$.risk"}
    assert {(item.severity, item.blame, item.standing) for item in found} == {
        (Severity.NOTICE, Blame.LOOSE, "changed tonight")
    }
    assert verdict is Verdict.AGREE
    with Store.open(project.store) as store:
        assert [night.night for night in store.habits("acmepay")] == [1, 2, 3, 4]
        assert len(store.habits("acmepay")[-1].showings["a charge is kept"]) > 1
        assert all(item.fingerprint not in str(store.proof()) for item in found)


def test_after_three_nights_a_header_that_came_is_told(project: Nights) -> None:
    """Wherever it is sent."""

    class Limits(ChangingPay):
        def _handle(self, seen: Seen) -> Any:
            reply = super()._handle(seen)
            return Reply(reply.status, reply.body, {**reply.headers, "X-Limit": "9"})

    _, found = fourth(project, Limits())

    assert {(item.kind, item.path) for item in found} == {("header_came", "headers.x-limit")}


def test_a_fourth_night_like_the_others_tells_nothing(project: Nights) -> None:
    """And repeats nothing."""
    verdict, found = fourth(project, ChangingPay())

    assert (verdict, found) == (Verdict.AGREE, [])
