"""Where in the contract's files the demand stands that a finding is about: ``acmepay/contract.yaml:31``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from troth.contracts.contract import Contract
from troth.contracts.document.folder import read_document
from troth.contracts.repair.places import Entry, demands, entry_at, responses_of
from troth.contracts.yaml_files.placed import Map
from troth.errors import Place, TrothError
from troth.runners.disagreement import Disagreement, Row, about_reply
from troth.runners.places import parent

__all__ = ["Written"]


class Written:
    """Looks demands up in the files of one contract, which are read when the first is. ``name`` says a file's name."""

    def __init__(self, contract: Contract, name: Callable[[str], str]) -> None:
        self._contract = contract
        self._name = name

    def at(self, item: Disagreement, responses: Iterable[str]) -> str:
        """File and line, the nearest that can be found; "" for what no contract demands, and where files are gone.

        ``responses`` (``operation.response``) are those that showed it.
        """
        if item.row is Row.LEAK or self._root is None:
            return ""
        entry = next((entry for entry in _nearest(self._root, item, tuple(responses)) if entry is not None), None)
        place = Place() if entry is None else entry.key_place
        return f"{self._name(place.file)}:{place.line}" if place.line else ""

    @cached_property
    def _root(self) -> Map | None:
        try:
            return read_document(self._contract.path).root
        except (TrothError, OSError):
            return None


def _nearest(root: Map, item: Disagreement, responses: tuple[str, ...]) -> Iterator[Entry | None]:
    if item.unmet or item.row is Row.SCENARIO:
        yield _step(root, item)
    if about_reply(item.kind, item.path):
        # What was promised says more than what came instead.
        yield from (responses_of(root, response) for response in responses)
    origin = item.origin
    while origin:
        yield from demands(root, origin, responses)[:1]
        origin = parent(origin)
    collection, dot, _ = item.origin.partition(".moves")
    if dot:
        yield entry_at(root, "state", collection, "moves")
    yield entry_at(root, "operations", item.operation)
    yield _step(root, item)


def _step(root: Map, item: Disagreement) -> Entry | None:
    """The step of the scenario, or of the part that it includes: ``2``, ``2.repeat4``, ``1.a paid intent.2``."""
    scenarios = root.get("scenarios") or {}
    names = [name for name in scenarios if item.scenario == name or item.scenario.startswith(f"{name}[")]
    name, found = max(names, key=len, default=""), None
    rest = item.trail
    while rest:
        head, _, rest = rest.partition(".")
        if head.isdigit():
            found = entry_at(root, "scenarios", name, "steps", int(head) - 1) or found
            name = max((part for part in scenarios if rest.startswith(f"{part}.")), key=len, default=name)
            rest = rest.removeprefix(f"{name}.")
    return found or entry_at(root, "scenarios", name)
