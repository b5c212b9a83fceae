"""Judge one real exchange: find the world that explains it at the least cost, and say what does not fit.

An explanation that leaves the contract (a key ignored, a move too late, another declared response) is chosen only when
it costs strictly less than the mismatches that it explains: transition, key 1; value 2; other response 3.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from troth.contracts.codecs import TEXTY, FormOptions
from troth.contracts.contract import Operation, ResponseShape
from troth.contracts.exchange import Response
from troth.contracts.leaves import Fault
from troth.contracts.matcher import Mismatch, Origin, Out
from troth.contracts.model.doubt import (
    Variant,
    cause_of,
    mark,
    mark_another,
    mark_echoes,
    mark_repeated,
    unfit,
    variants,
    view,
)
from troth.contracts.model.inlining import changes_to_come, inlines
from troth.contracts.model.misplaced import mark_misplaced
from troth.contracts.model.new_keys import check_new_keys
from troth.contracts.model.predict import Prediction
from troth.contracts.model.replay import compare_replay, shown_again, unlike_first
from troth.contracts.model.reply import ReplyBody, unwrapped
from troth.contracts.model.reply_headers import compare_headers
from troth.contracts.model.worlds import Choose, Departure, worlds
from troth.contracts.nodes.base import Reading
from troth.contracts.record import Record
from troth.contracts.values import ABSENT, Json, Value
from troth.contracts.wire_body import WireBody

if TYPE_CHECKING:
    from troth.contracts.contract import Contract
    from troth.contracts.model.state import State

__all__ = ["Comparison", "Verdict", "check_label", "compare", "cost", "explain"]

VALUE_COST = 2
OTHER_RESPONSE_COST = 3
_EMPTY: Final[Mapping[str, Json]] = {"bytes": b"", "form": {}, "text": ""}
"""What no body at all is to a codec."""
_FREE = frozenset({"new_field"})


@dataclass(slots=True)
class Comparison:
    """A reply beside one response that it may be."""

    out: Out = field(default_factory=Out)
    body: Value = ABSENT
    headers: dict[str, Json] = field(default_factory=dict)
    others: list[tuple[str, Prediction]] = field(default_factory=list)
    """The same with doubtful records as they may be instead, by the cause of the doubt."""


class PredictIn(Protocol):
    """Predicts in the world that ``choose`` picks; ``state`` stands in for what is known."""

    def __call__(self, choose: Choose, state: State | None = None) -> Prediction: ...


@dataclass(slots=True)
class Verdict:
    """The best explanation of a reply."""

    prediction: Prediction
    shape: ResponseShape | None
    """None: replayed, or declared nowhere."""
    comparison: Comparison
    departure: Mismatch | None = None
    predicted: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    """Other responses that the contract allows here and that fit as well: the exchange is undecided."""
    worlds: int = 1
    declared: bool = True
    same_fit: list[Prediction] = field(default_factory=list)
    """Every legal world that fits as well, with the same response."""
    doubted: Mapping[str, str] = field(default_factory=dict)
    """Responses that come or do not come by what a doubtful value really is, to the cause of the doubt."""

    @property
    def name(self) -> str | None:
        """The response that came, ``replay`` for a replayed one, None for one that is declared nowhere."""
        if self.shape is not None:
            return self.shape.name
        return self.prediction.name if self.declared else None


def compare(
    contract: Contract, shape: ResponseShape, prediction: Prediction, response: Response, body: ReplyBody
) -> Comparison:
    """Match the reply against one declared response. Reads no state but the prediction's scope."""
    found = Comparison()
    body = unwrapped(shape, body)
    compare_headers(shape, prediction.scope, response, found.out, found.headers)
    options: FormOptions = contract.codec_options["form"]
    if shape.body is None or shape.codec == "none":
        if shape.codec == "none" and body.value is not ABSENT:
            origin = Origin(f"{prediction.operation.name}.{shape.name}", "$")
            found.out.add("new_field", "$", ABSENT, "a body", origin, "an empty body")
        elif shape.codec == "none":
            found.out.agreed.add(Origin(f"{prediction.operation.name}.{shape.name}", "$"))
        found.body = body.value
        return found
    origin = shape.body.origin
    fault = body.fault or _mere_text(shape, body)
    if fault is not None:
        found.out.add(fault.kind, "$", ABSENT, body.media or "no media type", origin, fault.want)
        return found
    if body.value is ABSENT and shape.codec in _EMPTY:
        body = ReplyBody(_EMPTY[shape.codec], None, body.media)
    if body.value is ABSENT:
        if not shape.body.absence(prediction.scope):
            found.out.add("missing_field", "$", ABSENT, ABSENT, origin, "a body")
        return found
    found.out.agreed.add(origin)
    before = prediction.scope.bind("this", body.value)
    scope = prediction.scope
    coming = changes_to_come(shape.effects, scope) if shape.effects and inlines(scope) else {}
    reading = Reading(found.out, scope, text=shape.codec in TEXTY, options=options, coming=coming)
    if shape.written is not None:
        _compare_beside(shape.written, body, reading)
    found.body = shape.body.read(body.value, "$", reading)
    prediction.scope.bind("this", before)
    mark_another(found.out, contract, prediction.operation.name)
    if shape.effects:
        check_new_keys(shape, prediction, found.body, found.out)
    return found


def _mere_text(shape: ResponseShape, body: ReplyBody) -> Fault | None:
    """A text where JSON is due: nothing of what is due is there, not even in another form."""
    is_text = shape.codec == "json" and isinstance(body.value, str) and body.media.startswith("text/")
    return Fault("content_type", "JSON, not a text") if is_text else None


def _compare_beside(written: WireBody, body: ReplyBody, reading: Reading) -> None:
    """Match what stands around the body on its wire."""
    for name, node in (written.envelope.beside if written.envelope is not None else {}).items():
        if name in body.beside:
            node.read(body.beside[name], f"$.{name}", reading)
        else:
            reading.out.add("missing_field", f"$.{name}", ABSENT, ABSENT, node.origin, f"{name} beside the body")


def cost(out: Out, faults: AbstractSet[tuple[str, Origin]] = frozenset()) -> int:
    """What the mismatches of a comparison cost together.

    ``faults`` are those that this run has met before: they are there whatever the explanation, so they weigh nothing.
    """
    return sum(
        VALUE_COST
        for found in out.mismatches
        if found.kind not in _FREE and found.caused_by is None and (found.kind, found.origin) not in faults
    )


class Explainer:
    """Looks for the cheapest explanation of one reply."""

    def __init__(
        self,
        contract: Contract,
        operation: Operation,
        predict_in: PredictIn,
        response: Response,
        body: ReplyBody,
        faults: AbstractSet[tuple[str, Origin]],
    ) -> None:
        self.faults = faults
        self.contract, self.operation = contract, operation
        self.predict_in, self.response, self.body = predict_in, response, body
        self.worlds = 0
        self.predicted: list[str] = []
        self.expects: Collection[str] = ()
        """The names of the responses that the step wants."""
        self.doubted: dict[str, str] = {}
        self._others: dict[Variant, list[Prediction]] = {}

    def explain(self) -> Verdict:
        """The best legal world; when none fits, the cheapest departure that costs strictly less."""
        legal = self._legal()
        best, price = self._cheapest(legal)
        doubted, doubted_price = self._cheapest(self._by_doubt(legal), marked=False)
        if price and doubted is not None and doubted_price == 0:
            self.predicted.append(doubted.name or "")
            best, price = doubted, 0
        if best is not None and price == 0:
            self._rivals(best, legal)
            return self._finished(best)
        replayed = any(found.replay is not None and not unlike_first(found, self.body) for found in legal)
        departed, departed_price = self._departed(price if best is not None else 10_000, replayed=replayed)
        if departed is not None and departed_price < price:
            best, price = departed, departed_price
        if best is None:
            return self._finished(self._elsewhere(legal))
        if price > OTHER_RESPONSE_COST:
            other = self._other_declared(best.prediction, price)
            best = other or best
        return self._finished(best)

    def _finished(self, verdict: Verdict) -> Verdict:
        verdict.predicted = tuple(dict.fromkeys(self.predicted))
        verdict.worlds = self.worlds
        verdict.doubted = self.doubted
        verdict.prediction.scope.widened += [f"doubt {cause}" for cause in dict.fromkeys(self.doubted.values())]
        out = verdict.comparison.out
        if len(out.mismatches) > 1:
            body = self.body if verdict.shape is None else unwrapped(verdict.shape, self.body)
            mark_misplaced(out, body.value, self.operation.name)
        if verdict.departure is not None and verdict.departure.kind == "invalid_accepted":
            cause = cause_of(self.operation.name, verdict.departure)
            mark_echoes(out, verdict.prediction.mismatches, cause)
        return verdict

    def _legal(self) -> list[Prediction]:
        found = []
        for world in worlds(self.predict_in):
            self.worlds += 1
            found.append(world.prediction)
            name = world.prediction.name
            if name is not None:
                self.predicted.append(name)
        return found

    def _by_doubt(self, found: list[Prediction]) -> list[Prediction]:
        """Worlds with another response, that are there only because a value is doubtful: nobody can demand either."""
        seen = {prediction.name for prediction in found}
        more: dict[str, Prediction] = {}
        for prediction in found:
            for cause, others in self._instead(prediction):
                by_name = {other.name: other for other in others}
                for name in by_name.keys() ^ seen:
                    if name is not None:
                        self.doubted.setdefault(name, cause)
                more |= {name: other for name, other in by_name.items() if name is not None and name not in seen}
        return list(more.values())

    def _instead(self, prediction: Prediction) -> Iterator[tuple[str, list[Prediction]]]:
        """The predictions with what the exchange has read as it may be instead, by the cause of the doubt."""
        scope = prediction.scope
        for variant in variants(scope.doubtful.values()):
            if variant not in self._others:
                instead = partial(self.predict_in, state=view(scope.state, variant, scope))
                self._others[variant] = [world.prediction for world in worlds(instead)]
            yield variant.cause, self._others[variant]

    def _mark(self, shape: ResponseShape, prediction: Prediction, found: Comparison) -> None:
        """What follows from earlier findings, and what is doubtful because of them."""
        for cause, others in self._instead(prediction):
            alike = [other for other in others if other.name == prediction.name] or others[:1]
            tried = [(compare(self.contract, shape, other, self.response, self.body), other) for other in alike]
            if tried:
                best, other = min(tried, key=lambda pair: len(pair[0].out.mismatches))
                mark(found.out, best.out, cause)
                found.others.append((cause, other))
        mark_repeated(found.out, _shown(shape, prediction, found))

    def _verdict(self, prediction: Prediction, *, marked: bool = True) -> Verdict | None:
        """The reply in this world, if its status is the predicted one."""
        if prediction.status != self.response.status:
            return None
        if prediction.replay is not None:
            found = Comparison(body=shown_again(prediction, self.body))
            compare_replay(prediction, self.response, self.body, found.out, found.headers)
            return Verdict(prediction, None, found)
        if prediction.shape is None:
            return None
        found = compare(self.contract, prediction.shape, prediction, self.response, self.body)
        if self._too_loose(prediction.shape, found):
            return None
        if marked and prediction.scope.doubtful:
            self._mark(prediction.shape, prediction, found)
        return Verdict(prediction, prediction.shape, found)

    def _too_loose(self, shape: ResponseShape, found: Comparison) -> bool:
        """May the reply not count as trouble of the provider (``means``)? Only what fits exactly does; else a response
        that says "quota used up" would take in every reply that is wrong in some other way.
        """
        if shape.means is None or shape.name in self.expects:
            return False
        return any(mismatch.kind not in _FREE for mismatch in found.out.mismatches)

    def _cheapest(self, predictions: list[Prediction], *, marked: bool = True) -> tuple[Verdict | None, int]:
        best, price = None, (10_000, 0)
        for prediction in predictions:
            verdict = self._verdict(prediction, marked=marked)
            if verdict is None:
                continue
            out = verdict.comparison.out
            this = cost(out, self.faults), len(out.mismatches)
            if this < price:
                best, price = verdict, this
            elif this == price and best is not None and best.prediction.name == prediction.name:
                best.same_fit.append(prediction)
        return best, price[0]

    def _rivals(self, best: Verdict, legal: list[Prediction]) -> None:
        names = []
        for prediction in legal:
            if prediction.name == best.prediction.name or prediction.status != self.response.status:
                continue
            verdict = self._verdict(prediction)
            if verdict is not None and cost(verdict.comparison.out, self.faults) == 0:
                names.append(prediction.name or "")
        best.rivals = tuple(dict.fromkeys(names))

    def _departed(self, limit: int, *, replayed: bool) -> tuple[Verdict | None, int]:
        """The cheapest departure; a key whose first answer came again was not ignored, whatever else is wrong."""
        best, price = None, limit
        for world in worlds(self.predict_in, illegal=True):
            self.worlds += 1
            departure = world.departure
            assert departure is not None
            if replayed and departure.code == "idempotency_ignored":
                continue
            verdict = self._verdict(world.prediction)
            if verdict is None:
                continue
            this = cost(verdict.comparison.out, self.faults) + departure.cost
            if this < price:
                verdict.departure = self._departure(departure)
                best, price = verdict, this
        return best, price

    def _departure(self, departure: Departure) -> Mismatch:
        expected = ", ".join(dict.fromkeys(self.predicted))
        path = departure.detail or "$"
        if departure.expected is not ABSENT:
            shown = (departure.expected, departure.observed)
            return Mismatch(departure.code, path, *shown, Origin(departure.origin))
        observed: Json = f"status {self.response.status}"
        return Mismatch(departure.code, path, expected, observed, Origin(departure.origin))

    def _elsewhere(self, legal: list[Prediction]) -> Verdict:
        """No legal response has this status: another declared one, the same under another status, or none at all."""
        moved = self._moved_replay(legal)
        if moved is not None:
            return moved
        base = _most_expected(legal)
        moved = self._moved_status(legal)
        # What says all that a predicted response says is that one, unless it fits the other one as well.
        other = self._other_declared(base, OTHER_RESPONSE_COST + 1 if moved else 10_000) or moved
        if other is not None:
            return other
        expected = ", ".join(dict.fromkeys(self.predicted)) or ABSENT
        origin = Origin(self.operation.name, f".{self.response.status}")
        undeclared = Mismatch("undeclared", "status", expected, self.response.status, origin)
        return Verdict(base, None, Comparison(body=self.body.value), undeclared, declared=False)

    def _other_declared(self, base: Prediction, limit: int = 10_000) -> Verdict | None:
        """Another declared response of this status, if believing so costs less than ``limit``."""
        best: tuple[int, ResponseShape, Comparison] | None = None
        for shape in _declared(self.operation):
            if shape.status != self.response.status or shape.name in self.predicted:
                continue
            found = compare(self.contract, shape, base, self.response, self.body)
            price = cost(found.out, self.faults)
            if not self._too_loose(shape, found) and (best is None or price < best[0]):
                best = (price, shape, found)
        if best is None or best[0] + OTHER_RESPONSE_COST >= limit:
            return None
        _, shape, found = best
        kind = self._response_kind(shape, base)
        path = "headers.idempotency" if kind == "idempotency_scope" else "response"
        origin = Origin(self.operation.name, f".{shape.name}")
        expected = ", ".join(dict.fromkeys(self.predicted)) or ABSENT
        departure = Mismatch(kind, path, expected, shape.name, origin, f"status {self.response.status}")
        # What does not fit here is a consequence of the wrong response, and doubtful from now on.
        unfit(found.out, cause_of(self.operation.name, departure))
        return Verdict(base, shape, found, departure)

    def _response_kind(self, shape: ResponseShape, base: Prediction) -> str:
        if self.operation.idempotency is not None and shape is self.operation.idempotency.conflict:
            return "idempotency_scope"
        if shape.on_mismatch and not base.mismatches:
            return "valid_refused"
        if base.status and base.status // 100 == shape.status // 100:
            return "response_variant"
        if base.shape is not None and base.shape.on_mismatch and base.mismatches and shape.status < 400:
            return "invalid_accepted"
        return "response"

    def _moved_replay(self, legal: list[Prediction]) -> Verdict | None:
        """The first answer again, under another status of the same class."""
        for prediction in legal:
            if prediction.replay is None or prediction.status // 100 != self.response.status // 100:
                continue
            found = Comparison(body=shown_again(prediction, self.body))
            compare_replay(prediction, self.response, self.body, found.out, found.headers)
            if cost(found.out, self.faults) == 0:
                origin = Origin(f"{self.operation.name}.replay", ".status")
                status = Mismatch("status", "status", prediction.status, self.response.status, origin)
                return Verdict(prediction, None, found, status)
        return None

    def _moved_status(self, legal: list[Prediction]) -> Verdict | None:
        """The content of a predicted response under another status of the same class."""
        for prediction in legal:
            shape = prediction.shape
            if (
                shape is None
                or shape.body is None
                or shape.means is not None
                or shape.status // 100 != self.response.status // 100
            ):
                continue
            found = compare(self.contract, shape, prediction, self.response, self.body)
            if cost(found.out, self.faults) == 0 and found.out.agreed:
                origin = Origin(f"{self.operation.name}.{shape.name}", ".status")
                status = Mismatch("status", "status", shape.status, self.response.status, origin)
                return Verdict(prediction, shape, found, status)
        return None


def _declared(operation: Operation) -> tuple[ResponseShape, ...]:
    """Every response that an operation may give; the conflict of its idempotency last."""
    rule = operation.idempotency
    return operation.responses if rule is None or rule.conflict is None else (*operation.responses, rule.conflict)


def _shown(shape: ResponseShape, prediction: Prediction, found: Comparison) -> Iterator[tuple[Record, str]]:
    """The records that a reply shows, as they are known, and where; also the one that it stores as a whole."""
    scope = prediction.scope
    shown = list(found.out.shown)
    for effect in shape.effects:
        if effect.verb == "put" and effect.value is None and isinstance(found.body, dict):
            key = found.body.get(scope.contract.collections[effect.collection].key, ABSENT)
            shown.append((effect.collection, key, "$"))
    for collection, key, path in shown:
        record = scope.state.get(collection, key)
        if record is not None:
            yield record, path


def _most_expected(legal: list[Prediction]) -> Prediction:
    """The first prediction that is more than a ``maybe`` or a trouble of the provider (``means``): what was due."""
    answers = [p for p in legal if p.shape is not None or p.replay is not None]
    due = [p for p in answers if p.shape is None or not (p.shape.maybe or p.shape.means)]
    return next(iter((*due, *answers, *legal)))


def explain(
    contract: Contract,
    operation: Operation,
    predict_in: PredictIn,
    response: Response,
    body: ReplyBody,
    faults: AbstractSet[tuple[str, Origin]] = frozenset(),
    expects: Collection[str] = (),
) -> Verdict:
    """The best explanation of a reply; ``faults``: (kind, origin) of what this run has met before.

    ``expects`` names the responses that the step wants.
    """
    explainer = Explainer(contract, operation, predict_in, response, body, faults)
    explainer.expects = expects
    return explainer.explain()


def check_label(verdict: Verdict, body: ReplyBody) -> None:
    """Add to the comparison that JSON came under another media type, where the response does not demand one itself."""
    demanded = verdict.shape.headers if verdict.shape is not None else None
    origin = Origin(f"{verdict.prediction.operation.name}.{verdict.name}", ".content_type")
    if not body.mislabelled:
        verdict.comparison.out.agreed.add(origin)
    elif verdict.declared and not (demanded and "content_type" in demanded.by_name):
        due = "application/xml" if verdict.shape is not None and verdict.shape.codec == "xml" else "application/json"
        wanted = (verdict.shape.content_type if verdict.shape is not None else None) or due
        verdict.comparison.out.add(
            "content_type",
            "headers.content_type",
            wanted,
            body.media or ABSENT,
            origin,
            "the media type of what is in the body",
        )
