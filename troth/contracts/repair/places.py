"""Where in a document the demand stands that an origin names (``Charge.currency``, ``create.created$.amount``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from troth.contracts.compiler.patterns import field_name, matcher_key
from troth.contracts.json_path import Segment, segments
from troth.contracts.yaml_files.placed import Map, Seq
from troth.errors import Place

__all__ = [
    "BODY_KEYS",
    "Entry",
    "beneath",
    "copies",
    "demands",
    "entry_at",
    "overrides",
    "respelled",
    "responses_of",
    "type_of",
]

BODY_KEYS = ("json", "form", "multipart", "xml", "text", "bytes", "graphql", "body")
_WRAPPERS = ("nullable", "optional", "open", "closed", "partial", "encoded")


class Entry(NamedTuple):
    """One value as it was written: ``owner[key]``."""

    owner: Map | Seq
    key: Any

    @property
    def raw(self) -> Any:
        return self.owner[self.key]

    @property
    def place(self) -> Place:
        """Of the value."""
        return self.owner.place(self.key)

    @property
    def key_place(self) -> Place:
        """Of the key; of an item, where it begins."""
        return self.owner.key_place(self.key) if isinstance(self.owner, Map) else self.owner.place(self.key)

    @property
    def optional(self) -> bool:
        """Is it written with a question mark?"""
        return isinstance(self.key, str) and self.key.endswith("?")


def entry_at(root: Any, *path: Any) -> Entry | None:
    """The entry at ``path`` from ``root``; None where there is none."""
    value, entry = root, None
    for step in path:
        inside = isinstance(value, Map) and step in value
        inside = inside or (isinstance(value, Seq) and isinstance(step, int) and -len(value) <= step < len(value))
        if not inside:
            return None
        entry = Entry(value, step)
        value = entry.raw
    return entry


def respelled(mapping: Any, name: str) -> Entry | None:
    """The field ``name`` of a structure, however it is spelled: ``name``, ``name?``, ``$$name``."""
    for key in mapping if isinstance(mapping, Map) else ():
        if field_name(key)[0] == name and (not key.startswith("$") or key.startswith("$$")):
            return Entry(mapping, key)
    return None


def type_of(origin: str, root: Map) -> tuple[str, str] | None:
    """The type that an origin names, and the path in it; None for a demand of an operation."""
    name = origin
    for mark in ".[":
        name = name.partition(mark)[0]
    return (name, origin[len(name) :]) if name in (root.get("types") or ()) else None


def demands(root: Map, origin: str, responses: Iterable[str] = ()) -> list[Entry]:
    """Every place where the demand is written; more than one where alternatives share it. Empty: it cannot be found.

    ``responses`` (``operation.response``) are those that showed it; a header of all responses is looked up there.
    """
    responses = tuple(responses)
    if origin.startswith("headers."):
        name = origin.removeprefix("headers.")
        return _first(_header(root, response, name) for response in responses)
    operation = _operation(root, origin)
    if operation is not None:
        return _of_operation(root, operation, origin[len(operation) + 1 :])
    found = type_of(origin, root)
    if found is None:
        return []
    start = entry_at(root, "types", found[0])
    return [] if start is None else _below(start, found[1])


def overrides(root: Map, origin: str, responses: Iterable[str]) -> list[Entry]:
    """Where the responses say something of a type's field again: ``{$Charge: {status: pending}}``."""
    named = type_of(origin, root)
    steps = segments(f"${named[1]}") if named is not None else None
    if named is None or not steps:
        return []
    found: list[Entry] = []
    for response in responses:
        body = _body(root, response)
        for use in _uses(body, f"${named[0]}") if body is not None else ():
            found += _follow(use, steps)
    return [entry for index, entry in enumerate(found) if entry.place not in [item.place for item in found[:index]]]


def beneath(root: Map, entry: Entry, path: str, responses: Iterable[str]) -> list[Entry]:
    """Where the types describe what a response says again at ``entry``; ``path`` is where its replies show that."""
    steps = segments(path) or ()
    ends = [
        "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps[at:]) for at in range(len(steps))
    ]
    found: list[Entry] = []
    for name in root.get("types") or ():
        for end in ends:
            if any(other.place == entry.place for other in overrides(root, f"{name}{end}", responses)):
                found += demands(root, f"{name}{end}")
    return found


def responses_of(root: Map, response: str) -> Entry | None:
    """The entry of ``operation.response``, with what ``defaults`` and traits say merged in."""
    operation = _operation(root, response)
    return (
        None
        if operation is None
        else entry_at(root, "operations", operation, "responses", response[len(operation) + 1 :])
    )


def copies(root: Map, responses: Iterable[str]) -> list[Entry]:
    """The arguments of the types that describe these responses, where `from` copies fields from somewhere."""
    bodies = [_body(root, response) for response in responses]
    raws = [body.raw for body in bodies if body is not None and isinstance(body.raw, Map) and "from" in body.raw]
    keys = [(raw, matcher_key(raw)) for raw in raws]
    return [Entry(raw, key) for raw, key in keys if key is not None and key[1:2].isupper()]


def _operation(root: Map, origin: str) -> str | None:
    names = [name for name in root.get("operations") or () if origin == name or origin.startswith(f"{name}.")]
    return max(names, key=len, default=None)


def _first(found: Iterable[Entry | None]) -> list[Entry]:
    return [entry for entry in found if entry is not None][:1]


def _of_operation(root: Map, operation: str, rest: str) -> list[Entry]:
    """``created$.amount``, ``created.headers.etag``, ``created.status``, ``request.body.amount``."""
    if rest.startswith("request."):
        return _of_request(root, operation, rest.removeprefix("request."))
    head, dollar, path = rest.partition("$")
    if dollar:
        body = _body(root, f"{operation}.{head}")
        return [] if body is None else _below(body, path)
    name, _, tail = rest.partition(".")
    if tail.startswith("headers."):
        header = tail.removeprefix("headers.")
        if name == "replay":
            replay = entry_at(root, "operations", operation, "idempotency", "replay", "headers")
            return _first([_spelled(replay, header)])
        return _first([_header(root, f"{operation}.{name}", header)])
    return _first([entry_at(root, "operations", operation, "responses", name, *(tail.split(".") if tail else ()))])


def _of_request(root: Map, operation: str, rest: str) -> list[Entry]:
    carrier = rest
    for mark in ".[":
        carrier = carrier.partition(mark)[0]
    path = rest[len(carrier) :]
    request = entry_at(root, "operations", operation, "request")
    if request is None or carrier == "path":
        return []
    keys = BODY_KEYS if carrier == "body" else (carrier,)
    start = next((Entry(request.raw, key) for key in keys if key in request.raw), None)
    if start is None:
        return []
    if carrier == "headers":
        return _first([_spelled(start, path.removeprefix("."))])
    return _below(start, path)


def _body(root: Map, response: str) -> Entry | None:
    entry = responses_of(root, response)
    if entry is None or not isinstance(entry.raw, Map):
        return None
    return next((Entry(entry.raw, key) for key in BODY_KEYS if key in entry.raw), None)


def _header(root: Map, response: str, name: str) -> Entry | None:
    """A header of a response: its own, else one that the operation gives all of its responses."""
    operation = _operation(root, response)
    own = responses_of(root, response)
    holders = [own and entry_at(own.raw, "headers"), entry_at(root, "operations", operation, "headers")]
    return next((found for holder in holders if (found := _spelled(holder, name)) is not None), None)


def _spelled(headers: Entry | None, name: str) -> Entry | None:
    if headers is None or not isinstance(headers.raw, Map):
        return None
    for key in headers.raw:
        if field_name(key)[0].lower().replace("-", "_") == name.lower().replace("-", "_"):
            return Entry(headers.raw, key)
    return None


def _below(start: Entry, path: str) -> list[Entry]:
    steps = segments(f"${path}")
    return [] if steps is None else list(_follow(start, steps))


def _follow(entry: Entry, steps: tuple[Segment, ...]) -> Iterator[Entry]:
    """The entries that ``steps`` lead to, through wrappers and alternatives; the wrapper itself at the end of them."""
    if not steps:
        yield entry
        return
    raw, (step, *rest) = entry.raw, steps
    key = matcher_key(raw) if isinstance(raw, Map) else None
    if key is not None:
        for inner, taken in _inside(Entry(raw, key), step):
            yield from _follow(inner, steps[1:] if taken else steps)
    elif isinstance(raw, Map):
        field = respelled(raw, str(step))
        if field is not None:
            yield from _follow(field, tuple(rest))
    elif isinstance(raw, Seq) and isinstance(step, int) and step < len(raw):
        yield from _follow(Entry(raw, step), tuple(rest))


def _inside(matcher: Entry, step: Segment) -> Iterator[tuple[Entry, bool]]:
    """The parts of a matcher, and whether going into one takes a step of the path."""
    name, owner = matcher.key[1:], matcher.owner
    if name in _WRAPPERS or name[:1].isupper():
        yield matcher, False
    elif name in ("array", "map"):
        if step == "*":
            yield matcher, True
    elif name == "each" and step == "*" and "of" in owner:
        yield Entry(owner, "of"), True
    elif name == "any_of" and isinstance(matcher.raw, Seq):
        yield from ((Entry(matcher.raw, index), False) for index in range(len(matcher.raw)))
    elif name == "if":
        yield from ((Entry(owner, key), False) for key in ("then", "else") if key in owner)
    elif name == "case" and isinstance(owner, Map):
        branches = owner.get("of")
        yield from ((Entry(branches, key), False) for key in branches) if isinstance(branches, Map) else ()
        yield from ((Entry(owner, key), False) for key in ("else",) if key in owner)


def _uses(entry: Entry, name: str) -> Iterator[Entry]:
    """Every matcher ``name`` with an argument, at any depth of a structure."""
    waiting = [entry]
    while waiting:
        at = waiting.pop()
        raw = at.raw
        if isinstance(raw, Map):
            if isinstance(raw.get(name), Map):
                yield Entry(raw, name)
            waiting += [Entry(raw, key) for key in raw]
        elif isinstance(raw, Seq):
            waiting += [Entry(raw, index) for index in range(len(raw))]
