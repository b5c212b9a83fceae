"""Arithmetic and text in expressions, within limits.

``absent`` makes the result absent, an unknown operand makes it unknown. Text has at most a million characters, whole
numbers at most 256 bits, results are finite: an expression cannot use up the machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from math import floor, isfinite
from types import MappingProxyType
from typing import Final, TypeAlias

from troth.contracts.expressions.comparisons import question, show, type_name
from troth.contracts.expressions.expression_error import Site
from troth.contracts.expressions.timestamps import parse_duration, parse_timestamp
from troth.contracts.expressions.unknowns import Instant
from troth.contracts.values import ABSENT, Unknown, Value

__all__ = ["MAX_TEXT", "OPERATORS", "Operator", "bounded", "join", "negate", "text_of"]

Operator: TypeAlias = Callable[[Value, Value, Site], Value]

MAX_TEXT: Final = 1_000_000
"""Characters of a text, bytes of a byte string, or items of a list that an expression may make."""
_MAX_BITS: Final = 256
_MAX_EXPONENT: Final = 1024
_MAX_DIGITS: Final = 1000
_MAX_DEPTH: Final = 100
_EXACT: Final = Context(prec=60, traps=[InvalidOperation, DivisionByZero, Overflow])
_NUMBERS: Final = frozenset({int, float, Decimal})


def bounded(value: Value, site: Site) -> Value:
    """``value``, when it is within the limits; else ExpressionError."""
    kind = value.__class__
    if kind is int and value.bit_length() > _MAX_BITS:
        raise site.too_large(f"a whole number of more than {_MAX_BITS} bits")
    if (kind is str or kind is bytes or kind is list) and len(value) > MAX_TEXT:
        raise site.too_large(f"{type_name(value)} of {len(value):,} parts; the limit is {MAX_TEXT:,}")
    if (kind is float and not isfinite(value)) or (kind is Decimal and abs(value.adjusted()) > _MAX_DIGITS):
        raise site.too_large("a number that is not finite, or of too many digits")
    return value


def _operator(sign: str, special: Operator, numbers: Callable[[Value, Value], Value]) -> Operator:
    """``special`` handles what is not two numbers; it gives None for what it does not know either."""

    def apply(a: Value, b: Value, site: Site) -> Value:
        if a is ABSENT or b is ABSENT:
            return ABSENT
        if isinstance(a, Unknown) or isinstance(b, Unknown):
            return question(a, sign, b)
        if a.__class__ in _NUMBERS and b.__class__ in _NUMBERS:
            return bounded(_calculate(a, b, numbers, site), site)
        result = special(a, b, site)
        if result is None:
            raise site.error(
                f"{show(a)} {sign} {show(b)}: {type_name(a)} and {type_name(b)}",
                "Join texts with `~`, make numbers of texts with `| int` or `| decimal`",
            )
        return bounded(result, site)

    return apply


def _calculate(a: Value, b: Value, numbers: Callable[[Value, Value], Value], site: Site) -> Value:
    if Decimal in (a.__class__, b.__class__):
        a, b = (Decimal(repr(side)) if side.__class__ is float else Decimal(side) for side in (a, b))
    try:
        return numbers(a, b)
    except (ZeroDivisionError, DivisionByZero) as error:
        raise site.error(f"{show(a)} divided by zero", "Ask first whether the divisor is zero") from error
    except (OverflowError, InvalidOperation, Overflow) as error:
        raise site.too_large(f"no exact result for {show(a)} and {show(b)}") from error


def _nothing(a: Value, b: Value, site: Site) -> Value:
    return None


def _add_special(a: Value, b: Value, site: Site) -> Value:
    if isinstance(a, str) and isinstance(b, str):
        return a + b
    if isinstance(a, list) and isinstance(b, list):
        return a + b
    if isinstance(a, Instant):
        seconds = _seconds(b)
        return None if seconds is None else a + seconds
    if isinstance(b, Instant):
        return _add_special(b, a, site)
    return None


def _subtract_special(a: Value, b: Value, site: Site) -> Value:
    if isinstance(a, Instant):
        other = b if isinstance(b, Instant) else _seconds(b)
        return None if other is None else a - other
    if isinstance(b, Instant):
        start = _seconds(a)
        return None if start is None else start - b
    return None


def _seconds(value: Value) -> float | None:
    """Seconds of a number, a duration (``5m``) or a timestamp text."""
    if isinstance(value, str):
        moment = parse_timestamp(value)
        return parse_duration(value) if moment is None else moment.seconds
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return float(value)


def _multiply_special(a: Value, b: Value, site: Site) -> Value:
    text, times = (b, a) if isinstance(b, str) else (a, b)
    if not isinstance(text, str) or times.__class__ is not int:
        return None
    if len(text) * times > MAX_TEXT:
        raise site.too_large(f"text of {len(text) * times:,} characters; the limit is {MAX_TEXT:,}")
    return text * times


def _add(a: Value, b: Value) -> Value:
    return _EXACT.add(a, b) if a.__class__ is Decimal else a + b


def _subtract(a: Value, b: Value) -> Value:
    return _EXACT.subtract(a, b) if a.__class__ is Decimal else a - b


def _multiply(a: Value, b: Value) -> Value:
    return _EXACT.multiply(a, b) if a.__class__ is Decimal else a * b


def _divide(a: Value, b: Value) -> Value:
    return _EXACT.divide(a, b) if a.__class__ is Decimal else a / b


def _floor_divide(a: Value, b: Value) -> Value:
    if a.__class__ is not Decimal:
        return a // b
    return _EXACT.divide(_EXACT.subtract(a, _modulo(a, b)), b)


def _modulo(a: Value, b: Value) -> Value:
    """The rest has the sign of the divisor, for decimals as for other numbers."""
    if a.__class__ is not Decimal:
        return a % b
    rest = _EXACT.remainder(a, b)
    return _EXACT.add(rest, b) if rest and (rest < 0) != (b < 0) else rest


def _power(a: Value, b: Value) -> Value:
    if abs(b) > _MAX_EXPONENT or (a.__class__ is int and b > 0 and a.bit_length() * b > 4 * _MAX_BITS):
        raise OverflowError
    result = _EXACT.power(a, b) if a.__class__ is Decimal else a**b
    if isinstance(result, complex):
        raise OverflowError
    return result


OPERATORS: Final[Mapping[str, Operator]] = MappingProxyType(
    {
        "+": _operator("+", _add_special, _add),
        "-": _operator("-", _subtract_special, _subtract),
        "*": _operator("*", _multiply_special, _multiply),
        "/": _operator("/", _nothing, _divide),
        "//": _operator("//", _nothing, _floor_divide),
        "%": _operator("%", _nothing, _modulo),
        "**": _operator("**", _nothing, _power),
    }
)
"""Sign to function ``(a, b, site)``. Texts: ``+`` joins two, ``*`` repeats one; lists: ``+`` joins two."""


def negate(value: Value, site: Site) -> Value:
    """``-value``."""
    if value is ABSENT:
        return ABSENT
    if isinstance(value, Unknown):
        return Unknown(f"(-{value.label})")
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise site.error(f"-{show(value)}: {type_name(value)} has no negative", "Write a number")
    return -value


def join(values: list[Value], site: Site) -> Value:
    """``a ~ b``: one text; one byte string when any of the values is bytes (texts as UTF-8)."""
    texts: list[str] = []
    pieces: list[bytes] = []
    for value in values:
        text = value if isinstance(value, bytes) else text_of(value, site)
        if isinstance(text, Unknown):
            return Unknown("(" + " ~ ".join(map(show, values)) + ")")
        if isinstance(text, str):
            texts.append(text)
            text = text.encode("utf-8", "surrogatepass")
        pieces.append(text)
    return bounded("".join(texts) if len(texts) == len(pieces) else b"".join(pieces), site)


def text_of(value: Value, site: Site) -> str | Unknown:
    """``value`` as it stands in a text: numbers, true, false, null, objects and lists as JSON has them, without absent.

    Absent is the empty text; a time is its Unix seconds, cut to a whole number (unknown, where its interval holds more
    than one); bytes are UTF-8.
    """
    if value.__class__ is str:
        return str(value)
    if value is ABSENT:
        return ""
    if isinstance(value, Unknown):
        return Unknown(f"text of {value.label}")
    if isinstance(value, Instant):
        return str(floor(value.lo)) if floor(value.lo) == floor(value.hi) else Unknown(f"text of {value!r}")
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            raise site.error("bytes that are not UTF-8 text", "Use a filter that takes bytes: `| sha256`") from error
    text = _json(value, site, 0)
    return text if isinstance(text, Unknown) else str(bounded(text, site))


def _json(value: Value, site: Site, depth: int) -> str | Unknown:
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if depth == _MAX_DEPTH or not isinstance(value, dict | list):
        raise site.error(f"{show(value)} in a text", "Name one of its fields")
    named = isinstance(value, dict)
    texts: list[str] = []
    for key, member in value.items() if isinstance(value, dict) else enumerate(value):
        if member is ABSENT:
            continue
        part = _member(member, site, depth)
        if isinstance(part, Unknown):
            return Unknown(f"text of {show(value)}")
        texts.append(f"{json.dumps(key, ensure_ascii=False)}:{part}" if named else part)
    body = ",".join(texts)
    return f"{{{body}}}" if named else f"[{body}]"


def _member(value: Value, site: Site, depth: int) -> str | Unknown:
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Instant):
        return text_of(value, site)
    return _json(value, site, depth + 1)
