"""Disagreeing scenarios are run again, with fresh data, until it is clear what to make of what was found."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fakes.acmepay import acmepay
from fakes.clocks import HandClock
from fakes.nights import KEPT, ChangingPay, Nights, with_field
from fakes.runs import clocked, plan
from fakes.tiny_server import Reply, Seen

from troth.reports.console import summary_lines
from troth.runners.compare import compare
from troth.runners.engine import run_session, run_target
from troth.runners.events import Event, Rerunning, ScenarioStarted
from troth.runners.finding import Finding, Run, Verdict
from troth.runners.rerun import Reruns
from troth.runners.session import Session
from troth.runners.step_result import Outcome
from troth.runners.target import simulator_target
from troth.runners.trial import Rule
from troth.simulators.simulator import Simulator

WRONG = with_field("amount", "1200")


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    """A project with the contract of AcmePay and no history."""
    return Nights(tmp_path)


class FlakyPay(ChangingPay):
    """AcmePay, which is wrong in some runs of the scenario: ``+-+`` in the first and the third, then never."""

    def __init__(self, wrong: str, change: Callable[[Seen, dict[str, Any]], dict[str, Any]] = WRONG) -> None:
        super().__init__(lambda seen, body: change(seen, body) if self.is_wrong else body)
        self.wrong = wrong
        self.notes: list[str] = []
        """The unique name of each run."""

    @property
    def is_wrong(self) -> bool:
        run = len(self.notes) - 1
        return 0 <= run < len(self.wrong) and self.wrong[run] == "+"

    def _handle(self, seen: Seen) -> Any:
        if seen.method == "POST" and "note" in seen.json:
            self.notes.append(seen.json["note"])
        return super()._handle(seen)


def night(nights: Nights, wrong: str, **changes: Any) -> tuple[Run, FlakyPay]:
    """One night of the scenario ``a charge is kept``."""
    with FlakyPay(wrong) as provider:
        return nights.night(provider.url, only=(KEPT,), **changes), provider


def roots(run: Run) -> list[Finding]:
    """What explains itself."""
    return [finding for finding in run.providers[0].findings if finding.caused_by is None]


@pytest.mark.parametrize(
    ("wrong", "runs", "steadiness", "verdict", "code"),
    [
        ("+++++", 3, "confirmed", Verdict.DRIFT, 1),
        ("++-++", 5, "confirmed", Verdict.DRIFT, 1),
        ("+", 4, "dismissed", Verdict.FLAKY, 8),
        ("+-+", 5, "intermittent", Verdict.FLAKY, 8),
        ("+-+-+", 5, "intermittent", Verdict.FLAKY, 8),
    ],
)
def test_what_comes_of_looking_again(
    nights: Nights, wrong: str, runs: int, steadiness: str, verdict: Verdict, code: int
) -> None:
    """Confirmed is drift; what comes and goes, or came once, is neither drift nor a pass, and stays to be seen."""
    run, provider = night(nights, wrong)

    (finding,) = roots(run)
    assert (finding.kind, finding.steadiness) == ("type", steadiness)
    assert (finding.seen, finding.runs) == (wrong[:runs].count("+"), runs)
    assert (run.verdict, run.exit_code) == (verdict, code)
    assert len(provider.notes) == runs
    assert provider.charges == {}


def test_further_runs_have_names_of_their_own(nights: Nights) -> None:
    """What the first run left could not be met again, nor be taken for theirs."""
    _, provider = night(nights, "+++")

    assert len(set(provider.notes)) == 3
    assert {note[6] for note in provider.notes} == {"1", "2", "3"}


def test_a_provider_that_agrees_is_run_once(nights: Nights) -> None:
    """Confirmation costs nothing where nothing disagrees."""
    run, provider = night(nights, "")

    assert (run.verdict, len(provider.notes)) == (Verdict.AGREE, 1)


def test_only_what_disagrees_is_run_again(nights: Nights) -> None:
    """The other scenarios have said what they had to say."""
    told: list[Event] = []
    # The amount of 1200 is this scenario's alone.
    with ChangingPay(lambda seen, body: {**body, "amount": 1201} if body.get("amount") == 1200 else body) as provider:
        nights.night(provider.url, told.append)
    started = [item.scenario for item in told if isinstance(item, ScenarioStarted) and item.target == "sandbox"]

    assert started.count(KEPT) == 3
    assert [started.count(name) for name in set(started) - {KEPT}] == [1, 1]
    assert [(item.attempt, item.scenarios) for item in told if isinstance(item, Rerunning)] == [(2, 1), (3, 1)]


def test_one_fault_in_many_scenarios_is_looked_at_in_one(nights: Nights) -> None:
    """A finding of twenty places needs no twenty scenarios to be confirmed."""
    told: list[Event] = []
    with ChangingPay(with_field("pin", 739)) as provider:
        run = nights.night(provider.url, told.append)

    assert {finding.steadiness for finding in roots(run)} == {"confirmed"}
    assert {item.scenarios for item in told if isinstance(item, Rerunning)} == {1}


def test_what_is_decided_is_counted_no_further(nights: Nights) -> None:
    """Though its scenario goes on being run for something else."""

    def change(seen: Seen, body: dict[str, Any]) -> dict[str, Any]:
        return with_field("pin", 739)(seen, WRONG(seen, body) if len(provider.notes) in (1, 3) else body)

    with FlakyPay("+++++", change) as provider:
        run = nights.night(provider.url, only=(KEPT,))

    found = {finding.path: finding for finding in roots(run)}
    assert (found["$.pin"].steadiness, found["$.pin"].seen, found["$.pin"].runs) == ("confirmed", 3, 3)
    assert (found["$.amount"].steadiness, found["$.amount"].seen, found["$.amount"].runs) == ("intermittent", 2, 5)


def test_consequences_stand_and_fall_with_their_cause(nights: Nights) -> None:
    """They are not flukes of their own."""
    run, _ = night(nights, "+")
    findings = run.providers[0].findings

    assert len(findings) > 1
    assert {finding.steadiness for finding in findings} == {"dismissed"}


def test_a_fluke_stays_to_be_seen(nights: Nights) -> None:
    """In the summary, with how often it was there; and in the store it is no agreement."""
    run, _ = night(nights, "+")
    told = "\n".join(summary_lines(run))

    assert "acmepay: flaky" in told
    assert "seen in 1 of 4 runs" in told
    (later,) = [finding for finding in roots(night(nights, "+++")[0]) if finding.kind == "type"]
    assert later.last_agreed is None


def test_a_fault_at_the_same_place_is_a_sighting(nights: Nights) -> None:
    """A field that is wrong in ever other ways is never right."""
    values = iter(["1200", None, 1.5, [], {}])
    now: dict[int, Any] = {}

    def change(seen: Seen, body: dict[str, Any]) -> dict[str, Any]:
        run = len(provider.notes)
        if run not in now:
            now[run] = next(values)
        return with_field("amount", now[run])(seen, body)

    with FlakyPay("+++++", change) as provider:
        run = nights.night(provider.url, only=(KEPT,))

    first = next(finding for finding in roots(run) if finding.kind == "type")
    assert (first.steadiness, first.seen, first.runs) == ("confirmed", 3, 3)


def test_what_only_a_further_run_shows_is_told_too(nights: Nights) -> None:
    """Looking again may show more than it was to confirm."""

    def change(seen: Seen, body: dict[str, Any]) -> dict[str, Any]:
        return with_field("pin", 739)(seen, body) if len(provider.notes) == 2 else WRONG(seen, body)

    with FlakyPay("+++++", change) as provider:
        run = nights.night(provider.url, only=(KEPT,))

    found = {finding.path: finding for finding in roots(run)}
    assert {"$.amount", "$.pin"} <= set(found)
    assert (found["$.pin"].seen, found["$.pin"].steadiness) == (1, "intermittent")
    assert found["$.pin"].exchanges


def test_a_run_that_tells_nothing_dismisses_nothing(nights: Nights) -> None:
    """The sandbox fails while it is looked at again: what was seen counts."""

    def before(seen: Seen) -> Any:
        return Reply(500, {}) if len(provider.notes) > 1 and seen.method == "GET" else None

    with FlakyPay("+") as provider:
        provider.before = before
        run = nights.night(provider.url, only=(KEPT,))

    (finding,) = roots(run)
    assert (finding.steadiness, finding.seen, finding.runs) == ("unconfirmed", 1, 1)
    assert (run.verdict, run.exit_code) == (Verdict.DRIFT, 1)
    assert any("not confirmed by running the scenario again" in note for note in run.providers[0].coverage.notes)


def test_the_limits_of_the_target_hold_for_all_runs_together(nights: Nights) -> None:
    """Ten requests are ten, however often something is looked at."""
    nights.edit("health: {method: GET, path: /charges}", "limits: {requests: 5}")
    run, provider = night(nights, "+++++")

    asked = [seen for seen in provider.seen if seen.method != "DELETE"]
    assert len(asked) <= 5
    (finding,) = roots(run)
    assert finding.steadiness == "unconfirmed"
    assert any("it needs 4 requests, and 1 of 5 are left" in note for note in run.providers[0].coverage.notes)


def test_one_sighting_can_be_made_enough(nights: Nights) -> None:
    """Then nothing is run again."""
    run, provider = night(nights, "+", confirm=Rule(sightings=1))

    assert (run.verdict, len(provider.notes)) == (Verdict.DRIFT, 1)
    assert roots(run)[0].steadiness == ""


def test_an_interrupted_confirmation_keeps_what_was_seen(nights: Nights) -> None:
    """Ctrl-C while it is looked at again."""

    def listener(event: Event) -> None:
        if isinstance(event, Rerunning) and event.attempt == 3:
            signal.raise_signal(signal.SIGINT)

    with FlakyPay("+++++") as provider:
        run = nights.night(provider.url, listener, only=(KEPT,))

    (finding,) = roots(run)
    assert (run.interrupted, run.exit_code) == (True, 2)
    assert (finding.steadiness, finding.seen, finding.runs) == ("unconfirmed", 2, 2)


def test_further_runs_are_spread_over_the_time_that_is_set() -> None:
    """Evenly, by the target's clock; a fault of a minute is not confirmed by three looks in a second."""
    contract = acmepay()
    clock = HandClock(time.time())

    async def look() -> Reruns:
        target = clocked(provider.url, clock)
        async with target.client:
            only = plan(only=(KEPT,))
            simulated = await run_target(contract, simulator_target(contract, Simulator(contract)), only)
            session = Session(contract, target, only)
            first = compare(contract, simulated, await run_session(session))
            reruns = Reruns(first, Rule(over=600.0))
            await reruns.run(session, lambda: simulator_target(contract, Simulator(contract)))
            return reruns

    with FlakyPay("+-+") as provider:
        reruns = asyncio.run(look())

    assert clock.slept == [150.0, 150.0, 150.0, 150.0]
    assert len(reruns.runs) == 4
    assert all(item == Outcome(KEPT, "ok", "", item.seconds) for run in reruns.runs for item in run.sandbox.outcomes)


def test_a_leak_of_a_further_run_is_told(nights: Nights) -> None:
    """What looking again leaves behind is left behind all the same."""

    def before(seen: Seen) -> Any:
        return Reply(409, {"error": {"code": "no"}}) if len(provider.notes) == 2 and seen.method == "DELETE" else None

    with FlakyPay("+++++") as provider:
        provider.before = before
        run = nights.night(provider.url, only=(KEPT,))

    assert [finding.kind for finding in run.providers[0].findings].count("leak") == 1
    assert run.providers[0].checks[0].outcome == "findings"
