"""Records that a reply announced and that no later reply knows: what is wrong is the reply that announced them.

One operation that does not find a record says something about that operation. When several do not, and none does, it
is the record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from troth.runners.disagreement import Disagreement, Row
from troth.runners.step_result import StepResult
from troth.runners.trails import phase_of
from troth.runners.triangulate import Lined

__all__ = ["unknown_records"]

_RESPONSES = frozenset({"response", "response_variant"})
_LISTS = frozenset({"list_missing", "list_more"})

Mentioned = Callable[[StepResult], frozenset[str]]


@dataclass
class _Made:
    """The records that one operation made, in all scenarios."""

    denials: list[int] = field(default_factory=list)
    denied_by: set[str] = field(default_factory=set)
    known: bool = False


def unknown_records(found: Sequence[Disagreement], lined: Lined, mentioned: Mentioned) -> dict[int, int]:
    """Index of each denial to the first one of a record that the same operation made; the first ones left out.

    ``mentioned`` are the symbols of the records that a step of the sandbox speaks of; not in a query, for that a place
    in a list is named there says nothing of what is in the list.
    """
    denials = _denials(found, lined)
    if len({found[index].operation for here in denials.values() for indexes in here.values() for index in indexes}) < 2:
        return {}
    made: dict[str, _Made] = {}
    for step, makers in _later(lined, mentioned, denials):
        here = denials.get(id(step), {})
        for symbol, maker in makers.items():
            mine = [*here.get("", ()), *here.get(symbol, ())]
            entry = made.setdefault(maker, _Made())
            entry.known = entry.known or not (mine or _refused(step) or phase_of(step.trail))
            entry.denials += mine
            entry.denied_by.update(found[index].operation for index in mine)
    result: dict[int, int] = {}
    for entry in made.values():
        if not entry.known and len(entry.denied_by) > 1:
            first = min(entry.denials)
            result |= {index: first for index in entry.denials if index != first}
    return result


def _refused(step: StepResult) -> bool:
    """An answer that fits because the record is believed to be missing by now proves nothing, nor taking it back."""
    status = step.exchange.status
    return status is None or status >= 400


def _denials(found: Sequence[Disagreement], lined: Lined) -> dict[int, dict[str, list[int]]]:
    """By the step that shows them and the record: a list without it; "" where another response came."""
    denials: dict[int, dict[str, list[int]]] = {}
    for index, item in enumerate(found):
        if item.row is not Row.PROVIDER or item.on_sandbox is None or item.unmet:
            continue
        here = denials.setdefault(id(item.on_sandbox), {})
        if item.kind in _RESPONSES:
            here.setdefault("", []).append(index)
        elif item.kind in _LISTS:
            for symbol in lined.symbols("sandbox", item.scenario).touched(f"{item.expected} {item.want}"):
                here.setdefault(symbol, []).append(index)
    return denials


def _later(
    lined: Lined, mentioned: Mentioned, denials: dict[int, dict[str, list[int]]]
) -> Iterator[tuple[StepResult, dict[str, str]]]:
    """Each step of the sandbox that speaks of records which other operations made earlier, with these by the symbol."""
    makers: dict[str, dict[str, str]] = {}
    for result in lined.sandbox.values():
        mine = makers.setdefault(result.scenario, {})
        if result.judgement is None:
            continue
        spoken = mentioned(result) | denials.get(id(result), {}).keys()
        yield (
            result,
            {symbol: mine[symbol] for symbol in spoken if mine.get(symbol, result.operation) != result.operation},
        )
        symbols = lined.symbols("sandbox", result.scenario)
        for _, key in result.judgement.created:
            mine.setdefault(str(symbols.value(key)), result.operation)
