"""``$boolean``, ``$enum``, ``$open_enum``, ``$null`` and ``$any``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from troth.contracts.expressions.unknowns import Instant
from troth.contracts.leaves.arguments import Arguments, shown
from troth.contracts.leaves.base import BaseLeaf, Fault, same_json, wrong_type
from troth.contracts.leaves.numbers import NumberLeaf
from troth.contracts.matcher import Draw
from troth.contracts.ranks import Listed
from troth.contracts.values import Json
from troth.frozen import frozen

__all__ = [
    "AnyLeaf",
    "BooleanLeaf",
    "EnumLeaf",
    "NullLeaf",
    "build_any",
    "build_boolean",
    "build_enum",
    "build_null",
    "build_open_enum",
]

_MOST_MEMBERS = 10_000
_TYPES: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
_NUMBER = NumberLeaf()


@frozen
class BooleanLeaf(BaseLeaf):
    """``true`` or ``false``; forms may spell them otherwise, which is for their codec to say."""

    name = "boolean"
    plain = bool

    def fault(self, value: Json) -> Fault | None:
        return None if value is True or value is False else wrong_type(value, "true or false")

    def make(self, draw: Draw, now: Instant) -> Json:
        return False

    def decode(self, text: str) -> Json | Fault:
        return text == "true" if text in ("true", "false") else Fault("type", "true or false")

    def encode(self, value: Json) -> str:
        return "true" if value else "false"

    def schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@frozen
class EnumLeaf(BaseLeaf):
    """One of ``members``; when ``open``, any value that has the type of one of them."""

    members: tuple[Json, ...]
    texts: frozenset[str]
    """Those of the members that are texts."""
    name: str = "enum"
    open: bool = False

    def fault(self, value: Json) -> Fault | None:
        if value.__class__ is str:
            if value in self.texts or (self.open and self.texts):
                return None
        elif any(same_json(member, value) for member in self.members):
            return None
        typed = any(member.__class__ is value.__class__ for member in self.members)
        if typed:
            return None if self.open else Fault("enum", self._want())
        return wrong_type(value, self._want())

    def news(self, value: Json) -> bool:
        return self.open and not any(same_json(member, value) for member in self.members)

    def _want(self) -> str:
        listed = ", ".join(_spelled(member) for member in self.members[:8])
        more = ", ..." if len(self.members) > 8 else ""
        return f"one of {listed}{more}" + (", or another of that type" if self.open else "")

    def make(self, draw: Draw, now: Instant) -> Json:
        return self.members[0]

    def decode(self, text: str) -> Json | Fault:
        """The first member that is spelled so; else the text read as the type of a member."""
        for member in self.members:
            if self.encode(member) == text:
                return member
        if self.texts:
            return text if self.open else Fault("enum", self._want())
        read = _read(text)
        if any(member.__class__ is read.__class__ for member in self.members):
            return read if self.open else Fault("enum", self._want())
        return Fault("type", self._want())

    def encode(self, value: Json) -> str:
        return _spelled(value) if value is not None else ""

    def rank(self, value: Json) -> Any:
        at = next((at for at, member in enumerate(self.members) if same_json(member, value)), None)
        return value if at is None else Listed(at, value)

    def schema(self) -> dict[str, Any]:
        if not self.open:
            return {"enum": list(self.members)}
        return {"type": sorted({_TYPES[member.__class__] for member in self.members}), "examples": list(self.members)}


def _spelled(member: Json) -> str:
    if member is None or member is True or member is False:
        return {None: "null", True: "true", False: "false"}[member]
    return str(member)


def _read(text: str) -> Json:
    if text in ("true", "false"):
        return text == "true"
    number = _NUMBER.decode(text)
    return text if isinstance(number, Fault) else number


@frozen
class NullLeaf(BaseLeaf):
    """``null``; in text carriers, the empty text."""

    name = "null"

    def fault(self, value: Json) -> Fault | None:
        return None if value is None else Fault("type", "null")

    def make(self, draw: Draw, now: Instant) -> Json:
        return None

    def decode(self, text: str) -> Json | Fault:
        return None if text == "" else Fault("type", "null, an empty text")

    def encode(self, value: Json) -> str:
        return ""

    def schema(self) -> dict[str, Any]:
        return {"type": "null"}


@frozen
class AnyLeaf(BaseLeaf):
    """Whatever comes. A text carrier cannot tell types apart, so there it is always a text."""

    name = "any"

    def fault(self, value: Json) -> Fault | None:
        return None

    def make(self, draw: Draw, now: Instant) -> Json:
        return None

    def encode(self, value: Json) -> str:
        return value if isinstance(value, str) else "" if value is None else _spelled(value)

    def schema(self) -> dict[str, Any]:
        return {}


def build_boolean(args: Arguments) -> BooleanLeaf | None:
    """``$boolean``."""
    return BooleanLeaf() if _bare(args) else None


def build_null(args: Arguments) -> NullLeaf | None:
    """``$null``."""
    return NullLeaf() if _bare(args) else None


def build_any(args: Arguments) -> AnyLeaf | None:
    """``$any``."""
    return AnyLeaf() if _bare(args) else None


def build_enum(args: Arguments) -> EnumLeaf | None:
    """``$enum: [a, b]``: texts, numbers, booleans or null, mixed as one likes."""
    return _build_enum(args, is_open=False)


def build_open_enum(args: Arguments) -> EnumLeaf | None:
    """``$open_enum: [a, b]``: the known values; others of their type may come."""
    return _build_enum(args, is_open=True)


def _build_enum(args: Arguments, *, is_open: bool) -> EnumLeaf | None:
    args.only()
    members = args.argument
    fix = f"Write {{${args.name}: [a, b]}}"
    if not isinstance(members, list) or not 0 < len(members) <= _MOST_MEMBERS:
        args.problem(
            "E256", f"a list of 1 to {_MOST_MEMBERS} values as the argument of ${args.name}", shown(members), fix
        )
        return None
    kept: list[Json] = []
    seen: set[tuple[type, Json]] = set()
    for index, member in enumerate(members):
        here = members.place(index) if hasattr(members, "place") else args.place
        if member.__class__ not in _TYPES:
            args.problem("E256", f"a text, number, boolean or null in ${args.name}", shown(member), fix, here)
        elif (member.__class__, member) in seen:
            args.problem("E256", f"each value of ${args.name} once", f"{shown(member)} twice", "Remove one", here)
        else:
            kept.append(member)
            seen.add((member.__class__, member))
    texts = frozenset(member for member in kept if isinstance(member, str))
    return EnumLeaf(tuple(kept), texts, args.name, is_open) if args.ok else None


def _bare(args: Arguments) -> bool:
    args.no_scalar()
    args.only()
    return args.ok
