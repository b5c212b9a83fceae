"""The fake provider: answers requests as the contract says, in process, over a port or without one.

    with Simulator("stripe") as stripe:
        service = Service(payments_url=stripe.url)
        service.pay(1200)
        assert len(stripe.journal.for_operation("create_charge")) == 1

One lock guards model, journal and steering, so that a test may call anything here while requests come in.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from types import TracebackType

from troth.contracts.contract import Contract
from troth.contracts.exchange import Request, Response
from troth.contracts.judgement import Answer
from troth.contracts.loader import load
from troth.contracts.model.model import Model
from troth.contracts.suggest import did_you_mean
from troth.contracts.values import Json
from troth.errors import UsageError
from troth.simulators.clock import Clock
from troth.simulators.explain import explanation_json
from troth.simulators.http_server import HttpServer
from troth.simulators.journal import Entry, Journal
from troth.simulators.limits import Limits
from troth.simulators.listener import listen
from troth.simulators.redaction import Redactor, redactor_for
from troth.simulators.refusal import broken_response, troth_response, where_it_failed
from troth.simulators.responder import Responder
from troth.simulators.steering import FIX, check_steering, unsteered
from troth.simulators.thread import ServerThread

__all__ = ["Simulator"]

_log = logging.getLogger("troth.simulators")


class Simulator:
    """``source`` is a contract, the path of one (file or folder), the name of a pack, or a Responder.

    ``port`` 0 takes any free one. ``seed`` fixes what the contract leaves open. ``journal`` is how many requests are
    remembered. ``frozen`` (Unix seconds) stops the clock there. As a context manager it listens on ``url``, on a thread
    of its own; ``handle`` works without that.
    """

    def __init__(
        self,
        source: Contract | Responder | Path | str,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        seed: int = 0,
        journal: int = 1000,
        frozen: float | None = None,
        limits: Limits | None = None,
    ) -> None:
        given = load(source) if isinstance(source, (str, Path)) else source
        self.contract = given if isinstance(given, Contract) else None
        self._model: Responder = Model(given, seed=seed) if isinstance(given, Contract) else given
        self._address = (host, port)
        self._limits = limits
        self._lock = Lock()
        self._steer: tuple[str, ...] | None = None
        self._must = False
        self._watch: Callable[[Entry], None] | None = None
        self._thread: ServerThread | None = None
        self._server: HttpServer | None = None
        self._redactor = redactor_for(self.contract, os.environ) if self.contract else Redactor()
        self.clock = Clock(frozen)
        operations = self.contract.operations if self.contract else ()
        self.journal = Journal(self.provider, journal, redactor=self._redactor, lock=self._lock, operations=operations)

    def __repr__(self) -> str:
        where = self._server.url if self._server else "not listening"
        return f"Simulator({self.provider!r}, {where})"

    @property
    def provider(self) -> str:
        """Whose fake this is."""
        return self.contract.provider if self.contract else type(self._model).__name__

    @property
    def url(self) -> str:
        """The base URL, without a slash at the end. Raises UsageError E305 outside the ``with`` block."""
        if self._server is None:
            fix = "Use it as a context manager: with Simulator(...) as simulator"
            raise UsageError("E305", f"the URL of the simulator of {self.provider}", "it does not listen", fix)
        return self._server.url

    def __enter__(self) -> Simulator:
        if self._thread is not None:
            fix = "Make a second Simulator"
            raise UsageError("E305", f"start the simulator of {self.provider}", "it listens already", fix)
        server = self.server()
        self._thread = ServerThread([(server, listen(*self._address))], self.provider)
        self._server = server
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        thread, self._thread, self._server = self._thread, None, None
        if thread is not None:
            thread.stop()

    def server(self) -> HttpServer:
        """An HTTP server for this simulator, for a caller who has a loop; not started."""
        return HttpServer(self.handle, self._limits, self.clock.now)

    def handle(self, request: Request) -> Response:
        """Answer one request, without any socket. From any thread; requests are answered one after another."""
        with self._lock:
            now = self.clock.now()
            steer, self._steer = self._steer, None
            failure = ""
            try:
                answer = self._model.respond(request, now, steer)
                if answer.operation is None:
                    answer = self._unmatched(request, answer)
                elif steer is not None and self._must and answer.name not in steer:
                    answer = self._unsteered(answer, steer)
            except Exception as error:
                failure = self._describe(error, request)
                answer = Answer(broken_response(), None, None)
            record = self.journal.add_locked(request, answer, now, failure)
        if self._watch is not None:
            self._watch(self.journal.entry(record))
        return answer.response

    def watch(self, observer: Callable[[Entry], None] | None) -> None:
        """Have ``observer`` called with the journal's entry of every request, right after it was answered."""
        self._watch = observer

    def steer(self, *names: str, must: bool = True) -> None:
        """The next request, and only that, is answered by one of these declared responses, which the contract leaves
        open (``when: maybe``). Where that request cannot get it, it is answered by an error of the simulator (E321) and
        counts as unmatched; without ``must`` it is answered as if nothing had been said.

        Raises UsageError E304 for a name that no operation declares, or none leaves open.
        """
        if self.contract is not None:
            check_steering(self.contract, names)
        with self._lock:
            self._steer = names or None
            self._must = must and self.contract is not None

    def given(self, collection: str, **fields: Json) -> None:
        """Let a record be there before the test starts, with its key among ``fields``; what they leave out is made up.

        A record with this key that is there, or was deleted, stays as it is. Raises UsageError E309 for a collection
        that there is not, or without the key.
        """
        found = self.contract.collections.get(collection) if self.contract is not None else None
        if found is None or not isinstance(self._model, Model):
            known = self.contract.collections if self.contract is not None else ()
            fix = did_you_mean(collection, known, "collections")
            raise UsageError("E309", f"a collection of {self.provider}", repr(collection), fix)
        if found.key not in fields:
            asked = f"the key {found.key!r} of a record of {collection}"
            raise UsageError("E309", asked, ", ".join(fields) or "nothing")
        with self._lock:
            self._model.given(collection, fields, self.clock.now())

    def reset(self) -> None:
        """Back to the start: state, journal, clock and steering."""
        with self._lock:
            self._model.reset()
            self._steer = None
            self.journal.clear_locked()
            self.clock.reset()

    def _unmatched(self, request: Request, answer: Answer) -> Answer:
        clean, near = self._redactor.request(request), self._redactor.near(answer.near, request)
        response = troth_response(501, "E310", explanation_json(clean, near, self.provider))
        return Answer(response, None, None, answer.near)

    def _unsteered(self, answer: Answer, names: tuple[str, ...]) -> Answer:
        assert self.contract is not None
        why = unsteered(self.contract, answer, names)
        return Answer(troth_response(501, "E321", {"message": why, "fix": FIX}), None, None, unsteered=f"{why}. {FIX}")

    def _describe(self, error: Exception, request: Request) -> str:
        where = f"{where_it_failed(error)}: {self._redactor.text(str(error), request)}"
        _log.error("the simulator of %s failed on a %s request: %s", self.provider, request.method, where)
        return where
