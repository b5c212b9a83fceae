"""Paths in findings: RFC 9535 JSONPath into a decoded body, or ``status``, ``headers.request-id``, ``query.limit``.

Only what findings use: names and indexes, no filters, slices or wildcards.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from troth.contracts.values import ABSENT, Value

__all__ = ["Segment", "root_of", "schema_path", "segments", "value_at", "value_below", "written_segment"]

Segment: TypeAlias = str | int
"""A member name, or an index."""

_SEGMENT = re.compile(
    r"""\.(?P<dot>[^.\[\]]+) | \[(?P<index>\d+)\] | \[(?P<any>\*)\]
      | \['(?P<single>(?:[^'\\]|\\.)*)'\] | \["(?P<double>(?:[^"\\]|\\.)*)"\]""",
    re.VERBOSE,
)
_ROOT = re.compile(r"[.\[]")
_PLAIN = re.compile(r"[^\W\d]\w*")
_DIGIT = re.compile(r"\d")
_KNOWN = 8192
"""Paths that are remembered: a run asks for the same few in every exchange."""


@lru_cache(_KNOWN)
def segments(path: str) -> tuple[Segment, ...] | None:
    """The names and indexes of a path after its root (``$``, ``body`` ...); None when it cannot be read."""
    at = len(root_of(path))
    found: list[Segment] = []
    while at < len(path):
        match = _SEGMENT.match(path, at)
        if match is None:
            return None
        found.append(_segment(match))
        at = match.end()
    return tuple(found)


def root_of(path: str) -> str:
    """What stands in front of the first ``.`` or ``[``: ``$``, ``status``, ``headers``, ``query`` ..."""
    return _ROOT.split(path, maxsplit=1)[0]


def _segment(match: re.Match[str]) -> Segment:
    if match["index"] is not None:
        return int(match["index"])
    name = next(text for text in (match["dot"], match["any"], match["single"], match["double"]) if text is not None)
    return re.sub(r"\\(.)", r"\1", name)


@lru_cache(_KNOWN)
def schema_path(path: str) -> str:
    """The path without what varies from run to run: indexes and generated keys of maps become ``[*]``.

    A member counts as generated when it has a digit and is not a plain name (``ord-17``, ``2026-10-01``): the
    contract's own names hardly ever look like that, and the finding's origin still tells two such fields apart.
    """
    parts = segments(path)
    if parts is None:
        return path
    return root_of(path) + "".join(map(written_segment, parts))


def written_segment(part: Segment) -> str:
    """One step of a schema path: ``.name``, or ``[*]`` for what varies."""
    if isinstance(part, int) or part == "*" or (_DIGIT.search(part) and not _PLAIN.fullmatch(part)):
        return "[*]"
    return f".{part}"


def value_at(body: Value, path: str) -> Value:
    """What stands at ``$...`` in a decoded body; ABSENT where nothing does or the path is not one into a body."""
    parts = segments(path)
    return ABSENT if parts is None or root_of(path) != "$" else value_below(body, parts)


def value_below(value: Value, steps: Iterable[Segment]) -> Value:
    """What these steps lead to; ABSENT where they lead nowhere."""
    for part in steps:
        if isinstance(part, int):
            value = value[part] if isinstance(value, list) and part < len(value) else ABSENT
        else:
            value = value.get(part, ABSENT) if isinstance(value, dict) else ABSENT
    return value
