"""What earlier runs prove about the places where a run disagrees."""

from __future__ import annotations

from collections.abc import Callable

from troth.runners.blame import Past
from troth.runners.history import Agreement, History
from troth.runners.places import Spot

__all__ = ["Evidence"]


class Evidence:
    """Looks up the last agreement at a place, and whether it speaks for the contract of today.

    ``edition`` gives today's of a place, and ``troth`` is the version that judges today. ``judge_again`` is asked when
    either was another at that time: it judges that night's answer anew (None: that cannot be done).
    """

    def __init__(
        self,
        history: History,
        edition: Callable[[Spot], str],
        troth: str,
        judge_again: Callable[[Spot, Agreement], bool | None],
    ) -> None:
        self._history = history
        self._edition = edition
        self._troth = troth
        self._judge_again = judge_again
        self._known: dict[Spot, Past] = {}

    def past(self, spot: Spot) -> Past:
        """What is known of a place."""
        if spot not in self._known:
            self._known[spot] = self._look_up(spot)
        return self._known[spot]

    def _look_up(self, spot: Spot) -> Past:
        agreed = self._history.last_agreed(spot.origin, spot.where)
        if agreed is None:
            return Past()
        if agreed.edition == self._edition(spot) and agreed.troth == self._troth:
            return Past(agreed, True)
        return Past(agreed, self._judge_again(spot, agreed))
