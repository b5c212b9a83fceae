"""A node: one matcher at one place of a structure, with what the author says of its value there.

``make`` generates, ``read`` recognises. What a node demands comes, in this order, from ``is`` (also a literal or an
expression), from the sources of ``from``, or from what is known of the record that it shows.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self, TypeAlias

from troth.contracts.expressions.expression_error import ExpressionError
from troth.contracts.expressions.unknowns import Instant
from troth.contracts.leaves.base import same_json
from troth.contracts.matcher import Mismatch, Origin, Out, Scope
from troth.contracts.nodes.parts import explained
from troth.contracts.nodes.reading import Reading
from troth.contracts.nodes.speech import Express, Speech, said_or_absent, sourced
from troth.contracts.ranks import compare
from troth.contracts.record import Record
from troth.contracts.values import ABSENT, Json, Promise, Unknown, Value

if TYPE_CHECKING:
    from troth.contracts.expressions.expression import Expression, Said

__all__ = ["BAD", "NOTHING", "Node", "Reading", "Source", "Take", "constant_of", "json_equal", "json_type", "member"]


class _Sentinel:
    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


NOTHING: Final[Any] = _Sentinel("nothing")
"""No demand is made (ABSENT is a demand: not to be there)."""
BAD: Final[Any] = _Sentinel("bad")
"""The value did not fit; the mismatch has been noted."""


class Source(NamedTuple):
    """One source of ``from``: the expression for this field, and whether it reads a record (``changes`` applies).

    ``unsure``: the request takes values that the field's matcher refuses; such a value is passed over, on both sides.
    """

    expression: Expression
    record: bool
    unsure: bool = False


Take: TypeAlias = Callable[[Json, Reading], Json]
"""Decodes a request's value; BAD when a closer look is needed."""


def member(path: str, name: str) -> str:
    """JSONPath of the member ``name`` below ``path`` (RFC 9535)."""
    if name.isidentifier() and name.isascii():
        return f"{path}.{name}"
    return f"{path}['{name.replace(chr(92), chr(92) * 2).replace(chr(39), chr(92) + chr(39))}']"


def json_type(value: Json) -> str:
    """The name of a value's JSON type: null, boolean, integer, number, string, array, object, bytes."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float | Decimal):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "array"
    if isinstance(value, bytes):
        return "bytes"
    return "object"


def json_equal(a: Json, b: Json) -> bool:
    """Equality on the wire: ``true``, ``1`` and ``1.0`` differ, and so do ``"1"`` and ``1``."""
    return same_json(a, b)


def constant_of(said: Said) -> Json:
    """The value of what an author says, where it reads nothing."""
    return said.run(None)  # type: ignore[arg-type]


class _ReadsNames(Exception):
    """What was thought to read nothing does."""


class _Nowhere:
    """A scope for what reads nothing."""

    def __getattr__(self, name: str) -> Any:
        raise _ReadsNames(name)


_NOWHERE: Final[Any] = _Nowhere()


@cache
def _attributes(kind: Any) -> tuple[str, ...]:
    """The names of all attributes of such a node."""
    return tuple(name for base in kind.__mro__ for name in getattr(base, "__slots__", ()))


class Node:
    """The base of all matchers in a structure. Nodes are never changed once the contract is compiled."""

    __slots__ = ("_speech", "changes", "default", "is_", "not_", "origin", "said_origin", "secret", "sources")

    name = ""
    opaque = False
    """Never compared between simulator and sandbox: ids, prose, tokens, cursors."""
    speaks = False
    """Does it decide by itself whether to appear in samples (``$if``, ``$case``)?"""
    identity = False
    """A wrong value here refers to something else: kind ``reference``."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.said_origin = origin
        """Where what is said of the value is written: a response that overrides a type's field."""
        self.is_: Said | None = None
        self.not_: Said | None = None
        self.default: Said | None = None
        self.sources: tuple[Source, ...] = ()
        self.changes = "never"
        self.secret = False
        self._speech: Speech | None = None

    def having(self, **changes: object) -> Self:
        """A copy with other attributes."""
        new = object.__new__(self.__class__)
        for name in _attributes(type(self)):  # type: ignore[arg-type]
            setattr(new, name, getattr(self, name))
        new._speech = None
        for key, value in changes.items():
            setattr(new, key, value)
        return new

    @property
    def changing(self) -> str:
        """How a stored value may change, as said here or in the type that is named here: never, up, once or freely."""
        return self.changes

    def children(self) -> tuple[Node, ...]:
        """The nodes directly inside this one."""
        return ()

    def absence(self, scope: Scope) -> bool:
        """May the node itself stand for nothing here (``$optional``, ``$if`` without ``else``)?"""
        return False

    # What the author demands

    def said(self, scope: Scope) -> tuple[Value, bool]:
        """The demanded value (NOTHING: none; ABSENT: not to be there), and whether it is a record's."""
        if self.is_ is not None:
            try:
                value = self.is_.value(scope)
            except ExpressionError:
                if not scope.open:
                    raise
                # What it reads has another form than the contract says; that is a finding where it was shown.
                return Unknown(str(self.origin)), False
            return value, value.__class__ is Record
        last: tuple[Value, bool] = (NOTHING, False)
        for source in self.sources:
            value = source.expression.value(scope)
            if source.unsure and not self.takes(value):
                continue
            if value is not ABSENT:
                return value, source.record
            if source.record and self.default is None:
                last = (ABSENT, True)
        return last

    # Generating

    def make(self, scope: Scope, here: str = "") -> Json:
        """What a sample says here; ABSENT leaves it out. ``here`` is the dotted path without list indexes."""
        if self._speech is None:
            self._speech = self.speech(self.generating())
        return self._speech(scope, here)

    def speech(self, otherwise: Speech) -> Speech:
        """What the author says here: ``is``, else a source, else the default; where none of them does, ``otherwise``.

        Called when the whole contract is compiled.
        """
        express = self.expressing()
        if self.is_ is not None:
            return said_or_absent(self.is_.run, express)
        speech = otherwise if self.default is None else said_or_absent(self.default.run, express)
        for source in reversed(self.sources):
            takes = self.takes if source.unsure else None
            speech = sourced(source.expression.run, takes, express, speech)
        return speech

    def copied(self) -> tuple[str, str] | None:
        """Name and member where all that is said of the value is ``name.member``, which is shown as it is."""
        if self.is_ is not None or len(self.sources) != 1 or self.expressing() is not None:
            return None
        source = self.sources[0]
        path = source.expression.path
        return (path[0], path[1]) if path is not None and len(path) == 2 and not source.unsure else None

    def generating(self) -> Speech:
        """``generate`` as a function."""
        return self.generate

    def expressing(self) -> Express | None:
        """``express`` as a function; None when values stay as they are."""
        return None if self.__class__.express is Node.express else self.express

    @property
    def fixed(self) -> Json:
        """The value that samples always show, where it is a constant scalar; else NOTHING."""
        said = self.is_ or (self.default if not self.sources else None)
        if said is None or not said.constant:
            return NOTHING
        try:
            value = self.express(constant_of(said), _NOWHERE, "")
        except _ReadsNames:
            # A branch is chosen, a link is shown in full or not.
            return NOTHING
        return value if value is None or isinstance(value, str | int | float | bool) else NOTHING

    def take(self, value: Json, reading: Reading) -> Json:
        """A request's value, decoded; BAD when a closer look (``read``) is needed, which says what is wrong."""
        return BAD

    def taking(self, text: bool) -> Take:
        """``take`` as a function, for a carrier of text or not."""
        return self.take

    def plain(self, text: bool) -> type | None:
        """The class whose every value ``take`` gives back as it is, from a carrier of text or not; None: no class."""
        return None

    @abstractmethod
    def generate(self, scope: Scope, here: str) -> Json:
        """A value of this matcher, when the author says none."""

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        """An expression's value in the form that this matcher gives it on the wire."""
        return value

    # Recognising

    def read(self, value: Json, path: str, reading: Reading, known: Value = NOTHING) -> Json:
        """Check ``value`` and give it back decoded (BAD when it does not fit; see ``fit``)."""
        out = reading.out
        before = len(out.mismatches)
        around = reading.changes
        if self.changing != "never":
            reading.changes = self.changing
        decoded = self.fit(value, path, reading, known)
        if reading.scope is not None and not reading.fill:
            if decoded is BAD:
                self._coerced(value, path, reading, known)
            else:
                parts = out.mismatches[before:]
                self.demand(decoded, path, reading, known)
                if parts and explained(out.mismatches[-1], parts, path):
                    out.mismatches.pop()
        elif decoded is not BAD and self.is_ is not None and self.is_.constant:
            self._literal(decoded, path, reading)
        reading.changes = around
        if len(out.mismatches) == before:
            out.agreed.add(self.origin)
        return decoded

    @abstractmethod
    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        """Does the value have the right form? Its decoded value, or BAD with the mismatch noted."""

    def same(self, expected: Value, observed: Json) -> bool:
        """Is the observed value the demanded one?"""
        return json_equal(expected, observed)

    def holds(self, known: Value) -> bool:
        """Does ``fit`` hold all of a value to this knowledge, so that the whole need not be compared once more?"""
        return False

    def ranking(self) -> Callable[[Json], Any] | None:
        """By what values come before and after others (see ``troth.contracts.ranks``); None: by themselves."""
        return None

    def demand(self, value: Json, path: str, reading: Reading, known: Value) -> None:
        """Check a fitting value against ``is``, ``from``, ``not`` and what is known."""
        assert reading.scope is not None
        expected, record = self.said(reading.scope)
        if expected is NOTHING and known is not NOTHING:
            expected, record = known, True
        if expected is NOTHING:
            self._left_open(value, path, reading)
        elif expected.__class__ is Unknown:
            self._bind(expected, value, path, reading)
        elif record:
            self._stored(expected, value, path, reading)
        elif expected is ABSENT:
            reading.out.add("appeared", path, ABSENT, value, self.said_origin, "not to be there")
        elif self.same(expected, value):
            reading.out.agreed.add(self.said_origin)
        elif not self._outgrown(expected, value, path, reading):
            kind = "reference" if self.identity else "value"
            reading.out.add(kind, path, self._shown(expected, reading), value, self.said_origin)
        demanded = not record and expected is not NOTHING and expected.__class__ is not Unknown
        if not demanded and self.news(value):
            reading.out.news[path] = ("member", value, str(self.origin))
        if self.not_ is not None:
            self._forbid(value, path, reading)

    def news(self, value: Json) -> bool:
        """Is the value one that an open list does not name?"""
        return False

    def takes(self, value: Value) -> bool:
        """Does the value have the form of this matcher?"""
        reading = Reading(Out(), None)
        return self.fit(value, "$", reading, NOTHING) is not BAD and not reading.out.mismatches

    def _literal(self, value: Json, path: str, reading: Reading) -> None:
        assert self.is_ is not None
        expected = constant_of(self.is_)
        if not self.same(expected, value):
            reading.out.add("value", path, expected, value, self.origin, reason="enum")

    def _left_open(self, value: Json, path: str, reading: Reading) -> None:
        if self.default is not None and not self.opaque:
            reading.out.choices[path] = ("default", value, str(self.origin))

    def _promised(self, promise: Promise, value: Json, path: str, reading: Reading) -> None:
        """A value that an effect has set, seen for the first time: may the effect have said it?"""
        changes = reading.allowed(self, path)
        if changes == "freely":
            return
        said = promise.node
        trial = Reading(Out(), None)
        said.read(value, path, trial)
        reading.out.mismatches += trial.out.mismatches
        moment = promise.moment
        if trial.out.mismatches:
            return
        if moment is not None and changes == "up":
            moment = Instant(moment.lo, math.inf)
        if moment is None or self.same(moment, value) or said.same(moment, value):
            reading.out.agreed.update((said.origin, said.said_origin))
        else:
            wanted = self._shown(moment, reading)
            reading.out.add("value", path, wanted, value, said.said_origin, "the time of the change")

    def _bind(self, unknown: Unknown, value: Json, path: str, reading: Reading) -> None:
        slot = unknown.slot
        if unknown.promise is not None:
            self._promised(unknown.promise, value, path, reading)
        if slot is not None:
            if slot.path == (slot.key_field,) and str(value) != str(slot.key):
                reading.out.add("reference", path, slot.key, value, self.origin, "the record that was asked for")
            reading.out.bindings.append((slot, value))
        else:
            reading.out.widened.append(f"unknown {unknown.label}")

    def _stored(self, expected: Value, value: Json, path: str, reading: Reading) -> None:
        """A value that a record remembers: equal, unless ``changes`` lets it move."""
        changes = reading.allowed(self, path)
        if expected is ABSENT:
            if changes == "never":
                reading.out.add("appeared", path, ABSENT, value, self.origin, "known not to be there")
        elif self.same(expected, value):
            return
        elif changes == "up":
            if self._decreased(expected, value, path, reading):
                reading.out.add("decreased", path, self._shown(expected, reading), value, self.origin, "only goes up")
        elif changes == "never":
            kind = "reference" if self.identity else "stored"
            reading.out.add(kind, path, self._shown(expected, reading), value, self.origin, "as it was seen before")

    def _decreased(self, before: Value, after: Json, path: str, reading: Reading) -> bool:
        """Is it less than before, in the matcher's own order? What was null, and is no longer, has grown."""
        if before is None or after is None:
            return after is None
        rank = self.ranking()
        place = compare(before, after) if rank is None else compare(rank(before), rank(after))
        if place is None:
            reading.out.widened.append(f"unknown order of {path}")
        return place is not None and place > 0

    def _outgrown(self, expected: Value, value: Json, path: str, reading: Reading) -> bool:
        """Is it worked out from a record (``order.version + 1``) that may have changed meanwhile?"""
        scope, changes = reading.scope, reading.allowed(self, path)
        if scope is None or self.is_ is None or changes not in ("up", "freely"):
            return False
        names = {name for expression in self.is_.expressions for name in expression.names}
        if not any(isinstance(scope.get(name), Record) for name in names):
            return False
        if changes == "up" and self._decreased(expected, value, path, reading):
            return False
        reading.out.widened.append(f"unknown {path}, which may have changed meanwhile")
        return True

    def _forbid(self, value: Json, path: str, reading: Reading) -> None:
        assert self.not_ is not None
        assert reading.scope is not None
        forbidden = self.not_.value(reading.scope)
        if forbidden.__class__ is Unknown:
            reading.out.widened.append(f"unknown {forbidden.label}")
        elif forbidden is not ABSENT and self.same(forbidden, value):
            reading.out.add("value", path, ABSENT, value, self.said_origin, "another value than before")

    def _coerced(self, value: Json, path: str, reading: Reading, known: Value) -> None:
        """After a type finding, compare once more by lossless coercion: a wrong value is not hidden by its type.

        Where the contract says which value it is, another one of the right type is a wrong value, whatever its form.
        """
        assert reading.scope is not None
        if not reading.out.mismatches:
            return
        found = reading.out.mismatches[-1]
        if found.kind in ("enum", "bounds", "format") and found.path == path:
            expected, record = self.said(reading.scope)
            another = json_type(expected) == json_type(value) and not json_equal(expected, value)
            if not record and another and isinstance(expected, str | int | float):
                reading.out.mismatches[-1] = Mismatch("value", path, expected, value, self.said_origin, found.want)
            return
        if found.kind != "type":
            return
        expected, record = self.said(reading.scope)
        if expected is NOTHING:
            expected, record = known, True
        if record and reading.allowed(self, path) != "never":
            return
        scalars = (str, int, float, Decimal)
        comparable = isinstance(expected, scalars) and isinstance(value, scalars)
        if comparable and not _one_value(expected, value):
            kind, origin = ("stored", self.origin) if record else ("value", self.said_origin)
            reading.out.add(kind, path, expected, value, origin, "also another value")

    def _shown(self, expected: Value, reading: Reading) -> Json:
        assert reading.scope is not None
        return self.express(expected, reading.scope, "")

    def schema(self) -> dict[str, Any]:
        """A JSON Schema (2020-12) of the values."""
        return {}


def _one_value(a: Json, b: Json) -> bool:
    """Do two scalars of different types say the same: ``5``, ``5.0`` and ``"5.00"``; ``true``, ``"True"`` and ``1``?"""
    texts = [str(int(side)) if isinstance(side, bool) else str(side).strip().lower() for side in (a, b)]
    if isinstance(a, bool) or isinstance(b, bool):
        texts = [{"true": "1", "false": "0"}.get(text, text) for text in texts]
    try:
        return texts[0] == texts[1] or Decimal(texts[0]) == Decimal(texts[1])
    except InvalidOperation:
        return False
