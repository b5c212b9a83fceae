"""The names that a call gives to expressions: what was asked, and what was answered."""

from __future__ import annotations

from troth.contracts.contract import Operation
from troth.contracts.exchange import Interval, Request, Response
from troth.contracts.judgement import Judgement
from troth.contracts.model.draw import HashDraw, request_digest
from troth.contracts.model.head import Head
from troth.contracts.model.incoming import read_request
from troth.contracts.model.model import Model
from troth.contracts.model.near import called_operation
from troth.contracts.model.reply_headers import header_values
from troth.contracts.model.scope import ExchangeScope
from troth.contracts.model.worlds import first_legal
from troth.contracts.values import ABSENT, Value

__all__ = ["call_names", "model_scope", "nothing"]

_REQUEST_NAMES = ("wire", "method", "path", "query", "headers", "cookies", "body", "raw")


def call_names(
    model: Model, operation: Operation, request: Request, judgement: Judgement, response: Response
) -> dict[str, Value]:
    """``this`` and ``reply`` as the judge decoded them, and the request by the contract's types."""
    contract = model.contract
    operation, params = called_operation(contract, operation, request)
    scope = model_scope(model, operation, {}, Interval(0.0, 0.0), request)
    read_request(scope, request, Head(request.headers), params)
    names = {name: scope.get(name) for name in _REQUEST_NAMES}
    names["this"] = judgement.body
    headers = {**header_values(response), **judgement.headers}
    names["reply"] = {"status": response.status, "headers": headers, "body": judgement.body}
    return names


def model_scope(
    model: Model,
    operation: Operation,
    names: dict[str, Value],
    when: Interval,
    request: Request | None = None,
) -> ExchangeScope:
    """A scope over what the model knows now, for expressions that an operation states (``undo``)."""
    draw = HashDraw(b"names" if request is None else request_digest(request))
    return ExchangeScope(model.contract, model.state, operation, dict(names), when, draw, first_legal)


def nothing() -> dict[str, Value]:
    """The names after a call that got no usable answer."""
    return {"this": ABSENT, "reply": ABSENT}
