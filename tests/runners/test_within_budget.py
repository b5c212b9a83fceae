"""A run within a budget: whole scenarios, in the order that the history gives, and what was left out is said."""

from __future__ import annotations

from pathlib import Path

from fakes.acmepay import SCENARIOS, AcmePay
from fakes.nights import KEPT, Nights
from fakes.tiny_server import Reply, Seen

from troth.contracts.loader import load
from troth.runners.exits import Exit
from troth.runners.finding import ProviderRun, Run, Verdict
from troth.runners.forecast import forecasts
from troth.runners.trial import Rule

PAID = "a charge is paid in the end"
KEYLESS = "nobody reads without a key"
LIMITED = "health: {method: GET, path: /charges}, limits: {requests: %d}"


def nights_of(folder: Path, requests: int) -> Nights:
    """Nights with so many requests each."""
    nights = Nights(folder)
    nights.edit("health: {method: GET, path: /charges}", LIMITED % requests)
    return nights


def sandbox(run: Run) -> dict[str, str]:
    """Scenario to outcome on the sandbox."""
    return {item.scenario: item.outcome for item in only(run).scenarios if item.target == "sandbox"}


def only(run: Run) -> ProviderRun:
    """The one provider."""
    (provider,) = run.providers
    return provider


def test_what_is_over_budget_is_not_sent_and_counted(tmp_path: Path) -> None:
    """The scenario that fits runs to its end; the verdict is exhausted and the exit code a shortfall."""
    nights = nights_of(tmp_path, 5)
    with AcmePay() as provider:
        run = nights.night(provider.url)

    assert len(provider.seen) == 4
    assert sandbox(run) == {KEPT: "ok", PAID: "skipped", KEYLESS: "skipped"}
    assert (run.verdict, run.exit_code) == (Verdict.EXHAUSTED, Exit.SHORTFALL)
    coverage = only(run).coverage
    assert (coverage.ran, coverage.skipped, coverage.over_budget, coverage.unobserved) == (1, 2, 2, 0)
    reasons = [item.reason for item in only(run).scenarios if item.outcome == "skipped"]
    assert reasons == [
        "budget: it needs 3 requests, and 1 of 5 are left",
        "budget: it needs 2 requests, and 1 of 5 are left",
    ]
    assert only(run).reason.startswith(f"2 of 3 scenarios were not run to their end: {PAID}: budget: it needs 3")


def test_the_next_night_begins_with_what_was_left_out(tmp_path: Path) -> None:
    """So every scenario has its night, however small the budget."""
    nights = nights_of(tmp_path, 6)
    seen = []
    with AcmePay() as provider:
        for _ in range(3):
            run = nights.night(provider.url)
            seen.append(sorted(name for name, outcome in sandbox(run).items() if outcome == "ok"))

    assert seen == [[KEPT, KEYLESS], [PAID, KEYLESS], [KEPT, KEYLESS]]


def test_results_keep_the_order_of_the_contract(tmp_path: Path) -> None:
    """Whatever ran first."""
    nights = nights_of(tmp_path, 5)
    with AcmePay() as provider:
        nights.night(provider.url)
        nights.edit("limits: {requests: 5}", "limits: {requests: 50}")
        run = nights.night(provider.url)

    assert list(sandbox(run)) == [KEPT, PAID, KEYLESS]
    assert [seen.json["amount"] for seen in provider.seen if seen.method == "POST"] == [1200, 5, 1200]
    assert run.verdict is Verdict.AGREE


def test_what_changed_and_what_drifted_comes_first_among_equals(tmp_path: Path) -> None:
    """As the plan says, and as the run does it."""
    nights = Nights(tmp_path, SCENARIOS)

    def drifting(seen: Seen) -> Reply | None:
        return Reply(418, {}) if seen.path.endswith("ch_00000000") and "authorization" in seen.headers else None

    with AcmePay(drifting) as provider:
        nights.night(provider.url, confirm=Rule(1))
        settings = nights.settings(provider.url)
        before = forecasts([load(nights.contract_file)], settings)[0]
        nights.edit("query: {note?: $string}", "query: {note?: $string, size?: $integer}")
        after = forecasts([load(nights.contract_file)], settings)[0]

    assert [item.label for item in before.order] == [KEYLESS, KEPT, PAID]
    assert before.order[0].why == "verified on night 1, drifted on night 1"
    assert [item.label for item in after.order] == [KEPT, KEYLESS, PAID]
    assert after.order[0].why == "verified on night 1, changed since"


def test_the_plan_tells_the_order_and_what_would_be_left_out(tmp_path: Path) -> None:
    """Before anything is sent; and the run does just that."""
    nights = nights_of(tmp_path, 5)
    with AcmePay() as provider:
        plan = forecasts([load(nights.contract_file)], nights.settings(provider.url))[0]
        assert provider.seen == []
        run = nights.night(provider.url)

    assert [(item.label, item.why) for item in plan.order] == [
        (name, "never verified") for name in (KEPT, PAID, KEYLESS)
    ]
    assert set(plan.left_out) == {name for name, outcome in sandbox(run).items() if outcome == "skipped"}


def test_money_is_estimated_before_and_counted_during_the_run(tmp_path: Path) -> None:
    """What a call costs is worked out from its real reply: this provider charges by the cent that it says."""
    nights = Nights(tmp_path)
    nights.edit(
        "    undo: {call: cancel_charge", '    cost: {cents: "{{ this.amount / 100 }}"}\n    undo: {call: cancel_charge'
    )
    nights.edit("health: {method: GET, path: /charges}", "limits: {cost: {cents: 12}}")
    plan = forecasts([load(nights.contract_file)], nights.settings("http://127.0.0.1:9"))[0]
    with AcmePay() as provider:
        run = nights.night(provider.url)

    assert plan.cost == {"cents": 12.05}
    assert list(plan.left_out) == [PAID]
    assert sandbox(run) == {KEPT: "ok", PAID: "skipped", KEYLESS: "ok"}
    assert [seen.json["amount"] for seen in provider.seen if seen.method == "POST"] == [1200]


def test_a_provider_that_says_no_more_is_not_our_budget(tmp_path: Path) -> None:
    """429 stays exit code 6."""
    nights = nights_of(tmp_path, 50)
    with AcmePay(lambda seen: Reply(429, {}, {"Retry-After": "3600"})) as provider:
        run = nights.night(provider.url)

    assert (run.verdict, run.exit_code) == (Verdict.EXHAUSTED, Exit.UNOBSERVED)
