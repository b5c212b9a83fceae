"""How an object is made and read, worked out once for each version: what a request does not need is not looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from troth.contracts.nodes.base import NOTHING, Node, Take
from troth.contracts.nodes.speech import Speech, leave_out
from troth.contracts.values import ABSENT, Json

if TYPE_CHECKING:
    from troth.contracts.nodes.shape import Field

__all__ = ["Copied", "Making", "Taking", "has_links", "making", "taking", "walk"]


class Copied(NamedTuple):
    """A field that shows the member ``key`` of something as it is; ``make`` makes it whatever that something is."""

    name: str
    key: str
    make: Speech
    settled: bool
    """Does ``start`` say what is shown where there is no such member?"""


class Making(NamedTuple):
    """``start`` has every field that samples may show, in order, those that are always the same with their values.

    ``copied`` are the fields that show members of the things with these names. ``parts`` says how each of the others is
    made, given the place of the whole.
    """

    start: dict[str, Json]
    copied: tuple[tuple[str, tuple[Copied, ...]], ...]
    parts: tuple[tuple[str, Speech], ...]


class Taking(NamedTuple):
    """One field of a request. ``plain``: values of this class are taken as they are."""

    name: str
    plain: type | None
    take: Take
    node: Node
    silent: bool
    """Is nothing to be done where it is absent?"""


def making(fields: Iterable[Field], *, in_order: bool) -> Making:
    """How samples of these fields are made. ``in_order``: no field is there before those in front of it are made."""
    start: dict[str, Json] = {}
    copied: dict[str, list[Copied]] = {}
    parts: list[tuple[str, Speech]] = []
    for name, node, optional, _, _ in fields:
        fixed = node.fixed
        silent = optional and not node.speaks
        if silent and node.is_ is None and not node.sources and node.default is None:
            continue
        if not in_order:
            start[name] = ABSENT if fixed is NOTHING else fixed
        if fixed is NOTHING:
            make = node.speech(leave_out if silent else node.generating())
            path = None if in_order else node.copied()
            if path is not None:
                otherwise = node.having(sources=()).fixed
                settled = otherwise is not NOTHING
                start[name] = otherwise if settled else ABSENT
                copied.setdefault(path[0], []).append(Copied(name, path[1], make, settled))
            else:
                parts.append((name, _placed(name, make) if has_links(node) else make))
        elif in_order:
            parts.append((name, _always(fixed)))
    return Making(start, tuple((root, tuple(found)) for root, found in copied.items()), tuple(parts))


def _placed(name: str, make: Speech) -> Speech:
    """Links have to know where they stand."""
    return lambda scope, here: make(scope, f"{here}.{name}" if here else name)


def _always(value: Json) -> Speech:
    return lambda scope, here: value


def taking(fields: Iterable[Field], text: bool) -> tuple[Taking, ...]:
    """How these fields are read from a carrier of text, or another one."""
    return tuple(
        Taking(name, node.plain(text), node.taking(text), node, optional and node.default is None)
        for name, node, optional, _, _ in fields
    )


def has_links(node: Node) -> bool:
    """Is there a link in this node, at any depth?"""
    return any(part.name in ("link", "items") for part in walk(node))


def walk(node: Node) -> Iterator[Node]:
    """The node and all nodes in it, at any depth, those of each type once."""
    waiting, seen = [node], set[str]()
    while waiting:
        node = waiting.pop()
        yield node
        if node.name != "type":
            waiting.extend(node.children())
        elif node.type not in seen:  # type: ignore[attr-defined]
            seen.add(node.type)  # type: ignore[attr-defined]
            waiting.append(node.target)  # type: ignore[attr-defined]
