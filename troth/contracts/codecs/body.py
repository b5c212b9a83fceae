"""Bodies: which codec reads one, by its content type."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from troth.contracts.codecs.form import build_form, parse_form
from troth.contracts.codecs.json_body import build_json, parse_json
from troth.contracts.codecs.options import BodyOptions
from troth.contracts.codecs.text_body import build_text, parse_text
from troth.contracts.contract import BodyCodec
from troth.contracts.leaves import Fault
from troth.contracts.values import ABSENT, Json, Value

__all__ = ["TEXTY", "decode_body", "encode_body", "media_type"]


class _Codec(NamedTuple):
    """Which media types a codec reads (all when None), how, and what an empty body is to it."""

    types: re.Pattern[str] | None
    parse: Callable[[bytes, str | None, BodyOptions], Json | Fault]
    empty: Callable[[], Value]


def _json(body: bytes, content_type: str | None, options: BodyOptions) -> Json | Fault:
    return parse_json(body)


def _form(body: bytes, content_type: str | None, options: BodyOptions) -> Json | Fault:
    return parse_form(body, options.form)


def _multipart(body: bytes, content_type: str | None, options: BodyOptions) -> Json | Fault:
    from troth.contracts.codecs.multipart import parse_multipart  # its parser takes a while to load, and few need it

    return parse_multipart(body, content_type or "", options.form)


def _xml(body: bytes, content_type: str | None, options: BodyOptions) -> Json | Fault:
    from troth.contracts.codecs.xml_body import parse_xml  # few need it

    return parse_xml(body, options.xml)


def _text(body: bytes, content_type: str | None, options: BodyOptions) -> Json | Fault:
    return parse_text(body, content_type)


def _bytes(body: bytes, content_type: str | None, options: BodyOptions) -> Json | Fault:
    return body


def _none(body: bytes, content_type: str | None, options: BodyOptions) -> Json | Fault:
    return Fault("bounds", "an empty body", reason="size")


def _absent() -> Value:
    return ABSENT


_CODECS: Final[Mapping[BodyCodec, _Codec]] = {
    "json": _Codec(
        re.compile(r"(?:application|text)/(?:[^;\s]*\+)?json|application/x-amz-json-1\.[01]"), _json, _absent
    ),
    "form": _Codec(re.compile(r"application/x-www-form-urlencoded"), _form, dict),
    "multipart": _Codec(re.compile(r"multipart/form-data"), _multipart, _absent),
    "xml": _Codec(re.compile(r"(?:application|text)/(?:[^;\s]*\+)?xml"), _xml, _absent),
    "text": _Codec(None, _text, str),
    "bytes": _Codec(None, _bytes, bytes),
    "none": _Codec(None, _none, _absent),
}
_WRITTEN: Final[Mapping[BodyCodec, str]] = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "xml": "application/xml",
    "text": "text/plain; charset=utf-8",
    "bytes": "application/octet-stream",
}
TEXTY: Final = frozenset({"form", "multipart", "xml", "text"})
"""Codecs that carry texts: the matcher knows what a text spells."""
_USUAL: Final[Mapping[str, BodyCodec]] = {_WRITTEN[name]: name for name in ("json", "form")}
"""Read by one codec only, and written like this by most clients."""


def media_type(content_type: str | None) -> str:
    """The media type alone, in lower case; empty when there is none."""
    return (content_type or "").partition(";")[0].strip().lower()


def decode_body(
    codecs: tuple[BodyCodec, ...], content_type: str | None, body: bytes, options: BodyOptions
) -> tuple[BodyCodec, Value] | Fault:
    """The decoded body, and which of the accepted ``codecs`` decoded it; or why none could.

    A codec that names the media type goes before ``text`` and ``bytes``, which read any; without a content type the
    first is tried. An empty body is ABSENT to JSON and multipart, and an empty form, text or bytes to the others.
    A Fault of kind ``content_type`` says that no accepted codec reads this media type.
    """
    if not body:
        return codecs[0], _CODECS[codecs[0]].empty()
    chosen = _USUAL.get(content_type or "")
    if chosen not in codecs:
        given = media_type(content_type)
        chosen = _choose(codecs, given) if given else codecs[0]
    if chosen is None:
        accepted = " or ".join(_WRITTEN.get(codec, "multipart/form-data") for codec in codecs)
        return Fault("content_type", f"the media type {accepted}, not {given[:80]}")
    value = _CODECS[chosen].parse(body, content_type, options)
    return value if isinstance(value, Fault) else (chosen, value)


def _choose(codecs: tuple[BodyCodec, ...], given: str) -> BodyCodec | None:
    anything = None
    for name in codecs:
        types = _CODECS[name].types
        if types is None:
            anything = anything or name
        elif types.fullmatch(given):
            return name
    return anything


def encode_body(codec: BodyCodec, value: Value, options: BodyOptions) -> tuple[bytes, str | None]:
    """The bytes of a body and its content type; nothing at all for ABSENT, or where there is to be no body."""
    if value is ABSENT or codec == "none":
        return b"", None
    if codec == "multipart":
        from troth.contracts.codecs.multipart import build_multipart

        return build_multipart(_as_map(value), options.form)
    if codec == "form":
        return build_form(_as_map(value), options.form), _WRITTEN[codec]
    if codec == "xml":
        from troth.contracts.codecs.xml_body import build_xml

        return build_xml(value, options.xml), _WRITTEN[codec]
    if codec == "json":
        return build_json(value), _WRITTEN[codec]
    return _as_bytes(value), _WRITTEN[codec]


def _as_map(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {} if value is None else {"": value}


def _as_bytes(value: Json) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return build_text(value)
    return b"" if value is None else build_json(value)
