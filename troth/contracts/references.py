"""Resolves the names that one part of a contract uses for another: types, collections, operations, responses, parts.

Names inside expressions are resolved where expressions are compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from troth.contracts.document import Document
from troth.contracts.operation_document import OperationDoc, SharedDoc
from troth.contracts.placed import Map
from troth.contracts.scenario_document import ScenarioDoc, StepDoc
from troth.contracts.suggest import did_you_mean
from troth.contracts.walk import Named, matchers
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

_WITH_MATCHERS = ("types", "state", "defaults", "traits", "operations", "scenarios")


def check_references(document: Document, root: Map, problems: Problems) -> None:
    """A problem for every name that leads nowhere.

    ``document`` may lack operations, collections and scenarios that are wrong in themselves; ``root`` has them all, so
    that a name is never called unknown because what it names has another mistake.
    """
    checks = _References(document, root, problems)
    checks.in_matchers()
    checks.in_operations()
    checks.in_scenarios()
    checks.in_targets()


class _References:
    def __init__(self, document: Document, root: Map, problems: Problems) -> None:
        self._document, self._root, self._problems = document, root, problems
        self._versions = document.versions.known if document.versions else []

    def _names(self, section: str) -> Collection[str]:
        value = self._root.get(section)
        return value if isinstance(value, Map) else ()

    def _resolve(self, code: str, what: str, name: str, known: Iterable[str], place: Place) -> None:
        if name not in known:
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
                self._own_names(item.let, item.let.key_place)
            if item.undo:
                self._resolve("E061", "operation", item.undo.call, self._names("operations"), item.undo.place("call"))
        for operation in document.operations.values():
            self._operation(operation)
        for collection in document.state.values():
            for move in collection.moves.values():
                for effect in move.effects:
                    if effect.put is not None:
                        self._resolve("E064", "collection", effect.put, self._names("state"), effect.place("put"))

    def _operation(self, operation: OperationDoc) -> None:
        idempotency = operation.idempotency
        for name in idempotency.skip if idempotency else ():
            assert idempotency is not None
            self._resolve("E062", "response", name, operation.responses, idempotency.place("skip"))
        for item in (operation, *operation.responses.values()):
            self._version(item.since, item.place("since"))
            self._version(item.until, item.place("until"))
        lets = operation.let or Map()
        for response in operation.responses.values():
            if response.let:
                self._own_names(response.let, response.let.key_place, lets)
            for effect in response.effects:
                if effect.put is not None:
                    self._resolve("E064", "collection", effect.put, self._names("state"), effect.place("put"))
                if effect.as_:
                    self._own_names([effect.as_], lambda _, effect=effect: effect.place("as"), lets)

    def _own_names(
        self, names: Iterable[str], place: Callable[[str], Place], taken: Collection[str] = frozenset()
    ) -> None:
        for name in names:
            if name in RESERVED:
                fix = "Choose another name; this one has a meaning in expressions"
                self._problems.add("E069", place(name), "a name that is not reserved", repr(name), fix)
            elif not name.isidentifier() or not name.isascii():
                self._problems.add("E069", place(name), "a name of letters, digits and _", repr(name))
            elif name in taken:
                self._problems.add("E069", place(name), "a name that hides no other", repr(name), "Choose another name")

    # Scenarios

    def in_scenarios(self) -> None:
        for name, scenario in self._document.scenarios.items():
            for step in (*scenario.steps, *scenario.cleanup):
                self._step(step)
            self._own_names(scenario.keep, lambda key, s=scenario: s.place("keep"))
            self._circle(name, scenario)

    def _step(self, step: StepDoc) -> None:
        operation = self._document.operations.get(step.call) if step.call is not None else None
        if step.call is not None:
            self._resolve("E061", "operation", step.call, self._names("operations"), step.place("call"))
        if operation is not None:
            known = [*operation.responses, *(("replay", "conflict") if operation.idempotency else ())]
            for name in step.expect.response:
                place = step.expect.place("response") if step.expect.at.line else step.place("expect")
                self._resolve("E062", f"response of {step.call!r}", name, known, place)
        if step.include is not None:
            self._include(step)
        self._own_names(step.keep, lambda key: step.place("keep"))
        if step.as_:
            self._own_names([step.as_], lambda key: step.place("as"))

    def _include(self, step: StepDoc) -> None:
        place, name = step.place("include"), step.include or ""
        parts = [key for key, value in self._document.scenarios.items() if value.part]
        self._resolve("E063", "part", name, [*parts, *self._broken_scenarios()], place)

    def _broken_scenarios(self) -> list[str]:
        return [name for name in self._names("scenarios") if name not in self._document.scenarios]

    def _circle(self, name: str, scenario: ScenarioDoc) -> None:
        trail = _circle(name, {key: _includes(value) for key, value in self._document.scenarios.items()})
        if trail:
            place = scenario.place("steps")
            self._problems.add("E067", place, "parts that do not include each other in a circle", " > ".join(trail))

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


def _includes(scenario: ScenarioDoc) -> list[str]:
    return [step.include for step in (*scenario.steps, *scenario.cleanup) if step.include is not None]


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
