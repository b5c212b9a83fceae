"""Where in a scenario a call was made, as people count: by the steps that are written, not by the calls."""

from __future__ import annotations

import re

__all__ = ["phase_of", "step_words", "written_step"]

_NUMBER = re.compile(r"(?:^|\.)(\d+)(?=\.|$)")
_CLEANUP = re.compile(r"(?:^|\.)cleanup\.\d+")


def written_step(trail: str) -> int:
    """The number of the written step, from 1: 2 for ``2.repeat4``, 1 for ``1.a paid intent.2`` and ``cleanup.1``.

    0 where the trail names no step.
    """
    found = _NUMBER.search(trail)
    return int(found[1]) if found else 0


def phase_of(trail: str) -> int:
    """0 for what a scenario is about, 1 for its ``cleanup`` steps, 2 for taking back what its steps made."""
    if trail.startswith("undo."):
        return 2
    return 1 if _CLEANUP.search(trail) else 0


def step_words(step: int, trail: str) -> str:
    """``step 2``, or ``step 2.repeat4`` where the trail says more."""
    return f"step {trail or step}"
