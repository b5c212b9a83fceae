"""What scenarios need before the first call: which operations they reach, and which secrets those use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass

from troth.contracts.auth import Auth, Certificate
from troth.contracts.contract import Contract, Operation, Scenario, Step, Target

__all__ = [
    "asks_for_nothing",
    "auths",
    "called_operations",
    "needed_certificates",
    "needed_secrets",
    "runnable",
    "variables",
]


def runnable(contract: Contract) -> tuple[Scenario, ...]:
    """The scenarios that run by themselves: all but parts, in the order of the contract."""
    return tuple(scenario for scenario in contract.scenarios.values() if not scenario.part)


def called_operations(contract: Contract, scenarios: Iterable[Scenario]) -> dict[str, bool]:
    """Every operation that ``scenarios`` reach (parts, cleanup and undo too): does any call of it send credentials?"""
    signed: dict[str, bool] = {}
    for step in _steps(contract, scenarios):
        if step.call is not None:
            _reach(contract, step.call.operation, step.call.auth, signed)
    return signed


def _reach(contract: Contract, name: str, auth: bool, signed: dict[str, bool]) -> None:
    if signed.get(name, False) >= auth and name in signed:
        return
    signed[name] = auth
    operation = contract.operations.get(name)
    if operation is None:
        return
    if operation.undo is not None:
        _reach(contract, operation.undo.call, True, signed)
    sign = (operation.auth or contract.auth) if auth else None
    if sign is not None and sign.grant is not None:
        _reach(contract, sign.grant.operation, True, signed)


def _steps(contract: Contract, scenarios: Iterable[Scenario]) -> Iterator[Step]:
    for scenario in _reached(contract, scenarios):
        yield from (*scenario.steps, *scenario.cleanup)


def _reached(contract: Contract, scenarios: Iterable[Scenario]) -> Iterator[Scenario]:
    """``scenarios`` and the parts that they include, each once."""
    seen: set[str] = set()
    waiting = list(scenarios)
    while waiting:
        scenario = waiting.pop()
        if scenario.name in seen:
            continue
        seen.add(scenario.name)
        yield scenario
        included = [step.include for step in (*scenario.steps, *scenario.cleanup)]
        waiting += [contract.scenarios[name] for name in included if name is not None and name in contract.scenarios]


def asks_for_nothing(operation: Operation) -> bool:
    """Does it only read, at one address, and may every field of its request be left out?"""
    shape = operation.request
    routed = shape.host or shape.on_headers or shape.on_query or shape.on_body
    fields = (*shape.query.fields, *shape.headers.fields, *shape.cookies.fields)
    demands = shape.codecs or not all(field.optional for field in fields)
    return shape.method in ("GET", "HEAD") and "{" not in shape.path and not demands and not routed


def auths(contract: Contract) -> tuple[Auth, ...]:
    """Every way in which the contract signs requests."""
    found = [operation.auth for operation in contract.operations.values()]
    return tuple(auth for auth in (contract.auth, *found) if auth is not None)


def needed_secrets(contract: Contract, scenarios: Iterable[Scenario]) -> frozenset[str]:
    """The secrets that the auth of the called operations, these operations and the scenarios themselves use.

    The others (a webhook's, say) may be missing from the environment. That a step sends no credentials changes nothing:
    who has none, or one that is refused, calls nothing but operations that are open to everybody.
    """
    scenarios = tuple(scenarios)
    roots: list[object] = list(_steps(contract, scenarios))
    roots += [scenario.given for scenario in _reached(contract, scenarios)]
    for name in called_operations(contract, scenarios):
        operation = contract.operations.get(name)
        if operation is not None:
            roots += _parts(contract, operation)
    return frozenset(_secrets(roots)) & contract.secrets.keys()


def needed_certificates(contract: Contract, scenarios: Iterable[Scenario]) -> tuple[Certificate, ...]:
    """The client certificates that the called operations show."""
    found: dict[Certificate, None] = {}
    for name, signed in called_operations(contract, tuple(scenarios)).items():
        operation = contract.operations.get(name)
        auth = (operation.auth or contract.auth) if operation is not None and signed else None
        if auth is not None and auth.certificate is not None:
            found[auth.certificate] = None
    return tuple(found)


def variables(contract: Contract, target: Target, auth: Auth | None) -> tuple[str, ...]:
    """The variables that hold the credentials of ``auth`` on a target, those that a token is fetched with included."""
    if auth is None:
        return ()
    parts: list[object] = [auth]
    if auth.grant is not None and auth.grant.operation in contract.operations:
        parts.append(contract.operations[auth.grant.operation].auth)
    names = sorted({*_secrets(parts)} & contract.secrets.keys())
    found = [target.secrets.get(name, contract.secrets[name].env) for name in names]
    return (*found, *((auth.certificate.cert, auth.certificate.key) if auth.certificate is not None else ()))


def _parts(contract: Contract, operation: Operation) -> list[object]:
    parts: list[object] = [operation.lets, operation.request, operation.responses]
    return [*parts, operation.idempotency, operation.undo, operation.auth or contract.auth]


def _secrets(roots: Iterable[object]) -> Iterator[str]:
    """Second names of every ``secrets.x`` that an expression anywhere below ``roots`` reads."""
    seen: set[int] = set()
    waiting = list(roots)
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        for path in getattr(thing, "reads", ()):
            if len(path) > 1 and path[0] == "secrets":
                yield path[1]
        waiting.extend(_inside(thing))


def _inside(thing: object) -> Iterable[object]:
    if isinstance(thing, Mapping):
        return thing.values()
    if isinstance(thing, list | tuple | frozenset):
        return thing
    if not type(thing).__module__.startswith("troth."):
        return ()
    if is_dataclass(thing):
        return [getattr(thing, field.name) for field in fields(thing)]
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    return [getattr(thing, name, None) for name in slots if not name.startswith("__")]
