"""Data in a contract with expressions in it: ``with: {amount: 1200, charge: "{{ paid.charge }}"}``.

Maps and lists are structures, texts with ``{{ }}`` are expressions, everything else stands for itself. Two maps are not
data: ``{$unique: order-}`` is ``unique('order-')``, and ``{$file: {size: 100kB, name: a.png, type: image/png}}`` is a
file of that size. ``$$x`` is the literal key ``$x``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from troth.contracts.expressions.closures import call_unique, constant
from troth.contracts.expressions.comparisons import show, type_name
from troth.contracts.expressions.compiled_expression import Expression, compile_template
from troth.contracts.expressions.expression_error import Site
from troth.contracts.expressions.filters import Filter
from troth.contracts.expressions.unknowns import Closure, Names
from troth.contracts.quantity import QuantityError, size
from troth.contracts.values import ABSENT, Json, Value
from troth.contracts.yaml_files.placed import Map, Seq
from troth.errors import Place, Problems

__all__ = ["Said", "compile_said", "make_file"]

_MAX_DEPTH: Final = 100
_MAX_FILE: Final = 64 * 1024 * 1024
_FILE_KEYS: Final = frozenset({"size", "name", "type"})


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """What a contract says at one place; treat the values as read-only, constant ones are shared."""

    place: Place
    run: Closure
    """The value, fast: expressions are run once, without forking."""
    value: Closure
    """The value; a part that depends on whether unknown things are true is an Unknown."""
    expressions: tuple[Expression, ...] = ()
    whole: Expression | None = None
    """The expression, when there is nothing around it (``"{{ charge.id }}"``) or it makes the whole text."""
    constant: bool = True
    """Is the value always the same?"""


@dataclass(slots=True)
class _Compiler:
    problems: Problems
    filters: Mapping[str, Filter] | None

    def said(self, data: Any, place: Place, depth: int = 0) -> Said:
        if isinstance(data, dict | list) and depth == _MAX_DEPTH:
            self.problems.add("E109", place, f"data nested at most {_MAX_DEPTH} deep", "deeper data", "Make it flatter")
            return _fixed(None, place)
        if isinstance(data, dict):
            return self.map(data, place, depth)
        if isinstance(data, list):
            items = [self.said(item, _place_in(data, index, place), depth + 1) for index, item in enumerate(data)]
            return _structure(items, place, _list_of)
        return self.text(data, place) if isinstance(data, str) else _fixed(data, place)

    def text(self, text: str, place: Place) -> Said:
        found = compile_template(text, place, self.problems, self.filters)
        if isinstance(found, str):
            return _fixed(found, place)
        if found is None:
            return _fixed(None, place)
        return _spoken(found)

    def map(self, data: dict[Any, Any], place: Place, depth: int) -> Said:
        special = [key for key in data if isinstance(key, str) and key.startswith("$") and not key.startswith("$$")]
        if special:
            return self.special(data, special[0], place)
        keys = [self.key(key, place) for key in data]
        members = [self.said(value, _place_in(data, key, place), depth + 1) for key, value in data.items()]
        return _structure(members, place, lambda values: _dict_of(keys, values))

    def key(self, key: Any, place: Place) -> str:
        if not isinstance(key, str):
            self.problems.add("E116", place, "names as keys", f"{show(key)}, {type_name(key)}", "Put it in quotes")
            return ""
        return key[1:] if key.startswith("$$") else key

    def special(self, data: dict[Any, Any], key: str, place: Place) -> Said:
        at = _key_place(data, key, place)
        makers = {"$unique": self.unique, "$file": self.file}
        if key not in makers:
            fix = "Matchers stand in requests and replies; write `$$` for a key that begins with $"
            self.problems.add("E116", at, "data, {$unique: text} or {$file: ...}", f"`{key}`", fix)
        elif len(data) > 1:
            self.problems.add("E116", at, f"`{key}` alone in its map", f"{len(data)} keys", "Move the other keys out")
        else:
            return makers[key](data[key], _place_in(data, key, place))
        return _fixed(None, place)

    def unique(self, argument: Any, place: Place) -> Said:
        if not isinstance(argument, str):
            self.problems.add("E117", place, "{$unique: text}", type_name(argument), "Write the beginning of the name")
            return _fixed(None, place)
        text = self.text(argument, place)
        source = f"unique({argument!r})"
        names, calls = frozenset({"unique"}), ((("unique",),))
        inner = text.whole
        return _spoken(
            Expression(
                source,
                place,
                call_unique(text.run, Site(source, place)),
                names=names | (inner.names if inner else frozenset()),
                reads=inner.reads if inner else frozenset(),
                calls=(*calls, *(inner.calls if inner else ())),
                asks=bool(inner and inner.asks),
            )
        )

    def file(self, argument: Any, place: Place) -> Said:
        if not isinstance(argument, dict) or not argument.keys() <= _FILE_KEYS or "size" not in argument:
            found = ", ".join(map(str, argument)) if isinstance(argument, dict) else type_name(argument)
            self.problems.add(
                "E117", place, "{$file: {size, name, type}}", found, "Write {$file: {size: 100kB, name: a.png}}"
            )
            return _fixed(None, place)
        count = _bytes(argument["size"])
        name, media = argument.get("name", "file"), argument.get("type", "application/octet-stream")
        if count is None or not isinstance(name, str) or not isinstance(media, str):
            fix = f"Write a size up to {_MAX_FILE // 1024**2}MiB like 100kB, and texts for name and type"
            self.problems.add("E117", place, "a size, a name and a type", show(dict(argument)), fix)
            return _fixed(None, place)

        def run(scope: Names) -> Value:
            return make_file(count, name, media)

        return Said(place, run, run)


def compile_said(data: Any, place: Place, problems: Problems, filters: Mapping[str, Filter] | None = None) -> Said:
    """Any YAML value with expressions in it. What is wrong in it is a problem E100 to E117, and null in what is given.

    Members and items whose value is absent are left out.
    """
    return _Compiler(problems, filters).said(data, place)


def make_file(size: int, name: str, media_type: str) -> dict[str, Json]:
    """A file as multipart bodies have them: ``name``, ``type``, and ``bytes`` that depend on name and size alone."""
    return {"name": name, "type": media_type, "bytes": hashlib.shake_256(name.encode()).digest(size)}


def _bytes(value: Any) -> int | None:
    try:
        count = size(value)
    except QuantityError:
        return None
    return count if count <= _MAX_FILE else None


def _fixed(value: Json, place: Place) -> Said:
    run = constant(value)
    return Said(place, run, run)


def _spoken(expression: Expression) -> Said:
    return Said(
        expression.place, expression.run, expression.value, (expression,), expression, constant=expression.constant
    )


def _structure(members: list[Said], place: Place, build: Callable[[list[Value]], Value]) -> Said:
    expressions = tuple(expression for member in members for expression in member.expressions)
    runs, values = [member.run for member in members], [member.value for member in members]

    def run(scope: Names) -> Value:
        return build([member(scope) for member in runs])

    def value(scope: Names) -> Value:
        return build([member(scope) for member in values])

    return Said(place, run, value, expressions, constant=all(member.constant for member in members))


def _list_of(values: list[Value]) -> Value:
    return [value for value in values if value is not ABSENT]


def _dict_of(keys: list[str], values: list[Value]) -> Value:
    return {key: value for key, value in zip(keys, values, strict=True) if value is not ABSENT}


def _place_in(data: Any, key: Any, place: Place) -> Place:
    """Where a member's value stands; data made in Python has no places of its own."""
    return data.place(key) if isinstance(data, Map | Seq) else place


def _key_place(data: Any, key: str, place: Place) -> Place:
    return data.key_place(key) if isinstance(data, Map) else place
