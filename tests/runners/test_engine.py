"""The same scenarios run on any target; nothing that a target does loses what ran before, or ends in a traceback."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from fakes.acmepay import KEY, AcmePay, acmepay
from fakes.bad_provider import BadProvider, bad_answer, down
from fakes.runs import PATIENT, QUICK, findings, on_sandbox, on_simulator, outcomes, plan
from fakes.tiny_server import Reply, Seen

from troth.contracts.contract import Target
from troth.errors import UsageError
from troth.runners.client import RequestLimits
from troth.runners.credentials import Credentials
from troth.runners.engine import run_target
from troth.runners.events import Event
from troth.runners.gate import Open
from troth.runners.plan import planned
from troth.runners.session import Session
from troth.runners.step_result import StepResult
from troth.runners.target import sandbox_target
from troth.runners.undo_log import MemoryUndoLog
from troth.runners.walk import Walk

# Both targets


def test_simulator_and_provider_agree() -> None:
    """On a provider that keeps the contract every scenario is fine on both sides, with the same steps and names."""
    contract = acmepay()
    simulated = on_simulator(contract)
    with AcmePay() as provider:
        real = on_sandbox(contract, provider.url)
        assert provider.charges == {}
    for run in (simulated, real):
        assert findings(run) == []
        assert set(outcomes(run).values()) == {"ok"}
        assert run.stopped is None
        assert [outcome.leaks for outcome in run.outcomes] == [(), (), ()]
    trails = [[(result.scenario, result.trail) for result in run.results if result.final] for run in (simulated, real)]
    assert trails[0] == trails[1]
    sent = [run.results[0].exchange.request_body for run in (simulated, real)]
    assert sent[0] == sent[1]
    assert '"n-k3f91' in sent[0]


def test_results_are_numbered_and_told_at_once() -> None:
    """``number`` counts the calls of a scenario; whoever listens gets each result and event when it happens."""
    told: list[StepResult] = []
    events: list[Event] = []
    run = on_simulator(acmepay(), plan(on_result=told.append, on_event=events.append))
    assert tuple(told) == run.results
    first = [result.number for result in run.results if result.scenario == "a charge is kept"]
    assert first == [1, 2, 3, 4]
    names = [type(event).__name__ for event in events]
    assert names[:3] == ["TargetStarted", "ScenarioStarted", "CallFinished"]
    assert names[-2:] == ["ScenarioFinished", "TargetFinished"]


def test_only_runs_what_is_named() -> None:
    """By scenario or by case; a wrong name is a mistake with a suggestion."""
    run = on_simulator(acmepay(), plan(only=("a charge is kept",)))
    assert list(outcomes(run)) == ["a charge is kept"]
    with pytest.raises(UsageError, match="Did you mean 'a charge is kept'"):
        on_simulator(acmepay(), plan(only=("a charge is keptt",)))


def test_time_is_turned_on_a_simulator() -> None:
    """A long wait costs nothing there."""
    contract = acmepay("""  waits:
    steps:
      - {call: create_charge, with: {amount: 1}, keep: {id: this.id}}
      - wait: 3d
      - {call: get_charge, with: {id: "{{ id }}"}, expect: {response: found, json: {status: paid}}}
""")
    run = on_simulator(contract)
    assert findings(run) == []
    assert run.outcomes[0].seconds < 5


# Bad targets


@pytest.mark.parametrize(
    ("kind", "verdict", "words"),
    [
        ("html", "unreachable", "HTML"),
        ("bad_gateway", "unreachable", "502"),
        ("closes", "unreachable", "closed the connection"),
        ("resets", "unreachable", "broke the connection"),
        ("silent", "unreachable", "did not answer in time"),
        ("garbage", "unreachable", "did not answer in HTTP"),
        ("truncated", "unreachable", "in the middle of its answer"),
        ("401", "unauthorized", "401"),
        ("403", "unauthorized", "403"),
        ("429", "exhausted", "429"),
        ("500", "unreachable", "500"),
        ("huge", "unreachable", "more than 8388608 bytes"),
        ("bad_utf8", "unreachable", "cannot be decoded"),
        ("bad_json", "unreachable", "cannot be decoded"),
        ("bad_gzip", "unreachable", "Content-Encoding"),
    ],
)
def test_a_bad_target_is_never_drift_and_never_a_pass(kind: str, verdict: str, words: str) -> None:
    """Each is said in words, with the verdict that it stands for, and every scenario is unobserved or skipped."""
    with BadProvider(kind) as provider:
        run = on_sandbox(acmepay(), provider.url, requests=QUICK if kind == "silent" else PATIENT)
    assert findings(run) == []
    assert set(outcomes(run).values()) <= {"unobserved", "skipped"}
    for result in run.results:
        assert result.unobserved is not None
        assert result.unobserved.verdict == verdict
        assert words in result.unobserved.reason
    # A 403 may be a matter of one operation's permission, so it takes more of them.
    assert (run.stopped is None) == (kind == "403")


def test_a_target_that_is_down() -> None:
    """Three refused connections, then the rest is skipped."""
    with down() as url:
        run = on_sandbox(acmepay(), url)
    assert run.stopped is not None
    assert run.stopped.verdict == "unreachable"
    assert "refuses connections (3 times in a row)" in run.stopped.reason
    assert len(run.results) == 3


def test_wrong_credentials_stop_at_the_first_answer() -> None:
    """Nothing was accepted before, so nothing would be after."""
    with AcmePay() as provider:
        run = on_sandbox(acmepay(), provider.url, key="ak_test_wrong")
    assert run.stopped is not None
    assert run.stopped.verdict == "unauthorized"
    assert len(run.results) == 1
    assert outcomes(run) == {
        "a charge is kept": "unobserved",
        "a charge is paid in the end": "skipped",
        "nobody reads without a key": "skipped",
    }


@pytest.mark.parametrize("kind", ["html", "closes", "silent", "500", "huge", "bad_json"])
def test_what_ran_before_is_not_lost(kind: str) -> None:
    """A target that breaks in the middle leaves the results of the scenarios before, and they are cleaned up."""

    def breaks(seen: Seen) -> Any:
        return bad_answer(kind, seen) if seen.method == "POST" and seen.json["amount"] == 5 else None

    with AcmePay(breaks) as provider:
        # Long enough for the calls that are answered, on a busy machine too.
        run = on_sandbox(acmepay(), provider.url, requests=replace(PATIENT, read=2.0) if kind == "silent" else PATIENT)
        assert provider.charges == {}
    assert outcomes(run) == {
        "a charge is kept": "ok",
        "a charge is paid in the end": "unobserved",
        "nobody reads without a key": "ok",
    }
    assert run.stopped is None


def test_a_short_throttle_is_waited_out() -> None:
    """429 with a short Retry-After: the call is made again, and the scenario is fine."""
    throttled: list[Seen] = []

    def once(seen: Seen) -> Any:
        if throttled:
            return None
        throttled.append(seen)
        return Reply(429, {"error": {"code": "slow"}}, {"Retry-After": "0"})

    with AcmePay(once) as provider:
        run = on_sandbox(acmepay(), provider.url)
    assert set(outcomes(run).values()) == {"ok"}
    assert len(throttled) == 1


# Disagreements


def changed(seen: Seen, provider: AcmePay, change: dict[str, Any]) -> Any:
    """The provider's answer to reading a charge, with other values."""
    charge = provider.charges.get(seen.path.rpartition("/")[2])
    if seen.method != "GET" or charge is None:
        return None
    return Reply(200, {name: value for name, value in (charge | change).items() if name != "_at"})


def test_a_scenario_goes_on_after_a_disagreement() -> None:
    """The provider is followed; the finding stands at its step, and the expectation beside it."""
    with AcmePay(settles=100) as provider:
        provider.before = lambda seen: changed(seen, provider, {"amount": 1300})
        run = on_sandbox(acmepay(), provider.url, plan(only=("a charge is kept",)))
    assert findings(run) == ["2 expect $.amount", "2 stored $.amount", "3 expect $.data", "3 list_missing $.data"] or (
        findings(run)[:2] == ["2 expect $.amount", "2 stored $.amount"]
    )
    assert outcomes(run) == {"a charge is kept": "ok"}
    assert [result.trail for result in run.results] == ["1", "2", "3", "undo.1"]


def test_an_unexpected_response_is_a_finding_with_its_cause() -> None:
    """The step expected ``found``; ``missing`` came, which the judge explains."""
    with AcmePay() as provider:
        provider.before = lambda seen: (
            Reply(404, {"error": {"code": "x"}}) if seen.method == "GET" and "/ch_" in seen.path else None
        )
        run = on_sandbox(acmepay(), provider.url, plan(only=("a charge is kept",)))
    second = run.results[1]
    (unmet,) = second.unmet
    assert (unmet.kind, unmet.path, unmet.expected, unmet.observed) == ("expect", "response", "found", "missing")
    assert str(unmet.origin) == "get_charge.found"
    assert unmet.caused_by == "get_charge response response"


def test_what_never_comes_is_a_finding_of_its_own() -> None:
    """Polls are kept but do not count; the last one says what was waited for."""
    contract = acmepay("""  never:
    steps:
      - {call: create_charge, with: {amount: 5}, keep: {id: this.id}}
      - call: get_charge
        with: {id: "{{ id }}"}
        expect: {response: found, json: {status: paid}}
        eventually: 1s
""")
    with AcmePay(settles=100) as provider:
        run = on_sandbox(contract, provider.url)
    polls = [result for result in run.results if result.trail == "2"]
    assert len(polls) >= 2
    assert [poll.final for poll in polls] == [False] * (len(polls) - 1) + [True]
    assert [poll.unmet for poll in polls[:-1]] == [()] * (len(polls) - 1)
    (unmet,) = polls[-1].unmet
    assert (unmet.kind, unmet.path, unmet.want) == ("eventually", "$.status", "this within 1 s")


def test_a_value_that_was_never_given_ends_the_scenario() -> None:
    """What needs it is unobserved, and says why; the finding that explains it stands before."""
    with AcmePay() as provider:
        provider.before = lambda seen: Reply(201, {"amount": 1200}) if seen.method == "POST" else None
        run = on_sandbox(acmepay(), provider.url, plan(only=("a charge is kept",)))
    assert "1 missing_field $.id" in findings(run)
    (outcome,) = run.outcomes
    assert outcome.outcome == "unobserved"
    assert outcome.reason == "step 2 needs 'id': step 1 gave no this.id"


def test_checks_repeats_and_parts() -> None:
    """A repeat stops when its condition holds, has a name for each turn, and its limit is a finding."""
    contract = acmepay("""  made:
    part: true
    steps:
      - {call: create_charge, with: {amount: "{{ much }}"}, keep: {id: this.id}, check: this.amount == much}
    cleanup:
      - {call: get_charge, with: {id: "{{ id }}"}}
  repeats:
    steps:
      - {include: made, as: one, with: {much: 7}}
      - {call: get_charge, with: {id: "{{ one.id }}"}, repeat: {times: 2}}
      - {call: get_charge, with: {id: "{{ one.id }}"}, repeat: {until: this.amount == 7}}
      - {call: get_charge, with: {id: "{{ one.id }}"}, repeat: {until: this.amount == 8, most: 2}}
      - {call: get_charge, with: {id: "{{ one.id }}"}, check: [this.amount == 7, this.amount > 7]}
""")
    run = on_simulator(contract)
    assert [result.trail for result in run.results] == [
        "1.made.1",
        "2.repeat1",
        "2.repeat2",
        "3.repeat1",
        "4.repeat1",
        "4.repeat2",
        "5",
        "1.made.cleanup.1",
        "undo.1.made.1",
    ]
    assert findings(run) == ["4.repeat2 eventually repeat.until", "5 expect check"]
    assert run.results[6].unmet[0].expected == "this.amount > 7"


def test_cases_run_one_by_one() -> None:
    """Each row is a scenario of its own, with names of its own."""
    contract = acmepay("""  cases:
    cases: {small: {much: 1}, large: {much: 1000}}
    steps:
      - {call: create_charge, with: {amount: "{{ much }}", note: "{{ unique(case.key) }}"}, expect: created}
""")
    run = on_simulator(contract)
    assert list(outcomes(run)) == ["cases[small]", "cases[large]"]
    assert findings(run) == []
    assert '"small' in run.results[0].exchange.request_body
    only = on_simulator(contract, plan(only=("cases[large]",)))
    assert list(outcomes(only)) == ["cases[large]"]


# Limits


def test_the_request_limit_ends_a_target_but_not_its_cleanup() -> None:
    """What was created is still taken back; the target is not given up, there is nothing wrong with it."""
    with AcmePay() as provider:
        run = on_sandbox(acmepay(), provider.url, limits=Target("sandbox", requests=2))
        assert provider.charges == {}
    assert run.stopped is None
    assert [result.trail for result in run.results] == ["1", "2", "undo.1"]
    assert {(outcome.outcome, outcome.over_budget) for outcome in run.outcomes} == {("skipped", True)}
    assert run.outcomes[0].reason == "budget: the limit of 2 requests to this target is used up, before step 3"


def test_scenarios_run_at_once_when_the_target_allows_it() -> None:
    """The results are in the order of the contract all the same."""
    with AcmePay() as provider:
        run = on_sandbox(acmepay(), provider.url, limits=Target("sandbox", concurrency=3))
    assert findings(run) == []
    order = list(dict.fromkeys(result.scenario for result in run.results))
    assert order == list(outcomes(run))


# Cleaning up


def test_what_cannot_be_taken_back_is_a_leak() -> None:
    """It is said with the step that made it and the answer that the undo got."""
    with AcmePay() as provider:
        provider.before = lambda seen: Reply(409, {"error": {"code": "busy"}}) if seen.method == "DELETE" else None
        run = on_sandbox(acmepay(), provider.url, plan(only=("a charge is kept",)))
    (outcome,) = run.outcomes
    assert outcome.leaks == ("create_charge in step 1 was not taken back: cancel_charge answered 409 (undeclared)",)


def test_what_is_gone_already_is_clean() -> None:
    """A scenario may delete what it made."""
    contract = acmepay("""  made and deleted:
    steps:
      - {call: create_charge, with: {amount: 5}, keep: {id: this.id}}
      - {call: cancel_charge, with: {id: "{{ id }}"}, expect: canceled}
""")
    run = on_simulator(contract)
    assert findings(run) == []
    assert run.results[-1].exchange.status == 404
    assert run.outcomes[0].leaks == ()


def test_a_creation_without_an_answer_is_noted() -> None:
    """It may have happened: a later sweep looks for the names, of which the note gives the part to look for."""

    def times_out(seen: Seen) -> Any:
        return bad_answer("silent", seen) if seen.method == "POST" else None

    log = MemoryUndoLog()
    with AcmePay(times_out) as provider:
        run = on_sandbox(acmepay(), provider.url, plan(only=("a charge is kept",), undo_log=log), requests=QUICK)
        assert [entry.call for entry in log.open("acmepay", provider.url)] == [""]
    (note,) = run.notes
    assert "create_charge in 'a charge is kept' may have created something" in note
    assert "'k3f91'" in note


def test_a_cancelled_run_cleans_up() -> None:
    """Whoever interrupts a run leaves nothing behind in the sandbox."""
    contract = acmepay("""  waits:
    steps:
      - {call: create_charge, with: {amount: 5}}
      - wait: 1h
""")
    with AcmePay() as provider:
        opened = Open(Target("sandbox"), provider.url, {}, Credentials({"key": KEY}))

        async def interrupted() -> None:
            waiting = asyncio.Event()
            given = plan(on_event=lambda event: waiting.set() if type(event).__name__ == "Waiting" else None)
            task = asyncio.create_task(run_target(contract, sandbox_target(opened, PATIENT), given))
            await asyncio.wait_for(waiting.wait(), 10)
            assert provider.charges
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(interrupted())
        assert provider.charges == {}


# Secrets


def test_no_secret_is_in_what_a_run_gives() -> None:
    """Credentials, cookies and secret fields are replaced in exchanges, judgements, findings, reasons and notes."""

    def echoes(seen: Seen) -> Any:
        if seen.method == "GET" and seen.path == "/charges":
            return Reply(400, {"error": f"who is {seen.headers['authorization']}?", "key": KEY}, {"X-Key": KEY})
        return None

    with AcmePay(echoes) as provider:
        run = on_sandbox(acmepay(), provider.url)
        shown = repr((run, run.results))
    assert KEY not in shown
    assert "CANARY" not in shown
    assert "cs_0000" not in shown
    assert "'739'" not in shown
    assert '"739"' not in shown
    assert "[secret:key:" in shown
    assert "[secret:client_secret:" in shown
    assert "[secret:pin:" in shown


def test_a_broken_judge_is_our_fault_and_takes_nothing_with_it() -> None:
    """An exception while judging makes that scenario broken, without its text; the others run."""
    contract = acmepay()

    def broken(name: str) -> Any:
        raise RuntimeError(f"with {KEY} in it")

    operations = dict(contract.operations)
    get = operations["get_charge"]
    operations["get_charge"] = replace(get, responses=_Raises(broken))  # type: ignore[arg-type]
    with AcmePay() as provider:
        run = on_sandbox(replace(contract, operations=operations), provider.url)
        assert provider.charges == {}
    assert outcomes(run)["a charge is kept"] == "broken"
    assert "RuntimeError at" in run.outcomes[0].reason
    assert KEY not in repr((run, run.results))


class _Raises:
    """Stands for the responses of an operation, until somebody looks at them."""

    def __init__(self, fail: Any) -> None:
        self._fail = fail

    def __iter__(self) -> Any:
        return self._fail("iter")


def test_cleaning_up_after_a_disagreement_accuses_nobody() -> None:
    """The model no longer knows what is there; what it does not judge is counted."""

    def before(seen: Seen) -> Any:
        if seen.method == "DELETE":
            return Reply(200, {"id": 7, "canceled": "yes"})
        return Reply(404, {"error": {"code": "x"}}) if "/ch_" in seen.path else None

    with AcmePay(before) as provider:
        run = on_sandbox(acmepay(), provider.url, plan(only=("a charge is kept",)))
        fine = on_sandbox(
            acmepay("  s:\n    steps: [{call: create_charge, with: {amount: 5}}]\n"), provider.url, plan()
        )
    assert run.results[-1].trail == "undo.1"
    judgement = run.results[-1].judgement
    assert judgement is not None
    assert judgement.mismatches == ()
    assert "doubt" in [why.reason for why in judgement.unjudged]
    assert "undo.1 type $.canceled" in findings(fine)


def test_own_cleanup_steps_run_beyond_the_limits() -> None:
    """They take back what no undo knows, also when the requests are used up."""
    contract = acmepay("""  s:
    steps:
      - {call: create_charge, with: {amount: 5}, keep: {id: this.id}}
      - {call: list_charges, keep: {never: this.data}}
    cleanup:
      - {call: cancel_charge, with: {id: "{{ id }}"}}
      - {call: get_charge, with: {id: "{{ never }}"}}
""")
    with AcmePay() as provider:
        run = on_sandbox(contract, provider.url, limits=Target("sandbox", requests=1))
    assert [result.trail for result in run.results] == ["1", "cleanup.1", "undo.1"]
    assert run.outcomes[0].leaks == ()


def test_a_call_that_is_cut_short_is_in_doubt() -> None:
    """A run that is cancelled while the provider creates something says so, and a later sweep looks for it."""
    log, notes = MemoryUndoLog(), []

    async def interrupted(provider: AcmePay, arrived: asyncio.Event) -> None:
        opened = Open(Target("sandbox"), provider.url, {}, Credentials({"key": KEY}))
        session = Session(acmepay(), sandbox_target(opened, RequestLimits()), plan(undo_log=log))
        walk = Walk(session, planned(session.contract)[0])
        task = asyncio.create_task(walk.run())
        await asyncio.wait_for(arrived.wait(), 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        notes.extend(session.notes)
        await session.target.client.close()

    async def main() -> None:
        arrived, loop = asyncio.Event(), asyncio.get_running_loop()

        def hang(seen: Seen) -> Any:
            loop.call_soon_threadsafe(arrived.set)
            return bad_answer("silent", seen)

        with AcmePay(hang) as provider:
            await interrupted(provider, arrived)
            assert len(log.open("acmepay", provider.url)) == 1

    asyncio.run(main())
    assert "may have created something" in notes[0]
