"""Resolves the names that one part of a contract uses for another: types, collections, operations, versions, targets.

Names inside expressions are resolved where expressions are compiled, those in scenarios by ``scenario_compiler``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from troth.contracts.document.document import Document
from troth.contracts.document.operation_document import (
    EffectDoc,
    IdempotencyDoc,
    OperationDoc,
    ResponseDoc,
    SharedDoc,
    UndoDoc,
)
from troth.contracts.document.walk import Named, matchers
from troth.contracts.routing.path_template import Template, parse_template
from troth.contracts.suggest import did_you_mean
from troth.contracts.yaml_files.placed import Map
from troth.errors import Place, Problems

__all__ = ["RESERVED", "check_references"]

RESERVED = frozenset(
    (  # noqa: SIM905 - a list of words reads better as words
        "method path query headers cookies body raw reply this state it here whole piece loop parts event case now "
        "target secrets data auth version wire operation mismatch quota maybe absent none true false unique "
        "and or not in is if else"
    ).split()
)
"""Names with a meaning in expressions, which an author may not give to something else."""

_IDEMPOTENCY_RESPONSES = ("replay", "conflict", "busy")
_WITH_MATCHERS = ("types", "state", "defaults", "traits", "operations", "scenarios")


def check_references(document: Document, root: Map, problems: Problems) -> None:
    """A problem for every name that leads nowhere.

    ``document`` may lack operations, collections and scenarios that are wrong in themselves; ``root`` has them all, so
    that a name is never called unknown because what it names has another mistake.
    """
    checks = _References(document, root, problems)
    checks.in_matchers()
    checks.in_operations()
    checks.in_wires()
    checks.in_targets()
    checks.in_policy()


class _References:
    def __init__(self, document: Document, root: Map, problems: Problems) -> None:
        self._document, self._root, self._problems = document, root, problems
        self._versions = document.versions.known if document.versions else []
        known = Document.keys()
        strange = (value for key, value in root.items() if key not in known and isinstance(value, Map))
        self._misplaced = frozenset(name for value in strange for name in value)
        """Names in sections that are misspelt: they have been told of."""

    def _names(self, section: str) -> Collection[str]:
        value = self._root.get(section)
        return value if isinstance(value, Map) else ()

    def _resolve(self, code: str, what: str, name: str, known: Iterable[str], place: Place) -> None:
        if name not in known and name not in self._misplaced:
            self._problems.add(code, place, f"a known {what}", repr(name), did_you_mean(name, known, f"{what}s"))

    # Types, collections, versions

    def in_matchers(self) -> None:
        for section in _WITH_MATCHERS:
            for use in matchers(self._root.get(section), self._root.place(section)):
                self._matcher(use)

    def _matcher(self, use: Named) -> None:
        if use.name[:1].isupper():
            self._resolve("E060", "type", use.name, self._names("types"), use.place)
        elif use.name in ("link", "select") and isinstance(use.argument, str):
            place = use.modifiers.place(f"${use.name}")
            self._resolve("E064", "collection", use.argument, self._names("state"), place)
        for key in ("since", "until"):
            if isinstance(use.modifiers.get(key), str):
                self._version(use.modifiers[key], use.modifiers.place(key))

    def _version(self, name: str | None, place: Place) -> None:
        if name is None:
            return
        if self._versions:
            self._resolve("E068", "version", name, self._versions, place)
        else:
            fix = "Write versions: {from: headers.name, known: [...]}"
            self._problems.add("E068", place, "`versions` in a contract that uses since or until", repr(name), fix)

    # Operations

    def in_operations(self) -> None:
        document = self._document
        shared: list[SharedDoc] = [*document.traits.values(), *document.operations.values()]
        if document.defaults:
            shared.append(document.defaults)
        for item in shared:
            if item.let:
                self._own_names(item.let)
            if item.undo:
                self._resolve("E061", "operation", item.undo.call, self._names("operations"), item.undo.place("call"))
        for name, operation in document.operations.items():
            self._path_of(operation.undo)
            self._versions_of(operation)
            if operation.idempotency:
                self._idempotency(name, operation, operation.idempotency)
            for response in operation.responses.values():
                self._response(response, operation.let or Map())
        for collection in document.state.values():
            for move in collection.moves.values():
                self._effects(move.effects, ())

    def _path_of(self, undo: UndoDoc | None) -> None:
        """What takes something back must be told what: its path needs every value."""
        if undo is None:
            return
        called = self._document.operations.get(undo.call)
        template = parse_template(called.request.path) if called is not None else ""
        given = {name.removeprefix("path.") for name in undo.with_ or ()}
        for name in template.names if isinstance(template, Template) else ():
            if name not in given:
                asked = f"a value for {{{name}}} in the path of {undo.call}, which `undo` calls"
                fix = f'Write with: {{{name}: "{{{{ this.id }}}}"}}, or where else the reply has it'
                self._problems.add("E365", undo.place("call"), asked, "none", fix)

    def in_wires(self) -> None:
        document = self._document
        shared = (*document.traits.values(), *document.operations.values(), *filter(None, [document.defaults]))
        used = [(item.wires, item.place("wires")) for item in shared if item.wires]
        used += [(target.wires, target.place("wires")) for target in document.targets.values() if target.wires]
        for wires, place in used:
            for wire in wires:
                self._resolve("E059", "wire", wire, self._names("wires"), place)

    def _versions_of(self, item: OperationDoc | ResponseDoc) -> None:
        self._version(item.since, item.place("since"))
        self._version(item.until, item.place("until"))

    def _idempotency(self, name: str, operation: OperationDoc, idempotency: IdempotencyDoc) -> None:
        for skipped in idempotency.skip:
            self._resolve("E062", "response", skipped, operation.responses, idempotency.place("skip"))
        for taken in _IDEMPOTENCY_RESPONSES:
            if taken in operation.responses:
                place = self._document.root["operations"][name]["responses"].key_place(taken)
                fix = "Choose another name; `idempotency` gives a response of this name"
                self._problems.add("E069", place, "other names of responses", repr(taken), fix)

    def _response(self, response: ResponseDoc, lets: Map) -> None:
        self._versions_of(response)
        if response.let:
            self._own_names(response.let, lets)
        self._effects(response.effects, lets)

    def _effects(self, effects: Iterable[EffectDoc], lets: Collection[str]) -> None:
        for effect in effects:
            if effect.put is not None:
                self._resolve("E064", "collection", effect.put, self._names("state"), effect.place("put"))
            if effect.as_:
                self._own_name(effect.as_, effect.place("as"), lets)

    def _own_names(self, lets: Map, taken: Collection[str] = ()) -> None:
        for name in lets:
            self._own_name(name, lets.key_place(name), taken)

    def _own_name(self, name: str, place: Place, taken: Collection[str]) -> None:
        if name in RESERVED:
            fix = "Choose another name; this one has a meaning in expressions"
            self._problems.add("E069", place, "a name that is not reserved", repr(name), fix)
        elif not name.isidentifier() or not name.isascii():
            self._problems.add("E069", place, "a name of letters, digits and _", repr(name))
        elif name in taken:
            self._problems.add("E069", place, "a name that hides no other", repr(name), "Choose another name")

    # Targets

    def in_targets(self) -> None:
        targets = self._document.targets
        likes = {name: [target.like] if target.like else [] for name, target in targets.items()}
        for name, target in targets.items():
            if target.like is not None:
                self._resolve("E066", "target", target.like, self._names("targets"), target.place("like"))
            for secret in target.secrets:
                place = self._document.place("targets", name, "secrets", secret)
                self._resolve("E066", "secret", secret, self._names("secrets"), place)
            trail = _circle(name, likes)
            if trail:
                found = " > ".join(trail)
                self._problems.add(
                    "E067", target.place("like"), "targets that are not like each other in a circle", found
                )

    # Policy

    def in_policy(self) -> None:
        drift = self._document.drift
        for name in drift.policy.operations if drift and drift.policy else ():
            place = self._root["drift"]["policy"]["operations"].key_place(name)
            self._resolve("E061", "operation", name, self._names("operations"), place)


def _circle(start: str, links: Mapping[str, list[str]]) -> list[str]:
    """The way from ``start`` back to itself; empty when there is none."""
    trails, seen = [[start]], {start}
    while trails:
        trail = trails.pop()
        for name in links.get(trail[-1], ()):
            if name == start:
                return [*trail, name]
            if name not in seen:
                seen.add(name)
                trails.append([*trail, name])
    return []
