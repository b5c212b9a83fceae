"""Random walks through a contract: requests that reach its responses, answered by a sampling model.

``troth check`` judges every answer with a fresh open-world judge: a sample that a judge refuses is an asymmetry of the
contract or of Troth. The words to say are taken from the contract itself: what its scenarios send, its data, the keys
that earlier replies showed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from troth.contracts.contract import Contract, Operation
from troth.contracts.exchange import Interval, Request, Response
from troth.contracts.expressions.unknowns import Instant
from troth.contracts.judgement import Answer
from troth.contracts.model.model import Model
from troth.contracts.model.outgoing import build_request
from troth.contracts.nodes.base import Node
from troth.contracts.nodes.choice import Nullable
from troth.contracts.nodes.leaf import LeafNode, Ref
from troth.contracts.nodes.lists import ArrayNode
from troth.contracts.nodes.shape import Field, Shape
from troth.contracts.values import ABSENT, Json

__all__ = ["START", "Explored", "Explorer"]

START = 1_750_000_000.0
"""The walk's clock begins in June 2025; any time would do."""
_KEPT = 200
_DEEPEST = 5
"""From here on, optional parts of a request are left out and lists are short."""
_MOST = 1_000
"""Values in one request; after them the same."""
_NUMBER = re.compile(r"(?<![\w.])\d{1,12}(?![\w.])")


class Explored(NamedTuple):
    """One exchange of a walk."""

    operation: Operation
    request: Request
    response: Response
    name: str | None
    """The response's name; None when the contract declares no answer."""
    when: Interval
    error: Exception | None = None
    """What kept the request from being made or answered; the response then says nothing."""


@dataclass
class Explorer:
    """A walk: equal contract and seed, equal exchanges."""

    contract: Contract
    seed: int = 0
    sign: Callable[[Request, Operation], Request] | None = None
    """Adds credentials to a request; None: none has any."""
    words: dict[str, list[Json]] = field(default_factory=dict)
    """Field name to values worth sending."""
    keys: list[Json] = field(default_factory=list)
    """Keys of records that replies showed."""
    marks: list[str] = field(default_factory=list)
    """Values of ETag and Last-Modified headers, for conditional requests."""

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self.model = Model(self.contract, seed=self.seed)
        self.now = START
        self.tried: dict[str, int] = {}
        """How many requests each operation had."""
        self._left = 0
        self._learn_words()

    def walk(self, count: int) -> Iterator[Explored]:
        """``count`` exchanges; the clock moves on by up to a minute between them."""
        operations = list(self.contract.operations.values())
        while count > 0 and operations:
            operation = self.random.choice(operations)
            self.tried[operation.name] = self.tried.get(operation.name, 0) + 1
            found = self._explored(operation)
            self.now += self.random.random() * (60 if self.random.random() < 0.2 else 1)
            count -= 1
            if found is not None:
                yield found

    def _explored(self, operation: Operation) -> Explored | None:
        """One exchange; None when the request went elsewhere, or nowhere."""
        request = Request("", "")
        if operation.wires:
            operation = self.random.choice(list(operation.wires.values()))
        try:
            request = self._request(operation)
            answer = self._answer(operation, request)
        except Exception as error:
            # It is for whoever walks to say whose fault it is.
            return Explored(operation, request, Response(500), None, Interval(self.now - 1, self.now + 1), error)
        if answer.operation != operation.name:
            return None
        return Explored(operation, request, answer.response, answer.name, Interval(self.now - 1, self.now + 1))

    def _answer(self, operation: Operation, request: Request) -> Answer:
        undecided = [shape.name for shape in operation.responses if shape.maybe]
        steer = self.random.choice(undecided) if undecided and self.random.random() < 0.3 else None
        self.now += 1
        answer = self.model.respond(request, self.now, steer)
        for name, value in answer.response.headers:
            if name.lower() in (b"etag", b"last-modified"):
                self.marks = [*self.marks[-20:], value.decode("latin-1")]
        for collection, table in self.model.state.rows.items():
            if table:
                self._note(self.contract.collections[collection].key, next(reversed(table.values())).key)
        return answer

    def _note(self, name: str, value: Json) -> None:
        if value not in self.keys:
            self.keys.append(value)
            del self.keys[:-_KEPT]

    # Words

    def _learn_words(self) -> None:
        for scenario in self.contract.scenarios.values():
            for step in scenario.steps:
                for name, said in step.call.values.items() if step.call is not None else ():
                    if said.constant:
                        self._word(name.rpartition(".")[2], said.run(None))  # type: ignore[arg-type]
        for operation in self.contract.operations.values():
            for shape in operation.responses:
                if shape.when is not None:
                    self._literals(shape.when.source, operation)
        self._data(self.contract.data)

    def _literals(self, source: str, operation: Operation) -> None:
        """Texts in quotes in conditions: what an operation looks for in some field."""
        parts = source.replace('"', "'").split("'")
        for text in parts[1::2]:
            for node in _fields(operation):
                self._word(node.name, text)
        for number in _NUMBER.findall("".join(parts[::2])):
            for node in _fields(operation):
                if _leaf(node.node) in ("integer", "number"):
                    self._word(node.name, int(number))
                    self._word(node.name, int(number) + 1)

    def _data(self, value: Any) -> None:
        for table in value.values() if isinstance(value, dict) else ():
            for key in table if isinstance(table, dict) else ():
                self.words.setdefault("", []).append(key)

    def _word(self, name: str, value: Json) -> None:
        known = self.words.setdefault(name, [])
        if value not in known and len(known) < _KEPT:
            known.append(value)

    # Requests

    def _request(self, operation: Operation) -> Request:
        shape = operation.request
        values: dict[str, Json] = {}
        self._left = _MOST
        for carrier, node in (
            ("path", shape.path_fields),
            ("query", shape.query),
            ("headers", shape.headers),
            ("body", _shape(shape.body)),
        ):
            for part in node.fields if node is not None else ():
                value = self._value(part, carrier)
                if value is not ABSENT:
                    values[f"{carrier}.{part.name}"] = value
        if self.random.random() < 0.03 and "xml" not in shape.codecs:  # a document has one root
            values["body.surprise"] = "unlisted"
        request = build_request(self.contract, operation, values)
        bare = self.random.random() <= 0.02
        return request if bare or self.sign is None else self.sign(request, operation)

    def _value(self, part: Field, carrier: str, depth: int = 0) -> Json:
        self._left -= 1
        roll = self.random.random()
        if carrier == "path":
            return self._key() if roll < 0.9 and self.keys else f"none{self.random.randrange(1000)}"
        if carrier == "headers" and part.name.startswith("if_") and self.marks and roll < 0.6:
            return self.random.choice(self.marks[-3:])
        if part.optional and (roll < 0.5 or depth > _DEEPEST or self._left < 0):
            return ABSENT
        if not part.optional and roll < 0.03:
            return ABSENT
        if self.random.random() < 0.03:
            return self.random.choice(["", "x", -1, "nonsense", [], True])
        return self._fitting(part.name, part.node, depth)

    def _fitting(self, name: str, node: Node, depth: int) -> Json:
        words = self.words.get(name, [])
        roll = self.random.random()
        leaf = _leaf(node)
        if words and roll < 0.5:
            return self.random.choice(words)
        if leaf in ("string", "") and self.keys and roll < 0.75:
            return self._key()
        if leaf == "string" and self.words.get("") and roll < 0.85:
            return self.random.choice(self.words[""])
        return self._generated(node, depth)

    def _key(self) -> Json:
        """Mostly a recent one: they are the ones that belong together."""
        recent = self.keys[-12:]
        return self.random.choice(recent if self.random.random() < 0.7 else self.keys)

    def _generated(self, node: Node, depth: int = 0) -> Json:
        """``depth`` and the number of values made so far say when to leave out what can be left out."""
        node = node.target if isinstance(node, Ref) else node
        enough = depth > _DEEPEST or self._left < 0
        if isinstance(node, Nullable):
            return None if enough else self._generated(node.inner, depth + 1)
        if isinstance(node, Shape):
            made = {part.name: self._value(part, "body", depth + 1) for part in node.fields}
            return {name: value for name, value in made.items() if value is not ABSENT}
        if isinstance(node, ArrayNode):
            count = 0 if enough else self.random.randrange(3)
            return [self._generated(node.item, depth + 1) for _ in range(max(count, min(node.size[0], _MOST)))]
        if node.name == "map":
            return {f"k{i}": f"v{self.random.randrange(9)}" for i in range(self.random.randrange(3))}
        if isinstance(node, LeafNode):
            return self._leaf_value(node)
        return f"word{self.random.randrange(1000)}"

    def _leaf_value(self, node: LeafNode) -> Json:
        schema = node.schema()
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        if node.name == "integer":
            low = schema.get("minimum", 0)
            if self.random.random() < 0.1:
                edges = [low, schema.get("maximum", low), 0]
                return self.random.choice([edge for edge in edges if node.leaf.fault(edge) is None] or [low])
            return self.random.randint(low, min(schema.get("maximum", low + 3000), low + 3000))
        if node.name == "boolean":
            return self.random.random() < 0.5
        if node.name == "file":
            most = schema.get("maxLength", 64)
            size = most + 1 if self.random.random() < 0.02 else self.random.randrange(64)
            return {"name": "a.txt", "type": "text/plain", "bytes": self.random.randbytes(size)}
        return node.leaf.make(_Random(self.random), Instant(self.now, self.now))


class _Random:
    """A Draw over the walk's own randomness."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def below(self, n: int) -> int:
        return self._random.randrange(n)

    def text(self, length: int, alphabet: str) -> str:
        return "".join(self._random.choices(alphabet, k=length))

    def raw(self, length: int) -> bytes:
        return self._random.randbytes(length)


def _shape(node: Node | None) -> Shape | None:
    target = node.target if isinstance(node, Ref) else node
    return target if isinstance(target, Shape) else None


def _leaf(node: Node) -> str:
    while isinstance(node, Ref | Nullable):
        node = node.target if isinstance(node, Ref) else node.inner
    return node.name


def _fields(operation: Operation) -> list[Field]:
    body = _shape(operation.request.body)
    return [*operation.request.query.fields, *operation.request.headers.fields, *(body.fields if body else ())]
