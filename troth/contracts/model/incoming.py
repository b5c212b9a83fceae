"""From the bytes of a request to the names that expressions use, and the first thing that is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from troth.contracts.codecs import TEXTY, FormOptions, decode_body, parse_query
from troth.contracts.exchange import Request
from troth.contracts.leaves import Fault
from troth.contracts.matcher import Mismatch, Out
from troth.contracts.model.credentials import IN_QUERY
from troth.contracts.model.head import Head
from troth.contracts.nodes.base import BAD, Reading
from troth.contracts.values import ABSENT, Json, Value

if TYPE_CHECKING:
    from troth.contracts.contract import Contract, RequestShape
    from troth.contracts.model.scope import ExchangeScope
    from troth.contracts.nodes.base import Node

__all__ = ["HeaderNames", "read_request", "seldom_asked"]

_REASONS = {"missing_field": "missing", "new_field": "unknown"}
_AUTH: Final = {True: {"ok": True}, False: {"ok": False}}


class HeaderNames:
    """Request headers by lower-case name with ``_``: declared ones decoded, others as they were sent."""

    __slots__ = ("_decoded", "_head")

    def __init__(self, head: Head, decoded: dict[str, Json]) -> None:
        self._head = head
        self._decoded = decoded

    def item(self, name: str) -> Value:
        if name in self._decoded:
            return self._decoded[name]
        found = self._head.text(name.replace("_", "-").encode("latin-1", "replace"))
        return ABSENT if found is None else found


class _Raw:
    """What was sent, as it was sent."""

    __slots__ = ("_request",)

    def __init__(self, request: Request) -> None:
        self._request = request

    def item(self, name: str) -> Value:
        if name in ("body", "path", "query"):
            return getattr(self._request, name)
        return ABSENT


def read_request(scope: ExchangeScope, request: Request, head: Head, params: dict[str, str]) -> tuple[Mismatch, ...]:
    """Give the scope the names that the request defines; everything in it that the contract calls invalid.

    What a request does not have is not read, and what is seldom asked for is made when it is (``seldom_asked``): most
    of the work of a small request is not to do any.
    """
    contract, operation, names = scope.contract, scope.operation, scope.names
    assert operation is not None
    shape = operation.request
    scope.request, scope.head = request, head
    names["path"] = params
    names["auth"] = _AUTH[head.authorized(operation.auth or contract.auth, request)]
    names["mismatch"] = ABSENT
    sent = _declared(shape, head) if shape.header_wire else {}
    if request.query or sent or not shape.undemanding:
        out = Out()
        names["query"] = _query(contract, shape, scope, out)
        if sent or not shape.headers.quiet:
            names["headers"] = _headers(contract, shape, sent, scope, out)
        if shape.cookies.fields:
            names["cookies"] = _cookies(contract, shape, scope, out)
        names["body"] = _body(contract, shape, scope, out) if shape.codecs else ABSENT
        if out.mismatches:
            names["mismatch"] = _described(out.mismatches[0])
            return tuple(out.mismatches)
    else:
        names["query"], names["body"] = {}, ABSENT
    return ()


def seldom_asked(name: str, scope: ExchangeScope) -> Value:
    """A name that the request defines and that was not worth making beforehand; ABSENT for any other."""
    request, head, operation = scope.request, scope.head, scope.operation
    if request is None or head is None or operation is None:
        return ABSENT
    if name == "headers":
        return HeaderNames(head, {})
    if name == "method":
        return request.method
    if name == "operation":
        return operation.name
    if name == "wire":
        return operation.wire or ABSENT
    if name == "raw":
        return _Raw(request)
    return {} if name == "cookies" else ABSENT


def _declared(shape: RequestShape, head: Head) -> dict[str, Json]:
    """The declared headers that are there, as texts, by the names of their fields."""
    first = head.first
    return {name: first[wire].decode("latin-1") for wire, name in shape.header_wire.items() if wire in first}


def _read(node: Node, value: Json, path: str, reading: Reading) -> Json:
    decoded = node.fit(value, path, reading, ABSENT)
    return {} if decoded is BAD else decoded


def _query(contract: Contract, shape: RequestShape, scope: ExchangeScope, out: Out) -> Json:
    assert scope.request is not None
    text = scope.request.query
    if not text and shape.query.quiet:
        return {}
    options: FormOptions = contract.codec_options["query"]
    parsed: Json | Fault = parse_query(text, options) if text else {}
    auth = scope.operation and (scope.operation.auth or contract.auth)
    if auth and auth.kind in IN_QUERY and isinstance(parsed, dict) and auth.name not in shape.query.by_name:
        parsed.pop(auth.name, None)  # credentials are no field that an operation would list
    if isinstance(parsed, Fault):
        out.add(parsed.kind, "query", ABSENT, text, shape.query.origin, parsed.want, parsed.reason)
        return {}
    return _read(shape.query, parsed, "query", Reading(out, scope, text=True, fill=True, options=options))


def _headers(
    contract: Contract, shape: RequestShape, sent: dict[str, Json], scope: ExchangeScope, out: Out
) -> HeaderNames:
    assert scope.head is not None
    reading = Reading(out, scope, text=True, fill=True, options=contract.codec_options["query"])
    return HeaderNames(scope.head, _read(shape.headers, sent, "headers", reading))


def _cookies(contract: Contract, shape: RequestShape, scope: ExchangeScope, out: Out) -> Json:
    text = (scope.head and scope.head.text(b"cookie")) or ""
    pairs = (part.strip().split("=", 1) for part in text.split(";") if "=" in part)
    reading = Reading(out, scope, text=True, fill=True, options=contract.codec_options["query"])
    return _read(shape.cookies, dict(pairs), "cookies", reading)


def _body(contract: Contract, shape: RequestShape, scope: ExchangeScope, out: Out) -> Json:
    request, head = scope.request, scope.head
    assert request is not None
    assert head is not None
    options: FormOptions = contract.codec_options["form"]
    written = shape.written
    how = written.options if written is not None else contract.codec_options["body"]
    media = None if written is not None and written.names(head.content_type) else head.content_type
    decoded = decode_body(shape.codecs, media, request.body, how)
    if isinstance(decoded, Fault):
        origin = shape.body.origin if shape.body is not None else shape.query.origin
        out.add(decoded.kind, "body", ABSENT, head.content_type or "", origin, decoded.want, decoded.reason)
        return {}
    codec, value = decoded
    if shape.body is None:
        if value is not ABSENT:
            out.add("new_field", "body", ABSENT, "a body", shape.query.origin, "no body", "unknown")
        return ABSENT
    if value is ABSENT:
        value = {}
    if written is not None:
        value = written.read_request(value)
    texty = codec in TEXTY
    return _read(shape.body, value, "body", Reading(out, scope, texty, True, options))


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
