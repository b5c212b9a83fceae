"""What ``==``, ``<``, ``<=`` and ``in`` mean in expressions: True, False, or an Unknown that names the question.

* ``absent`` equals nothing, not even itself; it is before, after and in nothing.
* Numbers are equal by value (``1 == 1.0``); ``true`` is no number. A decimal is compared with numbers and with decimal
  texts by value, since ``$decimal`` fields are texts on the wire. (How strictly a reply's type is judged is a matter of
  matchers, not of this.)
* An instant is compared with instants, Unix seconds and timestamp texts. Where it is an interval, a whole second ``n``
  stands for any time from n to n + 1, and intervals that overlap leave the comparison unknown.
* Two unknown things with the same label are the same thing, but may both be absent: ``x == x`` stays a question.
"""

from __future__ import annotations

import re
from decimal import Decimal
from hashlib import blake2b
from math import nextafter
from typing import Final

from troth.contracts.expressions.expression_error import Site
from troth.contracts.expressions.timestamps import parse_timestamp
from troth.contracts.expressions.unknowns import Instant
from troth.contracts.values import ABSENT, Unknown, Value

__all__ = ["contains", "equal", "less", "less_or_equal", "question", "show", "type_name"]

_SCALARS: Final = frozenset({str, int, float, bool, bytes, type(None)})
_ORDERED: Final = frozenset({str, int, float, Decimal})
_PLAIN_DECIMAL: Final = re.compile(r"-?\d{1,100}(?:\.\d{1,100})?", re.ASCII)
_DEEPEST: Final = 100
_NAMES: Final = {
    str: "text",
    int: "a number",
    float: "a number",
    Decimal: "a decimal number",
    bool: "true or false",
    bytes: "bytes",
    type(None): "null",
    dict: "an object",
    list: "a list",
    Instant: "a time",
    type(ABSENT): "absent",
}


def type_name(value: Value) -> str:
    """What ``value`` is, in the words of messages: ``text``, ``a number``, ``null``, ..."""
    for kind in type(value).__mro__:
        if kind in _NAMES:
            return _NAMES[kind]
    return "an object"


def show(value: Value) -> str:
    """``value`` in a label: short, and different for different values."""
    if isinstance(value, Unknown):
        return value.label
    try:
        text = repr(value)
    except RecursionError:
        return f"{type_name(value)} that is nested too deep"
    if len(text) <= 80:
        return text
    return f"{text[:40]}…#{blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=6).hexdigest()}"


def question(a: Value, sign: str, b: Value) -> Unknown:
    """The unknown answer to ``a sign b``; the same question has the same label."""
    return Unknown(f"({show(a)} {sign} {show(b)})")


def equal(a: Value, b: Value) -> bool | Unknown:
    """``a == b``."""
    if a.__class__ is b.__class__ and a.__class__ in _SCALARS:
        return bool(a == b)
    if a is ABSENT or b is ABSENT:
        return False
    return _equal(a, b, 0)


def _equal(a: Value, b: Value, depth: int) -> bool | Unknown:
    if a is ABSENT or b is ABSENT:
        return False
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        first, second = sorted((a, b), key=show)
        return question(first, "==", second)
    if isinstance(a, Instant) or isinstance(b, Instant):
        return _same_time(a, b)
    if isinstance(a, dict) and isinstance(b, dict):
        return _equal_dicts(a, b, depth)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and _all_equal(list(zip(a, b, strict=True)), depth)
    pair = _comparable(a, b)
    if pair is not None:
        return bool(pair[0] == pair[1])
    return a is b or bool(a.__class__ is b.__class__ and a == b)


def _equal_dicts(a: dict[str, Value], b: dict[str, Value], depth: int) -> bool | Unknown:
    pairs = []
    for key in {**a, **b}:
        pair = (a.get(key, ABSENT), b.get(key, ABSENT))
        if any(isinstance(side, Unknown) for side in pair) and ABSENT in pair:
            pair = (question(a, "==", b), True)  # the unknown member may be absent, too
        pairs.append(pair)
    return _all_equal(pairs, depth)


def _all_equal(pairs: list[tuple[Value, Value]], depth: int) -> bool | Unknown:
    if depth == _DEEPEST:
        return Unknown("equality of values that are nested too deep")
    doubt = []
    for left, right in pairs:
        same = _equal(left, right, depth + 1)
        if same is False:
            return False
        if same is not True:
            doubt.append(show(same))
    return Unknown(" and ".join(doubt)) if doubt else True


def _comparable(a: Value, b: Value) -> tuple[Value, Value] | None:
    """Two numbers or two texts in a form that Python compares by exact value; None when they have no such form."""
    kinds = {a.__class__, b.__class__}
    if Decimal in kinds:
        left, right = _as_decimal(a), _as_decimal(b)
        return None if left is None or right is None else (left, right)
    if kinds <= {int, float} or kinds == {str}:
        return a, b
    return None


def _as_decimal(value: Value) -> Decimal | None:
    kind = value.__class__
    if kind is Decimal:
        return Decimal(value)
    if kind is float:
        return Decimal(repr(value))
    if kind is int or (kind is str and _PLAIN_DECIMAL.fullmatch(value)):
        return Decimal(value)
    return None


def less(a: Value, b: Value, site: Site) -> bool | Unknown:
    """``a < b``; ExpressionError for values without an order."""
    return _before(a, b, site, "<")


def less_or_equal(a: Value, b: Value, site: Site) -> bool | Unknown:
    """``a <= b``; ExpressionError for values without an order."""
    return _before(a, b, site, "<=")


def _before(a: Value, b: Value, site: Site, sign: str) -> bool | Unknown:
    if a is ABSENT or b is ABSENT:
        return False
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return question(a, sign, b)
    if isinstance(a, Instant) or isinstance(b, Instant):
        return _time_before(a, b, site, sign)
    pair = _comparable(a, b)
    if pair is None or a.__class__ not in _ORDERED:
        raise site.error(
            f"{show(a)} and {show(b)}: {type_name(a)} and {type_name(b)} have no order",
            "Compare numbers with numbers and texts with texts; where a value may be null, ask `x and x < y`",
        )
    return bool(pair[0] < pair[1] if sign == "<" else pair[0] <= pair[1])


def _span(value: Value, exact: bool) -> Instant | None:
    """The times that ``value`` may stand for; ``exact``: no allowance for digits that were cut off."""
    if isinstance(value, Instant):
        return value
    if isinstance(value, str):
        moment = parse_timestamp(value)
        if moment is None:
            return None
        return _cut_off(moment.seconds, 0.0 if exact else moment.resolution)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    seconds = float(value)
    return _cut_off(seconds, 0.0 if exact or seconds % 1 else 1.0)


def _cut_off(seconds: float, resolution: float) -> Instant:
    """The times that are ``seconds`` when their last digits are cut off; the next step is not one of them."""
    return Instant(seconds, nextafter(seconds + resolution, seconds))


def _time_before(a: Value, b: Value, site: Site, sign: str) -> bool | Unknown:
    exact = all(side.exact for side in (a, b) if isinstance(side, Instant))
    left, right = _span(a, exact), _span(b, exact)
    if left is None or right is None:
        wrong = a if left is None else b
        raise site.error(
            f"{show(wrong)}, {type_name(wrong)} that is not a time",
            "Times are compared with Unix seconds, RFC 3339 or RFC 2822 texts and `now`",
        )
    if left.hi < right.lo or (sign == "<=" and left.hi == right.lo):
        return True
    if left.lo > right.hi or (sign == "<" and left.lo == right.hi):
        return False
    return question(a, sign, b)


def _same_time(a: Value, b: Value) -> bool | Unknown:
    exact = all(side.exact for side in (a, b) if isinstance(side, Instant))
    left, right = _span(a, False), _span(b, False)
    if left is None or right is None:
        return False
    if exact:
        return _same_point(left, right)
    if left.hi < right.lo or right.hi < left.lo:
        return False
    first, second = sorted((a, b), key=show)
    return question(first, "==", second)


def _same_point(left: Instant, right: Instant) -> bool:
    """A point and a time whose last digits were cut off: is the point what was cut off?"""
    if left.exact and right.exact:
        return left.lo == right.lo
    point, cut = (left, right) if left.exact else (right, left)
    return cut.lo <= point.lo <= cut.hi


def contains(needle: Value, hay: Value, site: Site) -> bool | Unknown:
    """``needle in hay``: an item of a list, a key of an object, a part of a text; ExpressionError for anything else."""
    if needle is ABSENT or hay is ABSENT or hay is None:
        return False
    if isinstance(hay, Unknown):
        return question(needle, "in", hay)
    if isinstance(hay, list):
        return _contains_item(needle, hay)
    if isinstance(needle, Unknown):
        return question(needle, "in", hay)
    if isinstance(hay, dict):
        return isinstance(needle, str) and needle in hay
    if hay.__class__ is needle.__class__ and isinstance(hay, str | bytes):
        return needle in hay
    raise site.error(
        f"{show(needle)} in {show(hay)}: {type_name(needle)} in {type_name(hay)}",
        "`in` looks for an item in a list, a key in an object, a text in a text",
    )


def _contains_item(needle: Value, hay: list[Value]) -> bool | Unknown:
    doubt = False
    for item in hay:
        same = equal(item, needle)
        if same is True:
            return True
        doubt = doubt or same is not False
    return question(needle, "in", hay) if doubt else False
