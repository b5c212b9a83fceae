"""How a body is written on one wire: what stands around it, and how it is spelled.

An operation on several wires is described once. Its values are the same on each of them; this is what differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from troth.contracts.codecs import BodyOptions, media_type
from troth.contracts.codecs.spelling import PLAIN, Spelling, read_spelled, write_spelled
from troth.contracts.leaves import Fault
from troth.contracts.values import ABSENT, Json
from troth.frozen import frozen

if TYPE_CHECKING:
    from troth.contracts.matcher import Scope
    from troth.contracts.structure import Node

__all__ = ["Envelope", "WireBody"]


@frozen
class Envelope:
    """Elements around the body of a reply: ``root``, in it ``within`` (if any), and what stands ``beside`` that."""

    root: str
    within: str = ""
    beside: Mapping[str, Node] = field(default_factory=dict)


@frozen
class WireBody:
    """``added``: fields that requests carry besides the body (``Action``, ``Version``): no expression sees them."""

    options: BodyOptions
    content_type: str | None = None
    spelling: Spelling = PLAIN
    added: Mapping[str, Json] = field(default_factory=dict)
    envelope: Envelope | None = None

    def names(self, content_type: str | None) -> bool:
        """Is this the media type that the wire has? Then its codec reads it, whatever it is called."""
        return self.content_type is not None and media_type(content_type) == media_type(self.content_type)

    def read_request(self, value: Json) -> Json:
        """The decoded body as the contract describes it."""
        if self.added and isinstance(value, dict):
            value = {name: item for name, item in value.items() if name not in self.added}
        if self.envelope is not None and isinstance(value, dict):
            value = value.get(self.envelope.root, value)
        return read_spelled(value, self.spelling)

    def write_request(self, value: Json) -> Json:
        """The body as its codec is to write it."""
        value = write_spelled(value, self.spelling)
        if self.envelope is not None:
            return {self.envelope.root: value}
        return {**self.added, **value} if self.added and isinstance(value, dict) else value

    def read_reply(self, value: Json) -> tuple[Json, dict[str, Json]] | Fault:
        """The decoded body as the contract describes it, and what stood beside it; or what is wrong around it."""
        around = self.envelope
        if around is None:
            return read_spelled(value, self.spelling), {}
        root = next(iter(value), "") if isinstance(value, dict) and len(value) == 1 else ""
        if root != around.root:
            return Fault("type", f"the root element {around.root}, not {root or 'another form'}")
        inner = value[root]
        members = inner if isinstance(inner, dict) else {}
        beside = {name: members[name] for name in around.beside if name in members}
        if not around.within:
            rest = {name: item for name, item in members.items() if name not in around.beside}
            return read_spelled(rest, self.spelling), beside
        if around.within in members:
            return read_spelled(members[around.within], self.spelling), beside
        strange = [name for name in members if name not in beside]
        if strange:
            return Fault("type", f"{around.within} in {around.root}, not {strange[0]}")
        return {}, beside

    def write_reply(self, value: Json, scope: Scope) -> Json:
        """The body as its codec is to write it."""
        value = write_spelled(value, self.spelling)
        around = self.envelope
        if around is None:
            return value
        members = {around.within: value} if around.within else dict(value) if isinstance(value, dict) else {}
        made = {name: node.make(scope) for name, node in around.beside.items()}
        return {around.root: {**members, **{name: item for name, item in made.items() if item is not ABSENT}}}
