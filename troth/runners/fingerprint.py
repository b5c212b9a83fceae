"""Which finding is which, from night to night.

A fingerprint is made of the provider, operation, scenario with its case, kind, schema path, origin, and the *classes*
of what was expected and observed. Nothing in it changes while the disagreement stays the same: no prose, values, ids,
counts or dates. The version in front says which recipe made it, so that a better one is not taken for new findings.
"""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal
from hashlib import blake2b
from json import dumps
from typing import NamedTuple

from troth.contracts.json_path import schema_path
from troth.contracts.values import Absent, Unknown, Value

__all__ = ["VERSION", "Identity", "class_of", "fingerprint", "response_class"]

VERSION = "v1"

_CLASSES: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (Absent, "absent"),
    (type(None), "null"),
    (bool, "boolean"),  # before int, which it is one of
    (int, "integer"),
    ((float, Decimal), "number"),
    (str, "string"),
    (bytes, "bytes"),
    ((list, tuple), "array"),
    (dict, "object"),
)


class Identity(NamedTuple):
    """What makes two findings the same finding. ``expected`` and ``observed`` are classes, not values."""

    provider: str
    operation: str
    scenario: str
    kind: str
    path: str
    origin: str
    expected: str
    observed: str


def class_of(value: Value) -> str:
    """The class of a value: ``absent``, ``null``, ``boolean``, ``integer``, ``number``, ``string`` ..."""
    if isinstance(value, Unknown):
        return "unknown"
    for types, name in _CLASSES:
        if isinstance(value, types):
            return name
    return "other"


def response_class(value: Value, names: Collection[str]) -> str:
    """The class of a reply: declared responses' names stand for themselves, a status for its hundred.

    ``value`` is a name, several (a list, or a text with commas), or a status.
    """
    several = value.split(", ") if isinstance(value, str) else value
    if isinstance(several, list | tuple) and several and all(item in names for item in several):
        return "|".join(sorted(set(several)))
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value // 100}xx"
    return class_of(value)


def fingerprint(identity: Identity) -> str:
    """``v1:`` and 12 hex digits."""
    stable = identity._replace(path=schema_path(identity.path))
    digest = blake2b(dumps(stable, ensure_ascii=True).encode(), digest_size=6).hexdigest()
    return f"{VERSION}:{digest}"
