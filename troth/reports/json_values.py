"""Values of findings as JSON, and back.

JSON lacks some of the values that a finding can hold. They stand as an object with exactly one key that begins with a
dollar sign:

====================  =========================================================
``{"$absent": true}``   there is no value here, or it was not observed
``{"$unknown": "l"}``   a value that the run had not seen; ``l`` names it
``{"$kind": "words"}``  any value of that kind: what a contract demands, and leaves open which one
``{"$bytes": "aGk="}``  bytes, in base64
``{"$decimal": "1.0"}`` a decimal with all its digits
``{"$number": "NaN"}``  a float that JSON cannot write: NaN, Infinity, -Infinity
``{"$text": "..."}``    anything else, as text
``{"$cut": "..."}``     a structure nested deeper than ``MAX_DEPTH``, as text
====================  =========================================================

A real key that begins with a dollar sign gets another one in front: ``{"$ref": 1}`` is written ``{"$$ref": 1}``.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from troth.contracts.values import ABSENT, Json, Kind, Unknown, Value
from troth.reports.visible import shorten

__all__ = ["MAX_DEPTH", "decode", "encode"]

MAX_DEPTH = 200
"""Levels of lists and objects that are kept."""


def encode(value: Value, depth: int = 0) -> Any:
    """``value`` as something that ``json.dumps`` writes."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else {"$number": _NUMBER_NAMES[str(value)]}
    if isinstance(value, Kind):
        return {"$kind": value.words}
    if isinstance(value, Mapping | list | tuple):
        return _encode_structure(value, depth)
    return _encode_other(value)


def _encode_structure(value: Mapping[Any, Value] | list[Value] | tuple[Value, ...], depth: int) -> Any:
    if depth >= MAX_DEPTH:
        return {"$cut": shorten(f"nested deeper than {MAX_DEPTH} levels: {type(value).__name__}", 200)}
    if isinstance(value, Mapping):
        members: dict[str, Any] = {}
        for key, member in value.items():
            name = str(key)
            members["$" + name if name.startswith("$") else name] = encode(member, depth + 1)
        return members
    return [encode(item, depth + 1) for item in value]


def _encode_other(value: Value) -> dict[str, Any]:
    if value is ABSENT:
        return {"$absent": True}
    if isinstance(value, Unknown):
        return {"$unknown": value.label}
    if isinstance(value, bytes | bytearray | memoryview):
        return {"$bytes": base64.b64encode(bytes(value)).decode("ascii")}
    if isinstance(value, Decimal):
        return {"$decimal": str(value)}
    return {"$text": str(value)}


def decode(data: Any) -> Json | Value:
    """The value that ``encode`` wrote; ValueError when a marker is malformed or not known."""
    if isinstance(data, list):
        return [decode(item) for item in data]
    if not isinstance(data, dict):
        return data
    if len(data) == 1:
        ((name, argument),) = data.items()
        if name.startswith("$") and not name.startswith("$$"):
            return _marked(name, argument)
    members: dict[str, Value] = {}
    for key, member in data.items():
        members[key[1:] if key.startswith("$$") else key] = decode(member)
    return members


def _marked(name: str, argument: Any) -> Value:
    read = _READERS.get(name)
    if read is None:
        raise ValueError(f"the marker {name!r} is not known")
    if name != "$absent" and not isinstance(argument, str):
        raise ValueError(f"{name!r} takes a text")
    try:
        return read(argument)
    except (binascii.Error, InvalidOperation) as error:
        raise ValueError(f"{name!r} holds {shorten(str(argument), 40)!r}, which it cannot mean") from error


_NUMBER_NAMES = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}

_READERS: dict[str, Callable[[Any], Value]] = {
    "$absent": lambda argument: ABSENT,
    "$unknown": Unknown,
    "$kind": Kind,
    "$bytes": lambda argument: base64.b64decode(argument, validate=True),
    "$decimal": Decimal,
    "$number": float,
    "$text": str,
    "$cut": str,
}
