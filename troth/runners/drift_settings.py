"""What a drift run is told: one frozen record, made once by a shell."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from troth.contracts.kinds import Severity
from troth.runners.client import RequestLimits
from troth.runners.lifecycle import FIXED_AFTER
from troth.runners.trial import Rule

__all__ = ["DriftSettings", "request_limits"]


def request_limits(timeout: float) -> RequestLimits:
    """Limits of one request to a sandbox that may be silent for ``timeout`` seconds: the whole may take twice as long.

    A connection is made within ten seconds all the same; a host that takes longer is not there.
    """
    return RequestLimits(connect=min(RequestLimits().connect, timeout), read=timeout, total=2 * timeout)


@dataclass(frozen=True, slots=True)
class DriftSettings:
    """All of it has defaults: the simulator alone, no history, fail on breaking drift."""

    sandbox: bool = False
    """Was ``--sandbox`` given? The environment may open the gate as well."""
    urls: Mapping[str, str] = field(default_factory=dict)
    """Provider to the base URL of its sandbox, for this run."""
    fail_on: Severity = Severity.BREAKING
    """The mildest severity that makes the run fail."""
    seed: int = 0
    only: tuple[str, ...] = ()
    """Names of scenarios, with or without a case, or shell patterns of them; empty: all."""
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ), repr=False)
    """Where secrets and addresses are looked up."""
    root: Path = field(default_factory=Path.cwd)
    """The project: paths in reports are relative to it."""
    store: Path | None = None
    """The SQLite file with the history; None: none is read or kept."""
    limits: RequestLimits | None = None
    """Timeouts and sizes of requests to a sandbox."""
    confirm: Rule = field(default_factory=Rule)
    """When a finding counts as confirmed, and over which time its scenarios are run again."""
    fixed_after: int = FIXED_AFTER
    """Nights that looked for a finding and did not see it, after which it counts as fixed."""
    resume: bool = False
    """Go on with the last run with this store, if it was cut off: what it did is not done again."""
    fuzz: bool = False
    """Also send generated requests to each simulator."""
    slot: float | None = None
    """The time (Unix seconds) that the run was scheduled for; None: now."""
    command: str = ""
    """How the run was started, for the report."""
