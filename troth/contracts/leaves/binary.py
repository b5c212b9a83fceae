"""``$bytes`` and ``$file``. A file is ``{name, type, bytes}``: its name, its media type, and what is in it."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from troth.contracts.expressions.unknowns import Instant
from troth.contracts.leaves.arguments import Arguments
from troth.contracts.leaves.base import BaseLeaf, Fault, wrong_type
from troth.contracts.matcher import Draw
from troth.contracts.values import Json
from troth.frozen import frozen

__all__ = ["BytesLeaf", "FileLeaf", "build_bytes", "build_file", "is_file"]

_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/(?:\*|[a-z0-9!#$&^_.+-]+)", re.ASCII)
_DATA_URL = re.compile(r"data:([^;,]*);name=([^;,]*);base64,([A-Za-z0-9+/=]*)", re.ASCII)
_USUAL: Mapping[str, str] = {
    "application": "octet-stream",
    "audio": "mpeg",
    "font": "woff2",
    "image": "png",
    "text": "plain",
    "video": "mp4",
}
_LARGEST_SAMPLE = 100_000_000


def is_file(value: Json) -> bool:
    """Has ``value`` the shape of a file?"""
    return (
        isinstance(value, dict)
        and value.keys() == {"name", "type", "bytes"}
        and isinstance(value["name"], str)
        and isinstance(value["type"], str)
        and isinstance(value["bytes"], bytes)
    )


@frozen
class BytesLeaf(BaseLeaf):
    """Bytes, at most ``max`` of them."""

    max: int | None = None

    name = "bytes"

    def fault(self, value: Json) -> Fault | None:
        if value.__class__ is not bytes:
            return wrong_type(value, "bytes")
        return _too_many(value, self.max)

    def make(self, draw: Draw, now: Instant) -> Json:
        return b""

    def decode(self, text: str) -> Json | Fault:
        return text.encode("utf-8", "surrogateescape") if _encodable(text) else Fault("type", "bytes")

    def encode(self, value: Json) -> str:
        return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "binary"}


@frozen
class FileLeaf(BaseLeaf):
    """A file of at most ``max`` (exactly ``size``) bytes, called ``filename``, of one of the media ``types``.

    Where a step sends a file, the same matcher makes it: ``{$file: {size: 100kB, name: a.png, type: image/png}}``.
    """

    max: int | None = None
    size: int | None = None
    filename: str | None = None
    types: tuple[str, ...] = ()

    name = "file"

    def fault(self, value: Json) -> Fault | None:
        if not is_file(value):
            return wrong_type(value, "a file")
        if self.size is not None and len(value["bytes"]) != self.size:
            return Fault("bounds", f"a file of {self.size} bytes", reason="size")
        if self.filename is not None and value["name"] != self.filename:
            return Fault("format", f"a file called {self.filename}")
        if self.types and not any(_is_of(value["type"], wanted) for wanted in self.types):
            return Fault("format", f"a file of type {' or '.join(self.types)}")
        return _too_many(value["bytes"], self.max)

    def make(self, draw: Draw, now: Instant) -> Json:
        kind = self.types[0] if self.types else "application/octet-stream"
        if kind.endswith("/*"):
            kind = kind[:-1] + _USUAL.get(kind[:-2], "octet-stream")
        name = "file" if self.filename is None else self.filename
        return {"name": name, "type": kind, "bytes": draw.raw(self.size) if self.size else b""}

    def decode(self, text: str) -> Json | Fault:
        """A text stands for a file only as a ``data:`` URL (RFC 2397) with a name; any other is no file."""
        found = _DATA_URL.fullmatch(text)
        try:
            content = base64.b64decode(found[3], validate=True) if found else None
        except binascii.Error:
            content = None
        if found is None or content is None:
            return Fault("type", "a file")
        return {"name": unquote(found[2]), "type": unquote(found[1]), "bytes": content}

    def encode(self, value: Json) -> str:
        if not is_file(value):
            return str(value)
        content = base64.b64encode(value["bytes"]).decode()
        return f"data:{quote(value['type'])};name={quote(value['name'], safe='')};base64,{content}"

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "binary"}


def _too_many(content: bytes, most: int | None) -> Fault | None:
    if most is None or len(content) <= most:
        return None
    return Fault("bounds", f"at most {most} bytes", reason="size")


def _is_of(media_type: str, wanted: str) -> bool:
    plain = media_type.partition(";")[0].strip().lower()
    return plain == wanted or (wanted.endswith("/*") and plain.startswith(wanted[:-1]))


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def build_bytes(args: Arguments) -> BytesLeaf | None:
    """``$bytes: {max}``, a size."""
    args.no_scalar()
    args.only("max")
    most = args.size("max")
    return BytesLeaf(most) if args.ok else None


def build_file(args: Arguments) -> FileLeaf | None:
    """``$file: {max, type, size, name}``: sizes; a media type, ``image/*``, or a list of them; a name."""
    args.no_scalar()
    args.only("max", "type", "size", "name")
    most, size, types, name = args.size("max"), args.size("size"), args.texts("type") or (), args.text("name")
    args.ordered("size", "max", (size, most))
    if size is not None and size > _LARGEST_SAMPLE:
        args.problem("E252", f"a file of at most {_LARGEST_SAMPLE} bytes", f"{size}", "", args.place_of("size"))
    for media_type in types:
        if not _MEDIA_TYPE.fullmatch(media_type):
            asked = "a media type in lower case, like image/png or image/*"
            args.problem("E251", asked, repr(media_type), "", args.place_of("type"))
    return FileLeaf(most, size, name, types) if args.ok else None
