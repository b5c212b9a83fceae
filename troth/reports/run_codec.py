"""Run data to plain JSON and back, driven by the type hints of the data classes.

A new field with a default needs no change here: old files lack it and get the default, old readers skip it.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from troth.reports import json_values

__all__ = ["WrongShape", "from_json", "hints_of", "optional", "required", "to_json"]


class WrongShape(ValueError):
    """Something in a file is not what the data class wants; ``path`` is a JSONPath into the file."""

    def __init__(self, path: str, want: str, found: str) -> None:
        self.path, self.want, self.found = path, want, found
        super().__init__(f"{path} must be {want}, not {found}")


@cache
def hints_of(cls: type) -> dict[str, Any]:
    """The resolved type of each field of a data class."""
    return get_type_hints(cls)


def required(field: Field[Any]) -> bool:
    """Has the field no default?"""
    return field.default is MISSING and field.default_factory is MISSING


def optional(hint: Any) -> Any | None:
    """``X`` when ``hint`` is ``X | None``, else None."""
    if get_origin(hint) not in (Union, types.UnionType):
        return None
    others = [arm for arm in get_args(hint) if arm is not type(None)]
    return others[0] if len(others) == 1 else None


def to_json(value: Any, hint: Any) -> Any:
    """``value``, of type ``hint``, as what ``json.dumps`` writes."""
    if hint is Any:
        return json_values.encode(value)
    if value is None or hint in (str, int, float, bool):
        return value
    if (inner := optional(hint)) is not None:
        return to_json(value, inner)
    if is_dataclass(hint):
        hints = hints_of(hint)  # type: ignore[arg-type]
        return {field.name: to_json(getattr(value, field.name), hints[field.name]) for field in fields(hint)}
    if get_origin(hint) is tuple:
        inner_hint = get_args(hint)[0]
        return [to_json(item, inner_hint) for item in value]
    if get_origin(hint) is Mapping:
        inner_hint = get_args(hint)[1]
        return {key: to_json(item, inner_hint) for key, item in value.items()}
    return str(value)


def from_json(hint: Any, data: Any, path: str = "$") -> Any:
    """The value of type ``hint`` that ``data`` stands for; WrongShape when it stands for none."""
    if hint is Any:
        return _value(data, path)
    if (inner := optional(hint)) is not None:
        return None if data is None else from_json(inner, data, path)
    if is_dataclass(hint):
        return _record(hint, data, path)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _member(hint, data, path)
    if get_origin(hint) is tuple:
        return _items(hint, data, path)
    if get_origin(hint) is Mapping:
        inner_hint = get_args(hint)[1]
        pairs = _expect(dict, data, path).items()
        return {key: from_json(inner_hint, item, f"{path}[{key!r}]") for key, item in pairs}
    return _scalar(hint, data, path)


def _value(data: Any, path: str) -> Any:
    try:
        return json_values.decode(data)
    except ValueError as error:
        raise WrongShape(path, "a value", str(error)) from error


def _record(cls: Any, data: Any, path: str) -> Any:
    given = _expect(dict, data, path)
    hints = hints_of(cls)
    values: dict[str, Any] = {}
    for field in fields(cls):
        if field.name in given:
            values[field.name] = from_json(hints[field.name], given[field.name], f"{path}.{field.name}")
        elif required(field):
            raise WrongShape(f"{path}.{field.name}", "there", "missing")
    return cls(**values)


def _member(enum: type[StrEnum], data: Any, path: str) -> StrEnum:
    for member in enum:
        if member.value == data:
            return member
    raise WrongShape(path, "one of " + ", ".join(enum), repr(data)[:60])


def _items(hint: Any, data: Any, path: str) -> tuple[Any, ...]:
    arms = get_args(hint)
    given = _expect(list, data, path)
    if len(arms) == 2 and arms[1] is Ellipsis:
        return tuple(from_json(arms[0], item, f"{path}[{number}]") for number, item in enumerate(given))
    if len(given) != len(arms):
        raise WrongShape(path, f"a list of {len(arms)}", f"a list of {len(given)}")
    return tuple(from_json(arm, item, f"{path}[{i}]") for i, (arm, item) in enumerate(zip(arms, given, strict=True)))


def _scalar(hint: Any, data: Any, path: str) -> Any:
    if hint is float:
        hint = int | float
    # A boolean is an int to Python, and is not to JSON.
    if not isinstance(data, hint) or (isinstance(data, bool) and hint is not bool):
        raise WrongShape(path, _NAMES.get(hint, "a number"), _name_of(data))
    return data


def _expect(kind: type, data: Any, path: str) -> Any:
    if not isinstance(data, kind):
        raise WrongShape(path, _NAMES[kind], _name_of(data))
    return data


def _name_of(data: Any) -> str:
    return "null" if data is None else _NAMES.get(type(data), "a number")


_NAMES: dict[Any, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
}
