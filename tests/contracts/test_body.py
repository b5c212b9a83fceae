"""Bodies: the codec is chosen by the content type."""

from __future__ import annotations

from typing import Any

import pytest

from troth.contracts.codecs import (
    BodyOptions,
    FormOptions,
    build_text,
    decode_body,
    encode_body,
    media_type,
    parse_text,
)
from troth.contracts.contract import BodyCodec
from troth.contracts.leaves import Fault
from troth.contracts.values import ABSENT

OPTIONS = BodyOptions(FormOptions())


@pytest.mark.parametrize(
    ("codecs", "content_type", "body", "decoded"),
    [
        (("json",), "application/json", b"{}", ("json", {})),
        (("json",), "application/json; charset=utf-8", b"[1]", ("json", [1])),
        (("json",), "Application/Problem+JSON", b"1", ("json", 1)),
        (("json",), "application/x-amz-json-1.0", b"{}", ("json", {})),
        (("json",), "text/json", b"{}", ("json", {})),
        (("json",), None, b"{}", ("json", {})),
        (("json",), "", b"{}", ("json", {})),
        (("form", "json"), "application/json", b'{"a":1}', ("json", {"a": 1})),
        (("json", "form"), "application/x-www-form-urlencoded", b"a=1", ("form", {"a": "1"})),
        (("form", "json"), None, b"a=1", ("form", {"a": "1"})),
        (("multipart",), "multipart/form-data; boundary=X", b"--X--\r\n", ("multipart", {})),
        (("text",), "text/csv", b"a,b", ("text", "a,b")),
        (("text",), "text/plain; charset=latin-1", b"\xe9", ("text", "é")),
        (("bytes",), "image/png", b"\x89", ("bytes", b"\x89")),
        (("bytes", "json"), "application/json", b"{}", ("json", {})),
        (("text", "json"), "text/html", b"<p>", ("text", "<p>")),
        (("json",), "application/json", b"", ("json", ABSENT)),
        (("json",), None, b"", ("json", ABSENT)),
        (("multipart",), None, b"", ("multipart", ABSENT)),
        (("form",), None, b"", ("form", {})),
        (("text",), None, b"", ("text", "")),
        (("bytes",), None, b"", ("bytes", b"")),
        (("none",), "text/html", b"", ("none", ABSENT)),
    ],
)
def test_decode(codecs: tuple[BodyCodec, ...], content_type: str | None, body: bytes, decoded: Any) -> None:
    """Most telling first; without a content type the first is tried; an empty body is not a broken one."""
    assert decode_body(codecs, content_type, body, OPTIONS) == decoded


@pytest.mark.parametrize(
    ("codecs", "content_type", "body", "kind"),
    [
        (("json",), "text/html", b"<p>", "content_type"),
        (("json",), "text/plain", b"{}", "content_type"),
        (("json",), "application/x-ndjson", b"{}", "content_type"),
        (("json",), "application/json5", b"{}", "content_type"),
        (("form", "json"), "application/xml", b"<a/>", "content_type"),
        (("json",), "application/json", b"{", "format"),
        (("form",), "application/x-www-form-urlencoded", b"a=1&a[b]=2", "type"),
        (("multipart",), "multipart/form-data", b"x", "format"),
        (("text",), "text/plain; charset=klingon", b"x", "format"),
        (("text",), "text/plain; charset=base64", b"x", "format"),
        (("text",), "text/plain", b"\xff", "format"),
        (("none",), None, b"x", "bounds"),
    ],
)
def test_faults(codecs: tuple[BodyCodec, ...], content_type: str | None, body: bytes, kind: str) -> None:
    """Another media type is another matter than a broken body."""
    fault = decode_body(codecs, content_type, body, OPTIONS)
    assert isinstance(fault, Fault)
    assert fault.kind == kind


def test_a_fault_says_which_types_are_accepted() -> None:
    """In words that fit a report."""
    fault = decode_body(("json", "multipart"), "text/html; charset=utf-8", b"<p>", OPTIONS)
    assert fault == Fault("content_type", "the media type application/json or multipart/form-data, not text/html")


@pytest.mark.parametrize(
    ("codec", "value", "written"),
    [
        ("json", {"a": 1}, (b'{"a":1}', "application/json")),
        ("json", None, (b"null", "application/json")),
        ("json", ABSENT, (b"", None)),
        ("form", {"a": [1, 2]}, (b"a=1&a=2", "application/x-www-form-urlencoded")),
        ("form", None, (b"", "application/x-www-form-urlencoded")),
        ("text", "é", ("é".encode(), "text/plain; charset=utf-8")),
        ("text", 5, (b"5", "text/plain; charset=utf-8")),
        ("bytes", b"\xff", (b"\xff", "application/octet-stream")),
        ("bytes", None, (b"", "application/octet-stream")),
        ("none", {"a": 1}, (b"", None)),
    ],
)
def test_encode(codec: BodyCodec, value: Any, written: tuple[bytes, str | None]) -> None:
    """Bytes and content type."""
    assert encode_body(codec, value, OPTIONS) == written


@pytest.mark.parametrize(
    ("codec", "value"),
    [
        ("json", {"a": [1, None]}),
        ("form", {"a": "1", "b": ["x", "y"]}),
        ("multipart", {"a": "1", "f": {"name": "n", "type": "image/png", "bytes": b"\0"}}),
        ("text", "hello"),
        ("bytes", b"\0"),
    ],
)
def test_what_is_encoded_is_decoded(codec: BodyCodec, value: Any) -> None:
    """In both directions, for every codec that carries something."""
    body, content_type = encode_body(codec, value, OPTIONS)
    assert decode_body((codec,), content_type, body, OPTIONS) == (codec, value)


def test_media_types_are_compared_without_case_and_parameters() -> None:
    """RFC 9110, section 8.3.1."""
    assert media_type("Text/HTML ; charset=utf-8") == "text/html"
    assert media_type(None) == ""


def test_texts_have_the_character_set_of_their_content_type() -> None:
    """UTF-8 when none is named."""
    assert parse_text(build_text("é"), None) == "é"
    assert parse_text("é".encode("utf-16"), 'text/plain; charset="utf-16"') == "é"
    assert build_text("\ud800") == b"?"
