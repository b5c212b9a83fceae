"""The schedule: it keeps its slots, survives bad nights, tells what it could not keep, and ends cleanly."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.date import DateTrigger
from apscheduler.triggers.interval import IntervalTrigger
from fakes.schedulers import FakeScheduler

from troth.errors import Unreachable, UsageError
from troth.runners.finding import Run, Verdict
from troth.runners.nightly import NightlyEvent, Schedule, apscheduler, run_nightly, schedule_of

DAILY = Schedule("0 3 * * *")


def a_run(**more: Any) -> Run:
    """A run that went well."""
    return Run("r", 0.0, 1.0, Verdict.AGREE, (), **more)


class Told(list[NightlyEvent]):
    """Collects events."""

    def kinds(self) -> list[str]:
        """Their kinds, without the waiting in between."""
        return [event.kind for event in self if event.kind != "waiting"]


def test_each_slot_is_one_run() -> None:
    """In order, in the main thread, with the slot that it is for."""
    told, seen = Told(), []

    def job(slot: float) -> Run:
        seen.append((slot, threading.current_thread() is threading.main_thread()))
        return a_run()

    scheduler = FakeScheduler([1.0, 2.0, 3.0])
    code = run_nightly(DAILY, job, told.append, scheduler, slots=3)

    assert (code, seen, scheduler.stopped) == (0, [(1.0, True), (2.0, True), (3.0, True)], True)
    assert told.kinds() == ["started", "finished"] * 3 + ["stopping"]
    assert [event.run for event in told if event.kind == "finished"] == [a_run()] * 3


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Unreachable("E374", "an address", "none"), "E374 an address; found none"),
        (ZeroDivisionError("by zero"), "E413 Troth itself failed: ZeroDivisionError: by zero"),
    ],
)
def test_a_night_that_fails_does_not_cost_the_next_one(error: Exception, words: str) -> None:
    """It is told, and the schedule goes on."""
    told, nights = Told(), iter([error, None])

    def job(slot: float) -> Run:
        failure = next(nights)
        if failure is not None:
            raise failure
        return a_run()

    assert run_nightly(DAILY, job, told.append, FakeScheduler([1.0, 2.0]), slots=2) == 0
    assert told.kinds() == ["started", "failed", "started", "finished", "stopping"]
    assert [event.detail for event in told if event.wrong] == [words]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_waiting_ends_the_schedule(number: signal.Signals) -> None:
    """Cleanly, with 0, and the handlers that were there before are back."""
    before = signal.getsignal(number)
    told = Told()

    def tell(event: NightlyEvent) -> None:
        told.append(event)
        if event.kind == "waiting":
            os.kill(os.getpid(), number)

    assert run_nightly(DAILY, lambda slot: a_run(), tell, FakeScheduler([])) == 0
    assert told.kinds() == ["stopping"]
    assert signal.getsignal(number) is before


def test_a_signal_during_a_run_interrupts_it() -> None:
    """The run keeps what it has and says that it was interrupted; that is the exit code too."""
    told = Told()

    def job(slot: float) -> Run:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except KeyboardInterrupt:
            return a_run(interrupted=True)
        raise AssertionError("the signal did not arrive")

    assert run_nightly(DAILY, job, told.append, FakeScheduler([1.0])) == 2
    assert told.kinds() == ["started", "finished", "stopping"]


def test_a_signal_that_a_run_does_not_handle_ends_the_schedule_too() -> None:
    """While the report is being written, say."""
    told = Told()

    def job(slot: float) -> Run:
        os.kill(os.getpid(), signal.SIGTERM)
        raise AssertionError("the signal did not arrive")

    assert run_nightly(DAILY, job, told.append, FakeScheduler([1.0])) == 2
    assert told.kinds() == ["started", "stopping"]


def test_the_next_slot_is_told_while_waiting() -> None:
    """So that a shell can say until when."""
    told = Told()
    run_nightly(DAILY, lambda slot: a_run(), told.append, FakeScheduler([7.0]), slots=1)

    assert [event.at for event in told if event.kind == "waiting"] == [7.0]


def test_another_thread_can_keep_a_schedule() -> None:
    """Without signals, which only the main thread gets."""
    codes: list[int] = []
    thread = threading.Thread(
        target=lambda: codes.append(
            run_nightly(DAILY, lambda slot: a_run(), lambda event: None, FakeScheduler([1.0]), slots=1)
        )
    )
    thread.start()
    thread.join(timeout=10)

    assert codes == [0]


# The real scheduler


def test_apscheduler_fires_its_slots() -> None:
    """With the time that each was due, not when it was noticed."""
    start = datetime.now(UTC) + timedelta(milliseconds=20)
    slots: list[float] = []

    def job(slot: float) -> Run:
        slots.append(slot)
        return a_run()

    scheduler = apscheduler(lambda schedule: IntervalTrigger(seconds=1, start_date=start, timezone=UTC))
    assert run_nightly(DAILY, job, lambda event: None, scheduler, slots=2) == 0
    assert slots == [pytest.approx(start.timestamp()), pytest.approx(start.timestamp() + 1)]


def test_apscheduler_tells_a_slot_that_it_missed() -> None:
    """Longer ago than the grace: not run, and not silent."""
    told, missed = Told(), threading.Event()
    past = datetime.now(UTC) - timedelta(hours=1)

    def tell(event: NightlyEvent) -> None:
        told.append(event)
        if event.kind == "missed":
            missed.set()

    scheduler = apscheduler(lambda schedule: DateTrigger(past, timezone=UTC))
    scheduler.start(Schedule("0 3 * * *", grace=60), lambda slot: None, tell)
    assert missed.wait(10)
    scheduler.stop()

    assert [(event.kind, event.at) for event in told] == [("missed", pytest.approx(past.timestamp()))]


def test_apscheduler_keeps_a_slot_within_the_grace() -> None:
    """A machine that woke up late still runs; APScheduler's own default would drop it after a second."""
    fired = threading.Event()
    past = datetime.now(UTC) - timedelta(hours=1)
    scheduler = apscheduler(lambda schedule: DateTrigger(past, timezone=UTC))
    scheduler.start(DAILY, lambda slot: fired.set(), lambda event: None)
    happened = fired.wait(10)
    scheduler.stop()

    assert happened


def test_apscheduler_tells_a_slot_that_came_too_early() -> None:
    """The run before is still going on: left out, and not silent."""
    overlapped, running = threading.Event(), threading.Event()
    begin = datetime.now(UTC)
    release: Callable[[float], Any] = lambda slot: (running.set(), overlapped.wait(10))  # noqa: E731
    scheduler = apscheduler(lambda schedule: IntervalTrigger(seconds=1, start_date=begin, timezone=UTC))
    scheduler.start(DAILY, release, lambda event: overlapped.set() if event.kind == "overlapped" else None)
    happened = overlapped.wait(10)
    scheduler.stop()

    assert (running.is_set(), happened) == (True, True)


def test_the_cron_schedule_is_read_in_its_time_zone() -> None:
    """Not in that of the machine."""
    scheduler = apscheduler()
    scheduler.start(Schedule("30 3 * * *", "Asia/Kolkata"), lambda slot: None, lambda event: None)
    slot = scheduler.next_slot()
    scheduler.stop()

    assert slot is not None
    assert datetime.fromtimestamp(slot, UTC).strftime("%H:%M") == "22:00"
    assert scheduler.next_slot() is None


# Schedules


@pytest.mark.parametrize("cron", ["0 3 * *", "0 3 * * 1", "0 25 * * *", "x 3 * * *", ""])
def test_a_bad_schedule_is_refused_at_once(cron: str) -> None:
    """Weekdays as numbers too: they mean two different things."""
    with pytest.raises(UsageError) as raised:
        schedule_of(cron)

    assert raised.value.code == "E410"


def test_a_time_zone_that_does_not_exist_is_refused() -> None:
    """With what was found."""
    with pytest.raises(UsageError, match="Mars/Base"):
        schedule_of("0 3 * * *", "Mars/Base")


@pytest.mark.parametrize("cron", ["0 3 * * *", "*/5 8-18 * * mon-fri", "0 0 1 jan,jul sun", "15,45 3 * * sat"])
def test_what_is_accepted_can_be_scheduled(cron: str) -> None:
    """Our check is no wider than the scheduler."""
    assert CronTrigger.from_crontab(schedule_of(cron).cron, timezone=UTC)


@pytest.mark.parametrize(
    ("cron", "timezone", "doubtful"),
    [
        ("0 2 * * *", "Europe/Vienna", True),
        ("0 0-6 * * *", "America/New_York", True),
        ("0 * * * *", "Europe/Vienna", True),
        ("0 4 * * *", "Europe/Vienna", False),
        ("0 2 * * *", "UTC", False),
        ("0 2 * * *", "Asia/Kolkata", False),
    ],
)
def test_nights_without_that_hour_are_warned_of(cron: str, timezone: str, doubtful: bool) -> None:
    """Where the clocks change, an hour of the night is missing or comes twice."""
    told = Told()
    run_nightly(schedule_of(cron, timezone), lambda slot: a_run(), told.append, FakeScheduler([]), slots=0)

    assert any("clocks" in event.detail for event in told) == doubtful
