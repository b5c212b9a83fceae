"""What earlier runs prove about the places where a run disagrees."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from troth.runners.blame import Past
from troth.runners.history import Agreement, History

__all__ = ["Evidence"]


class Evidence:
    """Looks up the last agreement at a place, and whether it speaks for the contract of today.

    ``editions`` maps operations to today's; ``troth`` is the version that judges today. ``judge_again`` is asked when
    either was another at that time: it judges that night's answer anew (None: that cannot be done).
    """

    def __init__(
        self,
        history: History,
        editions: Mapping[str, str],
        troth: str,
        judge_again: Callable[[Agreement], bool | None],
    ) -> None:
        self._history = history
        self._editions = editions
        self._troth = troth
        self._judge_again = judge_again
        self._known: dict[tuple[str, str], Past] = {}

    def past(self, origin: str, where: str) -> Past:
        """What is known of ``origin`` as ``where`` (``operation.response``) shows it."""
        if (origin, where) not in self._known:
            self._known[origin, where] = self._look_up(origin, where)
        return self._known[origin, where]

    def _look_up(self, origin: str, where: str) -> Past:
        agreed = self._history.last_agreed(origin, where)
        if agreed is None:
            return Past()
        operation = where.rpartition(".")[0]
        if agreed.edition == self._editions.get(operation) and agreed.troth == self._troth:
            return Past(agreed, True)
        return Past(agreed, self._judge_again(agreed))
