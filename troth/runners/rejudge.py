"""Judges an answer of an earlier night again, with the contract of today.

When the contract was edited since contract and provider last agreed, a disagreement tonight may come from the edit or
from the provider. The stored answer of that night decides: it still fits, so the provider changed; it does not, so the
edit did.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from troth.contracts.contract import Contract
from troth.contracts.exchange import Interval, Request, Response
from troth.contracts.judgement import Judgement
from troth.contracts.model.model import Model
from troth.errors import TrothError
from troth.runners.credentials import Credentials, fitting
from troth.runners.disagreement import about_reply
from troth.runners.finding import RecordedExchange
from troth.runners.places import Spot

__all__ = ["still_fits"]

SLACK = 5.0
"""Seconds by which the clocks of that night may have differed."""


def still_fits(contract: Contract, base_url: str, exchanges: Sequence[RecordedExchange], spot: Spot) -> bool | None:
    """Does what a scenario's answers showed at a place fit today? None when that cannot be told.

    ``exchanges`` are all of one scenario on one target, in order: the model needs the earlier ones to know what was
    there. Exchanges that were cut cannot be judged, and what a scenario expected besides is not in them.
    """
    model = Model(contract, world="open")
    credentials = fitting(contract)
    answer: bool | None = None
    for exchange in exchanges:
        if exchange.operation not in contract.operations or exchange.status is None:
            continue
        judgement = _judge(model, exchange, _path_of(base_url), credentials)
        if f"{exchange.operation}.{exchange.response_name}" != spot.where:
            continue
        fits = None if judgement is None else _fits(judgement, spot)
        if fits is False:
            return False
        answer = fits if answer is None else answer
    return answer


def _fits(judgement: Judgement, spot: Spot) -> bool | None:
    if judgement.unobserved is not None or judgement.response is None:
        return None
    diverted = any(about_reply(mismatch.kind, mismatch.path) for mismatch in judgement.mismatches)
    if diverted or spot.origin in {str(mismatch.origin) for mismatch in judgement.mismatches}:
        return False
    return True if spot.reply or spot.origin in {str(agreed) for agreed in judgement.agreed} else None


def _judge(model: Model, exchange: RecordedExchange, prefix: str, credentials: Credentials) -> Judgement | None:
    request = _request(model.contract, exchange, prefix, credentials)
    response = Response(exchange.status or 0, _wire(exchange.response_headers), exchange.response_body.encode())
    when = Interval(exchange.started - SLACK, exchange.started + exchange.elapsed + SLACK)
    expects = (exchange.response_name,) if exchange.response_name else ()
    try:
        return model.judge(request, response, when, exchange.operation, expects)
    except (TrothError, ArithmeticError, LookupError, TypeError, ValueError):
        return None  # what was cut or replaced at capture need not be judgeable any more


def _request(contract: Contract, exchange: RecordedExchange, prefix: str, credentials: Credentials) -> Request:
    parts = urlsplit(exchange.url)
    operation = contract.operations[exchange.operation]
    headers = _wire(exchange.request_headers)
    signed = credentials.header(operation.auth or contract.auth)
    if signed is not None:
        # What was sent is not known any more, and only whether it was well-formed matters.
        headers = [(name, signed if name.lower() == b"authorization" else value) for name, value in headers]
    path = parts.path.removeprefix(prefix) or "/"
    host = operation.request.host or ""
    return Request(exchange.method, path, parts.query, headers, exchange.request_body.encode(), host)


def _wire(headers: Sequence[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in headers]


def _path_of(base_url: str) -> str:
    """The path of a base URL, which stands in front of every operation's own."""
    return urlsplit(base_url).path.rstrip("/")
