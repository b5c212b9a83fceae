"""A target is never asked for more than its limits, and what does not fit into them does not begin."""

from __future__ import annotations

import asyncio

import pytest
from fakes.clocks import HandClock

from troth.contracts.contract import Target
from troth.contracts.judgement import Unobserved
from troth.runners.budget import Budget
from troth.runners.estimate import Estimate, Estimates


def taking(target: Target, times: int, clock: HandClock | None = None) -> list[Unobserved | None]:
    async def take() -> list[Unobserved | None]:
        budget = Budget(target, clock or HandClock(), lambda seconds, why: None)
        return [await budget.take() for _ in range(times)]

    return asyncio.run(take())


def test_requests_are_spread_by_the_rate() -> None:
    """Five a second: a fifth of a second between two, none before the first."""
    clock = HandClock()
    taking(Target("sandbox", rate=5.0), 4, clock)
    assert clock.slept == pytest.approx([0.2, 0.2, 0.2])


def test_long_waits_are_told() -> None:
    """Somebody who watches knows why nothing happens."""
    told: list[tuple[float, str]] = []

    async def take() -> None:
        budget = Budget(Target("sandbox", rate=0.1), HandClock(), lambda seconds, why: told.append((seconds, why)))
        await budget.take()
        await budget.take()

    asyncio.run(take())
    assert told == [(10.0, "rate limit of the target")]


def test_a_clock_that_is_set_back_does_not_stop_the_run() -> None:
    """An hour back is not an hour's wait."""
    clock = HandClock()

    async def take() -> None:
        budget = Budget(Target("sandbox", rate=5.0), clock, lambda seconds, why: None)
        await budget.take()
        clock.time -= 3600
        await budget.take()

    asyncio.run(take())
    assert sum(clock.slept) < 1


def test_the_number_of_requests_is_limited_and_cleanup_is_not() -> None:
    """The last allowed one passes, the next says why not; cleaning up goes on."""
    first, second, third = taking(Target("sandbox", requests=2), 3)
    assert (first, second) == (None, None)
    assert third is not None
    assert third.verdict == "exhausted"
    assert "2 requests" in third.reason

    async def clean() -> Unobserved | None:
        budget = Budget(Target("sandbox", requests=0), HandClock(), lambda seconds, why: None)
        return await budget.take(cleanup=True)

    assert asyncio.run(clean()) is None


def test_time_is_limited() -> None:
    """Seconds count from the first request."""
    clock = HandClock()

    async def take() -> list[Unobserved | None]:
        budget = Budget(Target("sandbox", seconds=10.0), clock, lambda seconds, why: None)
        out = [await budget.take()]
        clock.time += 10
        return [*out, await budget.take()]

    first, second = asyncio.run(take())
    assert first is None
    assert second is not None
    assert "10 seconds" in second.reason


def test_what_is_left_of_the_time() -> None:
    """Counted from the first request; nothing without a limit."""
    clock = HandClock()

    async def take(target: Target) -> list[float | None]:
        budget = Budget(target, clock, lambda seconds, why: None)
        before = budget.left
        await budget.take()
        clock.time += 2
        during = budget.left
        clock.time += 60
        return [before, during, budget.left]

    assert asyncio.run(take(Target("sandbox", seconds=5.0))) == [None, pytest.approx(3.0), 0.0]
    assert asyncio.run(take(Target("sandbox"))) == [None, None, None]


# What scenarios need


def budget(target: Target, calls: dict[str, dict[str, float]] | None = None, **needs: Estimate) -> Budget:
    """A budget that knows what scenarios need."""
    return Budget(target, HandClock(), lambda seconds, why: None, Estimates(needs, calls or {}))


def test_a_scenario_that_no_longer_fits_does_not_begin_and_a_smaller_one_does() -> None:
    """Its cleanup counts as well."""
    held = budget(Target("sandbox", requests=10), big=Estimate(8, 1), small=Estimate(1), other=Estimate(1, 1))
    assert held.begin("big") is None
    spent = held.begin("other")
    assert spent is not None
    assert (spent.verdict, spent.reason) == ("exhausted", "it needs 2 requests, and 1 of 10 are left")
    assert held.begin("small") is None


def test_what_a_scenario_did_not_use_is_free_again() -> None:
    """Those under way keep what they still need, less what they sent."""
    held = budget(Target("sandbox", requests=10), first=Estimate(8), second=Estimate(8))

    async def run() -> None:
        assert held.begin("first") is None
        await held.take(scenario="first")
        assert held.begin("second") is not None
        held.end("first")
        assert held.begin("second") is None

    asyncio.run(run())


def test_what_nobody_estimated_begins_as_long_as_anything_is_left() -> None:
    """The hard limit ends it."""
    held = budget(Target("sandbox", requests=1))
    assert held.begin("unknown") is None


def test_cost_is_counted_and_ends_what_would_go_beyond_it() -> None:
    """Three calls of ten cents are thirty, however a computer adds them up."""
    held = budget(Target("sandbox", cost={"usd": 0.3}), {"buy": {"usd": 0.1}})

    async def run() -> list[bool]:
        sent = []
        for _ in range(5):
            sent.append(await held.take(operation="buy") is None)
            if sent[-1]:
                held.pay({"usd": 0.1}, operation="buy")
        return sent

    assert asyncio.run(run()) == [True, True, True, False, False]


def test_a_price_that_nobody_learnt_is_the_estimated_one() -> None:
    """An answer that never came may have cost as much."""
    held = budget(Target("sandbox", cost={"usd": 1.0, "tokens": 100}), {"ask": {"usd": 0.2, "tokens": 40.0}})
    held.pay({}, operation="ask")
    held.pay({"tokens": 7.0}, operation="ask")
    assert dict(held.cost) == pytest.approx({"usd": 0.4, "tokens": 47.0})


def test_a_scenario_whose_cost_no_longer_fits_does_not_begin() -> None:
    """By unit."""
    held = budget(Target("sandbox", cost={"tokens": 100}), dear=Estimate(1, 0, {"tokens": 90.0}), cheap=Estimate(1))
    assert held.begin("dear") is None
    held.end("dear")
    held.pay({"tokens": 20.0})
    spent = held.begin("dear")
    assert spent is not None
    assert spent.reason == "it needs 90 tokens, and 80 of 100 are left"
    assert held.begin("cheap") is None


def test_a_scenario_that_the_rate_makes_too_long_does_not_begin() -> None:
    """Ten requests at one a second do not fit into what is left of eight."""
    held = budget(Target("sandbox", rate=1.0, seconds=8.0), long=Estimate(10), short=Estimate(2))

    async def run() -> None:
        await held.take()
        assert held.begin("long") is not None
        assert held.begin("short") is None

    asyncio.run(run())
