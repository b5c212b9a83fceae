"""Which disagreement explains which: one drift is one finding, with its consequences below it.

These make a disagreement a consequence: the model names an earlier mismatch as its cause; an expectation of the
scenario was not met at or after a finding about which reply came, or where a value was doubtful; another reply came, or
another list, for a record that such a finding has touched; or one fault shows itself more than once: a record that no
reply knows, a reply that shows how a record was before, the same header in every operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from troth.contracts.json_path import schema_path
from troth.runners.alike import alike
from troth.runners.disagreement import Disagreement, Row
from troth.runners.old_versions import old_versions
from troth.runners.step_result import StepResult
from troth.runners.triangulate import FORMS, Lined
from troth.runners.unknown_records import unknown_records

__all__ = ["causes"]

_DIVERTING = frozenset(
    {
        "response",
        "response_variant",
        "undeclared",
        "invalid_accepted",
        "valid_refused",
        "idempotency_ignored",
        "idempotency_scope",
        "early",
        "late",
        "loose_response",
        "reference",
    }
)
"""Kinds after which a target's state may be another than the contract's."""
_LISTS = frozenset({"list_deleted", "list_duplicate", "list_missing", "list_more", "list_order", "list_size"})
"""Kinds after which the next pages of a list are others; they explain no more than that."""
_PAGED = _LISTS | {"loose_size", "loose_order"}
_DIVERTED = frozenset(
    {
        "response",
        "response_variant",
        "undeclared",
        "status",
        "invalid_accepted",
        "valid_refused",
        "list_deleted",
        "list_duplicate",
        "list_missing",
        "list_more",
        "list_order",
        "list_size",
        "loose_response",
        "loose_value",
        "loose_presence",
        "loose_null",
        "loose_size",
        "loose_order",
    }
)
"""Kinds that such another state can bring about. A wrong form never is one of them."""
_UNTIL = "repeat.until"


def causes(found: Sequence[Disagreement], lined: Lined) -> Mapping[int, int]:
    """Index of each consequence in ``found`` to the index of what explains it, which comes earlier in its scenario."""
    order = sorted(range(len(found)), key=lambda index: (found[index].number, _rank(found[index]), index))
    scenarios: dict[str, _Earlier] = {}
    roots: dict[str, list[int]] = {}
    for index in order:
        if found[index].names is None:
            roots.setdefault(found[index].name, []).append(index)
    lists: dict[str, list[int]] = {}
    for index in order:
        if found[index].kind in _LISTS:
            lists.setdefault(found[index].operation, []).append(index)
    once = alike(found) | old_versions(found, lined) | unknown_records(found, lined, partial(_speaks_of, lined))
    result: dict[int, int] = {}
    for index in order:
        late = found[index]
        earlier = scenarios.setdefault(late.scenario, _Earlier(found, lined, roots, lists))
        cause = earlier.cause_of(late)
        if cause is None:
            cause = once.get(index)
        if cause is not None:
            result[index] = cause
        earlier.add(index)
    return {index: _root(cause, result) for index, cause in result.items()}


def _root(index: int, causes: Mapping[int, int]) -> int:
    """What stands at the beginning of a chain of causes."""
    seen = {index}
    while causes.get(index, index) not in seen:
        index = causes[index]
        seen.add(index)
    return index


def _rank(item: Disagreement) -> int:
    """Within one step: what diverts first, then what is wrong in the reply, then what the scenario expected."""
    return 2 if item.unmet else 0 if item.kind in _DIVERTING else 1


_APART = {Row.UNOBSERVED, Row.LEAK, Row.ANNOUNCED, Row.PAST}
"""These explain nothing, and nothing explains them."""


def _same_side(late: Disagreement, early: Disagreement) -> bool:
    """Something that only one target did explains nothing on the other."""
    return bool(_sides(late) & _sides(early)) and not _APART & {late.row, early.row}


def _sides(item: Disagreement) -> frozenset[str]:
    if item.row in (Row.SIMULATOR, Row.SCENARIO):
        return frozenset({"simulator"})
    return frozenset({"sandbox"}) if item.row is Row.PROVIDER else frozenset({"simulator", "sandbox"})


class _Earlier:
    """What was found before in one scenario, by how it may explain something. Long scenarios have thousands."""

    def __init__(
        self,
        found: Sequence[Disagreement],
        lined: Lined,
        roots: Mapping[str, Sequence[int]],
        lists: Mapping[str, Sequence[int]],
    ) -> None:
        self._found = found
        self._roots = roots
        """Of all scenarios, by name: records that one of them made are shown in the lists of others."""
        self._all_lists = lists
        """What is wrong with lists, in all scenarios, by operation."""
        self._lined = lined
        self._by_name: dict[str, list[int]] = {}
        self._step: list[int] = []
        """Those of the call that is looked at, without its expectations."""
        self._turns: dict[str, list[int]] = {}
        """Those of every turn of a repeated step, by its trail."""
        self._diverting: list[int] = []
        self._wrong: list[int] = []
        """What is wrong in replies that are the right ones."""
        self._lists: list[int] = []
        self._unmet: list[int] = []
        self._known: dict[int, frozenset[str]] = {}

    def add(self, index: int) -> None:
        """One more that may explain what follows."""
        item = self._found[index]
        if self._step and self._found[self._step[0]].number != item.number:
            self._step.clear()
        self._by_name.setdefault(item.name, []).append(index)
        if item.unmet:
            self._unmet.append(index)
            return
        self._step.append(index)
        self._turns.setdefault(_whole_step(item), []).append(index)
        if item.kind in _DIVERTING or self._is_key(item):
            self._diverting.append(index)
        elif item.kind in _LISTS:
            self._lists.append(index)
        else:
            self._wrong.append(index)

    def cause_of(self, late: Disagreement) -> int | None:
        """What explains ``late``: what the model names, else what an expectation hangs on, else what diverted it."""
        if late.names is not None:
            named = self._first(late, self._by_name.get(late.names, ()))
            named = self._first(late, self._roots.get(late.names, ())) if named is None else named
            if named is not None:
                return named
        if late.unmet:
            return self._explains_unmet(late)
        if late.kind not in _DIVERTED:
            return None
        candidates = sorted([*self._diverting, *self._lists]) if _paged(late) else self._diverting
        touching = self._touching(late, sorted(candidates, key=lambda index: self._found[index].number))
        if touching is None and late.kind in ("loose_size", "loose_order"):
            # Another page of the same list, which may have no record in common with the wrong one.
            return self._first(late, (i for i in self._lists if self._found[i].operation == late.operation))
        return touching

    def _explains_unmet(self, late: Disagreement) -> int | None:
        """What is wrong in the same reply at the same place, else the nearest finding that diverted the scenario."""
        places = _places(late)
        here = (
            index
            for index in self._step
            if self._found[index].number == late.number
            and (self._found[index].kind in _DIVERTING or _about(schema_path(self._found[index].path), places))
        )
        same = self._first(late, here)
        if same is None and late.path == _UNTIL:
            # What ends the turns, or leads to the next, was wrong in one of them.
            same = self._first(late, self._turns.get(_whole_step(late), ()))
        if same is not None:
            return same
        before = sorted([*self._diverting, *self._unmet], key=lambda index: self._found[index].number)
        touching = self._touching(late, reversed(before))
        if touching is None:
            # The same field of the same record was wrong before, and the run went on with what was seen.
            names = {place.rpartition(".")[2] for place in places}
            same_field = (i for i in self._wrong if schema_path(self._found[i].path).rpartition(".")[2] in names)
            touching = self._touching(late, same_field)
        if touching is None:
            touching = self._first(late, (i for name in _doubts(late) for i in self._roots.get(name, ())))
        if touching is None and late.path not in ("response", "status"):
            # A list that breaks its laws is not what the scenario expects either.
            touching = self._first(late, self._all_lists.get(late.operation, ()))
        return touching

    def _is_key(self, item: Disagreement) -> bool:
        """Is it the key of a record that the run made? Who shows a wrong one may know the record under another."""
        key = item.observed
        symbols = self._lined.symbols("simulator" if "sandbox" not in _sides(item) else "sandbox", item.scenario)
        return item.kind in FORMS and isinstance(key, str | int) and key in symbols

    def _first(self, late: Disagreement, indexes: Iterable[int]) -> int | None:
        return next((index for index in indexes if _same_side(late, self._found[index])), None)

    def _touching(self, late: Disagreement, indexes: Iterable[int]) -> int | None:
        """The first that came in an earlier step, and that has a record in common."""
        touched = self._touched(late)
        if not touched:
            return None
        return self._first(
            late,
            (
                index
                for index in indexes
                if self._found[index].number < late.number and touched & self._touched(self._found[index])
            ),
        )

    def _touched(self, item: Disagreement) -> frozenset[str]:
        """The records that the step of a disagreement made or mentions, by symbol."""
        found: frozenset[str] = frozenset()
        for target, result in _results(item):
            if id(result) not in self._known:
                self._known[id(result)] = _mentioned(target, result, self._lined)
            found |= self._known[id(result)]
            if item.kind == "list_missing":
                found |= self._lined.symbols(target, item.scenario).touched(str(item.expected))
        return found


def _paged(late: Disagreement) -> bool:
    """May a wrong page before have brought it about? Not that more is announced where there is nothing."""
    return late.kind in _PAGED and not (late.kind == "list_more" and late.observed is True)


def _whole_step(item: Disagreement) -> str:
    return item.trail.partition(".repeat")[0]


def _about(path: str, places: frozenset[str]) -> bool:
    """Is ``path`` one of ``places``, or something in one of them, or what one of them is in?"""
    return any(path == place or _inside(path, place) or _inside(place, path) for place in places)


def _inside(inner: str, outer: str) -> bool:
    return outer != "$" and inner.startswith((f"{outer}.", f"{outer}["))


def _places(late: Disagreement) -> frozenset[str]:
    """The places of the reply that an expectation is about: its path, or what a ``check`` or ``until`` reads."""
    if late.path not in ("check", _UNTIL) or not isinstance(late.observed, dict):
        return frozenset({schema_path(late.path)})
    read = (str(name).partition(".") for name in late.observed)
    return frozenset(schema_path(f"$.{rest}") for root, _, rest in read if root == "this" and rest)


def _doubts(late: Disagreement) -> Iterator[str]:
    """The mismatches that made doubtful what the step read, so that the model took more than one value for right."""
    for _, result in _results(late):
        whys = result.judgement.unjudged if result.judgement is not None else ()
        yield from (why.what for why in whys if why.reason == "doubt")


def _results(item: Disagreement) -> Iterator[tuple[str, StepResult]]:
    if item.on_simulator is not None and "simulator" in _sides(item):
        yield "simulator", item.on_simulator
    if item.on_sandbox is not None and "sandbox" in _sides(item):
        yield "sandbox", item.on_sandbox


def _speaks_of(lined: Lined, result: StepResult) -> frozenset[str]:
    exchange = result.exchange
    path = exchange.url.partition("?")[0]
    symbols = lined.symbols("sandbox", result.scenario)
    return symbols.touched(path, exchange.request_body, exchange.response_body)


def _mentioned(target: str, result: StepResult, lined: Lined) -> frozenset[str]:
    exchange = result.exchange
    made = (str(key) for _, key in result.judgement.created) if result.judgement else ()
    symbols = lined.symbols(target, result.scenario)
    return symbols.touched(exchange.url, exchange.request_body, exchange.response_body, *made)
