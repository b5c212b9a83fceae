"""``multipart/form-data`` (RFC 7578), parsed by python-multipart, written here.

A part with a file name is a file, ``{name, type, bytes}``; a part with a media type that is no text is bytes; any other
is a text. Names may be nested, as in forms.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Any, Final
from urllib.parse import unquote

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from troth.contracts.codecs.nesting import flatten, nest
from troth.contracts.codecs.options import FormOptions
from troth.contracts.codecs.text_body import parse_text
from troth.contracts.leaves import Fault, is_file
from troth.contracts.values import Json

__all__ = ["PART_LIMIT", "build_multipart", "parse_multipart"]

PART_LIMIT: Final = 1000
"""More parts than this are a fault."""

_DEFAULT: Final = FormOptions()
_EXTENDED_NAME: Final = re.compile(r"filename\*=([A-Za-z0-9-]+)'[A-Za-z0-9-]*'([^\s;]+)")
_TEXTUAL: Final = re.compile(
    r"text/.+|application/(?:.+\+)?(?:json|xml|x-www-form-urlencoded|graphql).*", re.IGNORECASE
)


class _Part:
    __slots__ = ("content", "headers")

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.content: list[bytes] = []


class _TooManyParts(Exception):
    """More than ``PART_LIMIT``."""


class _Collector:
    """Takes what the parser calls back with, and keeps the parts."""

    def __init__(self) -> None:
        self.parts: list[_Part] = []
        self.complete = False
        self._name = b""
        self._value = b""

    def begin(self) -> None:
        if len(self.parts) == PART_LIMIT:
            raise _TooManyParts
        self.parts.append(_Part())

    def name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def header(self) -> None:
        self.parts[-1].headers[self._name.decode("latin-1").lower()] = self._value.decode("utf-8", "replace")
        self._name = self._value = b""

    def data(self, data: bytes, start: int, end: int) -> None:
        self.parts[-1].content.append(data[start:end])

    def end(self) -> None:
        self.complete = True


def parse_multipart(body: bytes, content_type: str, options: FormOptions = _DEFAULT) -> dict[str, Json] | Fault:
    """The structure that the parts describe: texts, bytes and files; or why the body is none."""
    boundary = parse_options_header(content_type)[1].get(b"boundary")
    if not boundary:
        return Fault("format", "multipart/form-data with a boundary")
    collector = _Collector()
    try:
        parser = MultipartParser(
            boundary,
            {
                "on_part_begin": collector.begin,
                "on_header_field": collector.name,
                "on_header_value": collector.value,
                "on_header_end": collector.header,
                "on_part_data": collector.data,
                "on_end": collector.end,
            },
        )
        parser.write(body)
        parser.finalize()
    except _TooManyParts:
        return Fault("bounds", f"at most {PART_LIMIT} parts")
    except FormParserError as error:
        return Fault("format", f"multipart/form-data ({error})")
    if not collector.complete:
        return Fault("format", "multipart/form-data with its last boundary")
    return _structure(collector.parts, options)


def _structure(parts: list[_Part], options: FormOptions) -> dict[str, Json] | Fault:
    pairs: list[tuple[str, Json]] = []
    for part in parts:
        kind, disposition = parse_options_header(part.headers.get("content-disposition", "").encode())
        name = disposition.get(b"name")
        if kind != b"form-data" or name is None:
            return Fault("format", "a Content-Disposition of form-data with a name, in each part")
        plain_name = _unescaped(name.decode("utf-8", "replace"))
        value = _value(part, _file_name(part, disposition))
        if isinstance(value, Fault):
            return Fault(value.kind, value.want, value.reason, plain_name)
        pairs.append((plain_name, value))
    return nest(pairs, options.nesting, options.first)


def _value(part: _Part, file_name: str | None) -> Json | Fault:
    content = b"".join(part.content)
    media_type = part.headers.get("content-type")
    if file_name is not None:
        return {"name": file_name, "type": media_type or "application/octet-stream", "bytes": content}
    if media_type is not None and not _TEXTUAL.match(media_type):
        return content
    return parse_text(content, media_type)


def _file_name(part: _Part, disposition: dict[bytes, bytes]) -> str | None:
    # RFC 7578 forbids ``filename*``, and old clients send it all the same for names beyond ASCII.
    extended = _EXTENDED_NAME.search(part.headers["content-disposition"])
    if extended and extended[1].lower() in ("utf-8", "iso-8859-1"):
        return unquote(extended[2], extended[1])
    name = disposition.get(b"filename")
    return None if name is None else _unescaped(name.decode("utf-8", "replace"))


def _escaped(name: str) -> str:
    """As browsers do it: the URL standard's form of what may not stand in quotes."""
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _unescaped(name: str) -> str:
    return name.replace("%22", '"').replace("%0D", "\r").replace("%0A", "\n") if "%" in name else name


def build_multipart(values: dict[str, Json], options: FormOptions = _DEFAULT) -> tuple[bytes, str]:
    """The body and its content type. The boundary comes from the content: the same values give the same bytes."""
    parts = [_head_and_content(name, value) for name, value in flatten(values, options, is_file)]
    boundary = _boundary(parts)
    pieces = [b"--" + boundary + b"\r\n" + part + b"\r\n" for part in parts]
    body = b"".join(pieces) + b"--" + boundary + b"--\r\n"
    return body, f"multipart/form-data; boundary={boundary.decode()}"


def _head_and_content(name: str, value: Any) -> bytes:
    head = f'Content-Disposition: form-data; name="{_escaped(name)}"'
    if isinstance(value, dict):
        head += f'; filename="{_escaped(value["name"])}"\r\nContent-Type: {_one_line(value["type"])}'
        content: bytes = value["bytes"]
    elif isinstance(value, bytes):
        head += "\r\nContent-Type: application/octet-stream"
        content = value
    else:
        content = str(value).encode("utf-8", "replace")
    return head.encode("utf-8", "replace") + b"\r\n\r\n" + content


def _one_line(text: str) -> str:
    return text.replace("\r", " ").replace("\n", " ")


def _boundary(parts: list[bytes]) -> bytes:
    """A hash of the content: nobody can write a content that holds it."""
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return b"troth-" + digest.hexdigest().encode()
