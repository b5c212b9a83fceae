"""A reply: made from a prediction (sample), and read back into decoded headers and body (judge)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from troth.contracts.codecs import BodyOptions, build_json, decode_body, encode_body, media_type, parse_json
from troth.contracts.exchange import Response, header
from troth.contracts.leaves import Fault
from troth.contracts.model.effects import shape_of
from troth.contracts.model.inlining import inlines
from troth.contracts.nodes.base import json_type
from troth.contracts.record import Record
from troth.contracts.values import ABSENT, Json, Unknown, Value
from troth.frozen import frozen

if TYPE_CHECKING:
    from troth.contracts.contract import Contract, ResponseShape
    from troth.contracts.matcher import Scope
    from troth.contracts.model.predict import Prediction
    from troth.contracts.model.state import KeyEntry

__all__ = ["BODY_LIMIT", "ReplyBody", "make_reply", "read_body", "text_of", "unwrapped", "with_body"]

_JSON = (b"Content-Type", b"application/json")
_NEVER_SHOWN: tuple[int, bytes] = (-1, b"")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""In front of JSON it may be ignored (RFC 8259 section 8.1)."""
BODY_LIMIT = 8 * 1024 * 1024
"""A reply body above this is not judged."""


def text_of(value: Json) -> str:
    """A header's or parameter's value as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, dict | list):
        return build_json(value).decode()
    return str(value)


def make_reply(contract: Contract, prediction: Prediction) -> tuple[Response, Value]:
    """The response of a prediction and its decoded body."""
    if prediction.replay is not None:
        return _replayed(prediction), prediction.replay.body
    shape, scope = prediction.shape, prediction.scope
    assert shape is not None
    body, raw, content_type = _body(contract, shape, prediction)
    headers: list[tuple[bytes, bytes]] = []
    if content_type is not None:
        headers.append(_JSON if content_type == "application/json" else (b"Content-Type", content_type.encode()))
    if shape.headers is not None:
        _add_headers(headers, shape.headers.generate(scope, ""), shape.header_wire)
    return Response(shape.status, tuple(headers), raw), body


def _add_headers(headers: list[tuple[bytes, bytes]], values: dict[str, Json], names: Mapping[str, bytes]) -> None:
    for name, value in values.items():
        if name == "content_type":
            headers[:] = [pair for pair in headers if pair[0] != b"Content-Type"]
        text = value if value.__class__ is str else text_of(value)
        if "\n" in text or "\r" in text:
            text = text.replace("\n", " ").replace("\r", " ")
        headers.append((names[name], text.encode("latin-1", "replace")))


def _body(contract: Contract, shape: ResponseShape, prediction: Prediction) -> tuple[Value, bytes, str | None]:
    scope = prediction.scope
    node = shape.body
    if node is None or shape.codec == "none":
        return ABSENT, b"", None
    if node.is_ is not None and shape.codec == "json" and node.name in ("object", "type"):
        record = node.is_.run(scope)
        if isinstance(record, Record):
            return _record_body(record, node, scope, shape)
    value = node.make(scope)
    if value is ABSENT:
        return ABSENT, b"", None
    raw, content_type = _encoded(contract, shape, value, scope)
    return value, raw, shape.content_type or content_type


def _encoded(contract: Contract, shape: ResponseShape, value: Value, scope: Scope) -> tuple[bytes, str | None]:
    written = shape.written
    if written is None and shape.codec == "json":
        return build_json(value), "application/json"  # as ``encode_body`` does, which nearly every reply would ask
    if written is None:
        return encode_body(shape.codec, value, contract.codec_options["body"])
    return encode_body(shape.codec, written.write_reply(value, scope), written.options)


def _record_body(record: Record, node: Any, scope: Any, shape: ResponseShape) -> tuple[Value, bytes, str | None]:
    """A whole stored record; its JSON is kept with it, where it does not depend on the request."""
    media = shape.content_type or "application/json"
    plain = not inlines(scope)
    if plain and record.shown is not None:
        version, kept = record.shown.get(node, _NEVER_SHOWN)
        if version == scope.version_index:
            return record.values, kept, media
    value = node.express(record, scope, "")
    raw = build_json(value)
    kind = shape_of(node)
    if plain and kind is not None and kind.shown_alike:
        record.shown = {**(record.shown or {}), node: (scope.version_index, raw)}
    return value, raw, media


def with_body(contract: Contract, shape: ResponseShape, response: Response, body: Value, scope: Scope) -> Response:
    """The response with another body."""
    raw, _ = _encoded(contract, shape, body, scope)
    return Response(response.status, response.headers, raw)


def _replayed(prediction: Prediction) -> Response:
    entry, rule = prediction.replay, prediction.operation.idempotency
    assert entry is not None
    assert rule is not None
    headers, raw = list(entry.response.headers), entry.response.body
    if entry.wire != prediction.operation.wire:
        headers, raw = _on_another_wire(prediction, entry)
    if rule.replay_headers is not None:
        _add_headers(headers, rule.replay_headers.generate(prediction.scope, ""), rule.replay_header_wire)
    return Response(entry.response.status, tuple(headers), raw)


def _on_another_wire(prediction: Prediction, entry: KeyEntry) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """The first answer, written as the wire of the request has it."""
    scope = prediction.scope
    shape = scope.contract.operations[entry.operation].on(prediction.operation.wire).response(entry.name)
    assert shape is not None
    kept = [pair for pair in entry.response.headers if pair[0] != b"Content-Type"]
    if shape.body is None or entry.raw is ABSENT:
        return kept, b""
    raw, media = _encoded(scope.contract, shape, entry.raw, scope)
    return [(b"Content-Type", (shape.content_type or media or "").encode()), *kept], raw


@frozen
class ReplyBody:
    """A reply body as it was read once: ``value`` decoded by its media type, or ``fault``."""

    value: Value
    fault: Fault | None = None
    media: str = ""
    html: bool = False
    mislabelled: bool = False
    """JSON, where JSON is due, under another media type or under none: what is in it can be judged all the same."""
    beside: Mapping[str, Json] = field(default_factory=dict)
    """What stands around it on its wire."""


def unwrapped(shape: ResponseShape | None, body: ReplyBody) -> ReplyBody:
    """The body without what its wire puts around it, in the contract's own names."""
    if shape is None or shape.written is None or body.fault is not None or body.value is ABSENT:
        return body
    found = shape.written.read_reply(body.value)
    return replace(body, fault=found) if isinstance(found, Fault) else replace(body, value=found[0], beside=found[1])


def read_body(response: Response, shapes: tuple[ResponseShape, ...], options: BodyOptions) -> ReplyBody:
    """Decode by Content-Type. HTML and undecodable bodies come back as faults."""
    content_type = header(response.headers, b"content-type") or ""
    media = content_type.partition(";")[0].strip().lower()
    if len(response.body) > BODY_LIMIT:
        return ReplyBody(Unknown("body"), Fault("bounds", f"at most {BODY_LIMIT} bytes"), media)
    if not response.body:
        return ReplyBody(ABSENT, None, media)
    if any(shape.codec == "bytes" for shape in shapes) and not _is_json(media):
        return ReplyBody(response.body, None, media)
    due = {shape.codec for shape in shapes if shape.body is not None}
    raw = response.body.removeprefix(_BYTE_ORDER_MARK) if "json" in due or _is_json(media) else response.body
    if media and any(media == media_type(shape.content_type) for shape in shapes):
        content_type = ""  # it is what the contract says, whatever it is called
    elif media:
        value = _labelled_otherwise(raw, due, media, options)
        if value is not None:
            return ReplyBody(value, None, media, mislabelled=True)
    html = media in ("text/html", "application/xhtml+xml") or raw[:64].lstrip()[:9].lower() in (
        b"<!doctype",
        b"<html",
    )
    if html and not due.isdisjoint(("json", "xml")):
        wanted = "JSON" if "json" in due else "XML"
        return ReplyBody(Unknown("body"), Fault("content_type", f"{wanted}, not HTML"), media, True)
    codecs = _codecs(shapes, media)
    decoded = decode_body(codecs, content_type or None, raw, options)
    if isinstance(decoded, Fault):
        return ReplyBody(Unknown("body"), decoded, media)
    return ReplyBody(decoded[1], None, media, mislabelled=not media and due in ({"json"}, {"xml"}))


def _labelled_otherwise(raw: bytes, due: Collection[str], media: str, options: BodyOptions) -> Json:
    """The JSON or XML that is due, under the label of something else, or of special JSON; None where it is neither."""
    if set(due) == {"json"} and (media.endswith("+json") or not _is_json(media)):
        value = parse_json(raw)
        return value if isinstance(value, dict | list) else None
    if set(due) == {"xml"} and not _is_xml(media):
        decoded = decode_body(("xml",), None, raw, options)
        return None if isinstance(decoded, Fault) or _is_html(decoded[1]) else decoded[1]
    return None


def _is_json(media: str) -> bool:
    return media.endswith(("/json", "+json")) or media.startswith("application/x-amz-json-")


def _is_html(document: Json) -> bool:
    return any(name.lower() == "html" for name in document)


def _is_xml(media: str) -> bool:
    return media.endswith(("/xml", "+xml"))


def _codecs(shapes: tuple[ResponseShape, ...], media: str) -> tuple[Any, ...]:
    declared = tuple(dict.fromkeys(shape.codec for shape in shapes if shape.body is not None and shape.codec != "none"))
    if declared == ("xml",):
        return declared  # anything else is another format, and no client of this wire reads it
    extra = ("json",) if _is_json(media) else ("text",) if media.startswith("text/") else ()
    return tuple(dict.fromkeys((*declared, *extra))) or ("bytes",)


def kind_of_body(body: ReplyBody) -> str:
    """What came, for a reader."""
    if body.fault is not None:
        return body.fault.want
    return "nothing" if body.value is ABSENT else json_type(body.value)
