"""What is doubtful in a contract document, though it can be used: names that nothing uses, credentials, slips.

What can only be seen in the compiled contract (responses that never come, ambiguous routes) is checked elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from troth.contracts.document.document import Document
from troth.contracts.document.folder import ACCEPTED_FILE
from troth.contracts.document.lint_literals import forgotten_dollars
from troth.contracts.document.operation_document import OperationDoc
from troth.contracts.document.scenario_document import ScenarioDoc, StepDoc
from troth.contracts.document.walk import expressions, identifiers, matchers, texts
from troth.contracts.secret_shapes import hide_secrets, secrets_in
from troth.contracts.yaml_files.excerpt import lines_of, with_excerpts
from troth.contracts.yaml_files.placed import Map
from troth.errors import Place, Problem

__all__ = ["lint_document"]

_SECTIONS = ("state", "defaults", "traits", "operations", "scenarios")
_PATH = re.compile(r"(headers|query|body)\.([A-Za-z_]\w*)")


def lint_document(document: Document) -> list[Problem]:
    """Every doubt about ``document``: warnings (W001 to W011), and an error (E070) for a fixed idempotency key."""
    checks = (
        _unused_types, _unused_lets, _unused_traits, _unused_parts, _unused_data, _unused_secrets, _unused_collections,
        _idle_scenarios, _credentials, _files_left_out, _fixed_idempotency_keys, forgotten_dollars,
    )  # fmt: skip
    own = document.layers[0][1]
    found = [problem for check in checks for problem in check(document)]
    # A contract below is checked where it is kept, and not for everyone who extends it.
    return with_excerpts([problem for problem in found if problem.place.file in own], document.sources)


# Names that nothing uses


def _unused_types(document: Document) -> Iterator[Problem]:
    used: set[str] = set()
    waiting = [_types_in(document.root.get(section)) for section in _SECTIONS]
    while waiting:
        for name in waiting.pop() - used:
            used.add(name)
            waiting.append(_types_in(document.types.get(name)))
    for name in document.types:
        if name not in used:
            yield _unused("W001", "type", name, document.types.key_place(name))


def _types_in(value: Any) -> set[str]:
    return {use.name for use in matchers(value) if use.name[:1].isupper()}


def _unused_lets(document: Document) -> Iterator[Problem]:
    used: dict[Place, bool] = {}
    names: dict[Place, str] = {}
    everywhere = _names_in(document.root.get("state"))
    for name, operation in document.operations.items():
        raw = document.root["operations"][name]
        for let, rest in _scopes(operation, raw):
            for key in let:
                place = let.key_place(key)
                names[place] = key
                others = _names_in({"let": {other: value for other, value in let.items() if other != key}})
                used[place] = used.get(place, False) or key in (rest | others | everywhere)
    for place, key in names.items():
        if not used[place]:
            yield _unused("W004", "name", key, place)


def _scopes(operation: OperationDoc, raw: Map) -> Iterator[tuple[Map, set[str]]]:
    """Each ``let`` of an operation, and the names that expressions in its reach read."""
    if operation.let:
        yield operation.let, _names_in({key: value for key, value in raw.items() if key != "let"})
    for name, response in operation.responses.items():
        if response.let:
            rest = {key: value for key, value in raw["responses"][name].items() if key != "let"}
            yield response.let, _names_in(rest)


def _names_in(value: Any) -> set[str]:
    return {name for source in expressions(value) for name in identifiers(source)}


def _unused_traits(document: Document) -> Iterator[Problem]:
    used = {name for operation in document.operations.values() for name in operation.use}
    for name in document.traits:
        if name not in used:
            yield _unused("W003", "trait", name, document.root["traits"].key_place(name))


def _unused_parts(document: Document) -> Iterator[Problem]:
    included = {step.include for scenario in document.scenarios.values() for step in _steps(scenario)}
    for name, scenario in document.scenarios.items():
        if scenario.part and name not in included:
            yield _unused("W002", "part", name, document.root["scenarios"].key_place(name))


def _unused_data(document: Document) -> Iterator[Problem]:
    used = _members(document, "data")
    for name in document.data:
        if name not in used:
            yield _unused("W005", "constant", name, document.data.key_place(name))


def _unused_secrets(document: Document) -> Iterator[Problem]:
    used = _members(document, "secrets")
    for name in document.secrets:
        if name not in used:
            yield _unused("W006", "secret", name, document.root["secrets"].key_place(name))


def _unused_collections(document: Document) -> Iterator[Problem]:
    used = _members(document, "state")
    for section in ("types", *_SECTIONS):
        for use in matchers(document.root.get(section)):
            if use.name in ("link", "select"):
                used.add(str(use.argument))
    for operation in document.operations.values():
        used.update(str(effect.put) for response in operation.responses.values() for effect in response.effects)
    for name in document.state:
        if name not in used:
            yield _unused("W010", "collection", name, document.root["state"].key_place(name))


def _members(document: Document, of: str) -> set[str]:
    member = re.compile(rf"\b{of}\.([A-Za-z_]\w*)")
    rest = (value for key, value in document.root.items() if key != of)
    return {name for value in rest for text in texts(value) for name in member.findall(text)}


def _unused(code: str, what: str, name: str, place: Place) -> Problem:
    return Problem(code, place, f"a use of the {what} {name!r}", "none", "Use it or remove it")


# Scenarios


def _steps(scenario: ScenarioDoc) -> Iterable[StepDoc]:
    return (*scenario.steps, *scenario.cleanup)


def _idle_scenarios(document: Document) -> Iterator[Problem]:
    for name, scenario in document.scenarios.items():
        if not _calls(document, scenario, ()):
            place = document.root["scenarios"].key_place(name)
            yield Problem("W007", place, "a scenario that calls an operation", f"{name!r}, which only waits")


def _calls(document: Document, scenario: ScenarioDoc, within: tuple[str, ...]) -> bool:
    for step in scenario.steps:
        if step.call is not None:
            return True
        part = document.scenarios.get(step.include or "")
        if part is not None and step.include not in within and _calls(document, part, (*within, str(step.include))):
            return True
    return False


def _fixed_idempotency_keys(document: Document) -> Iterator[Problem]:
    for scenario in document.scenarios.values():
        for step in _steps(scenario):
            operation = document.operations.get(step.call or "")
            for values in (step.with_, step.repeat.with_ if step.repeat else None):
                for name in values or ():
                    if values and operation and _is_key(name, operation) and _is_fixed(values[name]):
                        asked = "an idempotency key that is new in each run: a fixed one replays last night's answer"
                        fix = "Write \"{{ unique('k-') }}\""
                        yield Problem("E070", values.place(name), asked, repr(values[name]), fix)


def _is_key(name: str, operation: OperationDoc) -> bool:
    part, _, field = name.rpartition(".")
    plain = field.lower().replace("-", "_")
    if plain == "idempotency_key":
        return True
    match = _PATH.fullmatch(operation.idempotency.key) if operation.idempotency else None
    if not match:
        return False
    written = plain if match[1] == "headers" else field
    return written == match[2] and part in ("", match[1])


def _is_fixed(value: Any) -> bool:
    return isinstance(value, str | int | float) and "{{" not in str(value) and not str(value).startswith("$")


# Texts and files


def _credentials(document: Document) -> Iterator[Problem]:
    for file, text in document.sources.items():
        for number, line in enumerate(lines_of(text), 1):
            for shape in secrets_in(line):
                found = f"{shape.what}: {hide_secrets(line[shape.start : shape.end])}"
                place = Place(file, number, shape.start + 1)
                fix = "Name a variable under `secrets`, and replace the credential at the provider"
                yield Problem("W008", place, "no credentials in a contract", found, fix)


def _files_left_out(document: Document) -> Iterator[Problem]:
    read = {Path(name).resolve() for name in document.sources}
    folders = {Path(name).parent for name in document.layers[0][1][1:]}
    for folder in sorted(folders):
        for path in sorted((*folder.glob("*.yaml"), *folder.glob("*.yml"))):
            if path.resolve() not in read and path.name != ACCEPTED_FILE:
                place = document.place("parts")
                yield Problem(
                    "W009", place, "every YAML file beside the parts to be one", str(path), "Add it to `parts`"
                )
