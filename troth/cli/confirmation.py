"""When a finding counts as confirmed: the settings, and the options that go before them."""

from __future__ import annotations

from troth.config import Settings, spread_seconds
from troth.errors import UsageError
from troth.runners.trial import Rule

__all__ = ["confirmation"]


def confirmation(settings: Settings, sightings: int | None = None, over: str | None = None) -> Rule:
    """The rule for this run. UsageError E911 for an ``over`` that is no duration."""
    try:
        seconds = settings.confirm.over_seconds if over is None else spread_seconds(over)
    except ValueError as error:
        asked, _, found = str(error).partition("; found ")
        raise UsageError("E911", f"--confirm-over: {asked}", found or repr(over)) from None
    return Rule(sightings or settings.confirm.sightings, settings.confirm.misses, seconds)
