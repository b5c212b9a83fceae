"""``troth doctor`` in lines."""

from __future__ import annotations

from collections.abc import Iterator

from troth.reports.visible import visible
from troth.runners.doctor import Diagnosis

__all__ = ["diagnosis_lines"]


def diagnosis_lines(diagnosis: Diagnosis) -> Iterator[str]:
    """What was asked, then a line for each thing that was looked at."""
    yield f"{visible(diagnosis.provider)}: {visible(diagnosis.asked)}"
    for sign in diagnosis.signs:
        yield f"  {sign.subject:<12} {sign.state:<8} {visible(sign.words)}"
