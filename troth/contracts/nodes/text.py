"""Values inside a text: ``$pattern`` (literals and named parts) and ``$encoded`` (JSON, Base64, ... in a string)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from troth.contracts.leaves import Fault
from troth.contracts.matcher import Origin, Scope
from troth.contracts.nodes.base import BAD, Node, Reading, json_type
from troth.contracts.nodes.coders import Coder, text_of_value
from troth.contracts.values import ABSENT, Json, Unknown, Value

__all__ = ["EncodedNode", "PatternNode"]


class PatternNode(Node):
    """``$pattern``: ``pieces`` are literals (str) and the names of parts, in turn."""

    __slots__ = ("parts", "pieces")
    name = "pattern"

    def __init__(self, origin: Origin, pieces: tuple[tuple[str, bool], ...], parts: Mapping[str, Node]) -> None:
        super().__init__(origin)
        self.pieces, self.parts = pieces, parts

    def children(self) -> tuple[Node, ...]:
        return tuple(self.parts.values())

    def generate(self, scope: Scope, here: str) -> Json:
        made: dict[str, Json] = {}
        before = scope.bind("parts", made)
        text = ""
        for piece, named in self.pieces:
            if named and piece not in made:
                made[piece] = self.parts[piece].make(scope, here)
            text += text_of_value(made[piece]) if named else piece
        scope.bind("parts", before)
        return text

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        if not isinstance(value, str):
            kind = "null" if value is None else "type"
            reading.out.add(kind, path, ABSENT, value, self.origin, f"string, not {json_type(value)}")
            return BAD
        split = self._split(value)
        if split is None:
            reading.out.add("format", path, ABSENT, value, self.origin, f"the form {self.template}")
            return BAD
        scope = reading.scope
        before = scope.bind("parts", split) if scope is not None else None
        for name, text in split.items():
            part = self.parts[name]
            expected = part.said(scope)[0] if scope is not None else ABSENT
            # A part is text; a demanded number is compared by its text.
            shown = text if not isinstance(expected, int) or isinstance(expected, bool) else _number(text)
            texty = Reading(reading.out, scope, text=True, fill=reading.fill, options=reading.options)
            part.read(shown, path, texty)
        if scope is not None:
            scope.bind("parts", before)
        return value

    @property
    def template(self) -> str:
        """The pattern as the author wrote it."""
        return "".join(f"{{{piece}}}" if named else piece for piece, named in self.pieces)

    def _split(self, value: str) -> dict[str, str] | None:
        """Cut at the literals, each at its first place; None when they are not all there."""
        found: dict[str, str] = {}
        at = 0
        for index, (piece, named) in enumerate(self.pieces):
            if not named:
                if not value.startswith(piece, at):
                    return None
                at += len(piece)
                continue
            rest = self.pieces[index + 1 :]
            end = value.find(rest[0][0], at) if rest else len(value)
            if rest and len(rest) == 1:
                end = value.rfind(rest[0][0])
            if end < at:
                return None
            text = value[at:end]
            if found.setdefault(piece, text) != text:
                return None
            at = end
        return found if at == len(value) else None

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}


def _number(text: str) -> Json:
    return int(text) if text.lstrip("-").isdigit() else text


class EncodedNode(Node):
    """``$encoded``: a value inside a text. ``as_`` is the name of ``coder``."""

    __slots__ = ("as_", "coder", "inner")
    name = "encoded"

    def __init__(self, origin: Origin, inner: Node, as_: str, coder: Coder) -> None:
        super().__init__(origin)
        self.inner, self.as_, self.coder = inner, as_, coder

    def children(self) -> tuple[Node, ...]:
        return (self.inner,)

    def generate(self, scope: Scope, here: str) -> Json:
        return self.coder.encode(self.inner.make(scope, here))

    def express(self, value: Value, scope: Scope, here: str) -> Json:
        return self.coder.encode(self.inner.express(value, scope, here))

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        if not isinstance(value, str):
            kind = "null" if value is None else "type"
            reading.out.add(kind, path, ABSENT, value, self.origin, f"string, not {json_type(value)}")
            return BAD
        decoded = self.decoded(value)
        if isinstance(decoded, Fault):
            reading.out.add("format", path, ABSENT, value, self.origin, f"{self.as_}: {decoded.want}")
            return BAD
        inside = Reading(reading.out, reading.scope, text=self.coder.texts, fill=reading.fill)
        read = self.inner.read(decoded, path, inside)
        return decoded if read is BAD else read

    def decoded(self, text: str) -> Json | Fault:
        """The value in a text."""
        value = self.coder.decode(text)
        if self.as_ == "base64" and self.inner.name == "bytes" and isinstance(value, str):
            return value.encode()
        return value

    def same(self, expected: Value, observed: Json) -> bool:
        return isinstance(expected, Unknown) or self.inner.same(expected, observed)

    def ranking(self) -> Callable[[Json], Any] | None:
        return self.inner.ranking()

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}
