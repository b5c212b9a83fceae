"""SIGTERM ends a run as Ctrl-C does: what ran until then is kept, cleaned up and reported."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["sigterm_interrupts"]


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """For as long as this lasts; only the main thread gets signals, so only it may enter.

    A shell that starts a command in the background may have Ctrl-C ignored there; then nothing could be told to stop,
    so Ctrl-C counts again for as long as this lasts.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        # Event loops know what to do about SIGINT; an exception raised here would come up anywhere.
        signal.raise_signal(signal.SIGINT)

    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    before = signal.signal(signal.SIGTERM, interrupt)
    if ignored:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        if ignored:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
