"""Judges the answers of an earlier night again, with the contract of today.

When the contract was edited since contract and provider last agreed, a disagreement tonight may come from the edit or
from the provider. The stored answer of that night decides: it still fits, so the provider changed; it does not, so the
edit did. An answer goes by what it is today, so that a renamed type, response or operation is no change of anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from troth.contracts.contract import Contract, Operation
from troth.contracts.exchange import Interval, Request, Response
from troth.contracts.judgement import Judgement
from troth.contracts.model.model import Model
from troth.contracts.model.near import peek_body
from troth.errors import TrothError
from troth.runners.credentials import Credentials, fitting
from troth.runners.disagreement import about_reply
from troth.runners.finding import RecordedExchange
from troth.runners.places import Spot

__all__ = ["Rejudged", "rejudge", "still_fits"]

SLACK = 5.0
"""Seconds by which the clocks of that night may have differed."""


@dataclass(frozen=True, slots=True)
class Rejudged:
    """One stored answer. ``names`` are the ``operation.response`` that it was then, and that it is today.

    ``judgement`` None: it cannot be judged any more.
    """

    names: frozenset[str]
    judgement: Judgement | None


def still_fits(answers: Iterable[Rejudged], spot: Spot) -> bool | None:
    """Does what a scenario's answers showed at a place fit today? None when that cannot be told."""
    answer: bool | None = None
    for item in answers:
        if spot.where not in item.names:
            continue
        fits = None if item.judgement is None else _fits(item.judgement, spot)
        if fits is False:
            return False
        answer = fits if answer is None else answer
    return answer


def rejudge(contract: Contract, base_url: str, exchanges: Sequence[RecordedExchange]) -> tuple[Rejudged, ...]:
    """``exchanges`` are all of one scenario on one target, in order: the model needs the earlier ones to know what was
    there. Exchanges that were cut cannot be judged, and what a scenario expected besides is not in them.
    """
    model = Model(contract, world="open")
    credentials = fitting(contract)
    prefix = urlsplit(base_url).path.rstrip("/")  # it stands in front of every operation's own path
    answers = (_answer(model, exchange, prefix, credentials) for exchange in exchanges if exchange.status is not None)
    return tuple(answer for answer in answers if answer is not None)


def _fits(judgement: Judgement, spot: Spot) -> bool | None:
    if judgement.unobserved is not None or judgement.response is None:
        return None
    diverted = any(about_reply(mismatch.kind, mismatch.path) for mismatch in judgement.mismatches)
    if diverted or spot.origin in {str(mismatch.origin) for mismatch in judgement.mismatches}:
        return False
    return True if spot.reply or spot.origin in {str(agreed) for agreed in judgement.agreed} else None


def _answer(model: Model, exchange: RecordedExchange, prefix: str, credentials: Credentials) -> Rejudged | None:
    operation = _operation(model.contract, exchange, prefix)
    if operation is None:
        return None
    judgement = _judge(model, operation, exchange, prefix, credentials)
    names = {f"{exchange.operation}.{exchange.response_name}"}
    if judgement is not None:
        names.add(f"{operation.name}.{judgement.response}")
    return Rejudged(frozenset(names), judgement)


def _operation(contract: Contract, exchange: RecordedExchange, prefix: str) -> Operation | None:
    """The operation of that name, else the one that the request goes to today."""
    known = contract.operations.get(exchange.operation)
    if known is not None:
        return known
    request = _request(exchange, prefix, _wire(exchange.request_headers), urlsplit(exchange.url).netloc)
    found = contract.router.find(request, lambda: peek_body(contract, request))
    return contract.routed(found[0]) if found is not None else None


def _judge(
    model: Model, operation: Operation, exchange: RecordedExchange, prefix: str, credentials: Credentials
) -> Judgement | None:
    headers = _wire(exchange.request_headers)
    request = _request(exchange, prefix, headers, operation.request.host or "")
    request = credentials.signed_again(request, operation.auth or model.contract.auth, exchange.started)
    response = Response(exchange.status or 0, _wire(exchange.response_headers), exchange.response_body.encode())
    when = Interval(exchange.started - SLACK, exchange.started + exchange.elapsed + SLACK)
    own = Interval(exchange.started, exchange.started + exchange.elapsed)
    expects = (exchange.response_name,) if exchange.response_name else ()
    try:
        return model.judge(request, response, when, operation.name, expects, own)
    except (TrothError, ArithmeticError, LookupError, TypeError, ValueError):
        return None  # what was cut or replaced at capture need not be judgeable any more


def _request(exchange: RecordedExchange, prefix: str, headers: list[tuple[bytes, bytes]], host: str) -> Request:
    parts = urlsplit(exchange.url)
    path = parts.path.removeprefix(prefix) or "/"
    return Request(exchange.method, path, parts.query, headers, exchange.request_body.encode(), host)


def _wire(headers: Sequence[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in headers]
