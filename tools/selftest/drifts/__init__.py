"""Every planted drift, in tables by what it shows itself in. Severities are those of ``docs/findings.md``."""

from __future__ import annotations

from ..rows import Drift
from .behaviour import BEHAVIOUR
from .bodies import BODIES
from .errors import ERRORS
from .headers import HEADERS
from .lists import LISTS
from .past import PAST
from .requests import REQUESTS

__all__ = ["DRIFTS"]

DRIFTS: tuple[Drift, ...] = (*REQUESTS, *ERRORS, *BODIES, *HEADERS, *LISTS, *BEHAVIOUR, *PAST)
