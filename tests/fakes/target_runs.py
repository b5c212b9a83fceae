"""Hand-made contracts and target runs: what the loader and the engine would give, in a few words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from troth.contracts.contract import Contract, Operation, Proven, RequestShape, ResponseShape, Scenario
from troth.contracts.judgement import Choice, Judgement, Unobserved
from troth.contracts.matcher import Mismatch, Origin
from troth.contracts.values import ABSENT
from troth.runners.finding import RecordedExchange
from troth.runners.step_result import Outcome, StepResult, TargetRun

__all__ = ["choice", "contract", "mismatch", "run", "step"]

NIGHT = 1_800_000_000.0


def contract(
    provider: str = "acmepay",
    responses: Iterable[str] = ("created", "declined"),
    proven: Proven | None = None,
    scenarios: Iterable[str] = ("a charge is kept",),
) -> Contract:
    """A contract with the operations ``charge`` and ``get``, each with the same responses, and no matchers."""
    shapes = tuple(ResponseShape(name, 402 if name == "declined" else 200) for name in responses)
    return Contract(
        provider=provider,
        title="",
        path=Path(f"{provider}/contract.yaml"),
        operations={name: _operation(name, shapes) for name in ("charge", "get")},
        collections={},
        scenarios={name: Scenario(name, ()) for name in scenarios},
        secrets={},
        auth=None,
        targets={},
        data={},
        versions_from=None,
        versions=(),
        router=None,  # type: ignore[arg-type]  # nothing is routed
        proven=proven,
        content_hash="0123456789abcdef",
    )


def _operation(name: str, responses: tuple[ResponseShape, ...]) -> Operation:
    request = RequestShape("POST", f"/{name}", None, {}, {}, {}, None, None, None, {}, None, None, ())  # type: ignore[arg-type]
    return Operation(name, "", request, {}, responses)


def mismatch(
    kind: str = "value",
    path: str = "$.status",
    expected: Any = "succeeded",
    observed: Any = "pending",
    origin: str = "Charge.status",
    **more: Any,
) -> Mismatch:
    """A mismatch; ``origin`` is a type and the path in it."""
    type_, dot, rest = origin.partition(".")
    return Mismatch(kind, path, expected, observed, Origin(type_, dot + rest), **more)


def choice(what: Any, value: Any, origin: str = "Charge.note") -> Choice:
    """A place that the contract leaves open."""
    type_, dot, rest = origin.partition(".")
    return Choice(what, value, Origin(type_, dot + rest))


def step(
    number: int = 1,
    *wrong: Mismatch,
    operation: str = "charge",
    scenario: str = "a charge is kept",
    response: str | None = "created",
    body: Any = ABSENT,
    unmet: Iterable[Mismatch] = (),
    unobserved: Unobserved | None = None,
    choices: Mapping[str, Choice] | None = None,
    created: Iterable[tuple[str, Any]] = (),
    agreed: Iterable[str] = (),
    url: str = "",
    **more: Any,
) -> StepResult:
    """One step; ``wrong`` are its mismatches. ``more`` goes into the StepResult (``trail``, ``final``)."""
    shown = {} if body is ABSENT else body
    exchange = RecordedExchange(
        target="",
        scenario=scenario,
        step=number,
        operation=operation,
        method="POST",
        url=url or f"http://target/{operation}",
        request_headers=(),
        request_body="",
        status=200 if response else None,
        response_headers=(),
        response_body=json.dumps(shown),
        response_name=response,
        started=NIGHT,
    )
    judged = Judgement(
        operation,
        response,
        predicted=("created",),
        mismatches=wrong,
        agreed=frozenset(Origin(*_split(origin)) for origin in agreed),
        unobserved=unobserved,
        choices=choices or {},
        body=shown,
        created=tuple(created),
    )
    more.setdefault("trail", str(number))
    return StepResult(
        scenario, number, operation=operation, exchange=exchange, judgement=judged, unmet=tuple(unmet), **more
    )


def _split(origin: str) -> tuple[str, str]:
    type_, dot, rest = origin.partition(".")
    return type_, dot + rest


def run(*steps: StepResult, target: str = "sandbox", **more: Any) -> TargetRun:
    """All steps on one target; each scenario went ``ok`` unless ``outcomes`` says otherwise."""
    results = tuple(replace(item, exchange=replace(item.exchange, target=target)) for item in steps)
    names = dict.fromkeys(item.scenario for item in steps)
    more.setdefault("outcomes", tuple(Outcome(name, "ok") for name in names))
    return TargetRun(target, f"http://{target}", results, **more)
