"""Turns Python's garbage collector off for a while."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collector_off"]


@contextmanager
def collector_off() -> Iterator[None]:
    """No automatic collections inside; afterwards everything is as it was.

    Loading a contract makes many objects and no garbage: looking for some takes longer than the loading itself.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
