"""``$integer``, ``$number``, and ``$decimal``: a text with exact digits, as money needs it."""

from __future__ import annotations

import math
import re
from decimal import Context, Decimal, InvalidOperation
from typing import Any

from troth.contracts.expressions.unknowns import Instant
from troth.contracts.leaves.arguments import Arguments
from troth.contracts.leaves.base import BaseLeaf, Fault, same_json, same_number, wrong_type
from troth.contracts.matcher import Draw
from troth.contracts.values import Json, Value
from troth.frozen import frozen

__all__ = [
    "DecimalLeaf",
    "IntegerLeaf",
    "NumberLeaf",
    "build_decimal",
    "build_integer",
    "build_number",
    "parse_integer",
]

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,308})", re.ASCII)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,308})(?:\.[0-9]{1,400})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,308})(?:\.([0-9]{1,400}))?", re.ASCII)
_EXACT = Context(prec=800)
_SHORT = 300
"""Digits of a number that needs no closer look."""
_SMALL = 9
"""Samples without a lower bound are small numbers that differ from field to field, up to this."""


def parse_integer(text: str) -> int | None:
    """The whole number that ``text`` spells: ASCII digits, no plus sign, no leading zeros; None when it is none."""
    return int(text) if _INTEGER.fullmatch(text) else None


def _bounds(low: Any, high: Any, unit: str = "") -> str:
    if low is None:
        return f"at most {high}{unit}"
    return f"at least {low}{unit}" if high is None else f"{low} to {high}{unit}"


def _small(draw: Draw, low: int | None, high: int | None) -> int:
    """The smallest allowed, else a small number."""
    if low is not None:
        return low
    return 1 + draw.below(_SMALL) if high is None or high >= _SMALL else high


@frozen
class IntegerLeaf(BaseLeaf):
    """A whole number; neither a boolean nor ``1.0``."""

    min: int | None = None
    max: int | None = None

    name = "integer"

    @property
    def plain(self) -> type | None:  # type: ignore[override]
        return int if self.min is None and self.max is None else None

    def fault(self, value: Json) -> Fault | None:
        if value.__class__ is not int:
            return wrong_type(value, "a whole number")
        if (self.min is not None and value < self.min) or (self.max is not None and value > self.max):
            return Fault("bounds", _bounds(self.min, self.max))
        return None

    def make(self, draw: Draw, now: Instant) -> Json:
        return _small(draw, self.min, self.max)

    def decode(self, text: str) -> Json | Fault:
        if text.isdigit() and text.isascii() and text[0] != "0" and len(text) < _SHORT:
            return int(text)
        number = parse_integer(text)
        return Fault("type", "a whole number") if number is None else number

    def schema(self) -> dict[str, Any]:
        return {"type": "integer", **_limits(self.min, self.max)}


@frozen
class NumberLeaf(BaseLeaf):
    """A number, whole or not; equal by value, since it may be written either way."""

    min: int | float | None = None
    max: int | float | None = None

    name = "number"

    def fault(self, value: Json) -> Fault | None:
        if not _is_number(value):
            return wrong_type(value, "a number")
        if (self.min is not None and value < self.min) or (self.max is not None and value > self.max):
            return Fault("bounds", _bounds(self.min, self.max))
        return None

    def make(self, draw: Draw, now: Instant) -> Json:
        if self.min is not None:
            return self.min
        return self.max if self.max is not None and self.max < _SMALL else _small(draw, None, None)

    def decode(self, text: str) -> Json | Fault:
        number = parse_integer(text)
        if number is None and _NUMBER.fullmatch(text) and math.isfinite(float(text)):
            return float(text)
        return Fault("type", "a number") if number is None else number

    def same(self, expected: Value, observed: Json) -> bool:
        if _is_number(expected) and _is_number(observed):
            return same_number(expected, observed)
        return same_json(expected, observed)

    def schema(self) -> dict[str, Any]:
        return {"type": "number", **_limits(self.min, self.max)}


def _is_number(value: Value) -> bool:
    if value.__class__ is int:
        return True
    if value.__class__ is float:
        return math.isfinite(value)
    return value.__class__ is Decimal and value.is_finite()


def _limits(low: int | float | None, high: int | float | None) -> dict[str, Any]:
    return {key: value for key, value in (("minimum", low), ("maximum", high)) if value is not None}


@frozen
class DecimalLeaf(BaseLeaf):
    """A text of digits with ``places`` digits after the point (any number of them when None)."""

    places: int | None = None
    min: Decimal | None = None
    max: Decimal | None = None

    name = "decimal"

    def fault(self, value: Json) -> Fault | None:
        if value.__class__ is not str:
            return wrong_type(value, self._form())
        found = _DECIMAL.fullmatch(value)
        if found is None or (self.places is not None and len(found[1] or "") != self.places):
            return Fault("format", self._form())
        number = Decimal(value)
        if (self.min is not None and number < self.min) or (self.max is not None and number > self.max):
            return Fault("bounds", _bounds(self.min, self.max))
        return None

    def _form(self) -> str:
        after = "" if self.places is None else f", {self.places} of them after the point"
        return f"a number as a text of digits{after}"

    def make(self, draw: Draw, now: Instant) -> Json:
        if self.min is not None:
            return self.express(self.min)
        if self.max is not None and self.max < _SMALL:
            return self.express(self.max)
        return self.express(1 + draw.below(_SMALL))

    def express(self, value: Value) -> Json:
        """A number with exactly ``places`` digits; digits that would be lost are kept, so that it will not fit."""
        if not _is_number(value):
            return value
        number = Decimal(str(value))
        if self.places is not None:
            try:
                number = _exactly(number, self.places)
            except InvalidOperation:
                return format(number, "f")
        return format(number, "f")

    def same(self, expected: Value, observed: Json) -> bool:
        if not isinstance(observed, str) or not _DECIMAL.fullmatch(observed):
            return same_json(expected, observed)
        if _is_number(expected) or (isinstance(expected, str) and _DECIMAL.fullmatch(expected)):
            return Decimal(str(expected)) == Decimal(observed)
        return False

    def rank(self, value: Json) -> Any:
        return Decimal(value) if isinstance(value, str) and _DECIMAL.fullmatch(value) else value

    def schema(self) -> dict[str, Any]:
        digits = r"(\.[0-9]+)?" if self.places is None else rf"\.[0-9]{{{self.places}}}" if self.places else ""
        return {"type": "string", "pattern": f"^-?(0|[1-9][0-9]*){digits}$"}


def _exactly(number: Decimal, places: int) -> Decimal:
    """``number`` with ``places`` digits after the point, when none is lost by that."""
    rounded = number.quantize(Decimal(1).scaleb(-places), context=_EXACT)
    return rounded if rounded == number else number


def build_integer(args: Arguments) -> IntegerLeaf | None:
    """``$integer: {min, max}``."""
    args.no_scalar()
    args.only("min", "max")
    low, high = args.integer("min"), args.integer("max")
    args.ordered("min", "max", (low, high))
    return IntegerLeaf(low, high) if args.ok else None


def build_number(args: Arguments) -> NumberLeaf | None:
    """``$number: {min, max}``."""
    args.no_scalar()
    args.only("min", "max")
    low, high = args.number("min"), args.number("max")
    args.ordered("min", "max", (low, high))
    return NumberLeaf(low, high) if args.ok else None


def build_decimal(args: Arguments) -> DecimalLeaf | None:
    """``$decimal: {places, min, max}``; the bounds may be texts, so that their digits are exact."""
    args.no_scalar()
    args.only("places", "min", "max")
    places = args.whole("places", most=100)
    low, high = args.decimal("min"), args.decimal("max")
    args.ordered("min", "max", (low, high))
    for key, bound in (("min", low), ("max", high)):
        if places is not None and bound is not None and _exactly(bound, places).as_tuple().exponent != -places:
            asked = f"`{key}` of $decimal with at most {places} digits after the point"
            args.problem("E252", asked, str(bound), "", args.place_of(key))
    return DecimalLeaf(places, low, high) if args.ok else None
