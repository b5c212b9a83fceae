"""``$link``: the key of a record, or the record itself where the request asked to have it inlined."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from troth.contracts.matcher import Origin, Scope
from troth.contracts.nodes.base import BAD, Node, Reading, json_equal, json_type
from troth.contracts.nodes.shape import Shape
from troth.contracts.record import Record
from troth.contracts.values import ABSENT, Json, Unknown, Value

if TYPE_CHECKING:
    from troth.contracts.contract import Collection

__all__ = ["LinkNode"]


class LinkNode(Node):
    """In expressions, ``keep`` and ``put`` a link is always the key, inlined or not."""

    __slots__ = ("collection", "look_up")
    name = "link"
    identity = True
    opaque = True

    def __init__(self, origin: Origin, collection: str, look_up: Callable[[str], Collection]) -> None:
        super().__init__(origin)
        self.collection, self.look_up = collection, look_up

    def _shape(self) -> Shape | None:
        """The collection's type, when it has one."""
        node = self.look_up(self.collection).type
        target = getattr(node, "target", node)
        return target if isinstance(target, Shape) else None

    def _key_node(self) -> Node | None:
        shape = self._shape()
        field = shape.by_name.get(self.look_up(self.collection).key) if shape else None
        return field.node if field else None

    def _inlined(self, scope: Scope, here: str) -> bool | None:
        """Did the request ask for the whole record here? None: nobody can say."""
        inline = self.look_up(self.collection).inline
        if inline is None:
            return False
        before = scope.bind("here", here)
        answer = inline.decide(scope)
        scope.bind("here", before)
        return answer

    def generate(self, scope: Scope, here: str) -> Json:
        node = self._key_node()
        key = scope.link(self.collection, node)
        if key is ABSENT:
            key = node.generate(scope, here) if node is not None else scope.draw.text(24, "abcdefghijklmnopqrstuvwxyz")
        return self.express(key, scope, here)

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        key = self._key(value)
        if key is None or key is ABSENT or not here or not self._inlined(scope, here):
            return key
        record = scope.row(self.collection, key)
        shape = self._shape()
        if not isinstance(record, Record) or shape is None:
            return key
        return shape.express(record, scope, here)

    def _key(self, value: Value) -> Value:
        if isinstance(value, Record):
            return value.key
        if isinstance(value, dict):
            return value.get(self.look_up(self.collection).key, ABSENT)
        return value

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        scope = reading.scope
        if isinstance(value, dict):
            return self._whole(value, path, reading)
        if scope is not None and not reading.fill and self._inlined(scope, _here(path)) is True:
            reading.out.add("type", path, ABSENT, value, self.origin, f"the whole {self.collection} record, as asked")
            return value
        node = self._key_node()
        if node is None:
            if isinstance(value, str | int) and not isinstance(value, bool):
                return value
            reading.out.add("type", path, ABSENT, value, self.origin, f"a key of {self.collection}")
            return BAD
        return node.fit(value, path, reading, known)

    def _whole(self, value: dict[str, Json], path: str, reading: Reading) -> Json:
        """An object where a link stands: right if it was asked for; else a type finding, and its key is followed."""
        scope = reading.scope
        key_field = self.look_up(self.collection).key
        key = value.get(key_field, ABSENT)
        asked = self._inlined(scope, _here(path)) if scope is not None and not reading.fill else False
        shape = self._shape()
        if asked is False or shape is None or scope is None:
            want = f"a key of {self.collection}, not {json_type(value)}"
            reading.out.add("type", path, ABSENT, value, self.origin, want)
            return BAD if key is ABSENT else key
        known = scope.row(self.collection, key) if key is not ABSENT else ABSENT
        coming = reading.coming.get((self.collection, str(key)))
        if coming is not None and isinstance(known, Record):
            known = known.told(coming)
        shape.read(value, path, reading, known if isinstance(known, Record | Unknown) else Unknown(self.collection))
        return BAD if key is ABSENT else key

    def demand(self, value: Json, path: str, reading: Reading, known: Value) -> None:
        super().demand(value, path, reading, self._key(known))

    def same(self, expected: Value, observed: Json) -> bool:
        return json_equal(self._key(expected), self._key(observed))

    def _shown(self, expected: Value, reading: Reading) -> Json:
        return self._key(expected)

    def schema(self) -> dict[str, Any]:
        node = self._key_node()
        return node.schema() if node is not None else {"type": ["string", "integer"]}


def _here(path: str) -> str:
    """``$.data[3].customer`` as the author's ``here``: ``data.customer``."""
    text = path.removeprefix("$").lstrip(".")
    while "[" in text:
        start = text.index("[")
        end = text.index("]", start)
        text = text[:start] + text[end + 1 :]
    return text
