"""Does a reply meet what its step expects? Unmet expectations are findings of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from troth.contracts.contract import Expect, Operation, Step
from troth.contracts.expressions.expression import Expression
from troth.contracts.judgement import Judgement
from troth.contracts.matcher import Mismatch, Origin, Scope
from troth.contracts.values import ABSENT, Value

__all__ = ["unmet_checks", "unmet_expectations", "what_is_read"]

_OTHER_RESPONSE = frozenset(
    {
        "response",
        "response_variant",
        "undeclared",
        "invalid_accepted",
        "valid_refused",
        "idempotency_ignored",
        "idempotency_scope",
    }
)


def unmet_expectations(
    expect: Expect, operation: Operation, judgement: Judgement, status: int, scope: Scope
) -> tuple[Mismatch, ...]:
    """Where the reply is not as ``expect`` says. When another response came, its content is not looked at."""
    wrong = tuple(_wrong_response(expect, operation, judgement, status))
    if wrong:
        return wrong
    origin = _origin(expect, operation, judgement.response)
    found: list[Mismatch] = []
    if expect.headers is not None:
        found += expect.headers.unmet(dict(judgement.headers), "headers", scope, origin)
    if expect.json is not None:
        found += expect.json.unmet(judgement.body, "$", scope, origin)
    return tuple(found)


def _wrong_response(expect: Expect, operation: Operation, judgement: Judgement, status: int) -> Iterator[Mismatch]:
    origin = _origin(expect, operation, None)
    came = judgement.response
    if expect.responses and came not in expect.responses and not _replays(expect, operation, judgement, status):
        names = expect.responses
        expected: Value = names[0] if len(names) == 1 else list(names)
        observed = came if came is not None else f"status {status}"
        yield Mismatch("expect", "response", expected, observed, origin, caused_by=_cause(operation, judgement, names))
    elif expect.status is not None and expect.status != status:
        yield Mismatch("expect", "status", expect.status, status, origin, caused_by=_cause(operation, judgement))


def _replays(expect: Expect, operation: Operation, judgement: Judgement, status: int) -> bool:
    """A replayed answer is the first one again, so its own name may be expected as well as ``replay``."""
    if judgement.response != "replay":
        return False
    shapes = [operation.response(name) for name in expect.responses]
    return any(shape is not None and shape.status == status for shape in shapes)


def _cause(operation: Operation, judgement: Judgement, expected: tuple[str, ...] = ()) -> str | None:
    """What explains that another response came: a mismatch that says so, or a doubt that it hangs on."""
    for mismatch in judgement.mismatches:
        if mismatch.kind in _OTHER_RESPONSE:
            return f"{operation.name} {mismatch.kind} {mismatch.path}"
    names = (*expected, judgement.response or "")
    return next((judgement.doubted[name] for name in names if name in judgement.doubted), None)


def _origin(expect: Expect, operation: Operation, came: str | None) -> Origin:
    name = expect.responses[0] if expect.responses else came
    return Origin(f"{operation.name}.{name}" if name else operation.name)


def unmet_checks(step: Step, operation: Operation, judgement: Judgement, scope: Scope) -> tuple[Mismatch, ...]:
    """Each ``check`` of the step that does not hold."""
    found = []
    for expression in step.check:
        if not expression.decide(scope):
            origin = _origin(step.expect, operation, judgement.response)
            shown = what_is_read(expression, scope)
            found.append(Mismatch("expect", "check", expression.source, shown, origin, "this to hold"))
    return tuple(found)


def what_is_read(expression: Expression, scope: Scope) -> dict[str, Value]:
    """Every path that an expression reads, and what stands there."""
    return {".".join(path): _read(path, scope) for path in sorted(expression.reads)}


def _read(path: tuple[str, ...], scope: Scope) -> Value:
    value = scope.get(path[0])
    for name in path[1:]:
        value = value.get(name, ABSENT) if isinstance(value, Mapping) else ABSENT
    return None if value is ABSENT else value
