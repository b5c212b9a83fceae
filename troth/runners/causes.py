"""Which disagreement explains which: one drift is one finding, with its consequences below it.

Three things make a disagreement a consequence: the model names an earlier mismatch as its cause; an expectation of the
scenario was not met at or after a finding about which reply came; or another reply came, or another list, for a record
that such a finding has touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from troth.runners.disagreement import Disagreement, Row
from troth.runners.json_path import schema_path
from troth.runners.step_result import StepResult
from troth.runners.triangulate import Lined

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
    }
)
"""Kinds after which a target's state may be another than the contract's."""
_LISTS = frozenset({"list_duplicate", "list_missing", "list_more", "list_order", "list_size"})
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


def causes(found: Sequence[Disagreement], lined: Lined) -> Mapping[int, int]:
    """Index of each consequence in ``found`` to the index of what explains it, which comes earlier in its scenario."""
    order = sorted(range(len(found)), key=lambda index: (found[index].number, _rank(found[index]), index))
    by_scenario: dict[str, list[int]] = {}
    for index in order:
        by_scenario.setdefault(found[index].scenario, []).append(index)
    result: dict[int, int] = {}
    for indexes in by_scenario.values():
        for position, index in enumerate(indexes):
            earlier = [other for other in indexes[:position] if _same_side(found[index], found[other])]
            cause = _cause(found[index], earlier, found, lined)
            if cause is not None:
                result[index] = result.get(cause, cause)
    return result


def _rank(item: Disagreement) -> int:
    """Within one step: what diverts first, then what is wrong in the reply, then what the scenario expected."""
    return 2 if item.unmet else 0 if item.kind in _DIVERTING else 1


def _same_side(late: Disagreement, early: Disagreement) -> bool:
    """Something that only one target did explains nothing on the other."""
    return bool(_sides(late) & _sides(early)) and not {Row.UNOBSERVED, Row.LEAK} & {late.row, early.row}


def _sides(item: Disagreement) -> frozenset[str]:
    if item.row in (Row.SIMULATOR, Row.SCENARIO):
        return frozenset({"simulator"})
    return frozenset({"sandbox"}) if item.row is Row.PROVIDER else frozenset({"simulator", "sandbox"})


def _cause(late: Disagreement, earlier: Sequence[int], found: Sequence[Disagreement], lined: Lined) -> int | None:
    if late.names is not None:
        named = [index for index in earlier if found[index].name == late.names]
        if named:
            return named[0]
    if late.unmet:
        return _explains_unmet(late, earlier, found, lined)
    if late.kind not in _DIVERTED:
        return None
    touched = _touched(late, lined)
    for index in earlier:
        early = found[index]
        explains = early.kind in _DIVERTING or (early.kind in _LISTS and late.kind in _PAGED)
        if explains and early.number < late.number and touched & _touched(early, lined):
            return index
    return None


def _explains_unmet(
    late: Disagreement,
    earlier: Sequence[int],
    found: Sequence[Disagreement],
    lined: Lined,
) -> int | None:
    """What is wrong in the same reply at the same place, else the nearest finding that diverted the scenario."""
    here = [index for index in earlier if found[index].number == late.number and not found[index].unmet]
    places = _places(late)
    same = [index for index in here if found[index].kind in _DIVERTING or schema_path(found[index].path) in places]
    if same:
        return same[0]
    touched = _touched(late, lined)
    before = [index for index in earlier if found[index].number < late.number]
    before = [index for index in before if found[index].kind in _DIVERTING or found[index].unmet]
    near = [index for index in before if touched & _touched(found[index], lined)]
    return near[-1] if near else None


def _places(late: Disagreement) -> frozenset[str]:
    """The places of the reply that an expectation is about: its path, or what a ``check`` reads."""
    if late.path != "check" or not isinstance(late.observed, dict):
        return frozenset({schema_path(late.path)})
    read = (str(name).partition(".") for name in late.observed)
    return frozenset(schema_path(f"$.{rest}") for root, _, rest in read if root == "this" and rest)


def _touched(item: Disagreement, lined: Lined) -> frozenset[str]:
    """The records that the step of a disagreement made or mentions, by symbol."""
    return frozenset(symbol for target, result in _results(item) for symbol in _mentioned(target, result, lined))


def _results(item: Disagreement) -> Iterator[tuple[str, StepResult]]:
    if item.on_simulator is not None and "simulator" in _sides(item):
        yield "simulator", item.on_simulator
    if item.on_sandbox is not None and "sandbox" in _sides(item):
        yield "sandbox", item.on_sandbox


def _mentioned(target: str, result: StepResult, lined: Lined) -> frozenset[str]:
    exchange = result.exchange
    made = (str(key) for _, key in result.judgement.created) if result.judgement else ()
    symbols = lined.symbols(target, result.scenario)
    return symbols.touched(exchange.url, exchange.request_body, exchange.response_body, *made)
