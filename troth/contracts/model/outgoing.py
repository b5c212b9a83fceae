"""From a step's values to a request on the wire. Values are sent as they are, also invalid ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from troth.contracts.codecs import FormOptions, build_query, encode_body
from troth.contracts.contract import Contract, Operation, RequestShape
from troth.contracts.exchange import Request
from troth.contracts.model.reply import text_of
from troth.contracts.nodes.leaf import Ref
from troth.contracts.nodes.shape import Shape
from troth.contracts.values import ABSENT, Json, Value
from troth.contracts.wire_body import WireBody
from troth.errors import UsageError

__all__ = ["CARRIERS", "build_request", "carrier_of"]

CARRIERS = ("path", "query", "headers", "cookies", "body")


def carrier_of(shape: RequestShape, name: str) -> tuple[tuple[str, ...], str]:
    """Every carrier in which the operation lists a field of this name, and the field's name there.

    ``body.id`` and ``headers.If-Match`` say the carrier themselves.
    """
    prefix, _, rest = name.partition(".")
    if prefix in CARRIERS and rest:
        return (prefix,), rest
    body = shape.body.target if isinstance(shape.body, Ref) else shape.body
    listed = {
        "path": shape.path_fields.by_name,
        "query": shape.query.by_name,
        "headers": shape.headers.by_name,
        "cookies": shape.cookies.by_name,
        "body": body.by_name if isinstance(body, Shape) else {},
    }
    header = name.lower().replace("-", "_")
    found = tuple(carrier for carrier in CARRIERS if (header if carrier == "headers" else name) in listed[carrier])
    return found, name


def build_request(
    contract: Contract,
    operation: Operation,
    values: Mapping[str, Value],
    base_headers: tuple[tuple[bytes, bytes], ...] = (),
) -> Request:
    """The request of ``operation`` with ``values`` (written name to value; ABSENT leaves a field out).

    ``path`` and ``query`` are relative to the target; credentials are added by whoever sends it.
    Raises UsageError (E365) when the path lacks a value.
    """
    shape = operation.request
    parts: dict[str, dict[str, Json]] = {carrier: {} for carrier in CARRIERS}
    whole: Value = ABSENT
    for name, value in values.items():
        if name == "body":
            whole = value
        elif value is not ABSENT:
            carriers, field = carrier_of(shape, name)
            parts[carriers[0] if carriers else "body"][field] = value
    headers = [*base_headers, *_headers(shape, parts["headers"])]
    if parts["cookies"]:
        text = "; ".join(f"{name}={text_of(value)}" for name, value in parts["cookies"].items())
        headers.append((b"Cookie", text.encode("latin-1", "replace")))
    body, content_type = _body(contract, shape, parts["body"] if whole is ABSENT else whole)
    if content_type is not None and not any(name.lower() == b"content-type" for name, _ in headers):
        headers.append((b"Content-Type", content_type.encode("latin-1")))
    options: FormOptions = contract.codec_options["query"]
    query = {**shape.on_query, **parts["query"]}
    return Request(
        shape.method,
        _path(operation, parts["path"]),
        build_query(query, options) if query else "",
        tuple(headers),
        body,
        shape.host or "",
    )


def _headers(shape: RequestShape, values: Mapping[str, Json]) -> list[tuple[bytes, bytes]]:
    routing = shape.on_headers.items()
    found = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in routing]
    for name, value in values.items():
        spelled = shape.header_names.get(name.lower().replace("-", "_"), name)
        found.append((spelled.encode("latin-1", "replace"), text_of(value).encode("utf-8")))
    return found


def _path(operation: Operation, values: Mapping[str, Json]) -> str:
    path = operation.request.path
    for field in operation.request.path_fields.fields:
        value = values.get(field.name, ABSENT)
        if value is ABSENT or value is None or value == "":
            asked = f"a value for {{{field.name}}} in the path of {operation.name}"
            raise UsageError("E365", asked, "none", "Give it in `with`, or keep it from an earlier reply")
        path = path.replace(f"{{{field.name}}}", quote(text_of(value), safe=""))
    return path


def _body(contract: Contract, shape: RequestShape, value: Any) -> tuple[bytes, str | None]:
    codecs = shape.codecs
    if not codecs or codecs[0] == "none":
        return (b"", None) if not value else encode_body("json", value, contract.codec_options["body"])
    if isinstance(value, dict):
        value = {**shape.on_body, **value}
    if codecs[0] in ("text", "bytes") and value == {}:
        return b"", None
    if codecs[0] == "multipart" and not value:
        return b"", None
    if shape.written is not None:
        return _written(shape, shape.written, value)
    return encode_body(codecs[0], value, contract.codec_options["body"])


def _written(shape: RequestShape, written: WireBody, value: Json) -> tuple[bytes, str | None]:
    if not value and shape.codecs[0] == "xml" and written.envelope is None:
        return b"", None
    raw, media = encode_body(shape.codecs[0], written.write_request(value), written.options)
    return raw, written.content_type or media
