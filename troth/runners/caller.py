"""Makes the calls of one scenario: builds a request, sends it within the limits, judges the reply, keeps the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from traceback import extract_tb

from troth.contracts.auth import Auth
from troth.contracts.contract import Expect, Operation
from troth.contracts.exchange import Interval, Request, header
from troth.contracts.judgement import Judgement, Unobserved
from troth.contracts.matcher import Mismatch
from troth.contracts.model.outgoing import build_request
from troth.contracts.values import Value
from troth.runners.budget import Spent
from troth.runners.capture import Stamp, capture, redact_judgement, redact_mismatch, redact_unobserved
from troth.runners.classify import UNSENT, retry_after, suspicion, unobserved_by
from troth.runners.client import Attempt
from troth.runners.derived_secrets import sessions, signatures
from troth.runners.events import CallFinished
from troth.runners.needs import variables
from troth.runners.price import Price, price_of
from troth.runners.redact import Redactor
from troth.runners.reply_names import call_names, nothing
from troth.runners.secret_fields import secret_values
from troth.runners.session import Session, Suspect
from troth.runners.step_result import StepResult

__all__ = ["Ask", "Called", "Caller", "where"]

THROTTLE_TRIES = 3
THROTTLE_SECONDS = 30.0
"""How long, in all, a call waits for a target that says it is asked too often."""
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Ask:
    """One call to make. ``trail`` names its step, the same on every target."""

    trail: str
    operation: Operation
    values: dict[str, Value]
    expect: Expect = field(default_factory=Expect)
    auth: bool = True
    cleanup: bool = False


@dataclass(slots=True)
class Called:
    """What became of a call, with the real values: for this process only."""

    ask: Ask
    attempt: Attempt
    judgement: Judgement | None = None
    names: dict[str, Value] = field(default_factory=nothing)
    unobserved: Unobserved | None = None
    broken: str = ""
    """Troth's own fault, in words."""
    cost: Price = field(default_factory=dict)
    """What it cost, as far as the contract says it."""

    @property
    def status(self) -> int | None:
        """The HTTP status; None when no reply came."""
        return None if self.attempt.response is None else self.attempt.response.status

    @property
    def response(self) -> str | None:
        """The name of the response that came."""
        return None if self.judgement is None else self.judgement.response


class Caller:
    """Calls in the name of one scenario (``scenario`` with its case)."""

    def __init__(self, session: Session, scenario: str) -> None:
        self._session = session
        self._scenario = scenario
        self.calls = 0
        self.agreed = True
        """Did every reply so far fit the contract and its step?"""

    async def call(self, ask: Ask) -> Called | Unobserved:
        """Make one call; the reason when a limit of the target forbids it. Nothing is recorded yet."""
        session = self._session
        spent = await self._take(ask)
        if spent is not None:
            return spent
        refused = await session.tokens.ready(self._auth(ask))
        if refused is not None:
            if not isinstance(refused, Spent):
                session.breaker.stop(refused)
            return refused
        request = build_request(session.contract, ask.operation, ask.values)
        number = session.model.sending(request)
        try:
            called = await self._patiently(ask, request)
        finally:
            session.model.settled(number)
        self._pay(called)
        self._count(called)
        self._suspect(called)
        return called

    async def _patiently(self, ask: Ask, request: Request) -> Called:
        """Send, and send again when the target asks to wait a little. Such a request was not carried out."""
        session, left = self._session, THROTTLE_SECONDS
        for _ in range(THROTTLE_TRIES):
            called = self._judged(ask, await self._send(ask, request))
            wait = self._asked_to_wait(called)
            if wait is None or wait > left:
                return called
            left -= wait
            session.waiting(self._scenario, wait, f"the target asks to wait ({called.status})")
            await session.target.clock.sleep(wait)
            if await self._take(ask) is not None:
                return called
        return self._judged(ask, await self._send(ask, request))

    async def _take(self, ask: Ask) -> Spent | None:
        """Draw one request on the target's budget."""
        budget = self._session.budget
        return await budget.take(scenario=self._scenario, operation=ask.operation.name, cleanup=ask.cleanup)

    def _pay(self, called: Called) -> None:
        """Count what the call cost, unless it never got there."""
        session, operation = self._session, called.ask.operation
        failure = called.attempt.failure
        if failure is not None and failure.kind in UNSENT:
            return
        names = {**session.common_names(), **called.names}
        called.cost = price_of(session.model, operation, names, session.target.clock.now())
        session.budget.pay(called.cost, scenario=self._scenario, operation=operation.name)

    def _asked_to_wait(self, called: Called) -> float | None:
        """Seconds to wait before the same request is sent again; None when that is of no use, or not safe.

        A 429 without ``Retry-After`` gets a second. Other statuses are waited for only where they say how long: what
        the contract calls exhausted, and a 503 to a request that changes nothing.
        """
        response, nothing = called.attempt.response, called.unobserved
        if response is None or nothing is None or self._session.target.simulated:
            return None
        if called.ask.expect.status == response.status:
            return None
        wait = retry_after(response, self._session.target.clock.now())
        if response.status == 429:
            return 1.0 if wait is None else max(wait, 0.1)
        idle = response.status == 503 and called.attempt.request.method in _SAFE
        return max(wait, 0.1) if wait is not None and (nothing.verdict == "exhausted" or idle) else None

    async def _send(self, ask: Ask, request: Request) -> Attempt:
        session = self._session
        self._steer(ask)
        auth = self._auth(ask)
        # Cleaning up may take its time: what is left behind costs more.
        within = None if ask.cleanup else session.budget.left
        base = session.target.base(ask.operation)
        attempt = await session.target.client.send(request, base, auth, within)
        # A token may end before its time; what was refused was not carried out.
        if session.tokens.refused(auth, attempt) and await session.tokens.ready(auth) is None:
            attempt = await session.target.client.send(request, base, auth, within)
        if attempt.response is not None and not session.target.simulated:
            session.target.skew.learn(attempt.response, attempt.sent, attempt.received)
        return attempt

    def _auth(self, ask: Ask) -> Auth | None:
        return (ask.operation.auth or self._session.contract.auth) if ask.auth else None

    def _untried(self, ask: Ask) -> bool:
        """Is a client certificate shown that this target never let in?"""
        auth = self._auth(ask)
        return auth is not None and auth.certificate is not None and not self._session.breaker.accepted

    def _steer(self, ask: Ask) -> None:
        """A simulator gives an undecided response when the step expects it; otherwise it could never run."""
        if self._session.target.steer is None or not ask.expect.responses:
            return
        name = ask.expect.responses[0]
        shape = ask.operation.response(name)
        if shape is not None and shape.maybe:
            self._session.target.steer(name)

    def _judged(self, ask: Ask, attempt: Attempt) -> Called:
        called = Called(ask, attempt)
        if attempt.failure is not None:
            called.unobserved = unobserved_by(attempt.failure, untried=self._untried(ask))
            if attempt.failure.kind == "unsendable":
                called.broken = attempt.failure.words
            return called
        assert attempt.response is not None
        session = self._session
        when = session.target.skew.interval(attempt.sent, attempt.received)
        request, response, operation = attempt.request, attempt.response, ask.operation
        try:
            wanted, own = ask.expect.responses, Interval(attempt.sent, attempt.received)
            called.judgement = session.model.judge(request, response, when, operation.name, wanted, own)
            called.unobserved = called.judgement.unobserved
            called.names = call_names(session.model, operation, request, called.judgement, response)
        except Exception as error:
            # Whatever goes wrong in a judgement is ours, and must not take the rest of the run with it.
            called.broken = f"the judge failed: {where(error)}"
        return called

    def _count(self, called: Called) -> None:
        """Tell the circuit breaker. Whether a step without credentials is let in says nothing about the target."""
        session, failure = self._session, called.attempt.failure
        why = redact_unobserved(self._with_names(called), session.plan.redactor)
        if session.target.simulated or called.broken:
            return
        if why is None:
            if called.ask.auth:
                session.breaker.fine()
        elif (called.ask.auth or why.verdict != "unauthorized") and failure is None:
            session.breaker.failed(called.ask.operation.name, why, status=called.status)
        elif failure is not None:
            status = None if failure.transport else called.status
            session.breaker.failed(called.ask.operation.name, why, status=status)

    def _with_names(self, called: Called) -> Unobserved | None:
        """Why nothing was learnt; refused credentials with the names of their variables."""
        why, session = called.unobserved, self._session
        if why is None or why.verdict != "unauthorized":
            return why
        names = ", ".join(variables(session.contract, session.target.limits, self._auth(called.ask)))
        return Unobserved(why.verdict, f"{why.reason} (credentials: {names})") if names else why

    def _suspect(self, called: Called) -> None:
        """Remember who answered properly, and whose reply was unusable though the connection was fine."""
        session, ask, response = self._session, called.ask, called.attempt.response
        if called.unobserved is None:
            session.answered.add(ask.operation.name)
        elif response is not None and not ask.cleanup:
            due = "" if ask.auth else _refusal(ask)
            kind = suspicion(response, called.attempt.failure) if response.status < 400 else ""
            if due and not kind and called.unobserved.verdict == "unauthorized":
                kind = "status"
            if kind and not (kind in ("undeclared", "status") and called.response):
                media = (header(response.headers, b"content-type") or "").partition(";")[0]
                here = (self._scenario, ask.trail, ask.operation.name)
                session.suspects.append(Suspect(*here, kind, media, response.status, due))

    def record(self, called: Called, unmet: tuple[Mismatch, ...] = (), *, final: bool = True) -> StepResult:
        """Keep what became of a call, without secrets."""
        session, ask = self._session, called.ask
        self.calls += 1
        redactor = self._redactor(called)
        judgement = called.judgement and redact_judgement(called.judgement, redactor)
        result = StepResult(
            scenario=self._scenario,
            number=self.calls,
            trail=ask.trail,
            operation=ask.operation.name,
            exchange=capture(
                called.attempt,
                Stamp(session.target.name, self._scenario, self.calls, ask.operation.name, ask.trail),
                redactor,
                called.response,
            ),
            judgement=judgement,
            unmet=tuple(redact_mismatch(mismatch, redactor) for mismatch in unmet),
            unobserved=redact_unobserved(called.unobserved, redactor),
            final=final,
            cost=called.cost,
        )
        session.add(result)
        self.agreed = self.agreed and not result.unmet and not (judgement is not None and judgement.mismatches)
        found = len(result.unmet) + (len(judgement.mismatches) if judgement is not None else 0)
        self._tell(called, found)
        return result

    def _redactor(self, called: Called) -> Redactor:
        """The run's redactor, which learns what this exchange shows: secret fields, sessions and signatures."""
        session = self._session
        names = session.secret_names(called.ask.operation)
        sent, response = called.attempt.request.headers, called.attempt.response
        found = set(_secrets(called, names)) if names else set()
        found.update(sessions(sent, () if response is None else response.headers))
        passing = set(signatures(sent, self._auth(called.ask)))
        return session.plan.redactor.learning(found, passing) if found or passing else session.plan.redactor

    def _tell(self, called: Called, mismatches: int) -> None:
        session, ask = self._session, called.ask
        session.tell(
            CallFinished(
                provider=session.contract.provider,
                target=session.target.name,
                scenario=self._scenario,
                trail=ask.trail,
                operation=ask.operation.name,
                status=called.status,
                response=called.response,
                mismatches=mismatches,
            )
        )


def _refusal(ask: Ask) -> str:
    """The response that the step expects because it sends no credentials; "" when it expects something else."""
    shapes = [ask.operation.response(name) for name in ask.expect.responses]
    return next((shape.name for shape in shapes if shape is not None and shape.means == "unauthorized"), "")


def _secrets(called: Called, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    for side in ("path", "query", "cookies", "body", "this"):
        yield from secret_values(called.names.get(side), names)
    yield from secret_values({name.rpartition(".")[2]: value for name, value in called.ask.values.items()}, names)
    response = called.attempt.response
    for raw, value in (*called.attempt.request.headers, *(response.headers if response is not None else ())):
        name = raw.decode("latin-1").lower().replace("-", "_")
        if name in names:
            yield name, value.decode("latin-1")


def where(error: BaseException) -> str:
    """An unexpected exception in one line: its kind and the place that raised it.

    Its text is left out: it may quote anything, also what must not be shown.
    """
    frames = extract_tb(error.__traceback__)
    if not frames:
        return type(error).__name__
    last = frames[-1]
    return f"{type(error).__name__} at {PurePath(last.filename).name}:{last.lineno} in {last.name}"
