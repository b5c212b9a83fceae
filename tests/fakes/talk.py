"""A conversation with a contract: a sampling model answers, a judge with an open world listens, a test interferes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from troth.contracts.compiler.compiler import compile_document
from troth.contracts.contract import Contract
from troth.contracts.document.folder import parse_document
from troth.contracts.exchange import Interval, Request, Response
from troth.contracts.judgement import Judgement
from troth.contracts.model.model import Model
from troth.contracts.model.outgoing import build_request
from troth.errors import Problems

__all__ = ["Talk", "contract_of", "kinds", "put"]

Change = Callable[[dict[str, Any]], Any]


def contract_of(text: str) -> Contract:
    """The compiled contract of a text; ContractError for what is wrong with it."""
    problems = Problems()
    contract = compile_document(parse_document(text), problems)
    problems.raise_if_any()
    return contract


class Talk:
    """Each ``call`` is answered by a simulator, changed by ``change`` (the provider's drift), and judged."""

    def __init__(self, contract: Contract, *, skew: float = 0.5, headers: Mapping[str, str] | None = None) -> None:
        self.contract = contract
        self.provider = Model(contract, seed=7)
        self.judge = Model(contract, world="open")
        self.now = 1_750_000_000.0
        self.skew = skew
        self.headers = tuple((k.encode(), v.encode()) for k, v in (headers or {}).items())
        self.reply: Response = Response(0)
        self.request: Request = Request("", "")
        self.body: Any = None

    def call(self, name: str, change: Change | None = None, *, steer: str | None = None, **values: Any) -> Judgement:
        """Call an operation; ``change`` may alter the reply's JSON body in place, or return another Response."""
        written = {key.replace("__", "."): value for key, value in values.items()}
        self.request = build_request(self.contract, self.contract.operations[name], written, self.headers)
        self.reply = self.provider.respond(self.request, self.now, steer).response
        if change is not None:
            self.reply = self._changed(self.reply, change)
        return self.listen(name)

    def listen(self, name: str, expects: tuple[str, ...] = ()) -> Judgement:
        """Judge the last exchange."""
        when = Interval(self.now - self.skew, self.now + self.skew)
        judgement = self.judge.judge(self.request, self.reply, when, name, expects)
        self.body = judgement.body
        self.now += 1
        return judgement

    @staticmethod
    def _changed(reply: Response, change: Change) -> Response:
        body = json.loads(reply.body) if reply.body else {}
        other = change(body)
        if isinstance(other, Response):
            return other
        return Response(reply.status, reply.headers, json.dumps(body).encode())


def kinds(judgement: Judgement) -> list[str]:
    """The kinds of all mismatches that no earlier one explains."""
    return [found.kind for found in judgement.mismatches if found.caused_by is None]


def put(path: str, value: Any) -> Any:
    """A change of one member of the reply: ``data.0.amount``."""

    def change(body: Any) -> None:
        *way, last = path.split(".")
        for step in way:
            body = body[int(step)] if step.isdigit() else body[step]
        body[int(last) if last.isdigit() else last] = value

    return change
