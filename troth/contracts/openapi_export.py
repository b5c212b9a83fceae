"""A contract as an OpenAPI 3.1 document: what of it can be said there, for tools that read OpenAPI.

The document is wider than the contract: it has shapes and statuses, and neither state nor conditions, so that whatever
a simulator may answer fits it. What OpenAPI cannot say at all is left out, and listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from troth.contracts.codecs import FormOptions
from troth.contracts.contract import Contract, Operation, ResponseShape
from troth.contracts.nodes.base import Node
from troth.contracts.nodes.leaf import Ref
from troth.contracts.nodes.shape import Field, Shape
from troth.frozen import frozen

__all__ = ["Exported", "export_openapi"]

_MEDIA = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "multipart": "multipart/form-data",
    "text": "text/plain",
    "bytes": "application/octet-stream",
}
_STYLES = {"brackets": "deepObject"}
"""How objects stand in a query, where OpenAPI has a word for it."""


@frozen
class Exported:
    """``document`` is plain JSON; ``left_out`` says what of operations and wires is not in it, and why."""

    document: dict[str, Any]
    left_out: tuple[str, ...] = ()


@dataclass(slots=True)
class _Paths:
    items: dict[str, dict[str, Any]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)


def export_openapi(contract: Contract) -> Exported:
    """Every operation that OpenAPI can hold, with all responses that it declares; ``operationId`` is its name."""
    paths = _Paths()
    for operation in contract.operations.values():
        _add(contract, operation, paths)
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": contract.title or contract.provider, "version": contract.content_hash},
        "paths": paths.items,
        "components": {"schemas": _components(paths.nodes)},
    }
    return Exported(document, tuple(paths.left_out))


def _add(contract: Contract, operation: Operation, paths: _Paths) -> None:
    request = operation.request
    method = request.method.lower()
    here = paths.items.get(request.path, {})
    why = ""
    if method in here:
        why = f"OpenAPI has one operation for {request.method} {request.path}, and {here[method]['operationId']} is it"
    elif request.host is not None:
        why = f"it is on a host of its own ({request.host})"
    else:
        why = _unsayable(request.query.fields, contract.codec_options["query"])
    if why:
        paths.left_out.append(f"{operation.name}: {why}")
        return
    paths.items.setdefault(request.path, {})[method] = _operation(contract, operation)
    paths.nodes += _nodes(operation)
    others = [wire for wire in operation.wires if wire != operation.wire]
    if others:
        paths.left_out.append(
            f"{operation.name} on {', '.join(others)}: OpenAPI shows one wire, and {operation.wire} is it"
        )


def _unsayable(fields: Iterable[Field], options: FormOptions) -> str:
    for item in fields:
        if not item.optional and _structured(item.node) and options.nesting not in _STYLES:
            return f"its query has the object {item.name!r}, nested by {options.nesting}"
    return ""


def _structured(node: Node) -> bool:
    return bool(node.schema().get("type") == "object") or isinstance(node, Ref)


def _operation(contract: Contract, operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation.name,
        "parameters": [*_parameters(contract, operation), *_routing(operation)],
        "responses": _responses(operation),
    }
    if operation.title:
        found["summary"] = operation.title
    body = _body(operation)
    if body is not None:
        found["requestBody"] = body
    return found


def _parameters(contract: Contract, operation: Operation) -> Iterable[dict[str, Any]]:
    request = operation.request
    for item in request.path_fields.fields:
        yield _parameter("path", item.name, {"minLength": 1, **item.node.schema()}, True)
    options: FormOptions = contract.codec_options["query"]
    for item in request.query.fields:
        if not _structured(item.node):
            yield _parameter("query", item.name, item.node.schema(), not item.optional)
        elif options.nesting in _STYLES:
            style = {"style": _STYLES[options.nesting], "explode": True}
            yield {**_parameter("query", item.name, item.node.schema(), not item.optional), **style}
    for item in request.headers.fields:
        name = request.header_names.get(item.name, item.name)
        yield _parameter("header", name, item.node.schema(), not item.optional)
    for item in request.cookies.fields:
        yield _parameter("cookie", item.name, item.node.schema(), not item.optional)


def _routing(operation: Operation) -> Iterable[dict[str, Any]]:
    """What routes a request here must be sent as it is."""
    known = {name.lower() for name in operation.request.header_names.values()}
    for name, value in operation.request.on_headers.items():
        if name not in known:
            yield _parameter("header", name, {"const": value}, True)
    for name, value in operation.request.on_query.items():
        if name not in operation.request.query.by_name:
            yield _parameter("query", name, {"const": value}, True)


def _parameter(where: str, name: str, schema: dict[str, Any], required: bool) -> dict[str, Any]:
    return {"name": name, "in": where, "required": required, "schema": schema}


def _body(operation: Operation) -> dict[str, Any] | None:
    request = operation.request
    media = [_MEDIA[codec] for codec in request.codecs if codec in _MEDIA]
    if request.body is None or not media:
        return None
    schema = request.body.schema()
    if request.on_body:
        const = {name: {"const": value} for name, value in request.on_body.items()}
        schema = {"allOf": [schema, {"type": "object", "properties": const, "required": list(const)}]}
    required = isinstance(request.body, Shape) and any(not item.optional for item in request.body.fields)
    return {"required": required or bool(request.on_body), "content": {name: {"schema": schema} for name in media}}


def _responses(operation: Operation) -> dict[str, Any]:
    by_status: dict[str, list[ResponseShape]] = {}
    shapes = list(operation.responses)
    if operation.idempotency is not None and operation.idempotency.conflict is not None:
        shapes.append(operation.idempotency.conflict)
    for shape in shapes:
        by_status.setdefault(str(shape.status), []).append(shape)
    return {status: _response(shapes) for status, shapes in by_status.items()}


def _response(shapes: list[ResponseShape]) -> dict[str, Any]:
    """All responses of one status: a body must fit one of them, unless one of them says nothing of its body."""
    found: dict[str, Any] = {"description": " or ".join(shape.name for shape in shapes)}
    schemas: list[dict[str, Any]] = []
    for shape in shapes:
        if shape.body is None or shape.codec != "json":
            return found
        schema = shape.body.schema()
        if schema not in schemas:
            schemas.append(schema)
    media = shapes[0].content_type or _MEDIA["json"]
    found["content"] = {media: {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}}
    return found


def _nodes(operation: Operation) -> list[Node]:
    request = operation.request
    nodes: list[Node | None] = [request.path_fields, request.query, request.headers, request.cookies, request.body]
    nodes += [shape.body for shape in operation.responses]
    if operation.idempotency is not None and operation.idempotency.conflict is not None:
        nodes.append(operation.idempotency.conflict.body)
    return [node for node in nodes if node is not None]


def _components(nodes: Iterable[Node]) -> Mapping[str, Any]:
    """The schema of every type that is referred to, from wherever."""
    schemas: dict[str, Any] = {}
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, Ref) and node.type not in schemas:
            schemas[node.type] = node.target.schema()
            waiting.append(node.target)
        waiting += node.children()
    return dict(sorted(schemas.items()))
