"""The same fault in several operations or scenarios: a header that no reply has any more, keys that are ignored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from troth.contracts.values import ABSENT, Value
from troth.runners.disagreement import Disagreement, Row
from troth.runners.fingerprint import class_of

__all__ = ["alike"]


def _change(item: Disagreement) -> Value:
    """From one value to another: only where both are told, and are plain."""
    ends = (item.expected, item.observed)
    return None if any(isinstance(end, dict | list) or end is ABSENT for end in ends) else tuple(map(str, ends))


def _expectation(item: Disagreement) -> Value:
    """What several scenarios expect of one operation, each at its own step; a scenario's own fault is its own."""
    observed = item.observed if isinstance(item.observed, str) else class_of(item.observed)
    ours = item.row is not Row.PROVIDER or item.path == "check"
    return None if ours else (item.operation, str(item.expected), item.want, observed)


def _came(item: Disagreement) -> Value:
    return class_of(item.observed)


_TOLD_BY: Mapping[str, Callable[[Disagreement], Value]] = {
    "content_type": _change,
    "header": _change,
    "missing_header": _came,
    "idempotency_ignored": _came,
    "expect": _expectation,
}
"""The kinds whose demand a contract repeats for each operation, and by what two of them are the same fault."""


def alike(found: Sequence[Disagreement]) -> dict[int, int]:
    """Index of each disagreement to the first that shows the same fault, the first ones left out."""
    firsts: dict[tuple[Row, str, str, Value], int] = {}
    result = {}
    for index, item in enumerate(found):
        told_by = _TOLD_BY.get(item.kind)
        told = None if told_by is None or item.names is not None else told_by(item)
        if told is not None:
            first = firsts.setdefault((item.row, item.kind, item.path, told), index)
            if first != index:
                result[index] = first
    return result
