"""What can still be said of a contract in which something is wrong.

A document is compiled although there are problems in it, so that all are told at once. What compiling then finds may
only follow from what is known already: a misspelt `keep` leaves names unknown, and an operation that cannot be read
leaves a scenario with nothing to call. ``Doubt`` tells such consequences from what is wrong by itself; what could be
either is not said.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from troth.contracts.yaml_files.placed import Map, Seq
from troth.errors import Place, Problem

if TYPE_CHECKING:
    from troth.contracts.document.document import Document

__all__ = ["Draft", "draft_of"]

_NAMES = frozenset({"E059", "E060", "E061", "E062", "E064", "E066", "E068", "E365"})
"""Names that lead nowhere, and values that are not given: what they stand for is not missed elsewhere."""
_HOOKS = frozenset({"E190", "E191", "E192"})
_LEAVES = frozenset({"E018", "E019", "E020", "E021", "E026"})
"""What the reader found wrong with a single value; everything around it is there."""
_BY_ITSELF = frozenset(
    [f"E{number}" for number in (*range(100, 113), *range(114, 118), 150, 152, 157, *range(250, 260), 270, 271, 280)]
)
"""Wrong whatever else the contract says: an expression that cannot be read, a matcher or an argument that is none."""
_UNKNOWN = frozenset({"E113", "E350", "E351", "E354", "E356", "E366"})
"""Names that nothing has. What would give them is spelt out where it stands, so its words tell whether it was lost."""
_HARMLESS = frozenset({"troth", "provider", "title", "proven", "targets", "drift"})
"""Sections that no other one is read by."""
_WORD = re.compile(r"\w+")
_Entry = tuple[str, str]
"""A section, and a name in it."""


class _Doubt(NamedTuple):
    """What hangs on something that is wrong already."""

    whole: bool
    """All of the contract."""
    lost: bool
    """And parts of it are not there, so that any name may be one of theirs."""
    places: frozenset[Place]
    lost_places: frozenset[Place]
    """The same for these places alone."""
    words: frozenset[str]
    """All that is written in what was left out."""


class Draft(NamedTuple):
    """A document without what is wrong in itself."""

    document: Document
    said: tuple[Problem, ...]
    doubt: _Doubt

    def news(self, found: Iterable[Problem]) -> list[Problem]:
        """Those of the problems ``found`` in it that are none of ``said``, and no consequence of one."""
        news = (item for item in found if not any(_echoes(item, other) for other in self.said) and self._stands(item))
        # Names that it suggests are only those that are left.
        return [replace(item, fix="") if item.code in _UNKNOWN and self._doubted(item) else item for item in news]

    def _stands(self, item: Problem) -> bool:
        doubt = self.doubt
        if item.code in _BY_ITSELF:
            return True
        if doubt.lost or item.place in doubt.lost_places or doubt.words.intersection(_WORD.findall(item.found)):
            return False
        return item.code in _UNKNOWN or not self._doubted(item)

    def _doubted(self, item: Problem) -> bool:
        return self.doubt.whole or item.place in self.doubt.places


def _echoes(item: Problem, other: Problem) -> bool:
    """Is it said of the same thing, or does it speak of what the other one calls wrong on its line?"""
    if item.place == other.place:
        return True
    same_line = (item.place.file, item.place.line) == (other.place.file, other.place.line)
    return same_line and bool(set(_WORD.findall(other.found)) & set(_WORD.findall(item.found)))


def draft_of(
    document: Document, said: Iterable[Problem], removed: Iterable[tuple[str | int, ...]], *, complete: bool
) -> Draft | None:
    """The draft that ``document`` is; None where nothing more can be said of it.

    ``removed`` are the paths of what it lacks, and ``said`` all that is wrong in what was read. ``complete`` is False
    where a file could not be read to its end.
    """
    problems = [problem for problem in said if not problem.warning]
    if any(problem.code in _HOOKS for problem in problems):
        return None  # any name may be one that a hook gives
    seeker = _Seeker(document.root)
    cut = list(removed)
    lost: set[Any] = {(*path, "")[:2] for path in cut if len(path) <= 2}
    doubtful: set[Any] = {(*path, "")[:2] for path in cut}
    words = {word for path in cut for word in _words(seeker.value(path), *path)}
    for problem in problems:
        if problem.code in _NAMES:
            continue
        owners = seeker.owners(problem.place)
        doubtful |= owners
        words.update(seeker.words_at(problem.place))
        if not owners and (problem.code, problem.place) != ("E032", document.root.at):
            complete = False
        if problem.code < "E030" and problem.code not in _LEAVES:
            lost |= owners
    lost, doubtful = _with_callers(document.root, lost), _with_callers(document.root, doubtful)
    local = ("operations", "scenarios")
    wide = [(section, name) for section, name in doubtful | lost if section not in _HARMLESS]
    wide = [(section, name) for section, name in wide if not name or section not in local]
    doubt = _Doubt(
        whole=bool(wide),
        lost=not complete or any(entry in lost for entry in wide),
        places=seeker.places(doubtful),
        lost_places=seeker.places(lost),
        words=frozenset(words),
    )
    return Draft(document, tuple(problems), doubt)


class _Seeker:
    """Finds what stands where, in a document with `defaults` and traits merged in."""

    def __init__(self, root: Map) -> None:
        self._root = root
        self._entries: dict[_Entry, frozenset[Place]] = {}
        for section, value in root.items():
            if section in ("defaults", "traits"):
                continue  # they are in every operation that has them
            if isinstance(value, Map) and section not in _HARMLESS:
                for name, item in value.items():
                    own = (value.key_place(name), value.place(name))
                    self._entries[section, name] = frozenset((*own, *_places(item)))
            inside = (
                () if isinstance(value, Map) and section not in _HARMLESS else (root.place(section), *_places(value))
            )
            self._entries[section, ""] = frozenset((root.key_place(section), *inside))

    def owners(self, place: Place) -> set[_Entry]:
        """The entries that ``place`` lies in."""
        return {entry for entry, places in self._entries.items() if place in places}

    def places(self, entries: Iterable[_Entry]) -> frozenset[Place]:
        return frozenset[Place]().union(*(self._entries.get(entry, ()) for entry in entries))

    def value(self, path: Iterable[str | int]) -> Any:
        value: Any = self._root
        for step in path:
            value = value[step]
        return value

    def words_at(self, place: Place) -> Iterator[str]:
        """The words of the entry whose key stands at ``place``."""
        waiting: list[Any] = [self._root]
        while waiting:
            value = waiting.pop()
            if isinstance(value, Map):
                for key, item in value.items():
                    if value.key_place(key) == place:
                        yield from _words(item, key)
            waiting.extend(value.values() if isinstance(value, Map) else value if isinstance(value, Seq) else ())


def _with_callers(root: Map, entries: set[Any]) -> set[Any]:
    """``entries``, and the scenarios that call or include one of them."""
    scenarios = root.get("scenarios")
    found, size = set(entries), -1
    while size != len(found):
        size = len(found)
        for name, scenario in scenarios.items() if isinstance(scenarios, Map) else ():
            steps = scenario.get("steps") if isinstance(scenario, Map) else None
            for step in steps if isinstance(steps, Seq) else ():
                if isinstance(step, Map) and not found.isdisjoint(_used(step)):
                    found.add(("scenarios", name))
    return found


def _used(step: Mapping[str, Any]) -> Collection[_Entry]:
    pairs = (("operations", step.get("call")), ("scenarios", step.get("include")))
    return [(section, name) for section, name in pairs if isinstance(name, str)]


def _places(value: Any) -> Iterator[Place]:
    if isinstance(value, Map):
        yield value.at
        for key, item in value.items():
            yield from (value.key_place(key), value.place(key))
            yield from _places(item)
    elif isinstance(value, Seq):
        yield value.at
        for index, item in enumerate(value):
            yield value.place(index)
            yield from _places(item)


def _words(value: Any, *keys: object) -> Iterator[str]:
    for key in keys:
        yield from _WORD.findall(key) if isinstance(key, str) else ()
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _words(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _words(item)
    elif isinstance(value, str):
        yield from _WORD.findall(value)
