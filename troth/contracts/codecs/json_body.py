"""JSON, read fast and exactly.

orjson reads; four things that it lets pass, or cannot tell, are checked after it without reading twice: a name that
comes twice in one object, numbers with more digits than a double holds, depth. What is in doubt is read again by the
standard library, with hooks. Numbers: a whole number is an int of any size, another a float, and a Decimal where no
float has exactly that value's digits.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any, Final

import orjson

from troth.contracts.leaves import Fault
from troth.contracts.values import Json
from troth.errors import ContractError, Place, Problem

__all__ = ["DEPTH_LIMIT", "build_json", "parse_json"]

DEPTH_LIMIT: Final = 100
"""Structures nested deeper than this are a fault; what reads them recurses."""

_LONGEST_FRACTION: Final = 400
_WORTH_COPYING: Final = 100_000
_DIGITS: Final = bytes(0x30 if chr(code) in "0123456789." else 0x20 for code in range(256))
_OPTIONS: Final = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
"""JSON has none of these; whoever brings one is told."""
_LONG: Final = b"0" * 17
"""A fraction of 15 digits and its point comes through a double unchanged, and such an integer fits in 64 bits."""


def parse_json(body: bytes) -> Json | Fault:
    """The value of a JSON text in UTF-8 (RFC 8259), or why it is none: ``format``, or ``bounds`` when out of ours."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        return Fault("bounds" if "depth" in str(error) else "format", f"JSON ({error})")
    if value.__class__ is str or value is None:
        return value
    if body.count(b"[") + body.count(b"{") > DEPTH_LIMIT and _depth(value) > DEPTH_LIMIT:
        return Fault("bounds", f"JSON nested at most {DEPTH_LIMIT} deep")
    return _read_carefully(body) if _doubtful(body, value) else value


def _doubtful(body: bytes, value: Json) -> bool:
    """May a name come twice, or a number have more digits than were read?

    Every member of an object has its colon. Written again, the value has as many colons as the text, unless members
    were dropped, or colons were written as escapes.
    """
    if _LONG in body.translate(_DIGITS) or b"\\u003" in body:
        return True
    return value.__class__ in (dict, list) and orjson.dumps(value).count(b":") != body.count(b":")


def _depth(value: Json) -> int:
    depth = 0
    level = [value]
    while level:
        depth += 1
        level = [
            part
            for item in level
            for part in (item.values() if item.__class__ is dict else item)
            if part.__class__ in (dict, list)
        ]
    return depth


class _Refused(Exception):
    """What a hook found; its argument is the Fault."""


def _read_carefully(body: bytes) -> Json | Fault:
    try:
        return json.loads(body, object_pairs_hook=_members, parse_float=_fraction)
    except _Refused as refused:
        return refused.args[0]
    except (ValueError, RecursionError) as error:  # pragma: no cover - orjson has read it before
        return Fault("format", f"JSON ({error})")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Refused(Fault("format", f"JSON whose objects have each name once; {twice!r} comes twice", path=twice))
    return members


def _fraction(text: str) -> float | Decimal:
    if len(text) > _LONGEST_FRACTION:
        raise _Refused(Fault("bounds", f"fractions of at most {_LONGEST_FRACTION} digits"))
    number = float(text)
    exact = Decimal(text)
    return number if Decimal(repr(number)) == exact else exact


def build_json(value: Json) -> bytes:
    """Compact JSON in UTF-8, members in their order, Decimals with all their digits.

    ContractError (E272) for what JSON cannot say: bytes, a name that is no text. Matchers refuse numbers that are not
    finite before they come here; orjson would write null.
    """
    try:
        # A copy: orjson's own bytes hold on to the whole buffer, which is six times the memory where they are kept.
        return bytes(memoryview(orjson.dumps(value, default=_unusual, option=_OPTIONS)))
    except TypeError:
        return orjson.dumps(_sayable(value))


def _unusual(value: Any) -> orjson.Fragment:
    if isinstance(value, Decimal) and value.is_finite():
        return orjson.Fragment(str(value))
    raise TypeError


def _sayable(value: Json) -> Any:
    """The same value, with what orjson does not write (large numbers, lone surrogates) written beforehand."""
    if isinstance(value, dict):
        for name in value:
            if not isinstance(name, str):
                raise _unsayable(name, "a text as the name of each member")
        return {_name(name): _sayable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_sayable(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return orjson.Fragment(str(value))
    if isinstance(value, str):
        return orjson.Fragment(json.dumps(value))
    if isinstance(value, float | Decimal) and math.isfinite(value):
        return orjson.Fragment(str(value)) if isinstance(value, Decimal) else value
    raise _unsayable(value, "a value that JSON has")


def _name(name: str) -> str:
    return name.encode("utf-8", "replace").decode()


def _unsayable(value: Any, asked: str) -> ContractError:
    shown = repr(value)
    # A default repr shows an address, which says nothing and differs from run to run.
    found = (type(value).__name__ + ("" if " object at 0x" in shown else f" {shown}"))[:80]
    fix = "Encode bytes as text ($encoded), or give the body as `bytes`"
    return ContractError([Problem("E272", Place(), f"{asked} in a JSON body", found, fix)])
