"""A replayed answer: the first one again, and the headers that say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troth.contracts.codecs import TEXTY
from troth.contracts.exchange import Response
from troth.contracts.json_path import Segment, segments
from troth.contracts.matcher import Origin, Out
from troth.contracts.model.reply import unwrapped
from troth.contracts.model.reply_headers import judge_headers
from troth.contracts.nodes.base import BAD, json_equal, member
from troth.contracts.nodes.reading import Reading
from troth.contracts.nodes.shape import Shape
from troth.contracts.values import ABSENT, Json, Value

if TYPE_CHECKING:
    from troth.contracts.contract import ResponseShape
    from troth.contracts.model.predict import Prediction
    from troth.contracts.model.reply import ReplyBody
    from troth.contracts.model.state import KeyEntry
    from troth.contracts.nodes.base import Node

__all__ = ["compare_replay", "differences", "shown_again", "unlike_first"]

MOST = 20


def compare_replay(
    prediction: Prediction, response: Response, body: ReplyBody, out: Out, headers: dict[str, Json]
) -> None:
    """The body must be the first answer's, value by value."""
    entry, rule = prediction.replay, prediction.operation.idempotency
    assert entry is not None
    assert rule is not None
    origin = Origin(f"{prediction.operation.name}.replay")
    found = unlike_first(prediction, body)
    for path, expected, observed in found:
        out.add("value", path, expected, observed, Origin(origin.type, path[1:]), "the first answer again")
    if not found:
        out.agreed.add(origin)
    judge_headers(rule.replay_headers, prediction.scope, response, out, headers)


def unlike_first(prediction: Prediction, body: ReplyBody) -> list[tuple[str, Json, Json]]:
    """Where a reply is not the first answer again, in what the contract lists and does not let change."""
    entry = prediction.replay
    assert entry is not None
    shown = _first(prediction, entry)
    node = shown.body if shown is not None else None
    found = differences(entry.raw, shown_again(prediction, body), "$")
    return [difference for difference in found if _held(node, segments(difference[0]) or ())]


def shown_again(prediction: Prediction, body: ReplyBody) -> Value:
    """The reply that may be the first answer again. Where operations have wires, in the contract's own terms: the first
    one may have come on another wire.
    """
    entry = prediction.replay
    assert entry is not None
    shape = _first(prediction, entry) if prediction.operation.wire else None
    if shape is None or shape.body is None:
        return body.value
    body = unwrapped(shape, body)
    if body.fault is not None or body.value is ABSENT:
        return body.value
    reading = Reading(Out(), prediction.scope, text=shape.codec in TEXTY)
    read = shape.body.read(body.value, "$", reading)
    return body.value if read is BAD else read


def _first(prediction: Prediction, entry: KeyEntry) -> ResponseShape | None:
    """The response that came first, as the wire of this request has it."""
    # Keys may be shared by all operations: the first answer tells whose it was.
    operation = prediction.scope.contract.operations[entry.operation]
    return operation.on(prediction.operation.wire).response(entry.name)


def _held(node: Node | None, steps: tuple[Segment, ...]) -> bool:
    """Is what these steps lead to listed, and may neither it nor anything around it change?"""
    for step in steps:
        while node is not None and not isinstance(node, Shape):
            inner = getattr(node, "target", None) or getattr(node, "inner", None)
            if inner is None:
                break
            node = inner
        if isinstance(node, Shape):
            field = node.by_name.get(str(step))
            if field is None or field.node.changing != "never":
                return False
            node = field.node
        else:
            node = getattr(node, "item", None)
    return True


def differences(a: Json, b: Json, path: str) -> list[tuple[str, Json, Json]]:
    """Where two values differ: (JSONPath, first, second), at most ``MOST``."""
    if isinstance(a, dict) and isinstance(b, dict):
        found: list[tuple[str, Json, Json]] = []
        for name in [*a, *(name for name in b if name not in a)]:
            found += differences(a.get(name, ABSENT), b.get(name, ABSENT), member(path, name))
            if len(found) >= MOST:
                break
        return found[:MOST]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = enumerate(zip(a, b, strict=True))
        return [diff for i, (x, y) in pairs for diff in differences(x, y, f"{path}[{i}]")][:MOST]
    if a is b or (a is not ABSENT and b is not ABSENT and json_equal(a, b)):
        return []
    return [(path, a, b)]
