"""What earlier runs prove about the places where a run disagrees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from troth.runners.blame import Past
from troth.runners.history import Agreement, History, Stamp
from troth.runners.places import Spot

__all__ = ["Evidence"]

_SEARCHED = 40
"""Stored scenarios that are judged again for a place that has no history under its name of today."""


class Evidence:
    """Looks up the last agreement at a place, and whether it speaks for the contract of today.

    ``stamp`` gives what an agreement at a place would rest on today. ``judge_again`` is asked when it was something
    else then: it judges that night's answer anew (None: that cannot be done).
    """

    def __init__(
        self,
        history: History,
        stamp: Callable[[Spot], Stamp],
        judge_again: Callable[[Spot, Agreement], bool | None],
    ) -> None:
        self._history = history
        self._stamp = stamp
        self._judge_again = judge_again
        self._known: dict[Spot, Past] = {}

    def past(self, spot: Spot) -> Past:
        """What is known of a place."""
        if spot not in self._known:
            found = self._look_up(spot)
            night = self._history.number(found.agreed.run_id) if found.agreed else None
            self._known[spot] = replace(found, night=night)
        return self._known[spot]

    def _look_up(self, spot: Spot) -> Past:
        """The newest agreement that speaks for today's contract, else the newest one."""
        newest: Past | None = None
        for agreed in self._history.agreed(spot.origin, spot.where):
            if agreed.stamp == self._stamp(spot):
                return Past(agreed, True)
            fits = self._judge_again(spot, agreed)
            if fits:
                return Past(agreed, True, again=True)
            newest = newest or Past(agreed, fits, again=fits is not None)
        return newest or self._under_another_name(spot)

    def _under_another_name(self, spot: Spot) -> Past:
        """A type, response or operation that was renamed has its past under the old name: judged again, old answers
        tell whether they show what the new name asks for.
        """
        unfit: Agreement | None = None
        for agreed in self._elsewhere(spot):
            fits = self._judge_again(spot, agreed)
            if fits:
                return Past(agreed, True, again=True)
            if fits is False:
                unfit = unfit or agreed
        return Past(unfit=unfit)

    def _elsewhere(self, spot: Spot) -> Iterator[Agreement]:
        """One agreement of each stored scenario that may show the place, newest first."""
        every = self._history.all_agreed()
        if spot.reply or spot.scenario:
            # Which reply came depends on what a scenario did before: another one tells nothing.
            every = [agreed for agreed in every if agreed.scenario == spot.scenario]
        here = [agreed for agreed in every if agreed.where == spot.where]
        # A response that was renamed is found among its operation's.
        here = here or [agreed for agreed in every if agreed.where.startswith(f"{spot.operation}.")]
        today = self._stamp(spot)
        seen: set[tuple[str, str]] = set()
        for agreed in here or every:
            if (agreed.run_id, agreed.scenario) in seen or agreed.stamp == today:
                continue
            seen.add((agreed.run_id, agreed.scenario))
            yield agreed
            if len(seen) == _SEARCHED:
                return
