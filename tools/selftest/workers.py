"""Runs cases in processes: each has a twin of its own, from its first case to its end."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from multiprocessing import get_context
from multiprocessing.util import Finalize

from .cases import Case, run_case
from .nights import Nights, nights
from .rows import Row

__all__ = ["run_cases"]

_STACK = ExitStack()
_NIGHTS: list[Nights] = []


def run_cases(chosen: list[Case], jobs: int) -> Iterator[tuple[Case, Row]]:
    """Each case with its row, in the order in which they end."""
    with ProcessPoolExecutor(jobs, get_context("spawn"), _open) as pool:
        waiting = {pool.submit(_run, case): case for case in chosen}
        try:
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _open() -> None:
    # Processes of a pool end without what ``atexit`` knows.
    Finalize(None, _STACK.close, exitpriority=1)
    _NIGHTS.append(_STACK.enter_context(nights()))


def _run(case: Case) -> Row:
    try:
        return run_case(case, _NIGHTS[0])
    except Exception as error:
        # Not every error survives the way to another process; its words do.
        raise RuntimeError(f"{case.group} {case.number} could not be run: {error}") from None
