"""A night again, without a provider: the scenarios of a contract, answered with what was recorded.

The engine walks the scenarios as on that night, with the same unique names; its requests are not sent but looked up.
So replies are judged, and expectations are held against them, by the contract of now. Where a scenario asks for
something that was not recorded, its replay ends, and that is said.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from troth.contracts.contract import Auth, Contract, Target
from troth.contracts.exchange import Request, Response
from troth.runners.breaker import Breaker
from troth.runners.classify import Failure
from troth.runners.client import Attempt
from troth.runners.clock import Skew
from troth.runners.credentials import Credentials, fitting
from troth.runners.finding import RecordedExchange
from troth.runners.plan import RunPlan, planned
from troth.runners.redact import Redactor
from troth.runners.session import Session
from troth.runners.step_result import TargetRun
from troth.runners.target import RunTarget
from troth.runners.walk import Walk

__all__ = ["Night", "Replayed", "replay"]

_TOKEN = re.compile(r"\\\[secret:[^\]]*\\\]|%5Bsecret[^/&?]*%5D")
_DROPPED = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers of the wire: bodies were recorded decoded."""


@dataclass(frozen=True, slots=True)
class Night:
    """What was recorded of one run on a provider's sandbox, in the order in which it was made."""

    run_id: str
    started: float
    url: str
    """The base URL of the sandbox."""
    exchanges: tuple[RecordedExchange, ...]
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Replayed:
    """The night as it is judged now; ``cut`` are scenarios that could not be replayed to their end."""

    run: TargetRun
    cut: tuple[str, ...] = ()


def replay(contract: Contract, night: Night, seed: int = 0) -> Replayed:
    """Walk every recorded scenario that the contract still has."""
    return asyncio.run(_replay(contract, night, seed))


async def _replay(contract: Contract, night: Night, seed: int) -> Replayed:
    recorded: dict[str, list[RecordedExchange]] = {}
    for exchange in night.exchanges:
        recorded.setdefault(exchange.scenario, []).append(exchange)
    client = _Recording(night.started, fitting(contract))
    target = RunTarget("sandbox", night.url, client, client, fitting(contract), Skew(), Target("sandbox"))
    session = Session(contract, target, RunPlan(night.run_id, Redactor(b"replay"), seed))
    items = [item for item in planned(contract) if item.label in recorded]
    outcomes, cut = [], [label for label in recorded if label not in {item.label for item in items}]
    for item in items:
        client.play(recorded[item.label])
        session.breaker = Breaker()
        outcomes.append(await Walk(session, item).run())
        if client.diverged:
            cut.append(item.label)
    return Replayed(TargetRun("sandbox", night.url, tuple(session.results), tuple(outcomes)), tuple(cut))


class _Recording:
    """Sender and clock in one: the time is that of the exchange that was looked up last."""

    def __init__(self, started: float, credentials: Credentials) -> None:
        self._now = started
        self._credentials = credentials
        self._left: list[RecordedExchange] = []
        self._last: RecordedExchange | None = None
        self.diverged = False

    def play(self, exchanges: Iterable[RecordedExchange]) -> None:
        """From now on these are the answers, in this order."""
        self._left, self._last, self.diverged = list(exchanges), None, False

    # Clock

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Nobody waits for the past."""

    # Sender

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    async def send(self, request: Request, base: str, auth: Auth | None, within: float | None = None) -> Attempt:
        host = urlsplit(base).netloc
        request = Request(request.method, request.path, request.query, request.headers, request.body, host)
        request = self._credentials.sign(request, auth, self._now)
        url = base.rstrip("/") + request.path + (f"?{request.query}" if request.query else "")
        exchange = self._next(request, base)
        if exchange is None:
            self.diverged, self._left = True, []
            return Attempt(
                request, url, self._now, self._now, 0.0, None, Failure("refused", "nothing more is recorded")
            )
        sent, self._now = exchange.started, exchange.started + exchange.elapsed
        if exchange.status is None:
            failure = Failure("refused", exchange.error or "no answer came")
            return Attempt(request, url, sent, self._now, exchange.elapsed, None, failure)
        response = Response(exchange.status, _headers(exchange.response_headers), exchange.response_body.encode())
        return Attempt(request, url, sent, self._now, exchange.elapsed, response)

    def _next(self, request: Request, base: str) -> RecordedExchange | None:
        """The answer to a request; None where another one is recorded next, or none."""
        last = self._last
        if last is not None and last.status == 429 and _same(request, base, last):
            return last  # the runner asked again, and only its last answer is recorded
        if not self._left or not _same(request, base, self._left[0]):
            return None
        self._last = self._left.pop(0)
        return self._last


def _same(request: Request, base: str, exchange: RecordedExchange) -> bool:
    """Is it the request that was recorded, as far as method and path go? Secrets in them may be any."""
    if request.method != exchange.method:
        return False
    asked = urlsplit(base).path.rstrip("/") + request.path
    pattern = _TOKEN.sub("[^/]+", re.escape(urlsplit(exchange.url).path))
    return re.fullmatch(pattern, asked) is not None


def _headers(headers: Sequence[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [
        (name.encode("latin-1", "replace"), value.encode("latin-1", "replace"))
        for name, value in headers
        if name.lower() not in _DROPPED
    ]
