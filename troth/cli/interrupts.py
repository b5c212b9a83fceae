"""SIGTERM ends a run as Ctrl-C does: what ran until then is kept, cleaned up and reported."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["sigterm_interrupts"]


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """For as long as this lasts; only the main thread gets signals, so only it may enter."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        # Event loops know what to do about SIGINT; an exception raised here would come up anywhere.
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
