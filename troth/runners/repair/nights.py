"""The recorded nights of a provider: of one run, and all that the store keeps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from troth.runners.finding import ProviderRun, RecordedExchange, Run
from troth.runners.repair.recorded import Night
from troth.runners.store import Store

__all__ = ["night_of", "stored_nights"]

_HEADERS = ("request_headers", "response_headers")


def night_of(run: Run, provider: ProviderRun) -> Night:
    """What a run recorded of a provider's sandbox."""
    exchanges = tuple(item for item in provider.exchanges if item.target != "simulator")
    return Night(run.run_id, run.started, provider.sandbox_url, exchanges, provider.history.night or None)


def stored_nights(path: Path, provider: str, but: str) -> tuple[Night, ...]:
    """Every night of a provider whose exchanges are still kept, the newest first, without the run ``but``.

    Empty where there is no store. Raises StoreError for one that cannot be read.
    """
    if not path.is_file():
        return ()
    with Store.open(path) as store:
        kept = store.ids_with_exchanges() - {but}
        nights = [night for night in reversed(store.history(provider).nights) if night.run_id in kept]
        return tuple(
            Night(
                night.run_id,
                night.started,
                store.sandbox_url(night.run_id, provider),
                tuple(
                    _exchange(row) for row in store.packet(night.run_id).exchanges or () if row["provider"] == provider
                ),
                night.number,
            )
            for night in nights
        )


def _exchange(row: Mapping[str, Any]) -> RecordedExchange:
    known = RecordedExchange.__slots__
    values = {name: value for name, value in row.items() if name in known}
    for name in _HEADERS:
        values[name] = tuple((key, value) for key, value in values[name])
    return RecordedExchange(**values)
