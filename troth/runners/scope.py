"""What names stand for in the expressions of a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from troth.contracts.expressions.unknowns import Instant
from troth.contracts.matcher import Draw, Mismatch
from troth.contracts.model.draw import HashDraw
from troth.contracts.values import ABSENT, Json, Unknown, Value

__all__ = ["SecretValues", "StepScope"]


class SecretValues:
    """``secrets`` in expressions: gives a value by name, and shows none of them."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)

    def item(self, name: str) -> Value:
        """The value of the secret ``name``; ABSENT when this run does not hold it."""
        return self._values.get(name, ABSENT)

    def __repr__(self) -> str:
        return f"SecretValues({len(self._values)} hidden)"

    def __reduce__(self) -> str:
        raise TypeError("secrets are not pickled")


class StepScope:
    """The names of one moment in a scenario: what was kept, and what the call just made gives.

    The runner knows everything that it may ask about, so nothing forks: an unknown value is not true.
    """

    __slots__ = ("_names", "_now")

    def __init__(self, names: Mapping[str, Value], now: float = 0.0) -> None:
        self._names = dict(names)
        self._now = now

    @property
    def draw(self) -> Draw:
        """Nothing in a scenario is drawn; ``unique`` makes names."""
        return HashDraw(b"scenario")

    @property
    def open(self) -> bool:
        """What the runner does not know it does not ask about."""
        return False

    @property
    def version_index(self) -> int:
        return 0

    def get(self, name: str) -> Value:
        return self._names.get(name, ABSENT)

    def bind(self, name: str, value: Value) -> Value:
        before = self._names.get(name, ABSENT)
        self._names[name] = value
        return before

    def versions(self, record: Value) -> tuple[Value, ...]:
        return (record,)

    def mistimed(self, record: Value) -> tuple[tuple[Mismatch, Value], ...]:
        return ()

    def ask(self, unknown: Unknown) -> bool:
        return False

    def row(self, collection: str, key: Value) -> Value:
        return ABSENT

    def link(self, collection: str, key_node: Any) -> Json:
        """Nothing in a scenario is sampled."""
        return ABSENT

    def deleted(self, collection: str, key: Value) -> bool:
        return False

    def now(self) -> Value:
        return Instant(self._now, self._now)
