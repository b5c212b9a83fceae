"""An operation as it is on each of its wires: the same matchers, under another codec, name and envelope."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from troth.contracts.codecs import BodyOptions, XmlOptions, build_form_options, build_xml_options
from troth.contracts.compiler.body_check import check_body
from troth.contracts.compiler.patterns import Patterns, Spot
from troth.contracts.compiler.spellings import Spellings
from troth.contracts.compiler.static import Names
from troth.contracts.contract import BodyCodec, Operation, RequestShape, ResponseShape
from troth.contracts.document.wire_document import OPERATION, WireDoc
from troth.contracts.matcher import Origin
from troth.contracts.nodes.base import Node
from troth.contracts.nodes.shape import Shape
from troth.contracts.wire_body import Envelope, WireBody
from troth.errors import Place, Problems

__all__ = ["WireCompiler", "xml_options"]

_FORM = ("nesting", "lists", "booleans")


class WireCompiler:
    """One wire of a document."""

    def __init__(self, name: str, doc: WireDoc, patterns: Patterns, names: Names, options: BodyOptions) -> None:
        self.name, self.doc, self.patterns = name, doc, patterns
        self.asked: BodyCodec = _codec(doc.request)
        self.answered: BodyCodec = _codec(doc.reply)
        self.request_options = self._options(doc.request, options)
        self.reply_options = self._options(doc.reply, options)
        self.beside = self._beside(names)

    def _options(self, doc: Any, options: BodyOptions) -> BodyOptions:
        if doc.has("form"):
            raw = {key: getattr(doc.form, key) for key in _FORM if getattr(doc.form, key) is not None}
            form = build_form_options(raw, doc.place("form"), self.patterns.problems)
            return replace(options, form=form)
        if doc.has("xml"):
            return replace(options, xml=xml_options(doc.xml, self.patterns.problems))
        return options

    def _beside(self, names: Names) -> dict[str, Node]:
        doc = self.doc.reply.xml
        if doc is None:
            return {}
        origin = f"wires.{self.name}"
        place = doc.place("beside")
        return {
            name: self.patterns.compile(raw, Spot(place, Origin(origin, f".{name}"), names))
            for name, raw in doc.beside_.items()
        }

    def operation(self, base: Operation) -> Operation:
        """The operation on this wire."""
        request = self._request(base.name, base.request)
        responses = tuple(self._response(base.name, shape) for shape in base.responses)
        rule = base.idempotency
        if rule is not None and rule.conflict is not None:
            rule = replace(rule, conflict=self._response(base.name, rule.conflict))
        return replace(base, request=request, responses=responses, idempotency=rule, wire=self.name)

    def _request(self, operation: str, shape: RequestShape) -> RequestShape:
        doc, on = self.doc, self.doc.on
        routed = _said((on and on.body) or {}, operation)
        added = {**routed, **_said((doc.request.form and doc.request.form.adds) or {}, operation)}
        # What only routes is not in the description, so an operation without a body has an empty one here.
        body = shape.body or Shape(Origin(f"{operation}.request", ".body"), ())
        check_body(body, "json" if self.asked == "xml" else self.asked, Place(), self.patterns.problems)
        around = doc.request.xml
        envelope = Envelope(_filled(around.root, operation)) if around is not None and around.root else None
        written = WireBody(
            self.request_options, self._media(doc.request), self._spellings(operation).of(body), added, envelope
        )
        return replace(
            shape,
            on_headers={**shape.on_headers, **_lower(_said((on and on.headers) or {}, operation))},
            on_query={**shape.on_query, **_said((on and on.query) or {}, operation)},
            on_body={**shape.on_body, **routed},
            body=body,
            codecs=(self.asked,),
            undemanding=False,
            written=written,
        )

    def _response(self, operation: str, shape: ResponseShape) -> ResponseShape:
        envelope = self._envelope(operation, shape.status)
        body = shape.body
        if body is None and envelope is not None and shape.codec != "none":
            body = Shape(Origin(f"{operation}.{shape.name}", "$"), ())
        media = self._media(self.doc.reply)
        if body is None:
            return shape if shape.codec == "none" else replace(shape, codec=self.answered, content_type=media)
        spelling = self._spellings(operation, reply=True).of(body)
        written = WireBody(self.reply_options, None, spelling, {}, envelope)
        return replace(shape, body=body, codec=self.answered, content_type=media, written=written)

    def _envelope(self, operation: str, status: int) -> Envelope | None:
        doc = self.doc.reply.xml
        if doc is None or doc.root is None:
            return None
        if status >= 400 and doc.error is not None:
            return Envelope(_filled(doc.error, operation))
        return Envelope(_filled(doc.root, operation), _filled(doc.within or "", operation), self.beside)

    def _spellings(self, operation: str, *, reply: bool = False) -> Spellings:
        names = {name: _filled(wire, operation) for name, wire in self.doc.names.items()}
        unseen = reply and self.answered == "xml" and self.reply_options.xml.lists == "repeat"
        return Spellings(names, {name: (pair[0], pair[1]) for name, pair in self.doc.maps.items()}, unseen=unseen)

    def _media(self, doc: Any) -> str | None:
        if doc.has("form"):
            return None
        found = doc.json_ if doc.has("json") else doc.xml
        media: str | None = found.content_type
        return media


def xml_options(doc: Any, problems: Problems) -> XmlOptions:
    """What a document says of XML."""
    raw = {key: getattr(doc, key) for key in ("lists", "item", "namespace") if getattr(doc, key) is not None}
    return build_xml_options(raw, doc.at, problems)


def _codec(doc: Any) -> BodyCodec:
    return next(key for key in ("json", "form", "xml") if doc.has(key))


def _filled(text: str, operation: str) -> str:
    return OPERATION.sub(lambda _: operation, text)


def _said(raw: Mapping[str, Any], operation: str) -> dict[str, Any]:
    return {name: _filled(item, operation) if isinstance(item, str) else item for name, item in raw.items()}


def _lower(values: Mapping[str, Any]) -> dict[str, str]:
    return {name.lower(): str(value) for name, value in values.items()}
