"""What a leaf matcher is: it recognises and generates one value that has no parts of its own.

Types are strict, as on the wire: ``true``, ``1``, ``1.0`` and ``"1"`` are four values.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any, Final, Protocol

from troth.contracts.expressions.unknowns import Instant
from troth.contracts.matcher import Draw
from troth.contracts.values import Json, Value
from troth.frozen import frozen

__all__ = ["BaseLeaf", "Fault", "Leaf", "same_json", "same_number", "wrong_type"]

_BINARY_TAIL: Final = 1e-12
"""Relative; sums of fractions in binary differ from those in decimals in the sixteenth digit."""


@frozen
class Fault:
    """Why a value, a text or a whole body does not fit.

    ``kind`` is a name from ``troth.contracts.kinds`` (type, null, enum, format, bounds, content_type), ``want`` the
    demand in words. ``reason`` is the word that contracts see as ``mismatch.kind``: the kind, or ``size`` for too many
    bytes. ``path`` says where in a body, in the body's own spelling (``metadata[plan]``), when that is known.
    """

    kind: str
    want: str
    reason: str = ""
    path: str = ""

    def __post_init__(self) -> None:
        if not self.reason:
            object.__setattr__(self, "reason", self.kind)


class Leaf(Protocol):
    """A matcher without parts. All of its methods are pure, and none raises whatever JSON it is given."""

    @property
    def name(self) -> str:
        """Without the dollar sign: ``integer``."""
        ...

    @property
    def opaque(self) -> bool:
        """Never compared between simulator and sandbox: ids, tokens, prose."""
        ...

    @property
    def identity(self) -> bool:
        """Does a wrong value refer to something else (finding ``reference``)?"""
        ...

    @property
    def timely(self) -> bool:
        """Do samples depend on the time?"""
        ...

    @property
    def plain(self) -> type | None:
        """The class whose every value fits; None: there is none, or it is not worth saying."""
        ...

    def fault(self, value: Json) -> Fault | None:
        """Why ``value`` does not fit; None when it does."""
        ...

    def make(self, draw: Draw, now: Instant) -> Json:
        """What a sample says when the author says nothing; it fits."""
        ...

    def decode(self, text: str) -> Json | Fault:
        """The value that a text carrier (path, query, header, form, text part) spells."""
        ...

    def encode(self, value: Json) -> str:
        """How a text carrier spells a fitting value."""
        ...

    def express(self, value: Value) -> Json:
        """An expression's value as it goes on the wire: an Instant becomes a timestamp of this format."""
        ...

    def same(self, expected: Value, observed: Json) -> bool:
        """Is ``observed`` what an expression or a record demands?"""
        ...

    def news(self, value: Json) -> bool:
        """Is a fitting ``value`` one that a list of known values does not name?"""
        ...

    def rank(self, value: Json) -> Any:
        """By what ``value`` comes before or after others (see ``troth.contracts.ranks``)."""
        ...

    def schema(self) -> dict[str, Any]:
        """A JSON Schema fragment of the values."""
        ...


class BaseLeaf:
    """What most leaves share: they are spelled as themselves in text, and compared by value and type."""

    __slots__ = ()

    name = ""
    opaque = False
    identity = False
    timely = False
    plain: type | None = None

    def decode(self, text: str) -> Json | Fault:
        return text

    def encode(self, value: Json) -> str:
        return str(value)

    def express(self, value: Value) -> Json:
        return value

    def same(self, expected: Value, observed: Json) -> bool:
        return same_json(expected, observed)

    def news(self, value: Json) -> bool:
        return False

    def rank(self, value: Json) -> Any:
        return value


def same_json(a: Value, b: Json) -> bool:
    """Equality on the wire, through and through; only two fractional numbers may differ in how they are held."""
    if isinstance(a, float | Decimal) and isinstance(b, float | Decimal):
        return same_number(a, b)
    if a.__class__ is not b.__class__:
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same_json(value, b[key]) for key, value in a.items())
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same_json, a, b))
    return bool(a == b)


def same_number(a: float | Decimal, b: float | Decimal) -> bool:
    """Equal, but for the last digits of a binary fraction (0.1 + 0.2 is 0.30000000000000004); decimals are exact."""
    if a == b or not (isinstance(a, float) or isinstance(b, float)):
        return bool(a == b)
    try:
        return math.isclose(a, b, rel_tol=_BINARY_TAIL)
    except OverflowError:
        # A whole number that no float can hold.
        return False


def wrong_type(value: Json, want: str) -> Fault:
    """The fault of a value that has another type than ``want``."""
    return Fault("null" if value is None else "type", want)
