"""From the bytes of a request to the names that expressions use, and the first thing that is wrong with it."""

from __future__ import annotations

import base64
import binascii
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from troth.contracts.codecs import FormOptions, decode_body, parse_query
from troth.contracts.exchange import Headers, Request, header
from troth.contracts.leaves import Fault
from troth.contracts.matcher import Mismatch, Out, Scope
from troth.contracts.nodes.base import BAD, Reading, constant_of
from troth.contracts.values import ABSENT, Json, Value

if TYPE_CHECKING:
    from troth.contracts.contract import Auth, Contract, Operation, RequestShape
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
    """The names that the request defines, and everything in it that the contract calls invalid."""
    shape = operation.request
    out = Out()
    options: FormOptions = contract.codec_options["query"]
    reading = Reading(out, scope, text=True, fill=True, options=options)
    names: dict[str, Value] = {"method": request.method, "operation": operation.name}
    names["path"] = _read(shape.path_fields, params, "path", reading)
    names["query"] = _query(shape, request.query, options, reading)
    names["headers"] = _headers(shape, request.headers, reading)
    names["cookies"] = _cookies(shape, request.headers, reading)
    names["body"] = _body(contract, shape, request, scope, out)
    names["raw"] = {"body": request.body, "path": request.path, "query": request.query}
    names["auth"] = {"ok": auth_ok(contract, operation.auth or contract.auth, request.headers)}
    names["mismatch"] = _described(out.mismatches[0]) if out.mismatches else ABSENT
    return names, tuple(out.mismatches)


def _read(node: Node, value: Json, path: str, reading: Reading) -> Json:
    decoded = node.fit(value, path, reading, ABSENT)
    return {} if decoded is BAD else _without_bad(decoded)


def _without_bad(value: Json) -> Json:
    if isinstance(value, dict):
        return {k: _without_bad(v) for k, v in value.items() if v is not BAD}
    return value


def _query(shape: RequestShape, text: str, options: FormOptions, reading: Reading) -> Json:
    if not text and not shape.query.fields:
        return {}
    parsed: Json | Fault = parse_query(text, options) if text else {}
    if isinstance(parsed, Fault):
        reading.out.add(parsed.kind, "query", ABSENT, text, shape.query.origin, parsed.want, parsed.reason)
        return {}
    return _read(shape.query, parsed, "query", reading)


def _headers(shape: RequestShape, raw: Headers, reading: Reading) -> HeaderNames:
    fields = shape.headers.fields
    if not fields:
        return HeaderNames(raw, {})
    sent: dict[str, Json] = {}
    for field in fields:
        value = header(raw, field.name.replace("_", "-").encode("latin-1"))
        if value is not None:
            sent[field.name] = value
    decoded = _read(shape.headers, sent, "headers", reading)
    return HeaderNames(raw, decoded)


def _cookies(shape: RequestShape, raw: Headers, reading: Reading) -> Json:
    text = header(raw, b"cookie")
    if text is None and not shape.cookies.fields:
        return {}
    pairs = (part.strip().split("=", 1) for part in (text or "").split(";") if "=" in part)
    return _read(shape.cookies, dict(pairs), "cookies", reading)


def _body(contract: Contract, shape: RequestShape, request: Request, scope: Scope, out: Out) -> Json:
    if shape.body is None and not shape.codecs:
        return ABSENT
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
    texty = codec in ("form", "multipart")
    reading = Reading(out, scope, text=texty, fill=True, options=options)
    fitted = shape.body.fit(value, "body", reading, ABSENT)
    return {} if fitted is BAD else _without_bad(fitted)


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


def auth_ok(contract: Contract, auth: Auth | None, headers: Headers) -> bool:
    """Are there credentials of the contract's kind, each fitting its secret's ``allow``?"""
    if auth is None or auth.kind == "none":
        return True
    sent = header(headers, b"authorization")
    if sent is None:
        return False
    scheme, _, value = sent.partition(" ")
    if auth.kind == "bearer" and scheme.lower() == "bearer":
        return _fits(contract, auth.token, value.strip())
    if scheme.lower() != "basic":
        return False
    try:
        user, _, password = base64.b64decode(value.strip(), validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return False
    if auth.kind == "bearer":
        # Providers with bearer keys (Stripe) take the key as a Basic user name too.
        return _fits(contract, auth.token, user)
    return _fits(contract, auth.username, user) and (auth.password is None or _fits(contract, auth.password, password))


def _fits(contract: Contract, said: Any, value: str) -> bool:
    """Does the credential fit what the contract says it is, each secret standing for its ``allow`` pattern?"""
    if not value and said is not None and not said.constant:
        return False
    if said is None:
        return bool(value)
    if said.constant:
        return constant_of(said) in (value, None, "")
    names = [path[1] for expression in said.expressions for path in expression.reads if path[:1] == ("secrets",)]
    patterns = [contract.secrets[name].allow for name in names if name in contract.secrets]
    return all(pattern is None or fnmatchcase(value, pattern) for pattern in patterns)


def decoded_path(path: str) -> str:
    """A path for people."""
    return unquote(path)
