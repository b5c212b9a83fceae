"""What is doubtful in a compiled contract: responses that never come, that look alike, or that nothing proves."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations
from typing import Any

from troth.contracts.contract import Contract, Operation, ResponseShape
from troth.contracts.nodes.base import Node
from troth.contracts.nodes.choice import Branches
from troth.contracts.nodes.leaf import Literal
from troth.contracts.nodes.shape import Shape
from troth.contracts.select import Select
from troth.contracts.values import Json
from troth.errors import Problem

__all__ = ["lint_model", "unproven"]

_UNCERTAIN = frozenset({"maybe", "now", "state", "it"})


def lint_model(contract: Contract) -> list[Problem]:
    """W020 and W021: what can be seen without running anything."""
    return [problem for operation in contract.operations.values() for problem in _operation(operation)]


def _operation(operation: Operation) -> Iterator[Problem]:
    yield from _never(operation)
    yield from _alike(operation)


def _never(operation: Operation) -> Iterator[Problem]:
    """A condition that is constant hides its own response, or all that stand below it."""
    always = ""
    for shape in operation.responses:
        where = f"{operation.name}.{shape.name}"
        if always:
            yield Problem("W020", shape.place, f"a response {where} that can come", f"{always} always comes before it")
        elif shape.when is not None and shape.when.constant:
            holds = bool(shape.when.run(None))  # type: ignore[arg-type]
            if holds:
                always = shape.name
            else:
                asked = f"a condition of {where} that can hold"
                yield Problem("W020", shape.place, asked, f"`{shape.when.source}`, which never does")


def _alike(operation: Operation) -> Iterator[Problem]:
    """Two undecided responses with one status and no differing literal: a judge cannot tell which came."""
    unsure = [shape for shape in operation.responses if shape.when is not None and _uncertain(shape.when, operation)]
    last = [shape for shape in operation.responses if shape.when is None]
    for first, second in combinations([*unsure, *last], 2):
        if first.status != second.status or first.means or second.means or _told_apart(first.body, second.body):
            continue
        asked = f"a status or a literal that tells {operation.name}.{first.name} from {second.name}"
        fix = "Where both are possible, nobody can say which of them came"
        yield Problem("W021", second.place, asked, f"{second.status} for both, and bodies that fit both", fix)


def _uncertain(expression: Any, operation: Operation, seen: frozenset[str] = frozenset()) -> bool:
    """May the condition be undecided on a sandbox?"""
    if isinstance(expression, Select):
        return True
    for name in expression.names - seen:
        if name in _UNCERTAIN:
            return True
        let = operation.lets.get(name)
        if let is not None and _uncertain(let, operation, seen | {name}):
            return True
    return False


def _told_apart(first: Node | None, second: Node | None) -> bool:
    """Is there a place where each has another literal, or where one must have what the other cannot?"""
    if (first is None) != (second is None):
        return True
    cases = _same_cases(first, second)
    if cases:
        return all(_told_apart(a, b) for a, b in cases)
    a, b = _literals(first), _literals(second)
    if any(a[path] != b[path] for path in a.keys() & b.keys()):
        return True
    return bool(_shape(first) and _shape(second) and _required(first) != _required(second))


def _same_cases(first: Node | None, second: Node | None) -> list[tuple[Node, Node]]:
    """The alternatives of two `$case` on the same thing, pair by pair; nothing for any other nodes."""
    a, b = (getattr(node, "target", node) for node in (first, second))
    if not isinstance(a, Branches) or not isinstance(b, Branches) or a.name != "case" or b.name != "case":
        return []
    alike = a.selector.source == b.selector.source and a.branches.keys() == b.branches.keys()
    return [(a.branches[key], b.branches[key]) for key in a.branches] if alike else []


def _shape(node: Node | None) -> Shape | None:
    target = getattr(node, "target", node)
    return target if isinstance(target, Shape) else None


def _required(node: Node | None, path: str = "$") -> frozenset[str]:
    shape = _shape(node)
    if shape is None or len(path) > 200:
        return frozenset()
    own = {f"{path}.{field.name}" for field in shape.fields if not field.optional}
    below = [_required(field.node, f"{path}.{field.name}") for field in shape.fields if isinstance(field.node, Shape)]
    return frozenset(own).union(*below)


def _literals(node: Node | None, path: str = "$") -> dict[str, Json]:
    """Path to literal, as far as objects reach."""
    if isinstance(node, Literal) or (node is not None and node.is_ is not None and node.is_.constant):
        value = node.fixed
        return {path: value} if isinstance(value, str | int | float | bool | type(None)) else {}
    found: dict[str, Json] = {}
    shape = _shape(node)
    for field in shape.fields if shape is not None and len(path) < 200 else ():
        if (not field.optional and isinstance(field.node, Shape | Literal)) or field.node.is_ is not None:
            found.update(_literals(field.node, f"{path}.{field.name}"))
    return found


def unproven(contract: Contract, reached: Collection[str]) -> Iterator[Problem]:
    """W022 and W023: operations that no scenario calls, responses that none of them reaches.

    ``reached`` has ``operation.response`` of everything that the scenarios saw on a simulator. A response that comes
    from ``defaults`` or a trait is proven when one operation proves it; one with ``means`` need not be.
    """
    inherited: dict[str, tuple[ResponseShape, list[str]]] = {}
    for operation in contract.operations.values():
        if not any(name.startswith(f"{operation.name}.") for name in reached):
            asked = f"a scenario that calls {operation.name}"
            yield Problem("W023", operation.place, asked, "none", "Its answers are never compared with the provider's")
            continue
        for shape in operation.responses:
            if shape.means is not None:
                continue
            if shape.inherited:
                inherited.setdefault(shape.name, (shape, []))[1].append(operation.name)
            elif f"{operation.name}.{shape.name}" not in reached:
                yield _unproven(shape, f"{operation.name}.{shape.name}")
    for name, (shape, operations) in inherited.items():
        if not any(f"{operation}.{name}" in reached for operation in operations):
            yield _unproven(shape, name)


def _unproven(shape: ResponseShape, name: str) -> Problem:
    fix = "Write a step with `expect` for it; until then nothing compares it with the provider"
    return Problem("W022", shape.place, f"a scenario that reaches {name}", "none", fix)
