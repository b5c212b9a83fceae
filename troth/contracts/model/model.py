"""The one interpreter: it answers for a simulator, and it judges what any target answered."""

from __future__ import annotations

from collections.abc import Collection as AnyCollection
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, Literal

from troth.contracts.codecs import BodyOptions
from troth.contracts.contract import Contract, Operation
from troth.contracts.exchange import Headers, Interval, Request, Response
from troth.contracts.judgement import Answer, Choice, Judgement, Unobserved, Why
from troth.contracts.matcher import Mismatch, Origin, Out
from troth.contracts.model.commit import commit
from troth.contracts.model.doubt import cause_of
from troth.contracts.model.draw import HashDraw, Occurrences, request_digest
from troth.contracts.model.due_credentials import credentials_due
from troth.contracts.model.effects import apply_effects
from troth.contracts.model.head import Head
from troth.contracts.model.incoming import read_request
from troth.contracts.model.inlining import inlines, shown_after
from troth.contracts.model.judge import Verdict, check_label, explain
from troth.contracts.model.near import called_operation, near_misses, peek_body, reasons, refusals
from troth.contracts.model.packing import Packing, packed, packing
from troth.contracts.model.pages import check_pages
from troth.contracts.model.predict import Prediction, predict, version_index
from troth.contracts.model.reply import make_reply, read_body, unwrapped, with_body
from troth.contracts.model.reply_headers import Reply, header_values
from troth.contracts.model.scope import ExchangeScope
from troth.contracts.model.sowing import known, sow
from troth.contracts.model.state import KeyEntry, State
from troth.contracts.model.unobserved import by_declaration, by_status
from troth.contracts.model.worlds import Choose, first_legal
from troth.contracts.nodes.base import BAD, Reading
from troth.contracts.record import Record
from troth.contracts.values import ABSENT, Json, Value
from troth.errors import ContractError, Problem

__all__ = ["Model"]

_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class Model:
    """Executes one contract. ``world``: ``closed`` for a simulator (it knows everything), ``open`` for a judge.

    Not safe for several threads at once; whoever shares one holds a lock.
    """

    def __init__(
        self, contract: Contract, *, seed: int = 0, world: Literal["closed", "open"] = "closed", tenant: str = ""
    ) -> None:
        self.contract = contract
        self.seed = seed
        self.world = world
        self.tenant = tenant
        self._origin = b"%d/%b/" % (seed, tenant.encode())
        self._head = Head(())
        self._packings: dict[int, Packing | None] = {}
        """By the identity of a response, which lives as long as its contract."""
        self.reset()

    def __repr__(self) -> str:
        return f"Model({self.contract.provider!r}, world={self.world!r})"

    def reset(self) -> None:
        """Back to the seeds."""
        self.state = State.of(self.contract.collections, closed=self.world == "closed")
        self.occurrences = Occurrences()
        self.faults: set[tuple[str, Origin]] = set()
        """(kind, origin) of every mismatch met so far: a known fault does not decide which response this is."""
        if self.world == "closed":
            self._sow()

    def _sow(self) -> None:
        """Put each collection's ``seeds`` in place; what they leave out is generated, seeded by collection and key."""
        for collection in self.contract.collections.values():
            for seed in collection.seeds:
                if collection.key in seed:
                    # Named first, so that seeds may link to one another whatever their order.
                    key = seed[collection.key]
                    self.state.put(Record(collection.name, key, {collection.key: key}, Interval(0.0, 0.0)))
        for collection in self.contract.collections.values():
            for index, seed in enumerate(collection.seeds):
                digest = f"seed {collection.name} {seed.get(collection.key, index)}".encode()
                draw = self.occurrences.draw(self._origin, digest)
                scope = self._scope(None, {"auth": {"ok": True}}, Interval(0.0, 0.0), draw, first_legal)
                self.state.put(sow(collection, seed, scope))

    def given(self, name: str, values: Mapping[str, Json], now: float) -> None:
        """Let a record of the collection ``name`` be there, its key among ``values``.

        A simulator makes up what they leave out; to a judge it is unknown. What this model knows of the record by
        itself, that it is deleted included, is left as it is.
        """
        collection = self.contract.collections[name]
        key = values[collection.key]
        if self.state.last_seen(name, key) is not None or self.state.was_deleted(name, key):
            return
        when = Interval(now, now)
        if self.state.closed:
            draw = self.occurrences.draw(self._origin, f"seed {name} {key}".encode())
            self.state.put(sow(collection, values, self._scope(None, {"auth": {"ok": True}}, when, draw, first_legal)))
        else:
            self.state.put(known(collection, values, when))

    # A simulator's answer

    def respond(self, request: Request, now: float, steer: str | Sequence[str] | None = None) -> Answer:
        """The reply to one request at ``now`` (Unix seconds). ``steer`` names the undecided response to give."""
        found = self.contract.router.find(request, partial(peek_body, self.contract, request))
        if found is None:
            return Answer(Response(501), None, None, near_misses(self.contract, request))
        operation = self.contract.routed(found[0])
        draw = self.occurrences.draw(self._origin, request_digest(request))
        wanted = () if steer is None else (steer,) if isinstance(steer, str) else tuple(steer)
        scope = self._scope(operation, {}, Interval(now, now), draw, first_legal)
        prediction = self._predicted(scope, operation, request, found[1], first_legal, wanted)
        name = prediction.name
        if name is None:
            auth = operation.auth or self.contract.auth
            return Answer(Response(501), None, None, refusals(operation, request, prediction, auth))
        shape = prediction.shape
        if shape is not None:
            scope.effects = shape.effects
        try:
            response, body = make_reply(self.contract, prediction)
        except RecursionError:
            raise _endless(operation, name) from None
        if shape is not None:
            response = self._effects(prediction, response, body)
            if prediction.mismatches and shape.on_mismatch:
                return Answer(response, operation.name, name, refused=reasons(prediction))
            if shape.status == 401 and not prediction.scope.names["auth"]["ok"]:
                due = credentials_due(operation.auth or self.contract.auth, request)
                return Answer(response, operation.name, name, refused=(due,))
        return Answer(response, operation.name, name)

    def _effects(self, prediction: Prediction, response: Response, body: Value) -> Response:
        """Change state, keep the answer for its idempotency key, and give it with linked records as they are now."""
        shape, scope, rule = prediction.shape, prediction.scope, prediction.operation.idempotency
        assert shape is not None
        said = body
        if shape.decodes and shape.body is not None and body is not ABSENT:
            decoded = shape.body.read(body, "$", Reading(Out(), scope))
            said = body if decoded is BAD else decoded
        if shape.effects and not self._packed(prediction, response, body):
            scope.names["reply"] = Reply(response, said)
            apply_effects(shape.effects, scope, said, shape.type_name)
            if shape.body is not None and isinstance(body, dict | list) and inlines(scope):
                body = shown_after(shape.body, body, scope)
                response = with_body(self.contract, shape, response, body, scope)
        if prediction.key is None or rule is None or shape.name in rule.skip or shape is rule.conflict:
            return response
        operation = prediction.operation
        entry = KeyEntry(operation.name, prediction.same, shape.name, response, said, body, scope.when, operation.wire)
        self.state.remember_key(self.contract.provider, prediction.key, entry)
        return response

    def _packed(self, prediction: Prediction, response: Response, body: Value) -> bool:
        """Was the effect of the response to put a record that can be kept as JSON? Then it is done."""
        shape = prediction.shape
        assert shape is not None
        if id(shape) not in self._packings:
            self._packings[id(shape)] = packing(self.contract, shape)
        found = self._packings[id(shape)]
        record = None if found is None else packed(found, prediction.scope, response.body, body)
        if record is not None:
            self.state.put(record)
        return record is not None

    # A judge's verdict

    def sending(self, request: Request) -> int:
        """A request is on its way, and may change something before it is judged; what comes back is for ``settled``."""
        if request.method in _READING:
            return 0
        number = max(self.state.in_flight, default=0) + 1
        self.state.in_flight[number] = f"{request.path}?{request.query} {request.body.decode('latin-1')}"
        return number

    def settled(self, number: int) -> None:
        """The request was judged, or got no answer."""
        self.state.in_flight.pop(number, None)

    def judge(
        self,
        request: Request,
        response: Response,
        when: Interval,
        operation: str,
        expects: AnyCollection[str] = (),
        own: Interval | None = None,
    ) -> Judgement:
        """What one real exchange says of the contract; state follows it.

        ``when``: [sent - skew, received + skew]. ``expects``: the response names that the step wants, so that one with
        ``means`` (a 401 to prove) counts as observed. ``own``: [sent, received] on our own clock, without skew.
        """
        self.state.turn = own or when
        self.state.reads = own is not None and request.method in _READING
        called, params = self._called(self.contract.operations[operation], request)
        body = read_body(response, called.responses, self._body_options(called))
        draw = HashDraw(request_digest(request))
        predict_in = partial(self._world, called, request, params, when, draw)
        verdict = explain(self.contract, called, predict_in, response, body, self.faults, expects)
        unobserved = by_declaration(verdict.shape, expects) or by_status(response, body, verdict.declared)
        if unobserved is not None:
            return self._nothing_seen(verdict, unobserved)
        if verdict.prediction.name is None and verdict.shape is None and verdict.prediction.shape is None:
            return self._unjudged(verdict, body.value, response)
        body = unwrapped(verdict.shape, body)
        check_label(verdict, body)
        check_pages(verdict, body)
        verdict.prediction.scope.state = self.state  # also when what was believed is that a doubtful value is another
        created = commit(verdict, response, body)
        return self._judgement(verdict, created)

    def _world(
        self,
        operation: Operation,
        request: Request,
        params: dict[str, str],
        when: Interval,
        draw: HashDraw,
        choose: Choose,
        state: State | None = None,
    ) -> Prediction:
        scope = self._scope(operation, {}, when, draw, choose, state)
        return self._predicted(scope, operation, request, params, choose, ())

    def _called(self, operation: Operation, request: Request) -> tuple[Operation, dict[str, str]]:
        """The operation on the wire of the request, and its path parameters."""
        return called_operation(self.contract, operation, request)

    def _body_options(self, operation: Operation) -> BodyOptions:
        options: BodyOptions = self.contract.codec_options["body"]
        written = (shape.written for shape in operation.responses if shape.written is not None)
        return next((found.options for found in written), options)

    def _predicted(
        self,
        scope: ExchangeScope,
        operation: Operation,
        request: Request,
        params: dict[str, str],
        choose: Choose,
        steer: Sequence[str],
    ) -> Prediction:
        mismatches = read_request(scope, request, self._head_of(request.headers), params)
        if self.contract.versions:
            scope.version_index = version_index(self.contract, scope)
            scope.names["version"] = self.contract.versions[scope.version_index]
        return predict(operation, scope, mismatches, choose, steer)

    def _head_of(self, headers: Headers) -> Head:
        """The headers looked through; kept until others come."""
        if headers is not self._head.raw:
            self._head = Head(headers)
        return self._head

    def _scope(
        self,
        operation: Operation | None,
        names: dict[str, Value],
        when: Interval,
        draw: HashDraw,
        choose: Choose,
        state: State | None = None,
    ) -> ExchangeScope:
        return ExchangeScope(self.contract, state or self.state, operation, names, when, draw, choose)

    def _nothing_seen(self, verdict: Verdict, unobserved: Unobserved) -> Judgement:
        name = verdict.shape.name if verdict.shape is not None else None
        return Judgement(
            verdict.prediction.operation.name,
            name,
            verdict.predicted,
            unobserved=unobserved,
            worlds=verdict.worlds,
            unjudged=(Why("unobserved", unobserved.reason),),
        )

    def _unjudged(self, verdict: Verdict, body: Value, response: Response) -> Judgement:
        """An invalid request to which the contract declares no answer: counted, not judged."""
        reason = "; ".join(f"{found.path}: {found.reason}" for found in verdict.prediction.mismatches) or "credentials"
        return Judgement(
            verdict.prediction.operation.name,
            None,
            (),
            unjudged=(Why("mismatch", f"no response is declared for {reason}"),),
            worlds=verdict.worlds,
            body=body,
            headers=header_values(response),
        )

    def _judgement(self, verdict: Verdict, created: list[tuple[str, Value]]) -> Judgement:
        found = verdict.comparison
        operation = verdict.prediction.operation.name
        mismatches: list[Mismatch] = [verdict.departure] if verdict.departure is not None else []
        mismatches += found.out.mismatches
        if verdict.shape is not None:
            here = {None, *(cause_of(operation, each) for each in found.out.mismatches if each.caused_by is None)}
            met = (mismatch for mismatch in found.out.mismatches if mismatch.caused_by in here)
            self.faults.update((mismatch.kind, mismatch.origin) for mismatch in met)
        name = verdict.name
        agreed = set(found.out.agreed)
        if name is not None and verdict.departure is None:
            agreed.add(Origin(operation, f".{name}"))
            agreed |= verdict.prediction.scope.timely
        return Judgement(
            operation,
            name,
            verdict.predicted,
            tuple(mismatches),
            frozenset(agreed),
            tuple(_whys(verdict)),
            None,
            {path: Choice(*choice) for path, choice in found.out.choices.items()},  # type: ignore[arg-type]
            {path: Choice(*choice) for path, choice in found.out.news.items()},  # type: ignore[arg-type]
            verdict.worlds,
            found.body,
            found.headers,
            tuple(created),
            verdict.doubted,
        )


def _endless(operation: Operation, name: str) -> ContractError:
    """A sample that goes on for ever: an ``$if`` that always takes the branch which leads back to it."""
    asked = f"samples of {operation.name}.{name} that come to an end"
    fix = "See that an `$if` or `$case` in it, or a link shown in full, does not always lead back to itself"
    return ContractError([Problem("E184", operation.place, asked, "values inside values without end", fix)])


def _whys(verdict: Verdict) -> list[Why]:
    """Every widening, counted: else it would be a silent green."""
    whys = [Why("undecided", name) for name in verdict.rivals]
    for what in dict.fromkeys((*verdict.prediction.scope.widened, *verdict.comparison.out.widened)):
        reason, _, rest = what.partition(" ")
        known = ("doubt", "limit", "maybe", "unknown", "timer", "undecided", "when")
        whys.append(Why(reason if reason in known else "unknown", rest or what))
    whys += [Why("unlisted", path) for path in verdict.comparison.out.unlisted]
    return whys
