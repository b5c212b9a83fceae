"""What a run can look back on, and what must be said aloud: that there is no history, or that it is old."""

from __future__ import annotations

from troth.runners.finding import Remembered
from troth.runners.history import History

__all__ = ["OLD", "look_back"]

OLD = 4 * 86_400.0
"""Seconds after which the last night counts as old: longer than a weekend."""


def look_back(history: History, started: float, called: bool, kept: bool = True) -> Remembered:
    """For a run that started at ``started`` (Unix seconds), which has ``called`` the sandbox or not.

    ``kept``: is there a store at all?
    """
    last = history.last_night
    return Remembered(
        night=history.next_number if called else 0,
        nights=len(history.nights),
        last_run=last.run_id if last else None,
        last_time=last.started if last else None,
        warning=_warning(history, started, kept) if called else "",
    )


def _warning(history: History, started: float, kept: bool) -> str:
    last = history.last_night
    if not kept:
        return "no history was used: nothing can be called changed"
    if last is None:
        return (
            "no earlier night is known: this is the first, or the history was lost (`troth history pull` fetches it); "
            "nothing can be called changed"
        )
    if started - last.started > OLD:
        days = int((started - last.started) // 86_400)
        return f"the last night that is known is {days} days old (run {last.run_id}): what changed, changed since then"
    return ""
