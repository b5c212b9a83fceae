"""What can be planted in the twin, each a small value: a changed reply, a changed request, an answer in its stead."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from .twin.records import Books
from .twin.talk import Answer, Asked, Raw

__all__ = [
    "Field",
    "Header",
    "Instead",
    "Reply",
    "Request",
    "Rewritten",
    "Several",
    "Shown",
    "drop",
    "moved",
    "renamed",
    "to",
    "turned",
]

Edit: TypeAlias = Callable[[dict[str, Any], str], None]
"""Changes a member of an object in place."""


def drop(holder: dict[str, Any], name: str) -> None:
    """Leave the member out."""
    holder.pop(name, None)


def to(value: Any) -> Edit:
    """Give it this value."""

    def edit(holder: dict[str, Any], name: str) -> None:
        holder[name] = value

    return edit


def turned(change: Callable[[Any], Any]) -> Edit:
    """Give it another value, made from its own; null stays null."""

    def edit(holder: dict[str, Any], name: str) -> None:
        if holder.get(name) is not None:
            holder[name] = change(holder[name])

    return edit


def renamed(new: str) -> Edit:
    """Give it another name."""

    def edit(holder: dict[str, Any], name: str) -> None:
        if name in holder:
            holder[new] = holder.pop(name)

    return edit


def moved(into: str) -> Edit:
    """Put it into a new object beside it."""

    def edit(holder: dict[str, Any], name: str) -> None:
        if name in holder:
            holder[into] = {name: holder.pop(name)}

    return edit


class _Plant:
    """Plants nothing; the others say what they do."""

    def asked(self, asked: Asked, books: Books) -> Asked | Answer | Raw:
        return asked

    def answered(self, asked: Asked, answer: Answer, books: Books) -> Answer:
        return answer


def _on(operations: str, asked: Asked) -> bool:
    return operations == "*" or asked.operation in operations.split()


@dataclass(frozen=True)
class Shown(_Plant):
    """A field of every object of a kind (its ``object``), wherever it is shown; with ``on`` in some operations only.

    ``where`` narrows it to some of these objects. Objects that lack the field get the edit as well.
    """

    kind: str
    name: str
    edit: Edit
    on: str = "*"
    where: Mapping[str, Any] = field(default_factory=dict)

    def answered(self, asked: Asked, answer: Answer, books: Books) -> Answer:
        if _on(self.on, asked) and asked.operation != "status":
            for one in _objects(answer.body):
                if one.get("object") == self.kind and all(one.get(name) == value for name, value in self.where.items()):
                    *path, last = self.name.split(".")
                    holder = one
                    for step in path:
                        holder = holder.get(step, {})
                    self.edit(holder, last)
        return answer


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a value, the inner ones first."""
    if isinstance(value, dict):
        for member in list(value.values()):
            yield from _objects(member)
        yield value
    elif isinstance(value, list):
        for member in value:
            yield from _objects(member)


@dataclass(frozen=True)
class Field(_Plant):
    """A field of the replies of some operations, with ``status`` only those of that status."""

    on: str
    path: str
    edit: Edit
    status: int = 0

    def answered(self, asked: Asked, answer: Answer, books: Books) -> Answer:
        if _on(self.on, asked) and self.status in (0, answer.status) and isinstance(answer.body, dict):
            *path, last = self.path.split(".")
            holder = answer.body
            for step in path:
                holder = holder.get(step, {})
            self.edit(holder, last)
        return answer


@dataclass(frozen=True)
class Header(_Plant):
    """A header of the replies of some operations: another value, or none at all."""

    on: str
    name: str
    value: str | None
    status: int = 0

    def answered(self, asked: Asked, answer: Answer, books: Books) -> Answer:
        if _on(self.on, asked) and self.status in (0, answer.status):
            if self.value is None:
                answer.headers.pop(self.name, None)
            else:
                answer.headers[self.name] = self.value
        return answer


@dataclass(frozen=True)
class Reply(_Plant):
    """Another status for those replies of an operation that have ``was``."""

    on: str
    was: int
    status: int

    def answered(self, asked: Asked, answer: Answer, books: Books) -> Answer:
        return replace(answer, status=self.status) if _on(self.on, asked) and answer.status == self.was else answer


@dataclass(frozen=True)
class Rewritten(_Plant):
    """A reply that is made anew from the request and itself."""

    on: str
    make: Callable[[Asked, Answer, Books], Answer]
    status: int = 0

    def answered(self, asked: Asked, answer: Answer, books: Books) -> Answer:
        if _on(self.on, asked) and self.status in (0, answer.status):
            return self.make(asked, answer, books)
        return answer


@dataclass(frozen=True)
class Request(_Plant):
    """A request that the provider takes for another one: parameters that it does not see, or sees differently."""

    on: str
    make: Callable[[Asked], Asked]

    def asked(self, asked: Asked, books: Books) -> Asked | Answer | Raw:
        return self.make(asked) if _on(self.on, asked) else asked


@dataclass(frozen=True)
class Instead(_Plant):
    """An answer in the provider's stead, to requests that ``when`` holds for."""

    on: str
    make: Callable[[Asked, Books], Answer | Raw]
    when: Callable[[Asked, Books], bool] = lambda asked, books: True

    def asked(self, asked: Asked, books: Books) -> Asked | Answer | Raw:
        return self.make(asked, books) if _on(self.on, asked) and self.when(asked, books) else asked


@dataclass(frozen=True)
class Several(_Plant):
    """More than one change that belong together."""

    plants: tuple[_Plant, ...]

    def asked(self, asked: Asked, books: Books) -> Asked | Answer | Raw:
        for plant in self.plants:
            changed = plant.asked(asked, books)
            if not isinstance(changed, Asked):
                return changed
            asked = changed
        return asked

    def answered(self, asked: Asked, answer: Answer, books: Books) -> Answer:
        for plant in self.plants:
            answer = plant.answered(asked, answer, books)
        return answer


def without_query(*names: str) -> Callable[[Asked], Asked]:
    """The request without some parameters of its query."""

    def make(asked: Asked) -> Asked:
        path, _, query = asked.target.partition("?")
        kept = [pair for pair in query.split("&") if pair and pair.partition("=")[0] not in names]
        return replace(asked, target=path + ("?" + "&".join(kept) if kept else ""))

    return make


def with_json(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Asked], Asked]:
    """The request with another JSON body."""

    def make(asked: Asked) -> Asked:
        return replace(asked, body=json.dumps(change(asked.json)).encode())

    return make


def without_header(name: str) -> Callable[[Asked], Asked]:
    """The request without a header."""

    def make(asked: Asked) -> Asked:
        return replace(asked, headers={key: value for key, value in asked.headers.items() if key != name})

    return make
