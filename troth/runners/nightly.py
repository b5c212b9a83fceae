"""Runs on a schedule, until it is told to stop.

The scheduler only says when. A run happens in the main thread, so that SIGTERM and Ctrl-C end it like any other: what
ran until then is kept and reported. One run at a time; a slot that comes meanwhile is told, not queued.
"""

from __future__ import annotations

import queue
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from types import FrameType
from typing import Any, Literal, Protocol, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from troth.crontab import crontab_fault
from troth.errors import TrothError, UsageError
from troth.runners.finding import Run

__all__ = ["Job", "NightlyEvent", "OnNightly", "Schedule", "Scheduler", "apscheduler", "run_nightly", "schedule_of"]

GRACE = 6 * 3600
"""Seconds after which a slot that could not be kept (a sleeping laptop) is given up and told as missed."""
INTERRUPTED = 2
"""The exit code of a run that was stopped before its end."""
_SUBMITTED = 5.0
"""Seconds within which the scheduler must say for which slot it started a job."""
_TICK = 1.0
"""Seconds after which a waiting main thread looks up; only Windows needs it, to notice Ctrl-C."""

Job: TypeAlias = Callable[[float], Run]
"""Makes one run, for the slot at these Unix seconds: runs, stores and reports."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """Five cron fields, read in ``timezone``."""

    cron: str
    timezone: str = "UTC"
    grace: float = GRACE

    @property
    def doubt(self) -> str:
        """A warning about the clocks that are put forward and back at night; "" when the time zone has none."""
        hours = self.cron.split()[1]
        nightly = hours == "*" or any(hour in hours.replace("-", ",").split(",") for hour in ("0", "1", "2", "3"))
        if not nightly or not _shifts(self.timezone):
            return ""
        return (
            f"in {self.timezone} a run between 0:00 and 3:59 is left out or done twice on the nights when the clocks "
            "change; UTC has no such nights"
        )


def _shifts(timezone: str) -> bool:
    zone = ZoneInfo(timezone)
    return len({datetime(2026, month, 1, tzinfo=zone).utcoffset() for month in range(1, 13)}) > 1


@dataclass(frozen=True, slots=True)
class NightlyEvent:
    """Something to tell: shells print it, and count what went wrong. ``at`` is the slot in Unix seconds, or None."""

    kind: Literal["waiting", "started", "finished", "failed", "missed", "overlapped", "stopping"]
    at: float | None = None
    detail: str = ""
    run: Run | None = None

    @property
    def wrong(self) -> bool:
        """Was a slot not kept?"""
        return self.kind in ("failed", "missed", "overlapped")


OnNightly: TypeAlias = Callable[[NightlyEvent], None]


class Scheduler(Protocol):
    """Knows when."""

    def start(self, schedule: Schedule, fire: Callable[[float], None], tell: OnNightly) -> None:
        """From now on call ``fire`` at each slot, in another thread; it returns when the run is over."""
        ...

    def next_slot(self) -> float | None:
        """Unix seconds of the next slot; None when there is none."""
        ...

    def stop(self) -> None:
        """Call ``fire`` no more."""
        ...


def schedule_of(cron: str, timezone: str = "UTC", grace: float = GRACE) -> Schedule:
    """A checked schedule. Raises UsageError E410 for a bad one, such as one with weekdays as numbers."""
    fault = crontab_fault(cron)
    if fault is not None:
        raise UsageError("E410", "five cron fields such as '0 3 * * mon-fri'", fault)
    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError("E410", "a time zone such as UTC or Europe/Vienna", repr(timezone)) from None
    return Schedule(cron, timezone, grace)


def run_nightly(
    schedule: Schedule,
    job: Job,
    tell: OnNightly,
    scheduler: Scheduler | None = None,
    slots: int | None = None,
) -> int:
    """Keep the schedule until SIGTERM or Ctrl-C, or until ``slots`` slots were kept.

    Gives the exit code: 2 when a run was interrupted, else 0. A run that fails, however badly, is told and does not end
    the schedule.
    """
    scheduler = scheduler or apscheduler()
    turns = _Turns()
    if schedule.doubt:
        tell(NightlyEvent("waiting", detail=schedule.doubt))
    with _handlers(turns.stop, turns.stop):
        scheduler.start(schedule, turns.hand_over, tell)
        try:
            return _keep_all(scheduler, turns, job, tell, slots)
        except KeyboardInterrupt:
            return INTERRUPTED
        finally:
            turns.close()
            scheduler.stop()
            tell(NightlyEvent("stopping"))


def _keep_all(scheduler: Scheduler, turns: _Turns, job: Job, tell: OnNightly, slots: int | None) -> int:
    kept = 0
    while slots is None or kept < slots:
        tell(NightlyEvent("waiting", scheduler.next_slot()))
        slot = turns.next()
        if slot is None:
            break
        run = _keep(slot, job, tell)
        turns.over()
        kept += 1
        if run is not None and run.interrupted:
            return INTERRUPTED
    return 0


def _keep(slot: float, job: Job, tell: OnNightly) -> Run | None:
    tell(NightlyEvent("started", slot))
    try:
        with _handlers(signal.default_int_handler, lambda number, frame: signal.raise_signal(signal.SIGINT)):
            run = job(slot)
    except TrothError as error:
        tell(NightlyEvent("failed", slot, str(error)))
    except Exception as error:  # a defect of one night must not cost the next ones
        tell(NightlyEvent("failed", slot, f"E413 Troth itself failed: {type(error).__name__}: {error}"))
    else:
        tell(NightlyEvent("finished", slot, f"{run.verdict}, exit code {run.exit_code}", run))
        return run
    return None


class _Turns:
    """Hands slots from the scheduler's thread to the main thread, and lets the former wait for the end of the run."""

    def __init__(self) -> None:
        # Simple queues may be filled by a signal handler, whatever the main thread is doing with them.
        self._slots: queue.SimpleQueue[float | None] = queue.SimpleQueue()
        self._over = threading.Condition()
        self._running = False
        self._closed = False

    def hand_over(self, slot: float) -> None:
        """Called at each slot; returns when its run is over, or nothing runs any more."""
        with self._over:
            if self._closed:
                return
            self._running = True
            self._slots.put(slot)
            self._over.wait_for(lambda: self._closed or not self._running)

    def next(self) -> float | None:
        """Wait for the next slot; None when the schedule was stopped."""
        while not self._closed:
            try:
                return self._slots.get(timeout=_TICK)
            except queue.Empty:
                continue
        return None

    def over(self) -> None:
        """The run is over."""
        with self._over:
            self._running = False
            self._over.notify_all()

    def close(self) -> None:
        """Nothing runs any more."""
        with self._over:
            self._closed = True
            self._over.notify_all()

    def stop(self, number: int, frame: FrameType | None) -> None:
        """On a signal: wake the main thread when it waits; a run that is about to begin does not."""
        self._closed = True
        self._slots.put(None)
        if self._running:
            raise KeyboardInterrupt


_Handler: TypeAlias = Callable[[int, FrameType | None], object]


@contextmanager
def _handlers(on_int: _Handler, on_term: _Handler) -> Iterator[None]:
    """Other handlers for Ctrl-C and SIGTERM; in other threads than the main one there are no signals.

    While a run goes on SIGTERM becomes Ctrl-C, which event loops know what to do about.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    wanted = {signal.SIGINT: on_int, signal.SIGTERM: on_term}
    before = {number: signal.signal(number, handler) for number, handler in wanted.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def apscheduler(trigger: Callable[[Schedule], Any] | None = None) -> Scheduler:
    """The real scheduler, APScheduler in a thread of its own; ``trigger`` makes another trigger than the cron one."""
    return _ApScheduler(trigger or _cron)


def _cron(schedule: Schedule) -> Any:
    from apscheduler.triggers.cron import CronTrigger

    # A trigger takes the machine's time zone unless told otherwise, whatever its scheduler's is.
    return CronTrigger.from_crontab(schedule.cron, timezone=ZoneInfo(schedule.timezone))


class _ApScheduler:
    """APScheduler 3.11, which has no types: nothing outside this class sees it."""

    def __init__(self, trigger: Callable[[Schedule], Any]) -> None:
        self._trigger = trigger
        self._scheduler: Any = None
        self._slots: queue.SimpleQueue[float] = queue.SimpleQueue()

    def start(self, schedule: Schedule, fire: Callable[[float], None], tell: OnNightly) -> None:
        from apscheduler import events
        from apscheduler.schedulers.background import BackgroundScheduler

        def submitted(event: Any) -> None:
            self._slots.put(event.scheduled_run_times[-1].timestamp())

        def missed(event: Any) -> None:
            detail = f"the slot was more than {schedule.grace / 3600:g} hours ago when this machine came back to it"
            tell(NightlyEvent("missed", event.scheduled_run_time.timestamp(), f"E411 {detail}"))

        def overlapped(event: Any) -> None:
            detail = "E412 the run of the slot before was still going on, so this one was left out"
            tell(NightlyEvent("overlapped", event.scheduled_run_times[-1].timestamp(), detail))

        def failed(event: Any) -> None:
            tell(NightlyEvent("failed", event.scheduled_run_time.timestamp(), f"E413 {event.exception}"))

        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": round(schedule.grace)},
        )
        self._scheduler.add_listener(submitted, events.EVENT_JOB_SUBMITTED)
        self._scheduler.add_listener(missed, events.EVENT_JOB_MISSED)
        self._scheduler.add_listener(overlapped, events.EVENT_JOB_MAX_INSTANCES)
        self._scheduler.add_listener(failed, events.EVENT_JOB_ERROR)
        # The slot is known from the event that follows at once; the job itself is told nothing.
        self._scheduler.add_job(lambda: fire(self._slots.get(timeout=_SUBMITTED)), self._trigger(schedule), id="troth")
        self._scheduler.start()

    def next_slot(self) -> float | None:
        job = self._scheduler.get_job("troth") if self._scheduler else None
        return job.next_run_time.timestamp() if job is not None and job.next_run_time else None

    def stop(self) -> None:
        if self._scheduler is not None:
            self._scheduler.shutdown(wait=True)
            self._scheduler = None
