"""Takes back what a scenario created, in reverse order, whatever happened before.

An undo is registered as soon as a reply shows that something was created (its effects ``put`` a record), and written to
the undo log before the creating request leaves.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from uuid import uuid4

from troth.contracts.contract import Operation
from troth.contracts.exchange import Interval
from troth.contracts.expressions.expression_error import ExpressionError
from troth.contracts.judgement import Judgement, Unobserved, Why
from troth.contracts.values import ABSENT, Unknown, Value
from troth.runners.caller import Ask, Called, Caller
from troth.runners.classify import UNSENT
from troth.runners.names import slug
from troth.runners.reply_names import model_scope
from troth.runners.session import Session
from troth.runners.undo_log import UndoEntry

__all__ = ["Cleanup", "in_doubt"]

_GONE = (404, 410)


@dataclass(frozen=True, slots=True)
class _Undo:
    """Something to take back: the operation that made it, where, and the names of that call."""

    entry: UndoEntry
    operation: Operation
    trail: str
    names: dict[str, Value]


@dataclass
class Cleanup:
    """The undo stack of one scenario."""

    session: Session
    caller: Caller
    scenario: str
    leaks: list[str] = field(default_factory=list)
    """What could not be taken back, in words."""
    _stack: list[_Undo] = field(default_factory=list)

    def intend(self, ask: Ask) -> UndoEntry | None:
        """Before a call that may create something: note that it is about to be made."""
        if ask.operation.undo is None:
            return None
        session = self.session
        entry = UndoEntry(
            id=uuid4().hex,
            provider=session.contract.provider,
            url=session.target.url,
            run=session.plan.run_id,
            scenario=self.scenario,
            operation=ask.operation.name,
            time=session.target.clock.now(),
        )
        session.plan.undo_log.put(entry)
        return entry

    def settle(self, entry: UndoEntry | None, called: Called | Unobserved | None) -> None:
        """After that call: register the undo, or forget the intent when nothing was created.

        ``called`` is an Unobserved when nothing was sent, None when the call was cut short.
        """
        if entry is None:
            return
        if isinstance(called, Called) and called.judgement is not None and called.unobserved is None:
            if called.judgement.created and called.response != "replay":
                self._register(entry, called)
                return
            doubtful = called.judgement.response is None and (called.status or 500) < 300
        else:
            doubtful = called is None or (isinstance(called, Called) and _may_have_created(called))
        if doubtful:
            # It stays open: a later sweep looks for its names.
            self.session.note(in_doubt(entry))
        else:
            self.session.plan.undo_log.done(entry.id)

    def _register(self, entry: UndoEntry, called: Called) -> None:
        undo = _Undo(entry, called.ask.operation, called.ask.trail, dict(called.names))
        self._stack.append(undo)
        values = self._values(undo)
        if isinstance(values, dict):
            assert undo.operation.undo is not None
            clean = self.session.plan.redactor.value(values)
            self.session.plan.undo_log.put(replace(entry, call=undo.operation.undo.call, values=clean))

    async def run(self) -> None:
        """Undo everything, the newest first; go on when one of them fails, unless the target is gone."""
        while self._stack:
            undo = self._stack[-1]
            await self._undo(undo)
            # Only now: a cancelled run must still know of it.
            self._stack.pop()

    def abandon(self, why: str) -> None:
        """Cleaning up was cut short: everything left leaks."""
        while self._stack:
            undo = self._stack.pop()
            self._leak(undo, why)

    async def _undo(self, undo: _Undo) -> None:
        assert undo.operation.undo is not None
        values = self._values(undo)
        if values is None:
            self.session.plan.undo_log.done(undo.entry.id)
            return
        operation = self.session.contract.operations.get(undo.operation.undo.call)
        if isinstance(values, str) or operation is None:
            self._leak(undo, str(values))
            return
        wire = undo.operation.wire
        operation = (
            operation.on(wire) if wire in operation.wires else self.session.target.spoken(operation) or operation
        )
        called = await self.caller.call(Ask(f"undo.{undo.trail}", operation, values, cleanup=True))
        if isinstance(called, Unobserved):
            self._leak(undo, called.reason)
            return
        why = _left(called)
        self.caller.record(called if self.caller.agreed else _unaccused(called))
        if why:
            self._leak(undo, why)
        else:
            self.session.plan.undo_log.done(undo.entry.id)
        if called.unobserved is not None and self.session.breaker.stopped is not None:
            self.abandon(self.session.breaker.stopped.reason)

    def _leak(self, undo: _Undo, why: str) -> None:
        text = f"{undo.operation.name} in step {undo.trail} was not taken back: {why}"
        self.leaks.append(self.session.plan.redactor.text(text))

    def _values(self, undo: _Undo) -> dict[str, Value] | str | None:
        """What to call the undo with; None when its ``when`` says not to, words when it cannot be worked out."""
        rule = undo.operation.undo
        assert rule is not None
        now = self.session.target.clock.now()
        scope = model_scope(self.session.model, undo.operation, undo.names, Interval(now, now))
        scope.names.update(self.session.common_names())
        try:
            if rule.when is not None and rule.when.decide(scope) is False:
                return None
            values = {name: said.value(scope) for name, said in rule.values.items()}
        except ExpressionError as error:
            return f"its `undo` cannot be worked out: {error}"
        unknown = [name for name, value in values.items() if value is ABSENT or value.__class__ is Unknown]
        return f"the reply does not say {', '.join(unknown)}" if unknown else values


def _may_have_created(called: Called) -> bool:
    """May a call without a usable answer have created something? Not where it never arrived, nor after a refusal."""
    failure = called.attempt.failure
    if failure is not None:
        return failure.kind not in UNSENT
    return (called.status or 0) not in range(300, 500)


def in_doubt(entry: UndoEntry) -> str:
    """Words for a creation of which nobody knows what became."""
    return (
        f"{entry.operation} in {entry.scenario!r} may have created something on {entry.url} that is not cleaned up; "
        f"its unique names hold {slug(entry.run)!r}"
    )


def _unaccused(called: Called) -> Called:
    """After a disagreement the model no longer knows what there is to take back, so cleaning up accuses nobody."""
    judgement = called.judgement
    if judgement is None or not judgement.mismatches:
        return called
    why = Why("doubt", "cleaning up after a disagreement")
    quiet = replace(judgement, mismatches=(), agreed=frozenset(), unjudged=(*judgement.unjudged, why))
    return replace(called, judgement=quiet)


def _foreseen(operation: Operation, judgement: Judgement) -> bool:
    """Did the contract know that this answer would come, other than by a mere ``maybe``?"""
    shapes = {name: operation.response(name) for name in judgement.predicted}
    sure = [name for name, shape in shapes.items() if shape is None or not shape.maybe]
    return sure == [judgement.response] and not judgement.mismatches


def _left(called: Called) -> str:
    """Why something is left after an undo; "" when it is gone.

    A refusal counts as clean where it says that the thing is gone, or where the contract knew that it would come.
    """
    operation, judgement = called.ask.operation.name, called.judgement
    if judgement is None or called.unobserved is not None:
        return called.unobserved.reason if called.unobserved else f"{operation} was not judged"
    status = called.status or 0
    if status < 400 or status in _GONE or judgement.response in ("missing", "gone"):
        return ""
    if _foreseen(called.ask.operation, judgement):
        return ""
    return f"{operation} answered {status} ({judgement.response or 'undeclared'})"
