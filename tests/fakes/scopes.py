"""A scope for expressions: names, records and a clock given by hand."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from troth.contracts.exchange import Interval
from troth.contracts.expressions.expression import Expression, compile_expression
from troth.contracts.expressions.unknowns import Instant
from troth.contracts.values import ABSENT, Unknown, Value
from troth.errors import Place, Problems


class FakeScope:
    """What names stand for. ``ask`` notes the question and says no."""

    def __init__(
        self,
        names: Mapping[str, Value] | None = None,
        rows: Mapping[tuple[str, Any], Value] | None = None,
        deleted: Collection[tuple[str, Any]] = (),
        now: Instant | Interval = Instant(1_000.0, 1_000.0),  # noqa: B008 - a frozen value
    ) -> None:
        self.names = names or {}
        self.rows = rows or {}
        self.gone = deleted
        self.time = now
        self.asked: list[str] = []

    def get(self, name: str) -> Value:
        return self.names.get(name, ABSENT)

    def ask(self, unknown: Unknown) -> bool:
        self.asked.append(unknown.label)
        return False

    def row(self, collection: str, key: Value) -> Value:
        return self.rows.get((collection, key), ABSENT)

    def deleted(self, collection: str, key: Value) -> bool:
        return (collection, key) in self.gone

    def now(self) -> Instant | Interval:
        return self.time


class FakeRecord:
    """A record: known fields, everything else unknown."""

    def __init__(self, name: str, fields: Mapping[str, Value]) -> None:
        self.name = name
        self.fields = fields

    def item(self, name: str) -> Value:
        return self.fields[name] if name in self.fields else Unknown(f"{self.name}.{name}")


def expression(source: object) -> Expression:
    """The compiled expression; fails the test when it has a problem."""
    problems = Problems()
    compiled = compile_expression(source, Place("contract.yaml", 3, 7), problems)
    assert compiled is not None, problems.items
    return compiled


def run(source: str, **names: Value) -> Value:
    """The value of an expression for these names."""
    return expression(source).run(FakeScope(names))


def decide(source: str, **names: Value) -> bool | None:
    """The expression as a condition, for these names."""
    return expression(source).decide(FakeScope(names))
