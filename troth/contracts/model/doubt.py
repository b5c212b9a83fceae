"""Doubt: once a value was wrong, nobody can say whether the provider goes on with it or with what it had promised.

What comes out of a doubtful value is doubtful. So an exchange that reads doubtful records is looked at twice, as they
were seen and as they may be instead: what is wrong only in one of the two is a consequence, and a response that comes
only in one of them is neither demanded nor refused. What is wrong in both is a finding of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from troth.contracts.json_path import segments, value_at
from troth.contracts.matcher import Mismatch, Out
from troth.contracts.model.effects import apply_effects
from troth.contracts.model.moves import with_moves
from troth.contracts.nodes.base import json_equal
from troth.contracts.record import Doubt, Record
from troth.contracts.values import ABSENT, Json, Unknown, Value

if TYPE_CHECKING:
    from troth.contracts.contract import Contract
    from troth.contracts.model.judge import Verdict
    from troth.contracts.model.scope import ExchangeScope
    from troth.contracts.model.state import State

__all__ = [
    "Doubts",
    "Variant",
    "below",
    "cast_doubts",
    "cause_of",
    "corrected",
    "joined",
    "mark",
    "mark_another",
    "mark_echoes",
    "mark_repeated",
    "promise_of",
    "unfit",
    "variants",
    "view",
]

FORMS = frozenset({"type", "null", "format", "bounds", "enum", "variant", "missing_field"})
"""Kinds of what is wrong whatever value is due."""
MOST_DOUBTS = 4
MOST_VARIANTS = 6
"""So many other ways in which doubtful records may be are tried for one exchange."""

Doubts = dict[str, tuple[Doubt, ...]]
"""Path (``$.data[0].amount``, or below a record ``.amount``) to what may stand there instead."""


class Variant(NamedTuple):
    """One way in which doubtful records may be: where ``cause`` made them so, each has its alternative ``rank``."""

    cause: str
    rank: int


def variants(records: Iterable[Record]) -> list[Variant]:
    """Every way in which these records may be other than seen, the first causes first."""
    found: dict[Variant, None] = {}
    for record in records:
        for doubts in record.doubts.values():
            ranks: dict[str, int] = {}
            for doubt in doubts:
                rank = ranks[doubt.cause] = ranks.get(doubt.cause, -1) + 1
                found.setdefault(Variant(doubt.cause, rank))
    return list(found)[:MOST_VARIANTS]


def view(state: State, variant: Variant, scope: ExchangeScope) -> State:
    """The state as it may be instead; changes to it change nothing else."""
    other = copied(state)
    for collection, key in state.doubtful:
        record = other.rows[collection].get(key)
        if record is not None:
            other.rows[collection][key] = _instead(record, variant, scope)
    return other


def copied(state: State) -> State:
    """The same records, in tables of their own."""
    rows = {name: dict(table) for name, table in state.rows.items()}
    deleted = {name: dict(table) for name, table in state.deleted.items()}
    return replace(state, rows=rows, deleted=deleted, doubtful={})


def _instead(record: Record, variant: Variant, scope: ExchangeScope) -> Record:
    values: Value = record.values
    for path, doubts in record.doubts.items():
        alternatives = [doubt.promised for doubt in doubts if doubt.cause == variant.cause]
        if alternatives:
            values = corrected(values, path, alternatives[min(variant.rank, len(alternatives) - 1)])
    if values is record.values:
        return record
    collection = scope.contract.collections[record.collection]
    return with_moves(record.replaced(values, pending=()), collection, scope, record.pending)


def corrected(value: Json, path: str, other: Value) -> Json:
    """A copy of ``value`` with ``other`` at ``path``, where something can stand there; an Unknown is left out."""
    steps = segments(path)
    return value if not steps else _corrected(value, list(steps), other)


def _corrected(value: Json, steps: list[str | int], other: Value) -> Json:
    if not steps:
        return other
    step, rest = steps[0], steps[1:]
    if isinstance(step, int):
        if not isinstance(value, list) or step >= len(value):
            return value
        return [_corrected(part, rest, other) if index == step else part for index, part in enumerate(value)]
    if not isinstance(value, dict) or (rest and step not in value):
        return value
    part = _corrected(value.get(step, ABSENT), rest, other)
    if part.__class__ is Unknown:
        return {name: kept for name, kept in value.items() if name != step}
    return {**value, step: part}


def below(doubts: Mapping[str, tuple[Doubt, ...]], path: str) -> Doubts:
    """The doubts about what is inside the value at ``path``, by the rest of their paths (``.owner.city``)."""
    return {at.removeprefix(path): found for at, found in doubts.items() if at.startswith((f"{path}.", f"{path}["))}


def joined(old: Mapping[str, tuple[Doubt, ...]], new: Doubts) -> Doubts:
    """New doubts before old ones, the last few of each place."""
    found: Doubts = dict(new)
    for path, doubts in old.items():
        fresh = found.get(path, ())
        found[path] = (*fresh, *(doubt for doubt in doubts if doubt not in fresh))[:MOST_DOUBTS]
    return found


# Marking


def mark(found: Out, other: Out, cause: str) -> None:
    """Beside the same reply under other values: what is wrong only here follows from ``cause``; what only there, is
    doubtful because of it.
    """
    wrong_here, wrong_there = _spots(found), _spots(other)
    for index, mismatch in enumerate(found.mismatches):
        if mismatch.caused_by is None and _spot(mismatch) not in wrong_there:
            found.mismatches[index] = replace(mismatch, caused_by=cause)
    for mismatch in other.mismatches:
        if mismatch.path.startswith("$.") and _spot(mismatch) not in wrong_here:
            doubt = Doubt(promise_of(mismatch), cause)
            found.doubts[mismatch.path] = (*found.doubts.get(mismatch.path, ()), doubt)


def _spots(out: Out) -> set[tuple[str, ...]]:
    return {_spot(mismatch) for mismatch in out.mismatches}


def _spot(mismatch: Mismatch) -> tuple[str, ...]:
    """Of a value its place, and whether its form is wrong; a list may break several laws, or lack several records, in
    one place.
    """
    if mismatch.kind.startswith("list_"):
        return mismatch.kind, mismatch.path, str(mismatch.expected)
    return "form" if mismatch.kind in FORMS else "value", mismatch.path


def promise_of(mismatch: Mismatch) -> Value:
    """What the contract says of the place: a fault of form alone says nothing of the value."""
    if mismatch.expected is ABSENT and mismatch.kind != "appeared":
        return Unknown(mismatch.path)
    return mismatch.expected


def mark_repeated(found: Out, shown: Iterable[tuple[Record, str]]) -> None:
    """A wrong form that a record had when it was seen first, again: it follows from what was wrong then.

    ``shown`` are the records that the reply shows, and where.
    """
    for record, path in shown:
        for index, mismatch in enumerate(found.mismatches):
            if mismatch.kind in FORMS and mismatch.caused_by is None and mismatch.path.startswith(path):
                rest = mismatch.path.removeprefix(path)
                doubts = record.doubts.get(rest)
                if doubts and _alike(value_at(record.values, f"${rest}"), mismatch.observed):
                    found.mismatches[index] = replace(mismatch, caused_by=doubts[0].cause)


def mark_another(found: Out, contract: Contract, operation: str) -> None:
    """Another record in place of the one that was asked for: its key is wrong, and all that it says follows."""
    for collection, _, path in found.shown:
        at = f"{path}.{contract.collections[collection].key}"
        key = next((item for item in found.mismatches if item.path == at and item.kind == "reference"), None)
        for index, mismatch in enumerate(found.mismatches):
            inside = mismatch.path.startswith(f"{path}.") or mismatch.path.startswith(f"{path}[")
            if key is not None and inside and mismatch is not key and mismatch.caused_by is None:
                found.mismatches[index] = replace(mismatch, caused_by=cause_of(operation, key))


def mark_echoes(found: Out, asked: Iterable[Mismatch], cause: str) -> None:
    """An invalid request was taken (``cause``): that its reply shows what was ``asked`` for, is a consequence.

    So is all that it shows of what is worked out from an invalid value, which counts as absent.
    """
    wrong = list(asked)
    for index, mismatch in enumerate(found.mismatches):
        echoed = mismatch.kind in FORMS and any(_echo(mismatch, item) for item in wrong)
        if mismatch.caused_by is None and (echoed or mismatch.kind == "appeared"):
            found.mismatches[index] = replace(mismatch, caused_by=cause)


def _echo(mismatch: Mismatch, asked: Mismatch) -> bool:
    """Does a reply show the invalid value of a request, or something under its name?"""
    if (segments(mismatch.path) or ("",))[-1] == (segments(asked.path) or ("",))[-1]:
        return True
    return mismatch.observed is not ABSENT and json_equal(mismatch.observed, asked.observed)


def unfit(found: Out, cause: str) -> None:
    """Another response came (``cause``): what does not fit in it is no finding, and doubtful."""
    for mismatch in found.mismatches:
        if mismatch.path.startswith("$."):
            found.doubts[mismatch.path] = (Doubt(promise_of(mismatch), cause),)
    found.mismatches.clear()


def cause_of(operation: str, mismatch: Mismatch) -> str:
    """The name of a mismatch as a cause: ``operation kind path``."""
    return f"{operation} {mismatch.kind} {mismatch.path}"


def _alike(value: Value, other: Value) -> bool:
    if value is other or Unknown in (value.__class__, other.__class__):
        return True
    return value is not ABSENT and other is not ABSENT and json_equal(value, other)


# Effects


@contextmanager
def cast_doubts(verdict: Verdict, body: Value, doubts: Doubts) -> Iterator[None]:
    """While effects are applied: what they make of doubtful values is doubtful, and so is what they should not do."""
    scope, shape, departure = verdict.prediction.scope, verdict.shape, verdict.departure
    if shape is None or not shape.effects or not (doubts or verdict.comparison.others or departure or scope.doubtful):
        yield
        return
    rows = copied(scope.state).rows
    instead = list(_effects_instead(verdict, body, doubts))
    yield
    wrong = None if departure is None else cause_of(verdict.prediction.operation.name, departure)
    for collection, before in rows.items():
        for key, record in list(scope.state.rows[collection].items()):
            old = before.get(key)
            if record is not old:
                others = [(cause, state.get(collection, key)) for cause, state in instead]
                scope.state.put(_doubtful(record, old, others, wrong))


def _effects_instead(verdict: Verdict, body: Value, doubts: Doubts) -> Iterator[tuple[str, State]]:
    """What the effects would make of the values that may be there instead, by the cause of the doubt."""
    scope, shape = verdict.prediction.scope, verdict.shape
    assert shape is not None
    scopes = dict(verdict.comparison.others)
    for cause in dict.fromkeys((*scopes, *(doubt.cause for found in doubts.values() for doubt in found))):
        there = scopes[cause].scope if cause in scopes else scope
        said = body
        for path, found in doubts.items():
            said = next((corrected(said, path, doubt.promised) for doubt in found if doubt.cause == cause), said)
        before, there.state = there.state, copied(there.state)
        reply = there.bind("reply", {**scope.get("reply"), "body": said})
        apply_effects(shape.effects, there, said, shape.type_name)
        there.bind("reply", reply)
        yield cause, there.state
        there.state = before


def _doubtful(record: Record, old: Record | None, others: list[tuple[str, Record | None]], wrong: str | None) -> Record:
    """A record after effects, with doubts about what they made of doubtful values.

    ``others`` are the same record with other values, by the cause; ``wrong`` the mismatch because of which the effects
    should not have been.
    """
    changed = {name for name, value in record.values.items() if old is not None and old.item(name) is not value}
    found: Doubts = {}
    stale: dict[str, str] = {}
    for path, doubts in record.doubts.items():
        if old is not None and _field(path) in changed and doubts is old.doubts.get(path):
            again = next((doubt.cause for doubt in doubts if " stored " in doubt.cause), None)
            if again is not None:
                stale[_field(path)] = again
        else:
            found[path] = doubts
    told = {_field(path) for path in found}
    for cause, other in others:
        for name, value in record.values.items():
            if other is not None and name not in told and not _alike(value, other.item(name)):
                _add(found, name, other.item(name), cause)
    for name in changed - told:
        if old is not None and (wrong is not None or name in stale):
            # What should not have been may not have come, nor what did not come before.
            _add(found, name, old.item(name), wrong or stale[name])
    return record.replaced(record.values, doubts=found)


def _add(doubts: Doubts, name: str, other: Value, cause: str) -> None:
    doubts[f".{name}"] = (*doubts.get(f".{name}", ()), Doubt(other, cause))


def _field(path: str) -> str:
    """The field of a record that a path below it leads into."""
    steps = segments(path)
    return str(steps[0]) if steps else ""
