"""Finds, by their names, things that earlier runs made in a sandbox and of which no id is known.

A run that was killed between a request and its answer knows what it asked for, and not what it got. But everything that
a scenario names or tags with ``unique`` holds the short form of the run's id. So the sandbox is asked for what it has,
by operations that list a collection and need nothing, and what holds such a name anywhere in it is a leftover.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from troth.contracts.contract import Contract, Operation
from troth.contracts.exchange import Interval
from troth.contracts.expressions.expression_error import ExpressionError
from troth.contracts.model.model import Model
from troth.contracts.model.outgoing import build_request
from troth.contracts.select import Select
from troth.contracts.values import ABSENT, Unknown, Value
from troth.errors import TrothError
from troth.runners.needs import asks_for_nothing
from troth.runners.reply_names import model_scope
from troth.runners.session import Session

__all__ = ["Leftover", "Search", "makers", "search"]

_ANY = r"[a-z2-7]{4}[0-9]{1,3}"
_REST = r"[a-z2-7]{8}(?![a-z0-9])"
"""What ``unique`` writes after the short form of a run's id."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """A record that a run made: how it is taken back, and the short form of its run's id."""

    operation: str
    run: str
    call: str
    values: dict[str, Value]


@dataclass(frozen=True, slots=True)
class Search:
    """What was found; ``unseen`` says, by the operation that makes it, why leftovers of it may be there unseen."""

    found: tuple[Leftover, ...] = ()
    unseen: tuple[tuple[str, str], ...] = ()


def makers(contract: Contract) -> dict[str, Operation]:
    """By collection, the operation that makes its records and says how they are taken back."""
    found: dict[str, Operation] = {}
    for operation in contract.operations.values():
        for shape in operation.responses if operation.undo is not None else ():
            for effect in shape.effects:
                if effect.verb == "put":
                    found.setdefault(effect.collection, operation)
    return found


async def search(session: Session, runs: Collection[str] | None, only: Collection[str] | None = None) -> Search:
    """Look for what runs made, by the short forms of their ids; None: any run. ``only``: what these operations made."""
    pattern = _pattern(runs)
    # A judge of its own: what others have is nothing that the run should know.
    model = Model(session.contract, seed=session.plan.seed, world="open")
    found: list[Leftover] = []
    unseen: list[tuple[str, str]] = []
    for collection, maker in makers(session.contract).items():
        if only is not None and maker.name not in only:
            continue
        listing, partial = _listing(session.contract, collection)
        if listing is None:
            unseen.append((maker.name, f"no operation lists all of {collection}"))
            continue
        why = await _look(session, model, listing)
        if why or partial:
            unseen.append((maker.name, why or f"{listing.name} shows a page at a time, and the first was looked at"))
        if not why:
            found += _among(session, model, collection, maker, pattern)
    return Search(tuple(found), tuple(unseen))


def _pattern(runs: Collection[str] | None) -> re.Pattern[str]:
    known = "|".join(re.escape(run) for run in sorted(runs or ()))
    return re.compile(f"({_ANY if runs is None else known or '(?!)'}){_REST}")


def _listing(contract: Contract, collection: str) -> tuple[Operation | None, bool]:
    """The operation that shows a collection, and whether it does so in pages; whole ones first."""
    found = [
        (select.size is not None or (select.where is not None and _limits(select)), operation)
        for operation in contract.operations.values()
        for select in _selects(operation)
        if select.collection == collection and asks_for_nothing(operation)
    ]
    partial, operation = min(found, key=lambda item: item[0], default=(False, None))
    return operation, partial


def _limits(select: Select) -> bool:
    """May a condition leave records out though the request says nothing? One about the request alone does not."""
    where = select.where
    return where is not None and not any(name in ("query", "body", "headers") for name in where.names)


def _selects(operation: Operation) -> Iterator[Select]:
    yield from (value for value in operation.lets.values() if isinstance(value, Select))


async def _look(session: Session, model: Model, listing: Operation) -> str:
    """Ask once, and let the judge read what is there; why not, in words."""
    await session.budget.take(cleanup=True)
    refused = await session.tokens.ready(listing.auth or session.contract.auth)
    if refused is not None:
        return refused.reason
    target, now = session.target, session.target.clock.now()
    request = build_request(session.contract, listing, {})
    attempt = await target.client.send(request, target.base(listing), listing.auth or session.contract.auth)
    if attempt.response is None:
        return attempt.failure.words if attempt.failure is not None else f"{listing.name} got no answer"
    judgement = model.judge(attempt.request, attempt.response, Interval(now, attempt.received), listing.name)
    if judgement.unobserved is not None:
        return judgement.unobserved.reason
    return "" if attempt.response.status < 400 else f"{listing.name} answered {attempt.response.status}"


def _among(
    session: Session, model: Model, collection: str, maker: Operation, pattern: re.Pattern[str]
) -> Iterator[Leftover]:
    glimpsed = [record for (name, _), record in model.state.glimpses.items() if name == collection]
    for record in (*model.state.records(collection), *glimpsed):
        named = next((found for text in _texts(record.values) if (found := pattern.search(text))), None)
        if named is not None:
            values = _undoing(session, model, maker, record.values)
            if values is not None and maker.undo is not None:
                yield Leftover(maker.name, named[1], maker.undo.call, values)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _undoing(session: Session, model: Model, maker: Operation, record: dict[str, Value]) -> dict[str, Value] | None:
    """What the undo is called with, when the record stands for the reply; None when that does not say enough."""
    assert maker.undo is not None
    now = session.target.clock.now()
    scope = model_scope(model, maker, {"this": record}, Interval(now, now))
    scope.names.update(session.common_names())
    try:
        values = {name: said.value(scope) for name, said in maker.undo.values.items()}
    except (ExpressionError, TrothError):
        return None
    return None if any(item is ABSENT or item.__class__ is Unknown for item in values.values()) else values
