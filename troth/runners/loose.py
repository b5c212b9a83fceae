"""Where the contract leaves a choice and the two targets chose differently: both are right, and the simulator is not
representative there.

Compared are the response chosen, fields with a default, presence of optional fields, null or not, size and order of
lists; and what an open list does not name is told, where only one of them says it. Ids, prose, tokens and cursors never
are. A shared sandbox holds other people's records among ours: the items of a list are compared as a set, and the size
and order of a ``$select`` that strangers are in are not compared at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from troth.contracts.contract import Contract
from troth.contracts.json_path import schema_path, value_at
from troth.contracts.judgement import Choice
from troth.contracts.nodes.items import ItemsNode
from troth.contracts.nodes.leaf import Ref
from troth.contracts.values import ABSENT, Value
from troth.runners.disagreement import Disagreement, Row, about_reply
from troth.runners.step_result import StepResult
from troth.runners.symbols import Symbols, near_time
from troth.runners.triangulate import Lined, mismatches, unobserved_of

__all__ = ["loose"]

_KINDS = {
    "default": "loose_value",
    "presence": "loose_presence",
    "null": "loose_null",
    "size": "loose_size",
    "order": "loose_order",
}


class _Side(NamedTuple):
    result: StepResult
    symbols: Symbols
    selections: Mapping[str, str]
    """Origins of the lists that select records, to the field that holds a record's key."""

    @property
    def choices(self) -> Mapping[str, Choice]:
        """What the target chose, but for what it chose in records that the scenario did not make."""
        judgement = self.result.judgement
        return {} if judgement is None else self._ours(judgement.choices)

    @property
    def news(self) -> Mapping[str, Choice]:
        """What open lists do not name, of the same records."""
        judgement = self.result.judgement
        return {} if judgement is None else self._ours(judgement.news)

    def _ours(self, choices: Mapping[str, Choice]) -> Mapping[str, Choice]:
        strangers = tuple(_strange_items(self))
        return {path: choice for path, choice in choices.items() if not _within(path, strangers)}


def loose(lined: Lined, contract: Contract) -> Iterator[Disagreement]:
    """Every difference between two answers that both fit the contract."""
    selections = dict(_selections(contract))
    shared: set[tuple[str, str]] = set()
    for key, on_sandbox in lined.sandbox.items():
        on_simulator = lined.simulator.get(key)
        if on_simulator is None or unobserved_of(on_sandbox) or unobserved_of(on_simulator):
            continue
        here = _Side(on_simulator, lined.symbols("simulator", key[0]), selections)
        there = _Side(on_sandbox, lined.symbols("sandbox", key[0]), selections)
        for found in _step(here, there):
            # Who was on an earlier page has moved the others to later ones.
            if found.kind not in ("loose_size", "loose_order") or (key[0], found.origin) not in shared:
                yield found
        shared |= {(key[0], origin) for side in (here, there) for origin in _shared(side)}


def _shared(side: _Side) -> Iterator[str]:
    """The origins of the selections that show records which the scenario did not make."""
    judgement = side.result.judgement
    for path, choice in judgement.choices.items() if judgement else ():
        if _strangers(side, [(path, choice)], str(choice.origin)):
            yield str(choice.origin)


def _selections(contract: Contract) -> Iterator[tuple[str, str]]:
    waiting = [shape.body for operation in contract.operations.values() for shape in operation.responses]
    types: set[str] = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, ItemsNode):
            yield str(node.origin), node.key
            waiting.append(node.item)
        elif isinstance(node, Ref) and node.type not in types:
            types.add(node.type)
            waiting.append(node.target)
        elif node is not None:
            waiting += node.children()


def _step(simulator: _Side, sandbox: _Side) -> Iterator[Disagreement]:
    mine, theirs = simulator.result.judgement, sandbox.result.judgement
    if mine is None or theirs is None or mine.response is None or theirs.response is None:
        return
    if mine.response != theirs.response:
        if _fits(simulator.result) and _fits(sandbox.result):
            origin = f"{sandbox.result.operation}.{mine.response}"
            yield _found(simulator, sandbox, "loose_response", "status", (origin, mine.response, theirs.response))
        return
    wrong = {schema_path(item.path) for side in (simulator, sandbox) for item, _ in mismatches(side.result)}
    lists = {
        schema_path(item.path)
        for side in (simulator, sandbox)
        for item, _ in mismatches(side.result)
        if item.kind.startswith("list_")
    }
    known = {(place, choice.value) for place, found in _by_place(simulator.news).items() for _, choice in found}
    for place, found in _by_place(sandbox.news).items():
        for path, choice in found:
            if place not in wrong and (place, choice.value) not in known:
                values = (str(choice.origin), _body(simulator, path), choice.value)
                yield _found(simulator, sandbox, "loose_member", path, values)
    left, right = _by_place(simulator.choices), _by_place(sandbox.choices)
    for place in sorted(left.keys() & right.keys()):
        if place in wrong or any(_within(path, (place,)) for path in lists):
            # Of a list that breaks a law, size and order say nothing more.
            continue
        difference = _difference(left[place], right[place], simulator, sandbox)
        if difference is not None:
            path, kind, values = difference
            yield _found(simulator, sandbox, kind, path, values)


def _fits(result: StepResult) -> bool:
    """Is there no finding yet about which response came? Then contract and scenario allow it."""
    return not any(about_reply(mismatch.kind, mismatch.path) for mismatch, _ in mismatches(result))


def _by_place(choices: Mapping[str, Choice]) -> dict[str, list[tuple[str, Choice]]]:
    places: dict[str, list[tuple[str, Choice]]] = {}
    for path in sorted(choices):
        places.setdefault(schema_path(path), []).append((path, choices[path]))
    return places


def _difference(
    left: list[tuple[str, Choice]],
    right: list[tuple[str, Choice]],
    simulator: _Side,
    sandbox: _Side,
) -> tuple[str, str, tuple[str, Value, Value]] | None:
    """The path, the kind and (origin, simulator's value, sandbox's) when no choice of one is among the other's."""
    for _, mine in left:
        for _, theirs in right:
            if _alike(mine, theirs, simulator, sandbox):
                return None
    (here, mine), (there, theirs) = left[0], right[0]
    what = "presence" if "presence" in (mine.what, theirs.what) else theirs.what
    origin = str(theirs.origin)
    if what in ("size", "order") and (_strangers(simulator, left, origin) or _strangers(sandbox, right, origin)):
        return None
    if what not in ("presence", "null"):
        return there, _KINDS[what], (origin, mine.value, theirs.value)
    # What stands there says more than that something does.
    return there, _KINDS[what], (origin, _body(simulator, here), _body(sandbox, there))


def _body(side: _Side, path: str) -> Value:
    return value_at(side.result.judgement.body, path) if side.result.judgement else ABSENT


def _strangers(side: _Side, choices: list[tuple[str, Choice]], origin: str) -> bool:
    """May a selection show records that the scenario did not make? What cannot be looked at may."""
    if origin not in side.selections:
        return False
    lists = [_body(side, path) for path, _ in choices]
    key = side.selections[origin]
    return not all(isinstance(items, list) and all(_is_own(side, item, key) for item in items) for items in lists)


def _strange_items(side: _Side) -> Iterator[str]:
    """The paths of the records in selections that the scenario did not make."""
    judgement = side.result.judgement
    for path, choice in judgement.choices.items() if judgement else ():
        key, items = side.selections.get(str(choice.origin)), _body(side, path)
        if key is not None and isinstance(items, list):
            yield from (f"{path}[{index}]" for index, item in enumerate(items) if not _is_own(side, item, key))


def _within(path: str, outer: tuple[str, ...]) -> bool:
    return path.startswith(tuple(f"{start}{mark}" for start in outer for mark in ".["))


def _is_own(side: _Side, item: Value, key: str) -> bool:
    """Is the item a record of the scenario, by its own key? That it mentions one makes it none."""
    name = item.get(key, ABSENT) if isinstance(item, dict) else ABSENT
    return isinstance(name, str | int) and not isinstance(name, bool) and name in side.symbols


def _alike(mine: Choice, theirs: Choice, simulator: _Side, sandbox: _Side) -> bool:
    if mine.what != theirs.what:
        # One is there with a value, the other only says whether it is there.
        return not any(item.what == "presence" and item.value is False for item in (mine, theirs))
    if simulator.symbols.value(mine.value) == sandbox.symbols.value(theirs.value):
        return type(mine.value) is type(theirs.value)
    now_here, now_there = simulator.result.exchange.started, sandbox.result.exchange.started
    return mine.what == "default" and near_time(mine.value, now_here) and near_time(theirs.value, now_there)


def _found(
    simulator: _Side,
    sandbox: _Side,
    kind: str,
    path: str,
    values: tuple[str, Value, Value],
) -> Disagreement:
    origin, mine, theirs = values
    return Disagreement(
        row=Row.LOOSE,
        kind=kind,
        operation=sandbox.result.operation,
        scenario=sandbox.result.scenario,
        number=sandbox.result.number,
        path=path,
        origin=origin,
        simulator=mine,
        sandbox=theirs,
        on_simulator=simulator.result,
        on_sandbox=sandbox.result,
    )
