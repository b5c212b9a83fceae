"""The server's turns: everything is read, then everything is answered, then everything is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from troth.simulators.turns import Turns


class Loop:
    """Keeps what is to be called soon until ``turn``."""

    def __init__(self) -> None:
        self.soon: list[Callable[[], object]] = []

    def call_soon(self, callback: Callable[[], object]) -> None:
        self.soon.append(callback)

    def turn(self) -> None:
        soon, self.soon = self.soon, []
        for callback in soon:
            callback()


class Client:
    """Notes what its turn brings; ``again`` makes it join once more while it answers."""

    def __init__(self, name: str, turns: Turns, log: list[str], again: bool = False) -> None:
        self.name, self.turns, self.log, self.again = name, turns, log, again

    def answer(self) -> None:
        self.log.append(f"answer {self.name}")
        if self.again:
            self.again = False
            self.turns.join(self)

    def send(self) -> None:
        self.log.append(f"send {self.name}")


def turns_of(loop: Loop) -> Turns:
    return Turns(cast("object", loop))  # type: ignore[arg-type]


def test_all_are_answered_before_any_is_sent() -> None:
    """In the order in which they came, and in one call of the loop."""
    loop, log = Loop(), list[str]()
    turns = turns_of(loop)
    for name in "abc":
        turns.join(Client(name, turns, log))
    assert len(loop.soon) == 1
    loop.turn()
    assert log == ["answer a", "answer b", "answer c", "send a", "send b", "send c"]
    assert loop.soon == []


def test_who_comes_during_a_turn_waits_for_the_next() -> None:
    """Else one busy client could keep the others from their answers."""
    loop, log = Loop(), list[str]()
    turns = turns_of(loop)
    turns.join(Client("a", turns, log, again=True))
    loop.turn()
    assert log == ["answer a", "send a"]
    loop.turn()
    assert log == ["answer a", "send a", "answer a", "send a"]
