"""Frozen data types that cost little to define.

``dataclass(frozen=True)`` writes and compiles six methods for each class; with about a hundred classes that is a tenth
of the time that ``troth simulate`` takes to start. Here only ``__init__`` is made, and the others are shared. It
assigns plainly, so that making a value is quicker as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

__all__ = ["frozen"]

_Class = TypeVar("_Class")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_Class]) -> type[_Class]:
    """A dataclass with slots, equal and hashed by its fields. That nobody assigns to them is the type checker's part.

    A ``__repr__``, ``__eq__`` or ``__hash__`` that the class defines stays. ``fields``, ``replace`` and ``asdict`` of
    ``dataclasses`` work as ever.
    """
    own = set(cls.__dict__)
    made: Any = dataclass(slots=True, repr=False, eq=False)(cls)
    made.__compared__ = tuple(item.name for item in fields(made) if item.compare)
    for name, shared in _SHARED.items():
        if name not in own:
            setattr(made, name, shared)
    return made  # type: ignore[no-any-return]


def _values(self: Any) -> tuple[object, ...]:
    return tuple([getattr(self, name) for name in self.__compared__])


def _shown(self: Any) -> str:
    shown = [f"{item.name}={getattr(self, item.name)!r}" for item in fields(self) if item.repr]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _equal(self: object, other: object) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hashed(self: object) -> int:
    return hash(_values(self))


_SHARED = {"__repr__": _shown, "__eq__": _equal, "__hash__": _hashed}
