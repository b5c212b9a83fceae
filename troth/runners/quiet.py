"""Keeps the HTTP library from logging what a client sends and gets: its records hold addresses and headers.

Whoever turns logging on (pytest does, for failed tests) would otherwise read secrets there. Other clients in the same
process log as before.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

__all__ = ["LOGGERS", "QuietHttp"]

LOGGERS: Final = (
    "httpx",
    "httpcore.connection",
    "httpcore.http11",
    "httpcore.http2",
    "httpcore.proxy",
    "httpcore.socks",
)
"""Every logger of httpx and httpcore; a filter on their parent would not see what they log."""


class QuietHttp(logging.Filter):
    """A filter of one client; ``sending`` is what it keeps quiet, from its making until ``close``."""

    def __init__(self) -> None:
        super().__init__()
        self._sending: ContextVar[bool] = ContextVar("sending", default=False)
        for name in LOGGERS:
            logging.getLogger(name).addFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        """Is the record somebody else's?"""
        return not self._sending.get()

    @contextmanager
    def sending(self) -> Iterator[None]:
        """What is logged meanwhile, in this task and those that it starts, is dropped."""
        before = self._sending.set(True)
        try:
            yield
        finally:
            self._sending.reset(before)

    def close(self) -> None:
        """Leave the loggers as they were."""
        for name in LOGGERS:
            logging.getLogger(name).removeFilter(self)
