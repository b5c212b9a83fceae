"""A target is never asked for more than its limits, and is given up when it is not there."""

from __future__ import annotations

import asyncio

import pytest
from fakes.clocks import HandClock

from troth.contracts.contract import Target
from troth.contracts.judgement import Unobserved
from troth.runners.limits import Breaker, Budget

DOWN = Unobserved("unreachable", "refused")
NO_KEY = Unobserved("unauthorized", "401")


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


def test_three_failures_in_a_row_without_a_reply_stop_a_target() -> None:
    """Two do not, and a reply between them starts the count again."""
    breaker = Breaker()
    breaker.failed("get", DOWN, status=None)
    breaker.failed("get", DOWN, status=None)
    breaker.fine()
    breaker.failed("get", DOWN, status=None)
    breaker.failed("get", DOWN, status=None)
    assert breaker.stopped is None
    breaker.failed("get", DOWN, status=None)
    assert breaker.stopped == Unobserved("unreachable", "refused (3 times in a row)")


def test_one_broken_operation_is_not_a_broken_target() -> None:
    """Replies of a single operation must fail oftener than those of several."""
    alone, several = Breaker(), Breaker()
    for _ in range(5):
        alone.failed("get", DOWN, status=500)
    assert alone.stopped is None
    alone.failed("get", DOWN, status=500)
    assert alone.stopped is not None
    for operation in ("get", "get", "list"):
        assert several.stopped is None
        several.failed(operation, DOWN, status=500)
    assert several.stopped is not None


def test_a_first_401_stops_at_once_and_a_later_one_does_not() -> None:
    """Nothing was ever accepted: the credentials are wrong. Otherwise it may be this operation's permission."""
    fresh, used = Breaker(), Breaker()
    fresh.failed("get", NO_KEY, status=401)
    assert fresh.stopped == NO_KEY
    used.fine()
    used.failed("get", NO_KEY, status=401)
    assert used.stopped is None
    forbidden = Breaker()
    forbidden.failed("get", NO_KEY, status=403)
    assert forbidden.stopped is None


def test_an_exhausted_target_is_left_alone() -> None:
    """Asking again would make it worse."""
    breaker = Breaker()
    breaker.fine()
    breaker.failed("get", Unobserved("exhausted", "429"), status=429)
    assert breaker.stopped == Unobserved("exhausted", "429")


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
