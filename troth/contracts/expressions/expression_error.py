"""What is raised when an expression cannot be evaluated, and where it stands."""

from __future__ import annotations

from troth.errors import Place, TrothError
from troth.frozen import frozen

__all__ = ["ExpressionError", "Site"]


class ExpressionError(TrothError):
    """An expression that has no value for what it was given: ``'a' < 1``, ``null | length``, too large a result.

    ``source`` is the expression, ``place`` where it stands. A condition with this error is undecided
    (``Expression.decide`` gives None); ``run``, ``test`` and ``value`` raise it.
    """

    exit_code = 4

    def __init__(self, code: str, source: str, place: Place, found: str, fix: str = "") -> None:
        self.source, self.place = source, place
        at = f" ({place})" if place.file or place.line else ""
        super().__init__(code, f"the value of `{source}`{at}", found, fix)


@frozen
class Site:
    """Where an expression stands; closures keep it to say so when they fail."""

    source: str
    place: Place

    def error(self, found: str, fix: str = "") -> ExpressionError:
        """The operation makes no sense for these values."""
        return ExpressionError("E120", self.source, self.place, found, fix)

    def too_large(self, found: str) -> ExpressionError:
        """The result would break a limit."""
        return ExpressionError("E121", self.source, self.place, found, "Make it smaller")
