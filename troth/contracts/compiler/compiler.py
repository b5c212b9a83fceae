"""From a Document to a Contract: everything is resolved, checked and compiled once; a request does none of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from troth.contracts.codecs import BodyOptions, XmlOptions, build_form_options
from troth.contracts.compiler.auth_compiler import AuthCompiler
from troth.contracts.compiler.operation_compiler import OperationCompiler
from troth.contracts.compiler.patterns import Patterns
from troth.contracts.compiler.policy_compiler import compile_policy
from troth.contracts.compiler.sample_size import check_responses, check_types
from troth.contracts.compiler.scenario_compiler import compile_scenarios
from troth.contracts.compiler.state_compiler import StateCompiler
from troth.contracts.compiler.static import Names
from troth.contracts.compiler.structural import STRUCTURAL
from troth.contracts.compiler.type_cycles import check_cycles
from troth.contracts.compiler.wire_compiler import WireCompiler, xml_options
from troth.contracts.contract import Collection, Contract, Proven, Scenario, Secret, Target
from troth.contracts.document.document import Document
from troth.contracts.expressions.expression import Expression, compile_expression
from troth.contracts.matcher import Origin
from troth.contracts.nodes.base import Node
from troth.contracts.nodes.leaf import Ref
from troth.contracts.nodes.once import has_once
from troth.contracts.nodes.shape import Shape
from troth.contracts.routing.router import Route, Router
from troth.errors import ContractError, Problems

__all__ = ["compile_document"]


def compile_document(document: Document, problems: Problems) -> Contract:
    """The contract of a document. Everything that is wrong goes to ``problems``; the caller raises them."""
    return _Compiler(document, problems).contract()


class _Compiler:
    def __init__(self, document: Document, problems: Problems) -> None:
        self.document, self.problems = document, problems
        self.collections: dict[str, Collection] = {}
        self.versions = tuple(document.versions.known) if document.versions else ()
        self.data: dict[str, Any] = plain_data(document.data)
        self.types: Mapping[str, Any] = document.types
        base = Names(
            collection=self._type_of,
            collections=frozenset(document.state),
            data=self.data,
            secrets=frozenset(document.secrets),
        )
        self.patterns = Patterns(
            self.types,
            problems,
            self.versions,
            self.collections,
            frozenset(document.state),
            base.with_names("parts"),
            STRUCTURAL,
        )
        self.names = base
        self.auths = AuthCompiler(document, base, problems)

    def _type_of(self, collection: str) -> Node | None:
        found = self.collections.get(collection)
        return found.type if found is not None else None

    def contract(self) -> Contract:
        types: dict[str, Node] = {}
        options = self._codecs()
        self.patterns.xml = options["body"].xml
        if self.document.loaded_hooks is not None:
            self.patterns.coders = self.document.loaded_hooks.codecs
        cyclic = check_cycles(self.types, self.problems)
        if not cyclic:
            types = {name: self.patterns.type_node(name) for name in self.types}
            cyclic = check_types(types, self.types, self.problems)
        if cyclic:
            # Nothing that refers to such a type can be compiled; the cycle itself says all there is to say.
            return self._assembled({}, options)
        states = StateCompiler(self.document, self.patterns, self.names)
        states.compile_into(self.collections)
        names = replace(self.names, hidden={name: found.hidden for name, found in self.collections.items()})
        wires = {
            name: WireCompiler(name, doc, self.patterns, names, options["body"])
            for name, doc in self.document.wires.items()
        }
        compiler = OperationCompiler(self.document, self.patterns, names, self.auths.compile, options["body"], wires)
        operations = compiler.compile_all()
        if self.document.auth is not None:
            self.auths.compile(self.document.auth)
        self.auths.check(operations)
        states.compile_moves(self.collections, names)
        for name, found in self.collections.items():
            shape = _shape_of(found.type)
            self.collections[name] = replace(found, shape=shape, once=has_once(shape))
        check_responses(operations.values(), types, self.problems)
        return self._assembled(operations, options)

    def _assembled(self, operations: dict[str, Any], options: dict[str, Any]) -> Contract:
        document = self.document
        wired = _wired(operations)
        return Contract(
            provider=document.provider,
            title=document.title,
            path=document.file,
            operations=operations,
            collections=self.collections,
            scenarios=self._scenarios(operations),
            secrets={name: Secret(name, found.env, found.allow) for name, found in document.secrets.items()},
            auth=self.auths.compile(document.auth) if document.auth is not None else None,
            targets=self._targets(),
            data=self.data,
            versions_from=self._versions_from(),
            versions=self.versions,
            router=self._router({**operations, **wired}),
            proven=proven_of(document.proven),
            content_hash=document.content_hash,
            codec_options=options,
            inlining=_inlining(self.collections.values()),
            types={name: Ref(Origin(name), name, self.patterns.type_node) for name in self.types},
            wired=wired,
            policy=compile_policy(document.drift),
        )

    def _codecs(self) -> dict[str, Any]:
        codecs = self.document.codecs
        options: dict[str, Any] = {}
        for name in ("form", "query"):
            found = getattr(codecs, name) if codecs is not None else None
            raw = {
                key: getattr(found, key)
                for key in ("nesting", "lists", "booleans")
                if found is not None and getattr(found, key) is not None
            }
            place = self.document.place("codecs", name)
            options[name] = build_form_options(raw, place, self.problems)
        xml = XmlOptions()
        if codecs is not None and codecs.xml is not None:
            xml = xml_options(codecs.xml, self.problems)
        options["body"] = BodyOptions(options["form"], xml)
        return options

    def _scenarios(self, operations: Mapping[str, Any]) -> dict[str, Scenario]:
        if not operations:
            return {}
        return compile_scenarios(self.document, operations, self.collections, self.data, self.problems)

    def _targets(self) -> dict[str, Target]:
        found: dict[str, Target] = {}
        for name in self.document.targets:
            found[name] = self._target(name, frozenset())
        return found

    def _target(self, name: str, within: frozenset[str]) -> Target:
        doc = self.document.targets[name]
        base = Target(name)
        if doc.like is not None:
            if doc.like not in self.document.targets or doc.like in within | {name}:
                place = doc.place("like")
                self.problems.add("E164", place, "`like` to name another target, without a circle", repr(doc.like))
            else:
                base = replace(self._target(doc.like, within | {name}), name=name)
        return replace(base, **_target_changes(doc, base))

    def _versions_from(self) -> Expression | None:
        if self.document.versions is None:
            return None
        place = self.document.place("versions", "from")
        return compile_expression(self.document.versions.from_, place, self.problems)

    def _router(self, operations: Mapping[str, Any]) -> Router:
        routes = [
            Route(
                name,
                found.request.method,
                found.request.path,
                found.request.host,
                found.request.on_headers,
                found.request.on_query,
                found.request.on_body,
                found.wire,
            )
            for name, found in operations.items()
        ]
        try:
            router = Router(routes)
        except ContractError:
            # Templates that cannot be read were reported where they stand.
            return Router(())
        for first, second in router.conflicts():
            place = operations[second].place
            asked = f"requests that tell {second!r} from {first!r}"
            route = f"{operations[second].request.method} {operations[second].request.path}"
            self.problems.add("E165", place, asked, f"{route} for both", "Tell them apart with `on`")
        return router


def _wired(operations: Mapping[str, Any]) -> dict[str, Any]:
    """Every operation on each wire that is not its first, by the name of its route."""
    wired: dict[str, Any] = {}
    for name, found in operations.items():
        wired.update({f"{name} ({wire})": other for wire, other in found.wires.items() if wire != found.wire})
    return wired


def _target_changes(doc: Any, base: Target) -> dict[str, Any]:
    """What a target says itself, over what it has from another by ``like``."""
    changes: dict[str, Any] = {key: getattr(doc, key) for key in ("proxy", "ca")}
    for key in ("rate", "concurrency", "requests", "seconds", "cost"):
        changes[key] = getattr(doc.limits, key, None)
    changes["health"] = (doc.health.method, doc.health.path) if doc.health is not None else None
    changes = {key: value for key, value in changes.items() if value is not None}
    if doc.url is not None:
        changes.update(url=doc.url.default, url_env=doc.url.env)
    if doc.wires is not None:
        changes["wires"] = tuple(doc.wires)
    if doc.hosts:
        changes["hosts"] = {host: url.default or "" for host, url in doc.hosts.items()}
    if doc.secrets:
        changes["secrets"] = {**base.secrets, **{secret: env.env for secret, env in doc.secrets.items()}}
    return changes


def _shape_of(node: Node | None) -> Shape | None:
    target = node.target if isinstance(node, Ref) else node
    return target if isinstance(target, Shape) else None


def _inlining(collections: Iterable[Collection]) -> frozenset[str] | None:
    """What decides whether a linked record is inlined; None when that depends on nothing in the request."""
    read = [found.inline.names - {"here"} for found in collections if found.inline is not None]
    return frozenset[str]().union(*read) if all(read) else None


def proven_of(doc: Any) -> Proven | None:
    """A ``proven`` claim."""
    return None if doc is None else Proven(doc.by, doc.on, doc.link)


def plain_data(raw: Any) -> Any:
    """Constants as plain dicts and lists."""
    if isinstance(raw, dict):
        return {name: plain_data(value) for name, value in raw.items()}
    if isinstance(raw, list):
        return [plain_data(value) for value in raw]
    return raw
