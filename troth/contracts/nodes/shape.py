"""An object: fields by name, some optional, and what happens to members that nobody listed."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from troth.contracts.matcher import Origin, Scope, Sight
from troth.contracts.nodes.base import BAD, NOTHING, Node, Reading, json_type, member
from troth.contracts.nodes.choice import Branches
from troth.contracts.nodes.due import due
from troth.contracts.nodes.leaf import Literal, lossless
from troth.contracts.nodes.plan import Making, Taking, has_links, making, taking, walk
from troth.contracts.nodes.speech import Speech
from troth.contracts.record import Record, item_of
from troth.contracts.values import ABSENT, Json, Unknown, Value

__all__ = ["Field", "Shape"]

_NO_MEMBERS: dict[str, Json] = {}
_NOT_THROUGH_JSON: Final = frozenset({"any", "bytes", "encoded", "file", "number"})


class Field(NamedTuple):
    """One member: ``since`` and ``until`` are indexes into the contract's ordered versions (None: always)."""

    name: str
    node: Node
    optional: bool = False
    since: int | None = None
    until: int | None = None

    def lives(self, version: int) -> bool:
        """Does the field exist in the version with this index?"""
        return (self.since is None or version >= self.since) and (self.until is None or version < self.until)


class Shape(Node):
    """An object with ``fields``.

    ``unlisted`` members: ``allow`` (recorded), ``open`` (the same, and overrides may add), ``closed`` (a finding),
    ``reject`` (requests: a mismatch).
    """

    __slots__ = (
        "_alike",
        "_by_version",
        "_links",
        "_makings",
        "_takings",
        "_through_json",
        "by_name",
        "fields",
        "keyed",
        "quiet",
        "type",
        "unlisted",
        "uses_this",
        "versioned",
    )
    name = "object"

    def __init__(self, origin: Origin, fields: tuple[Field, ...], unlisted: str = "allow", type_name: str = "") -> None:
        super().__init__(origin)
        self.unlisted = unlisted
        self.type = type_name
        self.uses_this = False
        self.keyed: tuple[str, str] | None = None
        """(collection, key field) when these are a collection's records."""
        self.set_fields(fields)

    def set_fields(self, fields: tuple[Field, ...]) -> None:
        """Used while compiling only."""
        self.fields = fields
        self.by_name = {field.name: field for field in fields}
        self.versioned = any(field.since is not None or field.until is not None for field in fields)
        self._by_version: dict[int, tuple[Field, ...]] = {}
        self._makings: dict[int, Making] = {}
        self._takings: tuple[dict[int, tuple[Taking, ...]], dict[int, tuple[Taking, ...]]] = ({}, {})
        """From values as they are, and from texts."""
        self._links: tuple[Field, ...] | None = None
        self._alike: bool | None = None
        self._through_json: bool | None = None
        self.quiet = all(field.optional and field.node.default is None for field in fields)
        """Requests: is nothing said and nothing missing when no field is there?"""

    def with_fields(self, fields: tuple[Field, ...], **changes: object) -> Shape:
        """A copy with other fields."""
        new = self.having(**changes)
        new.set_fields(fields)
        return new

    def children(self) -> tuple[Node, ...]:
        return tuple(field.node for field in self.fields)

    def _living(self, scope: Scope | None) -> tuple[Field, ...]:
        if not self.versioned or scope is None:
            return self.fields
        version = scope.version_index
        living = self._by_version.get(version)
        if living is None:
            living = self._by_version[version] = tuple(field for field in self.fields if field.lives(version))
        return living

    # Generating

    @property
    def speaks(self) -> bool:  # type: ignore[override]
        return any(
            (field.node.is_ is not None and not field.node.is_.constant) or field.node.speaks for field in self.fields
        )

    def speech(self, otherwise: Speech) -> Speech:
        if self.is_ is not None or not self.sources:
            return super().speech(otherwise)
        sources, default = self.sources, self.default

        def say(scope: Scope, here: str) -> Json:
            for source in sources:
                value = source.expression.run(scope)
                if value is None:
                    return None
                if value is not ABSENT:
                    return self.generate(scope, here)
            return otherwise(scope, here) if default is None else self.express(default.run(scope), scope, here)

        return say

    def generate(self, scope: Scope, here: str) -> Json:
        version = scope.version_index if self.versioned else 0
        plan = self._makings.get(version)
        if plan is None:
            plan = self._makings[version] = making(self._living(scope), in_order=self.uses_this)
        start, copied, parts = plan
        made = start.copy()
        before = scope.bind("this", made) if self.uses_this else None
        for root, fields in copied:
            whole = scope.get(root)
            members = whole if whole.__class__ is dict else _NO_MEMBERS
            for name, key, make, settled in fields:
                value = members.get(key, ABSENT)
                if value is ABSENT and not (settled and members is whole):
                    value = make(scope, here)
                    if value is ABSENT:
                        del made[name]
                        continue
                elif value is ABSENT:
                    continue
                made[name] = value
        for name, make in parts:
            value = make(scope, here)
            if value is ABSENT:
                made.pop(name, None)
            else:
                made[name] = value
        if self.uses_this:
            scope.bind("this", before)
        return made

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        """A record or a dict as this shape shows it: its fields in order; what it lacks is generated or left out."""
        if value is None or not isinstance(value, dict | Record):
            return value
        made: dict[str, Json] = {}
        before = scope.bind("this", made) if self.uses_this else None
        prefix = f"{here}." if here else ""
        for field in self._living(scope):
            part = value.get(field.name, ABSENT) if isinstance(value, dict) else value.item(field.name)
            if part.__class__ is Unknown:
                continue
            if part is ABSENT:
                if field.optional or isinstance(value, Record):
                    continue
                part = field.node.make(scope, prefix + field.name)
            else:
                part = field.node.express(part, scope, prefix + field.name)
            if part is not ABSENT:
                made[field.name] = part
        if isinstance(value, dict):
            made.update({k: v for k, v in value.items() if k not in self.by_name})
        if self.uses_this:
            scope.bind("this", before)
        return made

    @property
    def links(self) -> tuple[Field, ...]:
        """The fields that hold links, at any depth: a reply may show records there, state remembers keys."""
        if self._links is None:
            self._links = tuple(field for field in self.fields if has_links(field.node))
        return self._links

    @property
    def shown_alike(self) -> bool:
        """Is a stored record shown alike to every request, links aside: is there no branch that a request decides?"""
        if self._alike is None:
            self._alike = not any(isinstance(node, Branches) for node in walk(self))
        return self._alike

    @property
    def through_json(self) -> bool:
        """Do all samples come back from JSON as they were? Numbers may be Decimals, which do not."""
        if self._through_json is None:
            self._through_json = not any(node.name in _NOT_THROUGH_JSON or _computed(node) for node in walk(self))
        return self._through_json

    # Recognising

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        if not isinstance(value, dict):
            kind = "null" if value is None else "type"
            reading.out.add(kind, path, ABSENT, value, self.origin, f"object, not {json_type(value)}")
            return BAD
        scope = reading.scope
        if reading.fill:
            return self._taken(value, path, reading)
        if scope is not None and self.is_ is not None:
            said = self.is_.value(scope)
            known = said if isinstance(said, Record | Unknown) else NOTHING
        if not isinstance(known, dict | Record | Unknown) or (known.__class__ is Unknown and known.slot is None):
            known = NOTHING
        if known.__class__ is Record and known.spent:
            reading.spent |= {path + at for at in known.spent}
        before = scope.bind("this", value) if self.uses_this and scope is not None else None
        decoded = self._members(value, path, reading, known)
        if self.uses_this and scope is not None:
            scope.bind("this", before)
        if self.keyed and scope is not None:
            key = decoded.get(self.keyed[1], ABSENT)
            if key is not ABSENT:
                reading.out.shown.append((self.keyed[0], key, path))
            if key is not ABSENT and isinstance(known, Record | Unknown):
                reading.out.seen.append(Sight(self.keyed[0], _key_of(known, key), decoded, path))
        return decoded

    def take(self, value: Json, reading: Reading) -> Json:
        if self.is_ is not None or value.__class__ is not dict:
            return BAD
        found = reading.out.mismatches
        before = len(found)
        taken = self._taken(value, "", reading)
        if len(found) > before:
            del found[before:]
            return BAD
        return taken

    def _taken(self, value: dict[str, Json], path: str, reading: Reading) -> dict[str, Json]:
        """A request's members: decoded, defaults filled in; nothing is demanded of state."""
        version = reading.scope.version_index if self.versioned and reading.scope is not None else 0
        plans = self._takings[reading.text]
        plan = plans.get(version)
        if plan is None:
            plan = plans[version] = taking(self._living(reading.scope), reading.text)
        decoded: dict[str, Json] = {}
        expected = len(value)
        for name, plain, take, node, silent in plan:
            part = value.get(name, ABSENT)
            if part.__class__ is plain:
                decoded[name] = part
            elif part is not ABSENT:
                read = take(part, reading)
                if read is BAD:
                    read = node.read(part, member(path, name), reading)
                if read is BAD:
                    expected -= 1
                else:
                    decoded[name] = read
            elif not silent:
                filled = self._filled(node, self.by_name[name].optional, f"{path}.{name}", reading)
                if filled is not ABSENT:
                    decoded[name] = filled
                    expected += 1
        if len(decoded) < expected:
            self._unlisted(value, decoded, path, reading)
        return decoded

    def _members(self, value: dict[str, Json], path: str, reading: Reading, known: Value) -> dict[str, Json]:
        decoded: dict[str, Json] = {}
        for field in self._living(reading.scope):
            part = value.get(field.name, ABSENT)
            field_path = member(path, field.name) if path else field.name
            if part is ABSENT:
                filled = self._absent(field, field_path, reading, known)
                if filled is not ABSENT:
                    decoded[field.name] = filled
                continue
            known_part = item_of(known, field.name) if known is not NOTHING and known is not ABSENT else NOTHING
            read = self._member(field, part, field_path, reading, known_part)
            if read is not BAD:
                decoded[field.name] = read
        self._unlisted(value, decoded, path, reading)
        return decoded

    @staticmethod
    def _member(field: Field, part: Json, path: str, reading: Reading, known_part: Value) -> Json:
        read = field.node.read(part, path, reading, known_part)
        if field.optional and known_part is NOTHING and not _demanded(field.node):
            reading.out.choices.setdefault(path, ("presence", True, str(field.node.origin)))
        if read is BAD and reading.scope is not None and not reading.fill:
            meant = lossless(field.node, part)
            if meant is not part:
                reading.out.meant[path] = meant
            return part
        return read

    def _absent(self, field: Field, path: str, reading: Reading, known: Value) -> Json:
        node, out = field.node, reading.out
        if reading.scope is None:
            return self._filled(field.node, field.optional, path, reading)
        expected, record = node.said(reading.scope)
        if expected is NOTHING and known is not NOTHING and known is not ABSENT:
            expected, record = item_of(known, field.name), True
        if expected.__class__ is Unknown:
            promise = expected.promise
            if not field.optional and not node.absence(reading.scope):
                out.add("missing_field", path, ABSENT, ABSENT, node.origin, due(node))
            elif (
                promise is not None
                and reading.allowed(node, path) == "never"
                and not promise.node.absence(reading.scope)
            ):
                out.add("missing_field", path, ABSENT, ABSENT, promise.node.said_origin, "set by an effect")
            else:
                out.widened.append(f"unknown {expected.label}")
            return ABSENT
        if expected is ABSENT:
            out.agreed |= {node.origin, node.said_origin}
        elif field.optional or node.absence(reading.scope):
            if expected is NOTHING or node.is_ is not None or (not node.sources and not record):
                # What is written with a question mark may be left out, whatever it says; what `from` brings may not.
                out.choices[path] = ("presence", False, str(node.origin))
            elif not record or reading.allowed(node, path) not in ("freely", "once"):
                kind = "gone" if record else "missing_field"
                out.add(kind, path, node.express(expected, reading.scope, ""), ABSENT, node.said_origin)
        else:
            shown = ABSENT if expected is NOTHING else node.express(expected, reading.scope, "")
            # Whoever says its value: that it must be there is written where the field is.
            out.add("missing_field", path, shown, ABSENT, node.origin, due(node) if shown is ABSENT else "required")
        return ABSENT

    @staticmethod
    def _filled(node: Node, optional: bool, path: str, reading: Reading) -> Json:
        """Requests: an absent field takes its default; without one it must be optional."""
        if node.default is not None and reading.scope is not None:
            value = node.default.run(reading.scope)
            return value if value is ABSENT else node.express(value, reading.scope, "")
        if not optional:
            reading.out.add("missing_field", path, ABSENT, ABSENT, node.origin, due(node), "missing")
        return ABSENT

    def _unlisted(self, value: dict[str, Json], decoded: dict[str, Json], path: str, reading: Reading) -> None:
        closed = self.unlisted not in ("allow", "open")
        if closed and not reading.fill and value.keys() <= self.by_name.keys():
            reading.out.agreed.add(Origin(self.origin.type, f"{self.origin.path}.*"))
        if len(value) == len(self.by_name) and value.keys() == self.by_name.keys():
            return
        for name, part in value.items():
            if name in self.by_name:
                continue
            at = member(path, name) if path else name
            if not closed:
                reading.out.unlisted.append(at)
                decoded[name] = part
            else:
                reason = "unknown" if self.unlisted == "reject" else "new_field"
                origin = Origin(self.origin.type, member(self.origin.path, name))
                reading.out.add("new_field", at, ABSENT, part, origin, "not listed", reason)

    def demand(self, value: Json, path: str, reading: Reading, known: Value) -> None:
        """What is demanded of the parts was checked part by part; here only whether the object may be there at all."""
        assert reading.scope is not None
        expected, record = self.said(reading.scope)
        if expected is NOTHING:
            expected, record = known, True
        if expected is NOTHING or isinstance(expected, dict | Record | Unknown):
            return
        if record:
            self._stored(expected, value, path, reading)
        elif expected is ABSENT:
            reading.out.add("appeared", path, ABSENT, value, self.origin, "not to be there")
        elif expected is None:
            reading.out.add("value", path, None, value, self.origin)

    def holds(self, known: Value) -> bool:
        return isinstance(known, dict | Record)

    def same(self, expected: Value, observed: Json) -> bool:
        if not isinstance(expected, dict | Record) or not isinstance(observed, dict):
            return False
        for field in self.fields:
            wanted = item_of(expected, field.name)
            got = observed.get(field.name, ABSENT)
            if wanted.__class__ is Unknown:
                continue
            if (wanted is ABSENT) != (got is ABSENT) or (wanted is not ABSENT and not field.node.same(wanted, got)):
                return False
        return True

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {field.name: field.node.schema() for field in self.fields},
            "required": [f.name for f in self.fields if not f.optional and not f.node.speaks],
            "additionalProperties": self.unlisted in ("allow", "open"),
        }


def _key_of(known: Record | Unknown, key: Json) -> Json:
    """The key of a record is never followed."""
    if isinstance(known, Record):
        return known.key
    return known.slot.key if known.slot is not None and known.slot.key is not ABSENT else key


def _demanded(node: Node) -> bool:
    return node.is_ is not None or bool(node.sources)


def _computed(node: Node) -> bool:
    """Is it whatever an expression says, with no matcher that tells what that may be?"""
    return isinstance(node, Literal) and (node.constant is NOTHING or isinstance(node.constant, float))
