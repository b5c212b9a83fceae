"""XML bodies, to values and back.

An element with nothing but text is that text; one with attributes or elements in it is an object: attributes are
members whose names begin with a dot (``.currency``), text beside them is the member ``.``. Elements of the same name
side by side are a list. Names are read without their namespaces. Values are texts; matchers know what they spell.

A document type is refused as such: with it go entities, internal and external, and everything that they could expand
to or fetch. Size and depth are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final
from xml.parsers import expat

from troth.contracts.codecs.options import XmlOptions
from troth.contracts.leaves import Fault
from troth.contracts.values import ABSENT, Json
from troth.errors import ContractError, Place, Problem

__all__ = ["DEPTH_LIMIT", "ELEMENT_LIMIT", "build_xml", "parse_xml"]

DEPTH_LIMIT: Final = 100
"""Elements nested deeper than this are a fault; what reads the value recurses."""
ELEMENT_LIMIT: Final = 200_000
"""More elements and attributes than this are a fault."""

_DECLARATION: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_INSTANCE: Final = "http://www.w3.org/2001/XMLSchema-instance"
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*")
_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML 1.0 document may hold, not even as references."""
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;"})


class _Refused(Exception):
    """What the reader will not go on with; its argument is the Fault."""


class _Element:
    __slots__ = ("members", "name", "nil", "text")

    def __init__(self, name: str) -> None:
        self.name = name
        self.members: dict[str, Any] = {}
        self.text: list[str] = []
        self.nil = False


class _Many(list[Any]):
    """The values of elements of one name, while there may come more."""

    __slots__ = ()


class _Reader:
    """Gathers the value while the parser goes through the text."""

    def __init__(self, options: XmlOptions) -> None:
        self.options = options
        self.open: list[_Element] = []
        self.count = 0
        self.root: dict[str, Json] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.count += 1 + len(attributes)
        if self.count > ELEMENT_LIMIT:
            raise _Refused(Fault("bounds", f"XML of at most {ELEMENT_LIMIT} elements and attributes"))
        if len(self.open) >= DEPTH_LIMIT:
            raise _Refused(Fault("bounds", f"XML nested at most {DEPTH_LIMIT} deep"))
        element = _Element(_local(name))
        for key, value in attributes.items():
            if key == f"{_INSTANCE} nil":
                element.nil = value.strip() in ("true", "1")
            elif not key.startswith(f"{_INSTANCE} "):
                element.members[f".{_local(key)}"] = value
        self.open.append(element)

    def text(self, text: str) -> None:
        self.open[-1].text.append(text)

    def end(self, _: str) -> None:
        element = self.open.pop()
        value = self._value(element)
        if not self.open:
            self.root[element.name] = value
            return
        members = self.open[-1].members
        if element.name not in members:
            members[element.name] = value
            return
        before = members[element.name]
        if before.__class__ is _Many:
            before.append(value)
        else:
            members[element.name] = _Many((before, value))

    def _value(self, element: _Element) -> Json:
        text = "".join(element.text)
        if not element.members:
            return None if element.nil else text
        members = {name: list(value) if value.__class__ is _Many else value for name, value in element.members.items()}
        item = self.options.item
        if self.options.lists == "wrapped" and members.keys() == {item}:
            return members[item] if element.members[item].__class__ is _Many else [members[item]]
        if text.strip():
            members["."] = text
        return members

    def doctype(self, *_: object) -> None:
        raise _Refused(Fault("format", "XML without a document type: entities are not read"))


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


def parse_xml(body: bytes, options: XmlOptions) -> Json | Fault:
    """The value of an XML document: an object with one member, the root element. Or why it is none."""
    reader = _Reader(options)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.doctype
    try:
        parser.Parse(body, True)
    except _Refused as refused:
        found: Fault = refused.args[0]
        return found
    except expat.ExpatError as error:
        return Fault("format", f"XML ({error})")
    except (LookupError, ValueError):
        return Fault("format", "XML in a known character set")
    return reader.root


def build_xml(value: Json, options: XmlOptions) -> bytes:
    """The document of a value as ``parse_xml`` gives it; a lone object without a root element is refused (E272)."""
    if not isinstance(value, dict) or len(value) != 1:
        raise _unsayable("an object with one member, the root element,", value)
    root, content = next(iter(value.items()))
    if isinstance(content, list):
        content = {options.item: content}  # there is one root, whatever is in it
    pieces = [_DECLARATION]
    pieces += _element(root, content, options, f' xmlns="{_escaped(options.namespace)}"' if options.namespace else "")
    return "".join(pieces).encode()


def _element(name: str, value: Json, options: XmlOptions, more: str = "") -> Iterator[str]:
    if not _NAME.fullmatch(name):
        raise _unsayable("names that elements can have", name)
    if isinstance(value, list) and options.lists == "wrapped":
        value = {options.item: _Many(value)}
    if isinstance(value, list):
        for item in value:
            yield from _element(name, item, options)
    elif isinstance(value, dict):
        yield f"<{name}{more}{''.join(_attributes(value))}>"
        yield from _members(value, options)
        yield f"</{name}>"
    elif value is not ABSENT:
        text = _text(value)
        yield f"<{name}{more}>{text}</{name}>" if text else f"<{name}{more}/>"


def _members(value: dict[str, Json], options: XmlOptions) -> Iterator[str]:
    for key, item in value.items():
        if key == ".":
            yield _text(item)
        elif item.__class__ is _Many:
            for each in item:
                yield from _element(key, each, options)
        elif not key.startswith(".") and item is not ABSENT:
            yield from _element(key, item, options)


def _attributes(value: dict[str, Json]) -> Iterator[str]:
    for key, item in value.items():
        if len(key) > 1 and key[0] == "." and item is not ABSENT and item is not None:
            if not _NAME.fullmatch(key[1:]):
                raise _unsayable("names that attributes can have", key)
            # A parser would give line breaks and tabs in attributes back as spaces.
            yield f' {key[1:]}="{_text(item).replace(chr(10), "&#10;").replace(chr(9), "&#9;")}"'


def _text(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None or value is ABSENT:
        return ""
    if isinstance(value, bytes | dict | list):
        raise _unsayable("a text or number there", value)
    return _escaped(format(value, "f") if isinstance(value, Decimal) else str(value))


def _escaped(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", text).translate(_ESCAPES)


def _unsayable(asked: str, value: Any) -> ContractError:
    fix = "Encode bytes as text ($encoded); attributes and texts have no parts"
    return ContractError([Problem("E272", Place(), f"{asked} in an XML body", repr(value)[:80], fix)])
