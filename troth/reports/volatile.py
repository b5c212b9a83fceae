"""Where a sandbox differs from itself, in words: how often it was seen, the bound, and what was made of it."""

from __future__ import annotations

from collections.abc import Iterator

from troth.reports.visible import visible
from troth.runners.finding import ProviderRun, Volatile

__all__ = ["volatile_lines"]


def volatile_lines(provider: ProviderRun) -> Iterator[str]:
    """A line for each place."""
    return map(_line, provider.volatile)


def _line(item: Volatile) -> str:
    seen = f"{item.differed} of {item.repeats} repeats"
    bound = f"at least {item.bound:.1%}, with {item.confidence:.0%} confidence"
    return f"volatile: {visible(item.where)} {visible(item.path)}, {seen} ({bound}); {_made(item)}"


def _made(item: Volatile) -> str:
    if item.alike:
        return "the simulator does one of the things that the sandbox does, so it is no difference"
    if item.refused:
        return f"still told as {item.kind}: {visible(item.refused)}"
    return f"{item.kind} is masked here, which was tried with planted changes"
