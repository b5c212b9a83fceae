"""A scheduler whose slots come when a test says so."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from troth.runners.nightly import OnNightly, Schedule

__all__ = ["FakeScheduler"]


class FakeScheduler:
    """Fires ``slots`` one after the other, each when the run before is over, in a thread of its own."""

    def __init__(self, slots: Sequence[float]) -> None:
        self.slots = list(slots)
        self.schedule: Schedule | None = None
        self.stopped = False
        self._thread: threading.Thread | None = None

    def start(self, schedule: Schedule, fire: Callable[[float], None], tell: OnNightly) -> None:
        """Begin to fire."""
        self.schedule = schedule
        self._thread = threading.Thread(target=self._fire_all, args=(fire,))
        self._thread.start()

    def _fire_all(self, fire: Callable[[float], None]) -> None:
        for slot in list(self.slots):
            fire(slot)

    def next_slot(self) -> float | None:
        """The first slot, whatever was fired."""
        return self.slots[0] if self.slots else None

    def stop(self) -> None:
        """Wait for the thread, which must have been let go."""
        self.stopped = True
        if self._thread is not None:
            self._thread.join(timeout=10)
            assert not self._thread.is_alive()
