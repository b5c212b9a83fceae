"""Keeps Python's garbage collector from looking for what is not there."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["collector_off", "collector_seldom"]

_SELDOM: Final = (1_000_000, 10, 10)
"""Collect when so many objects more are there, every so many times the older ones too, and so on."""


@contextmanager
def collector_off() -> Iterator[None]:
    """No automatic collections inside; afterwards everything is as it was, and what was made counts as old.

    Loading a contract makes many objects and no garbage: looking for some takes longer than the loading itself.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if not gc.get_freeze_count():  # else somebody has frozen what we would thaw
                gc.freeze()
                gc.unfreeze()
            gc.enable()


@contextmanager
def collector_seldom() -> Iterator[None]:
    """Seldom collections inside, and none of what is there already; for a process that does nothing but serve.

    A simulator keeps what it makes, and makes no cycles: with the usual settings a fifth of its time went into looking
    for some. The garbage of others, exceptions for one, is still collected.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
