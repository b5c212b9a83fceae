"""Contracts put together by hand, for tests of what only reads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from troth.contracts.contract import (
    Auth,
    Call,
    Contract,
    Operation,
    RequestShape,
    Scenario,
    Secret,
    Step,
    Target,
    Undo,
)
from troth.errors import Place

__all__ = ["ReadsSecret", "contract", "operation", "scenario", "step"]


class ReadsSecret:
    """Stands for an expression ``secrets.name``."""

    constant = False

    def __init__(self, name: str) -> None:
        self.name = name
        self.reads = frozenset({("secrets", name)})
        self.expressions = (self,)

    def value(self, scope: Any) -> Any:
        return scope.get("secrets").item(self.name)


def operation(
    name: str,
    method: str = "POST",
    path: str = "/things",
    *,
    host: str | None = None,
    undo: str | None = None,
    lets: Mapping[str, Any] | None = None,
    auth: Auth | None = None,
) -> Operation:
    """An operation without fields or responses."""
    none: Any = None
    shape = RequestShape(method, path, host, {}, {}, {}, none, none, none, {}, none, None, ())
    back = Undo(undo, {}) if undo else None
    return Operation(name, name, shape, lets or {}, (), undo=back, auth=auth)


def step(call: str, *, auth: bool = True, **values: Any) -> Step:
    """A step that calls an operation."""
    return Step(Place(), call=Call(call, values, auth))


def scenario(name: str, *steps: Step, part: bool = False, cleanup: tuple[Step, ...] = ()) -> Scenario:
    """A scenario of these steps."""
    return Scenario(name, steps, cleanup, part)


def contract(
    *scenarios: Scenario,
    operations: tuple[Operation, ...] = (),
    secrets: tuple[Secret, ...] = (),
    targets: tuple[Target, ...] = (),
    auth: Auth | None = None,
) -> Contract:
    """A contract of these parts, for the provider ``acmepay``."""
    router: Any = None
    return Contract(
        provider="acmepay",
        title="",
        path=Path("contract.yaml"),
        operations={one.name: one for one in operations},
        collections={},
        scenarios={one.name: one for one in scenarios},
        secrets={one.name: one for one in secrets},
        auth=auth,
        targets={one.name: one for one in targets},
        data={},
        versions_from=None,
        versions=(),
        router=router,
        proven=None,
        content_hash="0" * 16,
    )
