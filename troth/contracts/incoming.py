"""From the bytes of a request to the names that expressions use, and the first thing that is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from troth.contracts.codecs import FormOptions, decode_body, parse_query
from troth.contracts.credentials import auth_ok
from troth.contracts.exchange import Headers, Request, header
from troth.contracts.leaves import Fault
from troth.contracts.matcher import Mismatch, Out, Scope
from troth.contracts.nodes.base import BAD, Reading
from troth.contracts.values import ABSENT, Json, Value

if TYPE_CHECKING:
    from troth.contracts.contract import Contract, Operation, RequestShape
    from troth.contracts.nodes.base import Node

__all__ = ["HeaderNames", "read_request"]

_REASONS = {"missing_field": "missing", "new_field": "unknown"}


class HeaderNames:
    """Request headers by lower-case name with ``_``: declared ones decoded, others as they were sent."""

    __slots__ = ("_decoded", "_raw")

    def __init__(self, raw: Headers, decoded: dict[str, Json]) -> None:
        self._raw = raw
        self._decoded = decoded

    def item(self, name: str) -> Value:
        if name in self._decoded:
            return self._decoded[name]
        found = header(self._raw, name.replace("_", "-").encode("latin-1", "replace"))
        return ABSENT if found is None else found


def read_request(
    contract: Contract, operation: Operation, request: Request, params: dict[str, str], scope: Scope
) -> tuple[dict[str, Value], tuple[Mismatch, ...]]:
    """The names that the request defines, and everything in it that the contract calls invalid.

    What a request does not have is not read: most of the work of a small request is not to do any.
    """
    shape = operation.request
    out = Out()
    names: dict[str, Value] = {
        "method": request.method,
        "operation": operation.name,
        "path": params,
        "query": _query(contract, shape, request.query, scope, out),
        "headers": _headers(contract, shape, request.headers, scope, out),
        "cookies": _cookies(contract, shape, request.headers, scope, out) if shape.cookies.fields else {},
        "body": _body(contract, shape, request, scope, out) if shape.codecs else ABSENT,
        "raw": _Raw(request),
        "auth": {"ok": auth_ok(contract, operation.auth or contract.auth, request.headers)},
    }
    if not out.mismatches:
        names["mismatch"] = ABSENT
        return names, ()
    names["mismatch"] = _described(out.mismatches[0])
    return names, tuple(out.mismatches)


class _Raw:
    """What was sent, as it was sent."""

    __slots__ = ("_request",)

    def __init__(self, request: Request) -> None:
        self._request = request

    def item(self, name: str) -> Value:
        if name in ("body", "path", "query"):
            return getattr(self._request, name)
        return ABSENT


def _read(node: Node, value: Json, path: str, reading: Reading) -> Json:
    decoded = node.fit(value, path, reading, ABSENT)
    return {} if decoded is BAD else decoded


def _query(contract: Contract, shape: RequestShape, text: str, scope: Scope, out: Out) -> Json:
    if not text and shape.query.quiet:
        return {}
    options: FormOptions = contract.codec_options["query"]
    parsed: Json | Fault = parse_query(text, options) if text else {}
    if isinstance(parsed, Fault):
        out.add(parsed.kind, "query", ABSENT, text, shape.query.origin, parsed.want, parsed.reason)
        return {}
    return _read(shape.query, parsed, "query", Reading(out, scope, text=True, fill=True, options=options))


def _headers(contract: Contract, shape: RequestShape, raw: Headers, scope: Scope, out: Out) -> HeaderNames:
    wanted = shape.header_wire
    sent: dict[str, Json] = {}
    if wanted:
        for key, value in raw:
            name = wanted.get(key) or wanted.get(key.lower())
            if name is not None and name not in sent:
                sent[name] = value.decode("latin-1")
    if not sent and shape.headers.quiet:
        return HeaderNames(raw, sent)
    reading = Reading(out, scope, text=True, fill=True, options=contract.codec_options["query"])
    return HeaderNames(raw, _read(shape.headers, sent, "headers", reading))


def _cookies(contract: Contract, shape: RequestShape, raw: Headers, scope: Scope, out: Out) -> Json:
    text = header(raw, b"cookie") or ""
    pairs = (part.strip().split("=", 1) for part in text.split(";") if "=" in part)
    reading = Reading(out, scope, text=True, fill=True, options=contract.codec_options["query"])
    return _read(shape.cookies, dict(pairs), "cookies", reading)


def _body(contract: Contract, shape: RequestShape, request: Request, scope: Scope, out: Out) -> Json:
    content_type = header(request.headers, b"content-type")
    options: FormOptions = contract.codec_options["form"]
    decoded = decode_body(shape.codecs, content_type, request.body, options)
    if isinstance(decoded, Fault):
        origin = shape.body.origin if shape.body is not None else shape.query.origin
        out.add(decoded.kind, "body", ABSENT, content_type or "", origin, decoded.want, decoded.reason)
        return {}
    codec, value = decoded
    if shape.body is None:
        if value is not ABSENT:
            out.add("new_field", "body", ABSENT, "a body", shape.query.origin, "no body", "unknown")
        return ABSENT
    if value is ABSENT:
        value = {}
    texty = codec in ("form", "multipart", "text")
    return _read(shape.body, value, "body", Reading(out, scope, text=texty, fill=True, options=options))


def _described(mismatch: Mismatch) -> dict[str, Any]:
    """What ``mismatch`` is in expressions: ``kind`` (missing, unknown, ...), ``path`` (dotted, without the carrier)."""
    carrier, _, rest = mismatch.path.partition(".")
    dotted = rest.replace("['", ".").replace("']", "").replace("[", ".").replace("]", "")
    return {
        "kind": _REASONS.get(mismatch.reason, mismatch.reason),
        "path": dotted or carrier,
        "in": carrier,
        "want": mismatch.want,
        "observed": mismatch.observed,
    }
