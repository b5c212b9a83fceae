"""Operations: their requests, names, responses, idempotency and undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from troth.contracts.codecs import BodyOptions
from troth.contracts.compiler.body_check import check_body, has_encoded
from troth.contracts.compiler.circles import circles
from troth.contracts.compiler.effect_compiler import EffectCompiler
from troth.contracts.compiler.patterns import Patterns, Spot, field_name, finished
from troth.contracts.compiler.select_compiler import compile_select
from troth.contracts.compiler.spellings import Spellings
from troth.contracts.compiler.static import LANGUAGE_NAMES, Names
from troth.contracts.compiler.wire_compiler import WireCompiler
from troth.contracts.contract import (
    Auth,
    BodyCodec,
    Effect,
    Idempotency,
    Operation,
    Proven,
    RequestShape,
    ResponseShape,
    Undo,
)
from troth.contracts.describe import describe
from troth.contracts.document.document import Document
from troth.contracts.expressions.said import Said, compile_said
from troth.contracts.leaves import build_leaf
from troth.contracts.matcher import Origin
from troth.contracts.nodes.base import Node
from troth.contracts.nodes.leaf import LeafNode, Ref
from troth.contracts.nodes.shape import Field, Shape
from troth.contracts.routing.path_template import check_template
from troth.contracts.wire_body import WireBody
from troth.contracts.yaml_files.placed import Map
from troth.errors import Place

__all__ = ["OperationCompiler"]


class OperationCompiler:
    """Compiles every operation of a document; ``defaults`` and traits are merged in already."""

    def __init__(
        self,
        document: Document,
        patterns: Patterns,
        names: Names,
        auth: Callable[[Any], Auth],
        options: BodyOptions,
        wires: Mapping[str, WireCompiler],
    ) -> None:
        self.document, self.patterns, self.names, self.auth = document, patterns, names, auth
        self.effects = EffectCompiler(patterns, patterns.collections)
        self.options, self.wires = options, wires

    def compile_all(self) -> dict[str, Operation]:
        """Every operation by name."""
        return {name: self._operation(name, doc) for name, doc in self.document.operations.items()}

    def _operation(self, name: str, doc: Any) -> Operation:
        request = self._request(name, doc)
        shapes: dict[str, Node] = {
            "path": request.path_fields,
            "query": request.query,
            "cookies": request.cookies,
        }
        if request.body is not None:
            shapes["body"] = request.body
        names = replace(self.names, shapes=shapes)
        lets = self._lets(name, doc, names)
        # A name whose value is wrong is known all the same: one mistake is one message.
        names = replace(names, lets=lets, extra=names.extra.union(*(source.let or () for source in _letting(doc))))
        responses = tuple(
            self._response(name, shape_name, shape, names, doc) for shape_name, shape in doc.responses.items()
        )
        responses = self._order(name, responses, doc)
        compiled = Operation(
            name,
            doc.title,
            request,
            names.lets,
            responses,
            self._idempotency(name, doc, names),
            self._undo(doc, names),
            self._cost(doc, names),
            self.auth(doc.auth) if doc.auth is not None else None,
            _proven(doc.proven),
            doc.since,
            doc.until,
            self.document.place("operations", name),
        )
        return self._on_wires(compiled, doc)

    def _on_wires(self, operation: Operation, doc: Any) -> Operation:
        """The operation on its first wire, and beside it on every one."""
        wires = [self.wires[wire].operation(operation) for wire in doc.wires or () if wire in self.wires]
        if not wires:
            return operation
        return replace(wires[0], wires={found.wire: found for found in wires})

    def _written(self, node: Node | None, codec: str, *, reply: bool = False) -> WireBody | None:
        """XML spells lists and empty objects in its own way."""
        if node is None or codec != "xml":
            return None
        unseen = reply and self.options.xml.lists == "repeat"
        return WireBody(self.options, None, Spellings(unseen=unseen).of(node))

    def _order(self, name: str, responses: tuple[ResponseShape, ...], doc: Any) -> tuple[ResponseShape, ...]:
        """The one without ``when`` is last: nothing after it could ever come."""
        # One whose condition is wrong has one all the same: one mistake is one message.
        always = [shape for shape in responses if doc.responses[shape.name].when is None]
        if len(always) > 1:
            for shape in always[1:]:
                asked = f"at most one response of {name} without `when`"
                found = f"{always[0].name} and {shape.name}"
                self.patterns.report("E173", shape.place, asked, found, "Say when each of them comes")
        return tuple(sorted(responses, key=lambda shape: shape.when is None))

    # Names

    def _lets(self, operation: str, doc: Any, names: Names) -> dict[str, Any]:
        """The operation's own names; each may use the others."""
        lets: dict[str, Any] = {}
        raw: dict[str, tuple[Any, Place]] = {}
        for source in _letting(doc):
            for let, value in (source.let or {}).items():
                place = source.let.place(let) if isinstance(source.let, Map) else source.at
                if let in LANGUAGE_NAMES or not let.isidentifier():
                    self.patterns.report("E174", place, "a name that the language does not use itself", repr(let))
                if let in raw and raw[let][0] != value:
                    asked = f"one meaning of {let!r} in {operation}: its responses share their names"
                    fix = "Give one of them another name"
                    self.patterns.report("E069", place, asked, f"another one at {raw[let][1]}", fix)
                raw.setdefault(let, (value, place))
        for let, (value, place) in raw.items():
            shapes = {} if self._shared(let, value, doc) else names.shapes
            inside = replace(names, lets=lets, extra=names.extra | raw.keys(), shapes=shapes)
            spot = Spot(place, Origin(operation, f".{let}"), inside)
            if isinstance(value, dict) and "$select" in value:
                compiled: Any = compile_select(self.patterns, let, value, spot)
            else:
                compiled = self.patterns.expression(value, spot)
            if compiled is not None:
                lets[let] = compiled
        self._refuse_circles(lets, {let: place for let, (_, place) in raw.items()})
        return lets

    def _refuse_circles(self, lets: dict[str, Any], places: Mapping[str, Place]) -> None:
        """What needs itself is reported, and taken out: whoever looked it up would never come back."""
        for way in list(circles(lets)):
            found = " needs ".join(repr(name) for name in (*way, way[0]))
            asked = f"a value of {way[0]!r} that can be worked out"
            self.patterns.report("E179", places[way[0]], asked, found, "Say one of them without the others")
            for name in way:
                lets.pop(name, None)

    def _shared(self, let: str, value: Any, doc: Any) -> bool:
        """Does the name come from ``defaults`` or a trait? It may read fields that this operation does not have."""
        document = self.document
        beneath = [document.defaults, *(document.traits[name] for name in doc.use if name in document.traits)]
        return any(found is not None and (found.let or Map()).get(let) == value for found in beneath)

    # Requests

    def _request(self, name: str, doc: Any) -> RequestShape:
        request = doc.request
        place = self.document.place("operations", name, "request")
        if not request.method or not request.path:
            self.patterns.report("E175", place, "a request with `method` and `path`", "one without")
        names = self.names
        headers, header_names = self._header_fields(request.headers, names, f"{name}.request", request=True)
        strict = "reject" if request.unknown == "reject" else "allow"
        query = self._carrier(request.query, names, f"{name}.request", "query", strict)
        cookies = self._carrier(request.cookies, names, f"{name}.request", "cookies", "allow")
        body, codecs = self._request_body(name, request, names, strict)
        on = request.on
        return RequestShape(
            request.method,
            request.path,
            request.host,
            {key.lower(): str(value) for key, value in ((on and on.headers) or {}).items()},
            {key: str(value) for key, value in ((on and on.query) or {}).items()},
            dict((on and on.body) or {}),
            self._path_fields(name, request),
            query,
            headers,
            header_names,
            cookies,
            body,
            codecs,
            request.unknown,
            {spelled.lower().encode("latin-1", "replace"): field for field, spelled in header_names.items()},
            query.quiet and headers.quiet and not cookies.fields and not codecs,
            self._written(body, codecs[0] if codecs else ""),
        )

    def _path_fields(self, name: str, request: Any) -> Shape:
        fields = []
        for parameter in check_template(request.path, request.place("path"), self.patterns.problems):
            origin = Origin(f"{name}.request", f".path.{parameter}")
            if not parameter.isidentifier():
                place = request.place("path")
                self.patterns.report("E176", place, "path parameters that expressions can name", repr(parameter))
            leaf = build_leaf("string", None, {}, request.place("path"), self.patterns.problems)
            if leaf is not None:
                fields.append(Field(parameter, LeafNode(origin, leaf)))
        return Shape(Origin(f"{name}.request", ".path"), tuple(fields))

    def _carrier(self, raw: Any, names: Names, where: str, carrier: str, unlisted: str) -> Shape:
        place = raw.at if isinstance(raw, Map) else Place()
        spot = Spot(place, Origin(where, f".{carrier}"), names, request=True)
        return self.patterns.shape(raw or {}, spot, unlisted)

    def _header_fields(
        self, raw: Any, names: Names, where: str, *, request: bool = False
    ) -> tuple[Shape, dict[str, str]]:
        """Headers by lower-case name with ``_``, and how each is spelled on the wire."""
        fields: list[Field] = []
        spelled: dict[str, str] = {}
        for written, value in (raw or {}).items():
            spelling, optional = field_name(written)
            name = spelling.lower().replace("-", "_")
            place = raw.place(written) if isinstance(raw, Map) else Place()
            if name in spelled:
                self.patterns.report("E187", place, "each header once", f"{spelled[name]} and {spelling}")
            origin = Origin(where, f".headers.{name}")
            node = self.patterns.compile(value, Spot(place, origin, names, request))
            since, until = self.patterns.lifetime(value, place)
            fields.append(Field(name, node, optional, since, until))
            spelled[name] = spelling
        return finished(Shape(Origin(where, ".headers"), tuple(fields))), spelled

    def _request_body(self, name: str, request: Any, names: Names, strict: str) -> tuple[Node | None, tuple[Any, ...]]:
        if request.codec is None:
            return None, ()
        raw, place = request.content, request.place(request.codec)
        if request.codec == "body" and raw in ("none", None):
            return None, ("none",)
        codecs = tuple(request.as_) or (("json",) if request.codec == "body" else (request.codec,))
        spot = Spot(place, Origin(f"{name}.request", ".body"), names, request=True)
        node = self.patterns.compile(raw, spot)
        for codec in codecs:
            check_body(node, codec, place, self.patterns.problems)
        target = node.target if isinstance(node, Ref) else node
        if isinstance(target, Shape) and strict == "reject" and target.unlisted == "allow":
            node = target.having(unlisted="reject")
        return node, codecs

    # Responses

    def _response(self, operation: str, name: str, doc: Any, names: Names, owner: Any) -> ResponseShape:
        if name in owner.inherited:
            names = replace(names, shapes={})
        where = f"{operation}.{name}"
        place = doc.at if doc.at.line else self.document.place("operations", operation, "responses", name)
        when = None
        if doc.when is not None:
            when = self.patterns.expression(doc.when, Spot(doc.place("when"), Origin(where), names))
        merged = Map(((owner.headers or Map()) | (doc.headers or Map())).items())
        for source in (owner.headers, doc.headers):
            if isinstance(source, Map):
                merged.marks.update(source.marks)
        headers, header_names = self._header_fields(merged, names, where)
        headers = self._shared_headers(headers, owner, doc)
        body, codec = self._body(doc, names, where)
        written = self._written(body, codec, reply=True)
        effects = self.effects.compile(doc.effects, names, where)
        reads = _read_names(when, names) if when is not None else frozenset()
        if doc.odds is not None and "maybe" not in reads:
            found = doc.when or "no `when`"
            self.patterns.report("E177", doc.place("odds"), "`odds` where `when` reads `maybe`", found)
        return ResponseShape(
            name,
            doc.status,
            when,
            "mismatch" in reads,
            "maybe" in reads,
            doc.odds,
            doc.means,
            headers if headers.fields else None,
            _on_the_wire(header_names),
            body,
            codec,
            None,
            effects,
            _proven(doc.proven),
            doc.since,
            doc.until,
            name in owner.inherited,
            place,
            has_encoded(body),
            doc.since is not None or doc.until is not None,
            _type_name(body),
            written,
            _packs(effects, codec) if written is None and not has_encoded(body) else "",
        )

    def _shared_headers(self, headers: Shape, owner: Any, doc: Any) -> Shape:
        """A header that every response has is one demand of the contract, written in one place."""
        own = {field_name(written)[0].lower().replace("-", "_") for written in doc.headers or ()}
        common = {field_name(written)[0].lower().replace("-", "_") for written in owner.headers or ()}
        fields = tuple(
            field._replace(node=field.node.having(origin=origin, said_origin=origin))
            if field.name in common - own and (origin := Origin("headers", f".{field.name}"))
            else field
            for field in headers.fields
        )
        return headers.with_fields(fields)

    def _body(self, doc: Any, names: Names, where: str) -> tuple[Node | None, Any]:
        if doc.codec is None:
            return None, "json"
        raw = doc.content
        if doc.codec == "body" and raw in ("none", None):
            return None, "none"
        codec: BodyCodec = "json" if doc.codec == "body" else doc.codec
        spot = Spot(doc.place(doc.codec), Origin(where, "$"), names)
        node = self.patterns.compile(raw, spot)
        check_body(node, codec, spot.place, self.patterns.problems)
        return node, codec

    # The rest

    def _idempotency(self, operation: str, doc: Any, names: Names) -> Idempotency | None:
        rule = doc.idempotency
        if rule is None:
            return None
        key = self.patterns.expression(rule.key, Spot(rule.place("key"), Origin(f"{operation}.idempotency"), names))
        if key is None:
            return None
        replay, spelled = None, dict[str, str]()
        if rule.replay is not None and rule.replay.headers:
            replay, spelled = self._header_fields(rule.replay.headers, names, f"{operation}.replay")
        conflict = None
        if rule.conflict is not None:
            conflict = self._response(operation, "conflict", rule.conflict, names, doc)
        wire = _on_the_wire(spelled)
        return Idempotency(key, tuple(rule.same), replay, wire, conflict, frozenset(rule.skip), rule.keep)

    def _undo(self, doc: Any, names: Names) -> Undo | None:
        undo = doc.undo
        if undo is None:
            return None
        names = names.with_names("reply")
        said = self._said(undo.with_ or {}, undo.at, names)
        when = None
        if undo.when is not None:
            when = self.patterns.expression(undo.when, Spot(undo.place("when"), Origin("undo"), names))
        return Undo(undo.call, said, when)

    def _cost(self, doc: Any, names: Names) -> Mapping[str, Said]:
        said = self._said(doc.cost or {}, doc.at, names.with_names("reply"))
        for unit, amount in said.items():
            written = doc.cost[unit]
            numeric = isinstance(written, int | float | Decimal) and not isinstance(written, bool)
            if not amount.expressions and not (numeric and written >= 0):
                asked = "a number from 0 on, or an expression that gives one"
                self.patterns.report("E031", amount.place, asked, f"{describe(written)} as {unit}")
        return said

    def _said(self, values: Mapping[str, Any], at: Place, names: Names) -> dict[str, Said]:
        """Values by name that may hold expressions over a call and its reply."""
        said = {}
        for key, value in values.items():
            place = values.place(key) if isinstance(values, Map) else at
            found = compile_said(value, place, self.patterns.problems)
            for expression in found.expressions:
                names.check(expression, self.patterns.problems)
            said[key] = found
        return said


def _letting(doc: Any) -> tuple[Any, ...]:
    """What may hold a ``let``: the operation and its responses."""
    return (doc, *doc.responses.values())


def _read_names(expression: Any, names: Names) -> frozenset[str]:
    """The names that an expression reads, through the operation's own names too."""
    found: set[str] = set()
    queue = [expression]
    seen: set[int] = set()
    while queue:
        current = queue.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        for name in getattr(current, "names", ()):
            found.add(name)
            if name in names.lets:
                queue.append(names.lets[name])
    return frozenset(found)


def _packs(effects: tuple[Effect, ...], codec: BodyCodec) -> str:
    """Where the one effect, if it is that, puts the whole body, whatever is in it."""
    if codec != "json" or len(effects) != 1:
        return ""
    effect = effects[0]
    whole = effect.verb == "put" and effect.value is None and not effect.also
    return effect.collection if whole and effect.when is None and effect.each is None else ""


def _type_name(body: Node | None) -> str:
    return body.type if isinstance(body, Ref | Shape) else ""


def _on_the_wire(spelled: Mapping[str, str]) -> dict[str, bytes]:
    return {name: spelling.encode("latin-1", "replace") for name, spelling in spelled.items()}


def _proven(doc: Any) -> Proven | None:
    return None if doc is None else Proven(doc.by, doc.on, doc.link)
