"""Ideas that let a matcher take values which it refuses: the least change first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from troth.contracts.compiler.patterns import COMMON, matcher_key
from troth.contracts.quantity import QuantityError, count_range
from troth.contracts.repair.emit import literal
from troth.contracts.repair.infer import constant, fits_leaf, inferred, timestamp_for
from troth.contracts.repair.places import Entry
from troth.contracts.repair.proposal import Bench, Idea
from troth.contracts.repair.yaml_text import NoEdit, Splice
from troth.contracts.values import Json
from troth.contracts.yaml_files.placed import Map, Seq

__all__ = ["accepting", "is_literal", "modified", "parts", "widened"]

_ENUMS = ("$enum", "$open_enum")
_ALPHABETS = ("digits", "hex", "lower", "upper", "alnum", "url")


def parts(raw: Any) -> tuple[str, Any, Mapping[str, Any]]:
    """The matcher's name with its dollar, its argument and its modifiers; ``("", raw, {})`` for what is none."""
    if isinstance(raw, str) and raw.startswith("$") and not raw.startswith("$$"):
        return raw, None, {}
    key = matcher_key(raw) if isinstance(raw, Map) else None
    if key is None:
        return "", raw, {}
    return key, raw[key], {name: value for name, value in raw.items() if name != key}


def is_literal(raw: Any) -> bool:
    """Is it a value itself, no matcher, structure or expression?"""
    if isinstance(raw, str):
        return "{{" not in raw and not (raw.startswith("$") and not raw.startswith("$$"))
    return raw is None or isinstance(raw, bool | int | float)


def modified(bench: Bench, entry: Entry, **modifiers: Json) -> tuple[Splice, ...]:
    """The matcher with these modifiers, whatever it had of them."""
    name, argument, known = parts(entry.raw)
    if not name:
        raise NoEdit("no matcher is written there")
    if not isinstance(entry.raw, Map):
        return (bench.replaced(entry, {name: {}, **modifiers}),)
    done = []
    for key, value in modifiers.items():
        inside = Entry(entry.raw, name)
        if key in known:
            done.append(bench.replaced(Entry(entry.raw, key), value))
        elif key not in COMMON and isinstance(argument, Map) and key in argument:
            done.append(bench.replaced(Entry(argument, key), value))
        elif key not in COMMON and isinstance(argument, Map):
            done.append(bench.added(inside, key, value))
        else:
            done.append(bench.added(entry, key, value))
    return tuple(done)


def accepting(bench: Bench, entry: Entry, values: Sequence[Json]) -> Iterator[Idea]:
    """Ways to let the matcher at ``entry`` take ``values`` too."""
    inner = _innermost(entry)
    name, argument, _ = parts(inner.raw)
    some = [value for value in values if value is not None]
    if len(some) < len(values):
        yield Idea("nullable", "allow null", partial(_nullable, bench, entry))
    if not some:
        return
    if name in _ENUMS and isinstance(argument, Seq):
        yield Idea("member", f"add {_shown(some)} to the list", partial(_with_members, bench, inner, some))
    if name and not name[1:2].isupper():
        yield from widened(bench, inner, some)
    if name == "$any_of" and isinstance(argument, Seq):
        more = partial(bench.more, Entry(inner.raw, name), [inferred(some)])
        yield Idea("alternative", "add an alternative", more)
        return
    if name == "$case":
        yield Idea("branch", "give other values a branch", partial(modified, bench, inner, **{"else": inferred(some)}))
    if is_literal(inner.raw):
        yield Idea("value", "say the new value", partial(bench.said, inner, some))
        yield Idea("either", "allow the old value and the new", partial(_both, bench, inner, some))
    new = _like(name, some)
    yield Idea("replace", f"let it be {_said(new)}", partial(_instead, bench, inner, new, some))
    yield Idea("either", f"allow what it is now, and {_said(new)}", partial(_either, bench, inner, new))


def _innermost(entry: Entry) -> Entry:
    """The matcher inside of ``$nullable`` and ``$optional``."""
    key = matcher_key(entry.raw) if isinstance(entry.raw, Map) else None
    return _innermost(Entry(entry.raw, key)) if key in ("$nullable", "$optional") else entry


def _nullable(bench: Bench, entry: Entry) -> tuple[Splice, ...]:
    name, argument, modifiers = parts(entry.raw)
    outside = {key: value for key, value in modifiers.items() if key in ("default", "changes", "secret")}
    if not outside:
        return bench.wrapped(entry, "$nullable")
    left = {key: value for key, value in modifiers.items() if key not in outside}
    inner = {name: argument, **left} if left or argument not in (None, {}) else name
    return (bench.replaced(entry, {"$nullable": inner, **outside}),)


def _with_members(bench: Bench, entry: Entry, values: Sequence[Json]) -> tuple[Splice, ...]:
    name, known, _ = parts(entry.raw)
    new = list(dict.fromkeys(literal(value) for value in values if not isinstance(value, dict | list)))
    new = [value for value in new if not any(value == old and type(value) is type(old) for old in known)]
    return (bench.more(Entry(entry.raw, name), new),)


def _shown(values: Sequence[Json]) -> str:
    return ", ".join(dict.fromkeys(str(value) for value in values if not isinstance(value, dict | list)))


def _said(new: Any) -> str:
    return new if isinstance(new, str) else parts(Map(new.items()))[0] or "an object"


def _both(bench: Bench, entry: Entry, values: Sequence[Json]) -> Splice:
    return bench.replaced(entry, {"$enum": [entry.raw, constant(values)]})


def _instead(bench: Bench, entry: Entry, new: Any, values: Sequence[Json]) -> Splice:
    return bench.replaced(entry, _keeping(new, parts(entry.raw)[2], values))


def _either(bench: Bench, entry: Entry, new: Any) -> tuple[Splice, ...]:
    from_ = bench.text(entry.place)
    old = from_.source(entry.place)
    if "\n" in old:
        raise NoEdit("alternatives to what is written over several lines")
    return from_.enclosed(entry.place, "{$any_of: [", new)


def _like(name: str, values: Sequence[Json]) -> Any:
    """The matcher that an author would have written for these, who wrote the old one for others."""
    if name == "$timestamp":
        stamp = timestamp_for(values)
        if stamp is not None:
            return {"$timestamp": stamp}
    if name in ("$text", "$token", "$decimal", "$number", "$id") and fits_leaf(name[1:], None, {}, values):
        return name
    return inferred(values)


def _keeping(new: Any, modifiers: Mapping[str, Any], values: Sequence[Json]) -> Any:
    """``new`` with what was said beside the old matcher, where that can still be."""
    kept = {key: modifiers[key] for key in ("changes", "secret", "since", "until") if key in modifiers}
    default = modifiers.get("default")
    if is_literal(default) and default is not None and any(type(default) is type(value) for value in values):
        kept["default"] = default
    if not kept:
        return new
    if isinstance(new, str):
        return {new: {}, **kept}
    if matcher_key(new) is None:
        raise NoEdit("an object with modifiers")
    return {**new, **kept}


# Bounds and forms


def widened(bench: Bench, entry: Entry, values: Sequence[Json]) -> Iterator[Idea]:
    """Other bounds, or another form, for the same matcher."""
    name, argument, modifiers = parts(entry.raw)
    given = {**(argument if isinstance(argument, Map) else {}), **modifiers}
    bounds = _bounds(name, given, values)
    if bounds:
        words = " and ".join(f"`{key}: {value}`" for key, value in bounds.items())
        if "length" in given and "length" not in bounds:
            yield Idea("widen", f"let it have {words}", partial(_unequal, bench, entry, bounds))
        else:
            yield Idea("widen", f"let it have {words}", partial(modified, bench, entry, **bounds))
    if name == "$id":
        yield Idea("form", "say the new form of the id", partial(_reformed, bench, entry, values))
    if name == "$timestamp":
        stamp = timestamp_for(values)
        if stamp is not None:
            new = {"$timestamp": stamp, **modifiers}
            yield Idea("form", f"say that the times are {stamp}", partial(bench.replaced, entry, new))
    if "pattern" in given:
        holder = argument if isinstance(argument, Map) and "pattern" in argument else entry.raw
        yield Idea("form", "demand no pattern", partial(bench.removed, Entry(holder, "pattern")))


def _bounds(name: str, given: Mapping[str, Any], values: Sequence[Json]) -> dict[str, Any]:
    """The bounds that have to be other ones, and what they become."""
    if name in ("$array", "$map"):
        return _sizes(given.get("size"), [len(value) for value in values if isinstance(value, list | dict)])
    numeric = name in ("$integer", "$number")
    if not numeric and name not in ("$string", "$text"):
        return {}
    sizes: list[int | float] = [value for value in values if isinstance(value, int | float)] if numeric else []
    sizes += [] if numeric else [len(value) for value in values if isinstance(value, str)]
    if not sizes:
        return {}
    low, high = given.get("min"), given.get("max")
    if isinstance(given.get("length"), int):
        low = high = given["length"]
        return {"min": min(low, *sizes), "max": max(high, *sizes)} if {low} != set(sizes) else {}
    new: dict[str, Any] = {}
    if isinstance(low, int | float) and min(sizes) < low:
        new["min"] = min(sizes)
    if isinstance(high, int | float) and max(sizes) > high:
        new["max"] = max(sizes)
    return new


def _sizes(size: Any, seen: Sequence[int]) -> dict[str, Any]:
    if size is None or not seen:
        return {}
    try:
        low, high = count_range(size)
    except QuantityError:
        return {}  # an expression says it
    least, most = min(low, *seen), None if high is None else max(high, *seen)
    return {} if (least, most) == (low, high) else {"size": f"{least}.." + ("" if most is None else str(most))}


def _unequal(bench: Bench, entry: Entry, bounds: Mapping[str, int]) -> tuple[Splice, ...]:
    """``length: 3`` becomes ``min: 3, max: 5``."""
    name, argument, modifiers = parts(entry.raw)
    inside = {key: value for key, value in (argument or {}).items() if key != "length"}
    outside = {key: value for key, value in modifiers.items() if key != "length"}
    return (bench.replaced(entry, {name: {**bounds, **inside}, **outside}),)


def _id_form(values: Sequence[Json]) -> Any:
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < len(values):
        raise NoEdit("ids that are no texts")
    first, last = min(texts), max(texts)
    common = next((first[:at] for at in range(len(first), 0, -1) if last.startswith(first[:at])), "")
    prefix = common[: common.rfind("_") + 1]
    lengths = {len(text) - len(prefix) for text in texts}
    form: dict[str, Any] = {"prefix": prefix} if prefix else {}
    form |= {"length": lengths.pop()} if len(lengths) == 1 else {}
    for alphabet in ({}, *({"alphabet": name} for name in reversed(_ALPHABETS))):
        if fits_leaf("id", {**form, **alphabet}, {}, texts):
            return {"$id": {**form, **alphabet}}
    raise NoEdit("ids without a common form")


def _reformed(bench: Bench, entry: Entry, values: Sequence[Json]) -> Splice:
    _, _, modifiers = parts(entry.raw)
    kept = {key: value for key, value in modifiers.items() if key in COMMON}
    return bench.replaced(entry, {**_id_form(values), **kept})
