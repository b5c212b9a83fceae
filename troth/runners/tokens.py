"""OAuth 2 tokens: fetched before the first request that needs one, and again when they are old or refused."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from troth.contracts.auth import Auth, Grant
from troth.contracts.contract import Contract
from troth.contracts.exchange import Request
from troth.contracts.judgement import Unobserved
from troth.contracts.model.near import peek_body
from troth.contracts.model.outgoing import build_request
from troth.contracts.values import ABSENT, Value
from troth.errors import TrothError
from troth.runners.client import Attempt
from troth.runners.credentials import Credentials
from troth.runners.needs import variables
from troth.runners.redact import Redactor
from troth.runners.scope import StepScope
from troth.runners.target import RunTarget

__all__ = ["Tokens", "token_request"]

MARGIN = 30.0
"""Seconds before its end in which a token counts as old: a request may take that long. At most half of its life."""


@dataclass(slots=True)
class _Held:
    """When the token was fetched, and from when on it is old (None: nobody said), on the target's clock."""

    since: float
    until: float | None = None

    def old(self, now: float) -> bool:
        return self.until is not None and now >= self.until


class Tokens:
    """The tokens for one target. What is fetched is hidden by ``redactor`` before anything else sees it."""

    def __init__(
        self,
        contract: Contract,
        target: RunTarget,
        redactor: Redactor,
        asked: Callable[[], Awaitable[Unobserved | None]],
    ) -> None:
        self._contract, self._target, self._redactor = contract, target, redactor
        self._asked = asked
        """Counts a request; the reason when none may be sent any more."""
        self._held: dict[int, _Held] = {}
        self._lock = asyncio.Lock()

    async def ready(self, auth: Auth | None) -> Unobserved | None:
        """See to it that there is a token where ``auth`` needs one; the reason when there is none to be had."""
        grant = auth.grant if auth is not None else None
        if auth is None or grant is None or self._target.credentials.placeholds:
            return None
        async with self._lock:
            held = self._held.get(id(grant))
            if held is not None and not held.old(self._target.clock.now()):
                return None
            return await self._asked() or await self._fetch(auth, grant)

    def refused(self, auth: Auth | None, attempt: Attempt) -> bool:
        """Was the token refused that this attempt was sent with, though others were let in? It is then forgotten."""
        grant = auth.grant if auth is not None else None
        held = self._held.get(id(grant)) if grant is not None else None
        if held is None or attempt.response is None or attempt.response.status != 401 or held.since >= attempt.sent:
            return False
        del self._held[id(grant)]
        return True

    async def _fetch(self, auth: Auth, grant: Grant) -> Unobserved | None:
        operation = self._contract.operations[grant.operation]
        names = _names(self._contract, self._target.credentials)
        request = token_request(self._contract, grant, self._target.credentials)
        attempt = await self._target.client.send(request, self._target.base(operation), operation.auth)
        if attempt.response is None:
            words = attempt.failure.words if attempt.failure is not None else "no answer came"
            return Unobserved("unreachable", f"no token from {grant.operation}: {words}")
        response = attempt.response
        body = peek_body(self._contract, Request("", "", headers=response.headers, body=response.body))
        reply: Value = {"status": attempt.response.status, "body": body}
        scope = StepScope({**names, "this": body, "reply": reply})
        token = _value(grant.token.run, scope)
        if attempt.response.status >= 400 or not isinstance(token, str) or not token:
            return self._nothing(auth, grant, attempt.response.status)
        self._redactor.hide([("token", token)])
        self._target.credentials.hold(grant, token)
        self._held[id(grant)] = _held(attempt.received, _value(grant.expires.run, scope) if grant.expires else ABSENT)
        return None

    def _nothing(self, auth: Auth, grant: Grant, status: int) -> Unobserved:
        names = ", ".join(variables(self._contract, self._target.limits, auth)) or "none"
        why = f"no token from {grant.operation}: it answered {status} (credentials: {names})"
        if status == 429:
            return Unobserved("exhausted", why)
        return Unobserved("unreachable" if status >= 500 else "unauthorized", why)


def token_request(contract: Contract, grant: Grant, credentials: Credentials) -> Request:
    """The request that asks for a token."""
    scope = StepScope(_names(contract, credentials))
    values = {name: said.run(scope) for name, said in grant.values.items()}
    return build_request(contract, contract.operations[grant.operation], values)


def _names(contract: Contract, credentials: Credentials) -> dict[str, Value]:
    return {"secrets": credentials.secrets, "data": contract.data}


def _held(since: float, seconds: Value) -> _Held:
    if isinstance(seconds, str) and seconds.isdecimal():
        seconds = int(seconds)
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return _Held(since)
    return _Held(since, since + max(seconds - MARGIN, seconds / 2))


def _value(run: Callable[[StepScope], Value], scope: StepScope) -> Value:
    try:
        return run(scope)
    except (TrothError, ArithmeticError, LookupError, TypeError, ValueError):
        return ABSENT
