"""Why a request got no answer: the nearest operations, and field by field what did not fit."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from troth.contracts.codecs import decode_body
from troth.contracts.exchange import Request, header
from troth.contracts.judgement import NearMiss
from troth.contracts.leaves import Fault
from troth.contracts.model.due_credentials import credentials_due
from troth.contracts.routing.router import unlike
from troth.contracts.values import ABSENT, Json, Value

if TYPE_CHECKING:
    from troth.contracts.auth import Auth
    from troth.contracts.contract import Contract, Operation
    from troth.contracts.matcher import Mismatch
    from troth.contracts.model.predict import Prediction
    from troth.contracts.routing.router import Route

__all__ = ["called_operation", "near_misses", "peek_body", "reasons", "refusals"]

_MOST = 10
"""How many reasons are kept of one request: a long list of wrong items says the same many times."""

_CARRIERS = {"header": "headers"}


def peek_body(contract: Contract, request: Request) -> Value:
    """The body decoded by its media type alone, for routing by ``on``; ABSENT when it cannot be."""
    content_type = header(request.headers, b"content-type")
    decoded = decode_body(("json", "form"), content_type, request.body, contract.codec_options["body"])
    return ABSENT if isinstance(decoded, Fault) else decoded[1]


def called_operation(contract: Contract, operation: Operation, request: Request) -> tuple[Operation, dict[str, str]]:
    """The operation on the wire that the request came on, and its path parameters.

    As it is, and without any, for a request that does not lead to it.
    """
    found = contract.router.find(request, partial(peek_body, contract, request))
    routed = contract.routed(found[0]) if found is not None else None
    return (
        (routed, found[1])
        if found is not None and routed is not None and routed.name == operation.name
        else (operation, {})
    )


def near_misses(contract: Contract, request: Request) -> tuple[NearMiss, ...]:
    """The nearest operations to a request that no route takes."""
    found = []
    for route in contract.router.nearest(request, partial(peek_body, contract, request)):
        operation = contract.routed(route.operation)
        shape = operation.request
        why = (*_routing(operation, request), *_on(contract, route, request))
        found.append(NearMiss(operation.name, shape.method, shape.path, why))
    return tuple(found)


def _routing(operation: Operation, request: Request) -> tuple[tuple[str, str, str], ...]:
    shape = operation.request
    reasons: list[tuple[str, str, str]] = []
    if shape.method != request.method:
        reasons.append(("method", shape.method, request.method))
    if not _path_fits(shape.path, request.path):
        reasons.append(("path", shape.path, request.path))
    if shape.host is not None and shape.host != request.host.partition(":")[0]:
        reasons.append(("host", shape.host, request.host or "none"))
    return tuple(reasons)


def _on(contract: Contract, route: Route, request: Request) -> tuple[tuple[str, str, str], ...]:
    unmet = unlike(route, request, partial(peek_body, contract, request))
    return tuple(
        (f"{_CARRIERS.get(where, where)}.{name}", value, "absent" if sent is None else sent)
        for where, name, value, sent in unmet
    )


def _path_fits(template: str, path: str) -> bool:
    ours, theirs = template.split("/"), path.split("/")
    return len(ours) == len(theirs) and all("{" in a or a == b for a, b in zip(ours, theirs, strict=True))


def refusals(operation: Operation, request: Request, prediction: Prediction, auth: Auth | None) -> tuple[NearMiss, ...]:
    """A routed request that the contract calls invalid, and for which it declares no answer."""
    why = list(reasons(prediction))
    if not prediction.scope.names["auth"]["ok"]:
        why.append(credentials_due(auth, request))
    if not why:
        why.append(("response", "one whose `when` holds", "none does"))
    return (NearMiss(operation.name, operation.request.method, operation.request.path, tuple(why)),)


def reasons(prediction: Prediction) -> tuple[tuple[str, str, str], ...]:
    """What is wrong with a request: path, what the contract wants there, and what was sent."""
    found = prediction.mismatches[:_MOST]
    return tuple((each.path, _wanted(each), _shown(each.observed)) for each in found)


def _wanted(mismatch: Mismatch) -> str:
    """The value itself where exactly one is due, else the demand in words."""
    if mismatch.kind == "value" and mismatch.expected is not ABSENT:
        return _shown(mismatch.expected)
    return mismatch.want or mismatch.reason


def _shown(value: Json) -> str:
    if value is ABSENT:
        return "absent"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
