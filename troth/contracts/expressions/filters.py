"""The filters of expressions: ``value | name(arguments)``.

Pure functions of values. An absent value passes through every filter but ``default`` untouched and an unknown value or
argument makes the result unknown, so the functions here never see either as their value. They raise ValueError with a
message that says what was wrong.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from math import floor, sqrt
from types import MappingProxyType
from typing import Final

from troth.contracts.expressions.comparisons import contains, equal, show, type_name
from troth.contracts.expressions.expression_error import Site
from troth.contracts.expressions.members import member
from troth.contracts.expressions.path_forms import brackets, dotted, pointer
from troth.contracts.expressions.timestamps import parse_duration, parse_timestamp
from troth.contracts.expressions.unknowns import Instant
from troth.contracts.values import ABSENT, Unknown, Value
from troth.errors import Place
from troth.frozen import frozen

__all__ = ["FILTERS", "Filter"]


@frozen
class Filter:
    """A filter: ``apply(value, *arguments)``, which takes from ``least`` to ``most`` arguments."""

    apply: Callable[..., Value]
    least: int = 0
    most: int = 0


_WHOLE: Final = re.compile(r"-?\d{1,77}", re.ASCII)
_DECIMAL: Final = re.compile(r"-?\d{1,100}(?:\.\d{1,100})?", re.ASCII)
_WORD_START: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TOKEN: Final = re.compile(r"\w{1,4}|[^\w\s]")
_DECIMALS: Final = Context(prec=200, rounding=ROUND_HALF_EVEN)
_SITE: Final = Site("all_in", Place())
_MAX_PLACES: Final = 50
_MAX_PAIRS: Final = 1_000_000
_MAX_DIMENSIONS: Final = 16_384
_DIMENSIONS: Final = 1536


def _wrong(value: Value, wanted: str) -> ValueError:
    return ValueError(f"{show(value)} is {type_name(value)}, not {wanted}")


def default(value: Value, other: Value) -> Value:
    """``other`` where the value is absent; null, 0 and '' are values."""
    return other if value is ABSENT else value


def lower(value: Value) -> str:
    """A text in lower case."""
    if not isinstance(value, str):
        raise _wrong(value, "text")
    return value.lower()


def length(value: Value) -> int:
    """Characters of a text, bytes, items of a list, members of an object."""
    if not isinstance(value, str | bytes | list | dict):
        raise _wrong(value, "text, bytes, a list or an object")
    return len(value)


def first(value: Value) -> Value:
    """The first item of a list; absent when it is empty."""
    return at(value, 0)


def last(value: Value) -> Value:
    """The last item of a list; absent when it is empty."""
    return at(value, -1)


def at(value: Value, where: Value) -> Value:
    """An item of a list by its index (from 0, or from -1 at the end), or what a path ``a/b/0`` leads to; or absent.

    A path is for names that cannot stand after a dot, as in XML: ``body | at('soap:Envelope/soap:Body')``.
    """
    if isinstance(where, str):
        for name in where.split("/"):
            value = _step(value, name)
        return value
    if where is ABSENT:
        return ABSENT
    if where.__class__ is not int:
        raise _wrong(where, "an index or a path")
    if not isinstance(value, list):
        raise _wrong(value, "a list")
    return value[where] if -len(value) <= where < len(value) else ABSENT


def _step(value: Value, name: str) -> Value:
    if isinstance(value, list):
        return at(value, int(name)) if _WHOLE.fullmatch(name) else ABSENT
    return member(value, name)


def whole(value: Value) -> Value:
    """A whole number, from a text of digits, a number without a fraction, or a time (Unix seconds, cut off)."""
    if isinstance(value, Instant):
        return floor(value.lo) if floor(value.lo) == floor(value.hi) else Unknown(f"({value!r} | int)")
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float | Decimal) and value == value // 1:
        return int(value)
    raise _wrong(value, "a whole number")


def decimal(value: Value, places: Value = None) -> Value:
    """An exact number; with ``places``, a text with exactly that many digits after the point (half to even)."""
    number = _exact(value)
    if places is None:
        return number
    if places.__class__ is not int or not 0 <= places <= _MAX_PLACES:
        raise ValueError(f"{show(places)} places; there can be 0 to {_MAX_PLACES}")
    try:
        return format(_DECIMALS.quantize(number, Decimal(1).scaleb(-places)), "f")
    except InvalidOperation as error:
        raise ValueError(f"{show(value)} has too many digits") from error


def _exact(value: Value) -> Decimal:
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        return Decimal(value)
    if isinstance(value, Decimal):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Decimal(repr(value))
    raise _wrong(value, "a decimal number like 12.50")


def seconds(value: Value) -> Value:
    """Seconds: of a number, a duration (``5m``), a text of digits, or a time (Unix seconds)."""
    if isinstance(value, Instant):
        return _short(value.lo) if value.exact else Unknown(f"({value!r} | seconds)")
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise _wrong(value, "a duration or a time")
    if _DECIMAL.fullmatch(value):
        return _short(float(value))
    moment = parse_timestamp(value)
    found = parse_duration(value) if moment is None else moment.seconds
    if found is None:
        raise _wrong(value, "a duration like 250ms, 10s, 5m, 24h, 3d, or a timestamp")
    return _short(found)


def _short(number: float) -> int | float:
    return int(number) if number == number // 1 else number


def merge(value: Value, other: Value) -> Value:
    """An object with the members of ``other`` added or put in place of its own; absent ``other`` changes nothing."""
    if other is ABSENT:
        return value
    for side in (value, other):
        if not isinstance(side, dict):
            raise _wrong(side, "an object")
    return {**value, **other}


def without(value: Value, unwanted: Value) -> Value:
    """An object or a list without the members that equal ``unwanted``."""
    if not isinstance(value, dict | list):
        raise _wrong(value, "an object or a list")
    verdicts = [equal(member, unwanted) for member in (value.values() if isinstance(value, dict) else value)]
    unknown = next((verdict for verdict in verdicts if verdict.__class__ is Unknown), None)
    if unknown is not None:
        return unknown
    if isinstance(value, dict):
        return {name: value[name] for name, gone in zip(value, verdicts, strict=True) if not gone}
    return [member for member, gone in zip(value, verdicts, strict=True) if not gone]


def snake(value: Value) -> Value:
    """``QueueUrl`` as ``queue_url``: a text, or the names of an object's members (not of those inside them)."""
    if isinstance(value, dict):
        return {snake(name): member for name, member in value.items()}
    if not isinstance(value, str):
        raise _wrong(value, "text or an object")
    return _WORD_START.sub("_", value).replace("-", "_").replace(" ", "_").lower()


def as_list(value: Value) -> list[Value]:
    """A list as it is, null as an empty list, anything else as a list of one."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def all_in(value: Value, other: Value) -> Value:
    """Is every item of the list (or the one value) in the list ``other``? Nothing is in an absent one."""
    if other is not ABSENT and not isinstance(other, list):
        raise _wrong(other, "a list")
    items = as_list(value)
    hay: list[Value] = other if isinstance(other, list) else []
    if all(isinstance(item, str) for item in (*items, *hay)):
        return set(items) <= set(hay)
    if len(items) * len(hay) > _MAX_PAIRS:
        raise ValueError(f"{len(items):,} items in a list of {len(hay):,} are too many to look for")
    doubt: list[str] = []
    for item in items:
        found = contains(item, hay, _SITE)
        if found is False:
            return False
        if found is not True:
            doubt.append(show(found))
    return Unknown(" and ".join(doubt)) if doubt else True


def md5(value: Value) -> str:
    """MD5 in lower-case hexadecimal, of bytes or of a text as UTF-8."""
    return hashlib.md5(_raw(value), usedforsecurity=False).hexdigest()


def sha256(value: Value) -> str:
    """SHA-256 in lower-case hexadecimal, of bytes or of a text as UTF-8."""
    return hashlib.sha256(_raw(value)).hexdigest()


def hmac_sha256(value: Value, key: Value) -> str:
    """HMAC with SHA-256 (RFC 2104) in lower-case hexadecimal; ``key`` is bytes or a text as UTF-8."""
    return hmac.digest(_raw(key), _raw(value), "sha256").hex()


def _raw(value: Value) -> bytes:
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        raise _wrong(value, "text or bytes")
    return value.encode("utf-8", "surrogatepass")


def tokens(value: Value) -> int:
    """About how many tokens a language model counts in all texts of the value; an estimate, the same every time."""
    if isinstance(value, dict):
        return sum(map(tokens, value.values()))
    if isinstance(value, list):
        return sum(map(tokens, value))
    return len(_TOKEN.findall(value)) if isinstance(value, str) else 0


def embedding(value: Value, dimensions: Value = _DIMENSIONS) -> list[float]:
    """A vector of length one that depends on the text alone; it says nothing about the meaning."""
    if not isinstance(value, str):
        raise _wrong(value, "text")
    if dimensions.__class__ is not int or not 1 <= dimensions <= _MAX_DIMENSIONS:
        raise ValueError(f"{show(dimensions)} dimensions; there can be 1 to {_MAX_DIMENSIONS:,}")
    # Little-endian 16-bit numbers, shifted to odd ones around zero: none is zero, so the length is not.
    raw = hashlib.shake_256(_raw(value)).digest(2 * dimensions)
    parts = [2 * (raw[i] + 256 * raw[i + 1]) - 65_535 for i in range(0, len(raw), 2)]
    size = sqrt(sum(part * part for part in parts))
    return [part / size for part in parts]


FILTERS: Final[Mapping[str, Filter]] = MappingProxyType(
    {
        "all_in": Filter(all_in, 1, 1),
        "as_list": Filter(as_list),
        "at": Filter(at, 1, 1),
        "brackets": Filter(brackets),
        "decimal": Filter(decimal, 0, 1),
        "default": Filter(default, 1, 1),
        "dotted": Filter(dotted),
        "embedding": Filter(embedding, 0, 1),
        "first": Filter(first),
        "hmac_sha256": Filter(hmac_sha256, 1, 1),
        "int": Filter(whole),
        "last": Filter(last),
        "length": Filter(length),
        "lower": Filter(lower),
        "md5": Filter(md5),
        "merge": Filter(merge, 1, 1),
        "pointer": Filter(pointer),
        "seconds": Filter(seconds),
        "sha256": Filter(sha256),
        "snake": Filter(snake),
        "tokens": Filter(tokens),
        "without": Filter(without, 1, 1),
    }
)
"""The built-in filters; a compiler gets this mapping, or one with more, as an argument."""
