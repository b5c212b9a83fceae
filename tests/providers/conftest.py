"""Third-party programs, started once for each process; a test that needs one is skipped where it cannot be had."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest
from fakes.stripe_runs import StripeRuns
from sandboxes.installing import Unavailable
from sandboxes.localstripe import CURRENT, EARLIER, localstripe
from sandboxes.old_sdk import old_sdk
from sandboxes.stateful_mock import stateful_mock


@pytest.fixture(scope="session")
def current() -> Iterator[StripeRuns]:
    """localstripe as it is now."""
    yield from _running(lambda: localstripe(CURRENT))


@pytest.fixture(scope="session")
def earlier() -> Iterator[StripeRuns]:
    """An earlier localstripe."""
    yield from _running(lambda: localstripe(EARLIER))


@pytest.fixture(scope="session")
def mock() -> Iterator[StripeRuns]:
    """stripe-stateful-mock."""
    yield from _running(stateful_mock)


@pytest.fixture(scope="session")
def old_python() -> Path:
    """An interpreter that has stripe 5.5."""
    try:
        return old_sdk()
    except Unavailable as error:
        pytest.skip(str(error))


def _running(start: Callable[[], AbstractContextManager[str]]) -> Iterator[StripeRuns]:
    with ExitStack() as stack:
        try:
            url = stack.enter_context(start())
        except Unavailable as error:
            pytest.skip(str(error))
        yield StripeRuns(url)
