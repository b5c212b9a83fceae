"""Progress of a run: drawn over itself on a terminal, one plain line for each scenario elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from troth.runners.events import (
    CallFinished,
    Event,
    OnEvent,
    Rerunning,
    ScenarioFinished,
    ScenarioStarted,
    TargetFinished,
    TargetStarted,
    Waiting,
)

if TYPE_CHECKING:
    from troth.cli.session import Session

__all__ = ["progress", "status_of", "words_for"]


@contextmanager
def progress(session: Session) -> Iterator[OnEvent]:
    """What a run calls with its events, while this lasts."""
    if session.lively:
        with _drawn() as draw:
            yield draw
        return

    def plain(event: Event) -> None:
        words = words_for(event)
        if words:
            session.note(words)

    yield plain


@contextmanager
def _drawn() -> Iterator[OnEvent]:
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True, highlight=False)
    with console.status("Starting") as status:

        def draw(event: Event) -> None:
            words, now = words_for(event), status_of(event)
            if words:
                console.print(escape(words))
            if now:
                status.update(escape(now))

        yield draw


def words_for(event: Event) -> str | None:
    """A line worth keeping; None for what only matters while it happens."""
    match event:
        case TargetStarted():
            count = "1 scenario" if event.scenarios == 1 else f"{event.scenarios} scenarios"
            # A simulator of a run has no address: it is called in process.
            where = event.target if event.target == "simulator" else f"{event.target} {event.url}"
            return f"{event.provider}: {count} on {where}"
        case ScenarioFinished():
            return _finished(event)
        case Rerunning():
            what = "1 disagreeing scenario" if event.scenarios == 1 else f"{event.scenarios} disagreeing scenarios"
            return f"{event.provider}: {what} again on {event.target}, run {event.attempt}"
        case TargetFinished(stopped=stopped) if stopped is not None:
            return f"{event.provider}: gave {event.target} up: {stopped.reason}"
        case _:
            return None


def _finished(event: ScenarioFinished) -> str:
    outcome = event.outcome
    if event.mismatches:
        outcome = f"{event.mismatches} mismatch{'es' if event.mismatches > 1 else ''}"
    reason = f" ({event.reason})" if event.reason else ""
    return f"  {event.target}: {event.scenario}: {outcome}{reason}"


def status_of(event: Event) -> str | None:
    """What is going on right now."""
    match event:
        case ScenarioStarted():
            return f"{event.provider} on {event.target}: {event.scenario}"
        case CallFinished():
            return f"{event.provider} on {event.target}: {event.scenario}: {event.operation}"
        case Waiting():
            return f"{event.provider} on {event.target}: {event.scenario}: waiting {event.seconds:.0f} s, {event.why}"
        case _:
            return None
