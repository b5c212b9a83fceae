"""Putting mappings together: parts into one document, `defaults` and traits beneath operations.

One rule: mappings merge, lists and scalars replace, ``null`` removes. A matcher is one thing: a mapping with a ``$``
key replaces or is replaced whole, never half, and so do credentials of another kind. A field ``name`` replaces
``name?`` and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable

from troth.contracts.document.auth_document import KINDS
from troth.contracts.suggest import did_you_mean
from troth.contracts.yaml_files.placed import Map
from troth.errors import Place, Problems
from troth.frozen import frozen

__all__ = ["Inherited", "inherit", "join_parts", "merge"]

_NAMES_IN = {"defaults": 2, "codecs": 2}
"""How many levels of names a section has that parts may share out among files; one where it is not listed."""
_ROOT_ONLY = ("troth", "provider", "parts", "extends", "hooks")


def merge(base: Map, over: Map) -> Map:
    """``over`` merged over ``base``: a new Map, whose entries keep their places, those of ``base`` first."""
    result = Map((), over.at)
    taken: set[str] = set()
    for key, value in base.items():
        winner = key if key in over else _twin(key)
        if winner not in over:
            result.with_entry(key, value, base.marks.get(key))
            continue
        taken.add(winner)
        said = over[winner]
        if said is None:
            continue
        if _mergeable(value) and _mergeable(said) and not (key == "auth" and _other_kind(value, said)):
            said = merge(value, said)
        result.with_entry(winner, said, over.marks.get(winner))
    for key, value in over.items():
        if key not in taken:
            result.with_entry(key, value, over.marks.get(key))
    return result


def _other_kind(base: Map, over: Map) -> bool:
    """Two kinds of credentials do not merge: the other one is meant instead."""
    kinds = [{kind for kind in KINDS if kind in value} for value in (base, over)]
    return all(kinds) and kinds[0] != kinds[1]


def _twin(key: str) -> str:
    return key[:-1] if key.endswith("?") else f"{key}?"


def _mergeable(value: object) -> bool:
    return isinstance(value, Map) and not any(key.startswith("$") and not key.startswith("$$") for key in value)


@frozen
class Inherited:
    """A document with `defaults` and traits merged into its operations."""

    root: Map
    names: dict[str, frozenset[str]]
    """Operation to the names of its inherited responses."""


def inherit(root: Map, problems: Problems) -> Inherited:
    """Merge `defaults`, then traits in the order of `use`, beneath every operation.

    Inherited responses come first, an operation's own after them; an own response with an inherited name replaces it
    and stands where it is written.
    """
    operations = root.get("operations")
    if not isinstance(operations, Map):
        return Inherited(root, {})
    defaults, traits = _map_of(root, "defaults"), _map_of(root, "traits")
    merged, names = Map((), operations.at), dict[str, frozenset[str]]()
    bases: dict[tuple[str, ...], Map] = {}
    for name, operation in operations.items():
        value = operation
        if isinstance(operation, Map):
            use = _traits_used(operation, traits, problems)
            if use not in bases:
                base = defaults
                for trait in use:
                    base = merge(base, traits[trait])
                bases[use] = base
            value, names[name] = _beneath(bases[use], operation, problems)
        merged.with_entry(name, value, operations.marks.get(name))
    result = Map((), root.at)
    for key, value in root.items():
        result.with_entry(key, merged if key == "operations" else value, root.marks.get(key))
    return Inherited(result, names)


def _map_of(value: Map, key: str) -> Map:
    found = value.get(key)
    return found if isinstance(found, Map) else Map((), value.at)


def _traits_used(operation: Map, traits: Map, problems: Problems) -> tuple[str, ...]:
    use = operation.get("use", ())
    used = [use] if isinstance(use, str) else use if isinstance(use, list) else ()
    known = []
    for name in used:
        if not isinstance(name, str):
            continue  # the document's validation says so
        if isinstance(traits.get(name), Map):
            known.append(name)
        elif name not in traits:
            problems.add("E065", operation.place("use"), "a trait", repr(name), did_you_mean(name, traits, "traits"))
    return tuple(dict.fromkeys(known))


def _beneath(base: Map, operation: Map, problems: Problems) -> tuple[Map, frozenset[str]]:
    inherited, own = _map_of(base, "responses"), operation.get("responses", Map((), operation.at))
    result = merge(_without(base, "responses"), _without(operation, "responses"))
    if not isinstance(own, Map):
        return result.with_entry("responses", own, operation.marks.get("responses")), frozenset()
    responses = Map((), own.at if "responses" in operation else operation.at)
    for name, response in inherited.items():
        if name not in own and response is not None:
            responses.with_entry(name, response, inherited.marks.get(name))
    names = frozenset(responses)
    for name, response in own.items():
        if response is not None:
            responses.with_entry(name, response, own.marks.get(name))
        elif inherited.get(name) is None:
            fix = did_you_mean(name, inherited, "inherited responses")
            problems.add("E036", own.key_place(name), "null only where a response is inherited", repr(name), fix)
    marks = operation.marks.get("responses") or base.marks.get("responses")
    return result.with_entry("responses", responses, marks), names


def _without(value: Map, key: str) -> Map:
    result = Map((), value.at)
    for name, item in value.items():
        if name != key:
            result.with_entry(name, item, value.marks.get(name))
    return result


def join_parts(root: Map, parts: Iterable[Map], problems: Problems) -> Map:
    """One document out of the contract file and its parts. A name defined in two files is a problem at both places."""
    result = root
    for part in parts:
        result = _join(result, _allowed_in_part(part, problems), 0, "", problems)
    return result


def _allowed_in_part(part: Map, problems: Problems) -> Map:
    allowed = part
    for key in _ROOT_ONLY:
        if key in part:
            asked = f"{key!r} in the contract file only, not in a part"
            problems.add("E055", part.key_place(key), asked, repr(key), "Remove it here")
            allowed = _without(allowed, key)
    return allowed


def _join(base: Map, part: Map, depth: int, section: str, problems: Problems) -> Map:
    result = Map((), base.at)
    for key, value in base.items():
        result.with_entry(key, value, base.marks.get(key))
    for key, value in part.items():
        levels = _NAMES_IN.get(section or key, 1)
        if key not in result:
            result.with_entry(key, value, part.marks.get(key))
        elif depth < levels and isinstance(value, Map) and isinstance(result[key], Map):
            joined = _join(result[key], value, depth + 1, section or key, problems)
            result.with_entry(key, joined, result.marks.get(key))
        else:
            first, second = result.key_place(key), part.key_place(key)
            _defined_twice(key, first, second, problems)
    return result


def _defined_twice(name: str, first: Place, second: Place, problems: Problems) -> None:
    asked = "each name once in a contract"
    problems.add("E054", second, asked, f"{name!r} again (first at {first})", "Rename or remove one")
