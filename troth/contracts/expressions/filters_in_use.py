"""The filters that expressions are compiled with: the built-in ones, or within ``using`` those of one contract too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

from troth.contracts.expressions.filters import FILTERS, Filter

__all__ = ["filters_in_use", "using"]

_FILTERS: ContextVar[Mapping[str, Filter]] = ContextVar("filters", default=FILTERS)


def filters_in_use() -> Mapping[str, Filter]:
    """Those of the contract that is being compiled."""
    return _FILTERS.get()


@contextmanager
def using(filters: Mapping[str, Filter]) -> Iterator[None]:
    """Compile with ``filters``: every expression of a contract needs them, wherever it stands."""
    token = _FILTERS.set(filters)
    try:
        yield
    finally:
        _FILTERS.reset(token)
