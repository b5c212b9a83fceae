"""From pairs of texts to structures and back: ``line_items[0][price][currency]=usd``.

Read are all usual ways to write lists, whatever the options say: the keys ``0`` to ``n - 1`` make a list, so does an
empty key (``a[]=1&a[]=2``) and a repeated name (``a=1&a=2``). With ``a[][b]=1&a[][c]=2&a[][b]=3`` a new item begins
where a key comes again. A name with broken brackets (``a[b``) is taken as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

from troth.contracts.codecs.json_body import build_json
from troth.contracts.codecs.options import FormOptions, Nesting
from troth.contracts.leaves import Fault
from troth.contracts.values import ABSENT, Json

__all__ = ["DEPTH_LIMIT", "flatten", "nest", "one_below"]

DEPTH_LIMIT: Final = 32
"""Names nested deeper than this are a fault."""


class _Named(dict[str, Any]):
    """Members by name, while a structure grows."""

    __slots__ = ()


class _Items(list[Any]):
    """Items of names with an empty key (``a[]``), while a structure grows."""

    __slots__ = ()


class _Repeated(list[Any]):
    """The values of a name that came more than once, while a structure grows."""

    __slots__ = ()


class _Conflict(Exception):
    """A name stands for a value in one place, and for a structure in another."""


def nest(pairs: Iterable[tuple[str, Any]], nesting: Nesting, first: int = 0) -> dict[str, Json] | Fault:
    """The structure that the pairs describe; a Fault for one name used as a value and as a structure, or too deep.

    Values are taken as they are: also a mapping (a file) is a value, not a structure that names lead into.
    ``first`` is the number of a list's first item, 0 or 1.
    """
    tree: dict[str, Any] = {}
    grown: dict[str, None] = {}
    for name, value in pairs:
        path = _path(name, nesting) if name[-1:] == "]" or nesting == "dots" else None
        if path is None:
            if name not in tree:
                tree[name] = value
                continue
            path = [name]
        elif len(path) > DEPTH_LIMIT:
            return Fault("bounds", f"names nested at most {DEPTH_LIMIT} deep", path=name[:80])
        try:
            _put(tree, path, value)
        except _Conflict:
            return Fault("type", "each name for a value, or for a structure, not both", path=name)
        grown[path[0]] = None
    for name in grown:
        tree[name] = _finished(tree[name], first)
    return tree


@lru_cache(maxsize=1024)
def one_below(name: str) -> tuple[str, str] | None:
    """Both keys of a text called ``a[b]``; None where a closer look is needed. Clients use the same names each time."""
    inner = name[:-1]
    head, _, key = inner.partition("[")
    if name[-1] != "]" or "]" in inner or not head or not key or "[" in key or key == "0":
        return None  # not one level, or it may be a list
    return head, key


def _path(name: str, nesting: Nesting) -> list[str] | None:
    """The keys that a name is made of; None for a plain name."""
    if nesting == "brackets":
        if name[-1:] != "]" or name[0] == "[":
            return None
        inner = name[:-1]
        if "]" not in inner:
            keys = inner.split("[")
            return keys if len(keys) == 2 else None
        head, _, rest = inner.partition("[")
        keys = rest.split("][")
        return None if "]" in head or any("[" in key or "]" in key for key in keys) else [head, *keys]
    if nesting == "dots" and "." in name:
        keys = name.split(".")
        return keys if all(keys) else None
    return None


def _put(tree: dict[str, Any], path: list[str], value: Any) -> None:
    """Store ``value`` at ``path``; where the key after a container is empty, the container is a list."""
    here: Any = tree
    last = len(path) - 1
    for index in range(last):
        kind: type = _Named if path[index + 1] else _Items
        if here.__class__ is _Items:
            here = _item(here, path, index, kind)
            continue
        found = here.get(path[index])
        if found is None:
            found = here[path[index]] = kind()
        elif found.__class__ is not kind:
            raise _Conflict
        here = found
    _set(here, path[last], value)


def _item(items: _Items, path: list[str], index: int, kind: type) -> Any:
    """The last item of a list, or a new one when that already has a value at the rest of the path."""
    if path[index] != "":
        raise _Conflict
    if not items or items[-1].__class__ is not kind or _taken(items[-1], path[index + 1 :]):
        items.append(kind())
    return items[-1]


def _set(here: Any, key: str, value: Any) -> None:
    if here.__class__ is _Items:
        if key != "":
            raise _Conflict
        here.append(value)
        return
    if key not in here:
        here[key] = value
        return
    before = here[key]
    if before.__class__ is _Repeated:
        before.append(value)
    elif before.__class__ in (_Named, _Items):
        raise _Conflict
    else:
        here[key] = _Repeated((before, value))


def _taken(item: Any, path: list[str]) -> bool:
    """Does an item of a list already hold a value at ``path``, so that a new item begins?"""
    for key in path:
        if item.__class__ is not _Named:
            return item.__class__ is not _Items
        if key not in item:
            return False
        item = item[key]
    return True


def _finished(value: Any, first: int) -> Any:
    """Plain dicts and lists; a dict whose keys count up from ``first`` becomes a list, in that order."""
    if value.__class__ is _Items or value.__class__ is _Repeated:
        return [_finished(item, first) for item in value]
    if value.__class__ is not _Named:
        return value
    finished = {key: item if item.__class__ is str else _finished(item, first) for key, item in value.items()}
    if str(first) in finished:
        try:
            return [finished[str(index)] for index in range(first, first + len(finished))]
        except KeyError:
            return finished
    return finished


def flatten(values: dict[str, Json], options: FormOptions, leaf: Callable[[Json], bool]) -> Iterator[tuple[str, Json]]:
    """Pairs of name and text, in order; bytes, and values for which ``leaf`` holds, stay as they are.

    Empty lists and maps have no pairs. Lists of structures are always indexed, since only that can be read back.
    """
    for name, value in values.items():
        yield from _pairs(name, value, options, leaf)


def _pairs(name: str, value: Json, options: FormOptions, leaf: Callable[[Json], bool]) -> Iterator[tuple[str, Json]]:
    if value is ABSENT:
        return
    if value.__class__ is bytes or leaf(value):
        yield name, value
    elif isinstance(value, dict | list) and options.nesting == "none":
        yield from _unnested(name, value, options)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _pairs(_joined(name, key, options.nesting), item, options, leaf)
    elif isinstance(value, list):
        plain = not any(isinstance(item, dict | list) for item in value)
        for index, item in enumerate(value):
            yield from _pairs(_item_name(name, index, plain, options), item, options, leaf)
    else:
        yield name, _text(value, options)


def _unnested(name: str, value: Json, options: FormOptions) -> Iterator[tuple[str, Json]]:
    """Without nesting, a list of plain values repeats its name; any other structure is JSON inside the text."""
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        for item in value:
            yield name, _text(item, options)
    else:
        yield name, build_json(value).decode()


def _item_name(name: str, index: int, plain: bool, options: FormOptions) -> str:
    if plain and options.lists == "repeat":
        return name
    if plain and options.lists == "empty" and options.nesting == "brackets":
        return f"{name}[]"
    return _joined(name, str(index + options.first), options.nesting)


def _joined(name: str, key: str, nesting: Nesting) -> str:
    return f"{name}.{key}" if nesting == "dots" else f"{name}[{key}]"


def _text(value: Json, options: FormOptions) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return options.encode_boolean(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    return "" if value is None else str(value)
