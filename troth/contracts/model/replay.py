"""A replayed answer: the first one again, and the headers that say so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from troth.contracts.exchange import Response
from troth.contracts.matcher import Origin, Out
from troth.contracts.model.effects import shape_of
from troth.contracts.model.reply_headers import judge_headers
from troth.contracts.nodes.base import json_equal, member
from troth.contracts.values import ABSENT, Json

if TYPE_CHECKING:
    from troth.contracts.model.predict import Prediction
    from troth.contracts.model.reply import ReplyBody
    from troth.contracts.nodes.shape import Shape

__all__ = ["compare_replay", "differences", "unlike_first"]

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
    shown = prediction.operation.response(entry.name)
    shape = shape_of(shown.body) if shown is not None else None
    found = differences(entry.raw, body.value, "$")
    return [difference for difference in found if shape is None or _held(shape, difference[0])]


def _held(shape: Shape, path: str) -> bool:
    """Is the member at or above ``path`` listed, and may it not change?"""
    if path == "$":
        return True
    name = path.removeprefix("$").lstrip(".").split(".")[0].split("[")[0]
    field = shape.by_name.get(name)
    return field is not None and field.node.changes == "never"


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
