"""Nondeterminism as an argument: whoever predicts asks ``choose``; a judge enumerates every answer.

Illegal answers are options too, each with a code and a cost. A judge tries them only when no legal world fits; an
explanation must be strictly cheaper than the mismatches that it explains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from troth.contracts.values import ABSENT, Json

__all__ = ["Choose", "Departure", "first_legal", "worlds"]

T = TypeVar("T")

MOST_WORLDS = 64


class Departure(NamedTuple):
    """One way in which a provider may leave the contract: the kind of the finding, and what it costs to believe it.

    ``detail`` is the path of the finding; ``expected`` and ``observed`` what is said there, where that is known.
    """

    code: str
    cost: int
    origin: str
    detail: str = ""
    expected: Json = ABSENT
    observed: Json = ABSENT


class Choose(Protocol):
    """Which of ``legal`` options (0 to legal - 1), or which of the illegal ones after them?"""

    def __call__(self, label: str, legal: int, illegal: Sequence[Departure] = ()) -> int: ...


def first_legal(label: str, legal: int, illegal: Sequence[Departure] = ()) -> int:
    """What a simulator answers."""
    return 0


class _Chooser:
    """Answers from ``prefix``, then always 0; notes what could have been chosen."""

    def __init__(self, prefix: tuple[int, ...]) -> None:
        self.prefix = prefix
        self.taken: list[int] = []
        self.options: list[tuple[int, tuple[Departure, ...]]] = []

    def __call__(self, label: str, legal: int, illegal: Sequence[Departure] = ()) -> int:
        at = len(self.taken)
        answer = self.prefix[at] if at < len(self.prefix) else 0
        self.taken.append(answer)
        self.options.append((legal, tuple(illegal)))
        return answer

    def departure(self) -> Departure | None:
        """The illegal option that was taken, if any."""
        for answer, (legal, illegal) in zip(self.taken, self.options, strict=True):
            if answer >= legal:
                return illegal[answer - legal]
        return None


class World(NamedTuple, Generic[T]):
    """What was predicted under one set of answers."""

    prediction: T
    departure: Departure | None


def worlds(predict: Callable[[Choose], T], *, illegal: bool = False) -> Iterator[World[T]]:
    """Every world, the likeliest first, at most ``MOST_WORLDS``. ``illegal``: only those with one departure."""
    stack: list[tuple[int, ...]] = [()]
    seen = 0
    while stack and seen < MOST_WORLDS:
        chooser = _Chooser(stack.pop(0))
        prediction = predict(chooser)
        departure = chooser.departure()
        seen += 1
        if (departure is not None) == illegal:
            yield World(prediction, departure)
        for at in range(len(chooser.prefix), len(chooser.taken)):
            legal, wrong = chooser.options[at]
            start = tuple(chooser.taken[:at])
            stack += [(*start, option) for option in range(1, legal)]
            if illegal and departure is None:
                stack += [(*start, legal + index) for index in range(len(wrong))]
