"""How wires are written: the protocols in which the same operations can be called."""

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from troth.contracts.describe import describe
from troth.contracts.document.document_base import Doc, HeaderNames, Matcher, Structure, refuse
from troth.contracts.document.provider_document import FormCodecDoc, XmlCodecDoc
from troth.contracts.yaml_files.placed import Map

__all__ = ["OPERATION", "WireDoc", "WireOnDoc", "WireReplyDoc", "WireRequestDoc"]

OPERATION = re.compile(r"\{\{\s*operation\s*\}\}")
"""The one expression that names on a wire may hold."""


def _only_the_operation(value: Any) -> Any:
    for name, item in value.items() if isinstance(value, dict) else ():
        if isinstance(item, dict | list) or item is None:
            refuse("E035", f"a literal value for {name!r}", describe(item))
        _plain(item, name)
    return value


def _plain(value: Any, name: str) -> None:
    if isinstance(value, str) and ("{{" in OPERATION.sub("", value) or value.startswith("$")):
        fix = 'It may hold "{{ operation }}", the name of the operation, and no other expression'
        refuse("E035", f"a literal value for {name!r}", describe(value), fix)


def _element(value: Any) -> Any:
    if isinstance(value, str):
        _plain(value, "an element")
    return value


Literals = Annotated[Structure, BeforeValidator(_only_the_operation)]
Element = Annotated[str, BeforeValidator(_element)]


class WireOnDoc(Doc):
    """What tells the wires' requests apart; values may hold {{ operation }}."""

    label: ClassVar = "`on` of a wire"

    headers: Annotated[Literals, HeaderNames] | None = Field(
        None, description="Header name to the value that routes here"
    )
    query: Literals | None = Field(None, description="Query parameter to the value that routes here")
    body: Literals | None = Field(None, description="Body field to the value that routes here; it is no part of `body`")


class WireJsonDoc(Doc):
    """JSON on a wire."""

    label: ClassVar = "`json` of a wire"

    content_type: str | None = Field(None, description="The media type; without it application/json")


class WireFormDoc(FormCodecDoc):
    """A form on a wire."""

    label: ClassVar = "`form` of a wire"

    adds: Literals | None = Field(None, description="Fields that every request has besides its body: Version")


class WireXmlRequestDoc(XmlCodecDoc):
    """XML in the requests of a wire."""

    label: ClassVar = "`xml` of a wire"

    content_type: str | None = Field(None, description="The media type; without it application/xml")
    root: Element | None = Field(None, description="The element around the body")


class WireXmlReplyDoc(WireXmlRequestDoc):
    """XML in the replies of a wire."""

    within: Element | None = Field(None, description="An element inside of `root` that holds the body")
    error: Element | None = Field(None, description="The element around bodies of status 400 and above, for `root`")
    beside_: dict[str, Matcher] = Field(
        default_factory=dict, alias="beside", description="What stands beside `within` in `root`: element to matcher"
    )


def _short(value: Any) -> Any:
    return Map([(value, Map())]) if isinstance(value, str) else value


class WireRequestDoc(Doc):
    """The codec of a wire's requests."""

    label: ClassVar = "`request` of a wire"
    one_of: ClassVar = ("json", "form", "xml")

    json_: WireJsonDoc | None = Field(None, alias="json", description="JSON")
    form: WireFormDoc | None = Field(None, description="A form")
    xml: WireXmlRequestDoc | None = Field(None, description="XML")


class WireReplyDoc(Doc):
    """The codec of a wire's replies."""

    label: ClassVar = "`reply` of a wire"
    one_of: ClassVar = ("json", "xml")

    json_: WireJsonDoc | None = Field(None, alias="json", description="JSON")
    xml: WireXmlReplyDoc | None = Field(None, description="XML")


class WireDoc(Doc):
    """One protocol in which operations can be called."""

    label: ClassVar = "a wire"

    on: WireOnDoc | None = Field(None, description="What tells its requests from those of other wires")
    request: Annotated[
        WireRequestDoc, BeforeValidator(_short, json_schema_input_type=Literal["json", "form", "xml"] | WireRequestDoc)
    ] = Field(description="How requests are encoded")
    reply: Annotated[
        WireReplyDoc, BeforeValidator(_short, json_schema_input_type=Literal["json", "xml"] | WireReplyDoc)
    ] = Field(description="How replies are encoded")
    names: dict[str, Element] = Field(
        default_factory=dict, description="Fields that have another name on this wire: Messages: Message"
    )
    maps: dict[str, Annotated[list[str], Field(min_length=2, max_length=2)]] = Field(
        default_factory=dict, description="Maps that are lists of entries here, with their names: Tags: [Key, Value]"
    )
