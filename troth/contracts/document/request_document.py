"""How a request is written: ``request`` of an operation, and the bodies that requests and responses share."""

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from troth.contracts.describe import describe
from troth.contracts.document.document_base import (
    BODY_KEYS,
    Doc,
    HeaderNames,
    Headers,
    Matcher,
    Structure,
    as_list,
    refuse,
)

__all__ = ["BodyDoc", "OnDoc", "RequestDoc"]

Codec = Literal["json", "form", "multipart", "xml", "text", "bytes"]
_LATER_CODECS = {"graphql": "GraphQL", "query": "a body in the query"}
_METHOD = re.compile(r"[A-Z][A-Z-]*")


def _method(value: Any) -> Any:
    if isinstance(value, list):
        refuse("E090", "not yet: several methods in one operation", describe(value), "Write an operation for each")
    if isinstance(value, str) and not _METHOD.fullmatch(value):
        fix = f"Write {value.upper()}" if _METHOD.fullmatch(value.upper()) else ""
        refuse("E035", "an HTTP method in capitals", describe(value), fix)
    return value


def _path(value: Any) -> Any:
    if isinstance(value, list):
        refuse("E090", "not yet: several paths in one operation", describe(value), "Write an operation for each")
    if isinstance(value, str) and not value.startswith("/"):
        refuse("E035", "a path that begins with /", describe(value), f"Write /{value}")
    if isinstance(value, str) and re.search(r"[?#\s]", value):
        fix = "The query goes under `query`, routing by it under `on: {query: ...}`"
        refuse("E035", "a path without ?, # and spaces", describe(value), fix)
    return value


def _no_later_codec(value: Any) -> Any:
    for name in value if isinstance(value, list) else ():
        if isinstance(name, str) and name in _LATER_CODECS:
            refuse("E090", f"not yet: {_LATER_CODECS[name]}", describe(name), "It is planned; leave it out until then")
    return value


class BodyDoc(Doc):
    """A request or response with at most one body key."""

    later: ClassVar = {"graphql": "GraphQL"}
    at_most_one_of: ClassVar = BODY_KEYS

    json_: Matcher = Field(None, alias="json", description="The body, sent and read as JSON")
    form: Matcher = Field(None, description="The body, sent and read as application/x-www-form-urlencoded")
    multipart: Matcher = Field(None, description="The body, sent and read as multipart/form-data")
    xml: Matcher = Field(None, description="The body, sent and read as XML: an object with one member, the root")
    text: Matcher = Field(None, description="The body, a text")
    bytes_: Matcher = Field(None, alias="bytes", description="The body, bytes as they are")
    body: Matcher = Field(None, description="The body, whatever its codec (see `as`); `none` demands an empty one")

    @property
    def codec(self) -> str | None:
        """The body key that is written, one of BODY_KEYS; None when nothing is said about the body."""
        return next((key for key in BODY_KEYS if self.has(key)), None)

    @property
    def content(self) -> Any:
        """What stands under the body key."""
        key = self.codec
        return None if key is None else getattr(self, {"json": "json_", "bytes": "bytes_"}.get(key, key))


def _literals(value: Any) -> Any:
    for name, item in value.items() if isinstance(value, dict) else ():
        if isinstance(item, dict | list) or item is None:
            refuse("E035", f"a literal value for {name!r}", describe(item))
        if isinstance(item, str) and (item.startswith("$") or "{{" in item):
            refuse("E035", f"a literal value for {name!r}: routing looks at nothing else", describe(item))
    return value


Literals = Annotated[Structure, BeforeValidator(_literals)]


class OnDoc(Doc):
    """What routes to an operation besides method and path; values are literal."""

    label: ClassVar = "`on`"

    headers: Annotated[Literals, HeaderNames] | None = Field(
        None, description="Header name to the exact value that routes here"
    )
    query: Literals | None = Field(None, description="Query parameter to the exact value that routes here")
    body: Literals | None = Field(None, description="Body field to the exact value that routes here")


class RequestDoc(BodyDoc):
    """The request of an operation."""

    label: ClassVar = "a request"
    later: ClassVar = {**BodyDoc.later, "upgrade": "sockets", "key": "topics"}

    method: Annotated[str, BeforeValidator(_method), WithJsonSchema({"type": "string", "pattern": "^[A-Z-]+$"})] = (
        Field("", description="The HTTP method, in capitals")
    )
    path: Annotated[str, BeforeValidator(_path), WithJsonSchema({"type": "string", "pattern": "^/"})] = Field(
        "", description="The path, with {parameters}: /v1/charges/{id}"
    )
    host: str | None = Field(None, description="A name from the target's `hosts`, for operations on another host")
    on: OnDoc | None = Field(None, description="Headers, query parameters or body fields that routing looks at")
    headers: Headers | None = Field(None, description="Header name to matcher; `Name?` for an optional one")
    query: Structure | None = Field(None, description="Query parameter to matcher; `name?` for an optional one")
    cookies: Structure | None = Field(None, description="Cookie name to matcher; `name?` for an optional one")
    unknown: Literal["ignore", "reject"] = Field(
        "ignore", description="What to do with query parameters and body fields that are not listed"
    )
    as_: Annotated[
        list[Codec],
        BeforeValidator(_no_later_codec),
        BeforeValidator(as_list, json_schema_input_type=Codec | list[Codec]),
    ] = Field(default_factory=list, alias="as", description="The codecs that `body` may come in")
