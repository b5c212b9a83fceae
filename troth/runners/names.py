"""Run ids and unique names: the same on every target of a run, and never the same in two runs.

A name carries the random part of its run, so that leftovers in a sandbox can be traced to the run that made them.
"""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b

__all__ = ["Names", "nth_attempt", "run_id", "slug", "unique"]

_DIGEST_LENGTH = 8


def run_id(slot: float, random: bytes, attempt: int = 1) -> str:
    """The id of a run: slot (Unix seconds, shown in UTC), random part and attempt, ``20261130T0300-k3f9-1``."""
    stamp = datetime.fromtimestamp(slot, UTC).strftime("%Y%m%dT%H%M")
    return f"{stamp}-{_text(random)[:4]}-{attempt}"


def nth_attempt(run: str, number: int) -> str:
    """The id for doing (a part of) a run once more: its names differ from those of every other attempt."""
    head, dash, attempt = run.rpartition("-")
    return f"{head}-{number}" if dash and attempt.isdigit() else f"{run}-again{number}"


def slug(run: str) -> str:
    """The short form of a run id that stands in every name: its random part and attempt, ``k3f91``."""
    parts = run.split("-")
    tail = "".join(parts[1:])
    return tail if len(parts) == 3 and tail.isalnum() else _text(run.encode())[:5]


def unique(prefix: str, run: str, provider: str, scenario: str, step: str, path: str) -> str:
    """``prefix`` and 13 lower-case letters and digits that belong to this run, provider, scenario, step and path alone.

    The length does not vary and the added part is safe in URLs, e-mail addresses and file names.
    """
    seed = "\0".join((prefix, run, provider, scenario, step, path)).encode()
    return f"{prefix}{slug(run)}{_text(seed)[:_DIGEST_LENGTH]}"


@dataclass(frozen=True, slots=True)
class Names:
    """Makes the unique names of one run for one provider."""

    run: str
    provider: str

    def at(self, scenario: str, step: str, path: str) -> Callable[[str], str]:
        """The function ``unique`` for one value of one step; equal prefixes in one value give different names."""
        return _Unique(self, scenario, step, path)


@dataclass(slots=True)
class _Unique:
    names: Names
    scenario: str
    step: str
    path: str
    seen: dict[str, int] = field(default_factory=dict)

    def __call__(self, prefix: object = "") -> str:
        text = str(prefix)
        count = self.seen.get(text, 0)
        self.seen[text] = count + 1
        path = f"{self.path}#{count}" if count else self.path
        return unique(text, self.names.run, self.names.provider, self.scenario, self.step, path)


def _text(data: bytes) -> str:
    return b32encode(blake2b(data, digest_size=10).digest()).decode().lower()
