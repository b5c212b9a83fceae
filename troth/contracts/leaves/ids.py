"""Names that the provider chooses, so that only their form is fixed: ``$id``, ``$uuid``, ``$token``, ``$etag``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any
from uuid import UUID

from troth.contracts.expressions.unknowns import Instant
from troth.contracts.leaves.arguments import Arguments, shown
from troth.contracts.leaves.base import BaseLeaf, Fault, same_json, wrong_type
from troth.contracts.matcher import Draw
from troth.contracts.values import Json, Value
from troth.frozen import frozen

__all__ = ["EtagLeaf", "IdLeaf", "TokenLeaf", "UuidLeaf", "build_etag", "build_id", "build_token", "build_uuid"]

_DIGITS = "0123456789"
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_UPPER = _LOWER.upper()
_ALNUM = _UPPER + _LOWER + _DIGITS
_ALPHABETS: Mapping[str, str] = {
    "alnum": _ALNUM,
    "digits": _DIGITS,
    "hex": _DIGITS + "abcdef",
    "lower": _LOWER + _DIGITS,
    "upper": _UPPER + _DIGITS,
    "url": _ALNUM + "-_",
}
_SAMPLE_LENGTH = 24
"""Of ids without a stated length: 24 of 62 characters are 143 bits, so no two samples meet, and it looks usual."""
_LONGEST_ID = 1000
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
_ETAG = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"')


@frozen
class IdLeaf(BaseLeaf):
    """``prefix``, then ``length`` characters (one or more when None) out of ``alphabet``."""

    prefix: str
    length: int | None
    alphabet: str
    regex: re.Pattern[str]

    name = "id"
    opaque = True
    identity = True

    def fault(self, value: Json) -> Fault | None:
        if value.__class__ is not str:
            return wrong_type(value, "an id, a text")
        return None if self.regex.fullmatch(value) else Fault("format", self._form())

    def _form(self) -> str:
        count = "one or more" if self.length is None else self.length
        of = {_ALNUM: "letters and digits"}.get(self.alphabet) or f"characters out of {shown(self.alphabet)}"
        return f"{self.prefix!r} and then {count} {of}" if self.prefix else f"{count} {of}"

    def make(self, draw: Draw, now: Instant) -> Json:
        return self.prefix + draw.text(self.length or _SAMPLE_LENGTH, self.alphabet)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{self.regex.pattern}$"}


@frozen
class UuidLeaf(BaseLeaf):
    """A UUID in its usual spelling, of any version (RFC 9562, section 4); samples are version 4."""

    name = "uuid"
    opaque = True
    identity = True

    def fault(self, value: Json) -> Fault | None:
        if value.__class__ is not str:
            return wrong_type(value, "a UUID, a text")
        return None if _UUID.fullmatch(value) else Fault("format", "a UUID, 8-4-4-4-12 hexadecimal digits")

    def make(self, draw: Draw, now: Instant) -> Json:
        return str(UUID(bytes=draw.raw(16), version=4))

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "uuid"}


@frozen
class TokenLeaf(BaseLeaf):
    """A text that means something to the provider only; never empty."""

    name = "token"
    opaque = True

    def fault(self, value: Json) -> Fault | None:
        if value.__class__ is not str:
            return wrong_type(value, "a token, a text")
        return None if value else Fault("bounds", "a token that is not empty")

    def make(self, draw: Draw, now: Instant) -> Json:
        return draw.text(32, _ALNUM)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "minLength": 1}


@frozen
class EtagLeaf(BaseLeaf):
    """An entity tag: quoted, after ``W/`` when it is weak (RFC 9110, section 8.8.3)."""

    name = "etag"
    opaque = True

    def fault(self, value: Json) -> Fault | None:
        if value.__class__ is not str:
            return wrong_type(value, "an entity tag, a text")
        return None if _ETAG.fullmatch(value) else Fault("format", 'an entity tag in quotes, like "abc" or W/"abc"')

    def same(self, expected: Value, observed: Json) -> bool:
        """As a proxy that compresses may make a strong tag weak (weak comparison, RFC 9110 section 8.8.3.2)."""
        if isinstance(expected, str) and isinstance(observed, str):
            return expected.removeprefix("W/") == observed.removeprefix("W/")
        return same_json(expected, observed)

    def make(self, draw: Draw, now: Instant) -> Json:
        return f'"{draw.text(16, _ALPHABETS["hex"])}"'

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": r'^(W/)?"[^"\s]*"$'}


def build_id(args: Arguments) -> IdLeaf | None:
    """``$id: {prefix, length, alphabet}``, the length without the prefix; the alphabet is letters and digits."""
    args.no_scalar()
    args.only("prefix", "length", "alphabet")
    prefix, length, written = args.text("prefix") or "", args.whole("length", _LONGEST_ID), args.text("alphabet")
    alphabet = _ALNUM if written is None else _characters(written)
    here = args.place_of("alphabet")
    if length == 0:
        args.problem("E252", "a length of $id from 1 up", "0", "Leave it out when any length will do")
    if alphabet is None:
        fix = f"Write the characters (0-9A-F), or one of {', '.join(_ALPHABETS)}"
        args.problem("E258", "different characters, or ranges of them, as `alphabet` of $id", repr(written), fix, here)
        return None
    if not args.ok:
        return None
    count = "+" if length is None else f"{{{length}}}"
    return IdLeaf(prefix, length, alphabet, re.compile(f"{re.escape(prefix)}[{_ranges(alphabet)}]{count}"))


@cache
def _ranges(alphabet: str) -> str:
    """The inside of a character class: ``A-Za-z0-9`` is compiled several times as fast as all its letters."""
    runs: list[list[str]] = []
    for char in alphabet:
        if runs and ord(char) == ord(runs[-1][-1]) + 1:
            runs[-1].append(char)
        else:
            runs.append([char])
    return "".join(_range(run) for run in runs)


def _range(run: list[str]) -> str:
    escaped = [f"\\{char}" if char in "\\]^-[" else char for char in run]
    return "".join(escaped) if len(run) < 3 else f"{escaped[0]}-{escaped[-1]}"


def _characters(written: str) -> str | None:
    """The characters that an alphabet names: ``hex``, ``0-9a-f``, ``[A-Z]``, ``ABC``; None when it makes no sense."""
    if written in _ALPHABETS:
        return _ALPHABETS[written]
    if written.startswith("[") and written.endswith("]"):
        written = written[1:-1]
    chars: list[str] = []
    at = 0
    while at < len(written):
        if at + 2 < len(written) and written[at + 1] == "-":
            first, last = ord(written[at]), ord(written[at + 2])
            if not first < last < first + 128:
                return None
            chars += map(chr, range(first, last + 1))
            at += 3
        else:
            chars.append(written[at])
            at += 1
    distinct = len(set(chars)) == len(chars) and all(char.isprintable() and not char.isspace() for char in chars)
    return "".join(chars) if len(chars) > 1 and distinct else None


def build_uuid(args: Arguments) -> UuidLeaf | None:
    """``$uuid``."""
    args.no_scalar()
    args.only()
    return UuidLeaf() if args.ok else None


def build_token(args: Arguments) -> TokenLeaf | None:
    """``$token``."""
    args.no_scalar()
    args.only()
    return TokenLeaf() if args.ok else None


def build_etag(args: Arguments) -> EtagLeaf | None:
    """``$etag``."""
    args.no_scalar()
    args.only()
    return EtagLeaf() if args.ok else None
