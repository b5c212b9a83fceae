"""``$string`` and ``$text``: texts with bounds, compared by value; prose, compared only by fit."""

from __future__ import annotations

from typing import Any

from troth.contracts.expressions.unknowns import Instant
from troth.contracts.leaves.arguments import MOST_CHARACTERS, Arguments
from troth.contracts.leaves.base import BaseLeaf, Fault, wrong_type
from troth.contracts.leaves.patterns import Pattern, compile_pattern
from troth.contracts.matcher import Draw
from troth.contracts.values import Json
from troth.frozen import frozen

__all__ = ["StringLeaf", "build_string", "build_text"]

_WORDS = ("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "hazel", "inlet", "juniper", "kelp", "lotus")
_SENTENCES = ("A sample text.", "Another sample text.", "Text of a sample.", "Some sample text.")
"""They stand in errors as well as in successes, so they say nothing but that they are samples."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@frozen
class StringLeaf(BaseLeaf):
    """A text of ``min`` to ``max`` characters that matches ``pattern`` as a whole."""

    name: str = "string"
    min: int = 0
    max: int | None = None
    pattern: Pattern | None = None
    opaque: bool = False
    sentence: str | None = None
    """What a sample says, when the author wrote it as the argument of ``$text``."""

    @property
    def plain(self) -> type | None:  # type: ignore[override]
        return str if self.min == 0 and self.max is None and self.pattern is None else None

    def fault(self, value: Json) -> Fault | None:
        if value.__class__ is not str:
            return wrong_type(value, "a text")
        if len(value) < self.min or (self.max is not None and len(value) > self.max):
            return Fault("bounds", self._lengths())
        if self.pattern is not None:
            return self.pattern.fault(value)
        return None

    def _lengths(self) -> str:
        if self.max is None:
            return f"at least {self.min} characters"
        if self.min == self.max:
            return f"exactly {self.min} characters"
        return f"{self.min} to {self.max} characters" if self.min else f"at most {self.max} characters"

    def make(self, draw: Draw, now: Instant) -> Json:
        if self.sentence is not None:
            return self.sentence
        if self.pattern is not None:
            return self.pattern.make(draw, self.min, self.max)
        choices = _SENTENCES if self.name == "text" else _WORDS
        text = choices[draw.below(len(choices))]
        if len(text) < self.min:
            text += draw.text(self.min - len(text), _LETTERS)
        return text if self.max is None else text[: self.max]

    def schema(self) -> dict[str, Any]:
        schema: dict[str, Any] = {"type": "string"}
        if self.min:
            schema["minLength"] = self.min
        if self.max is not None:
            schema["maxLength"] = self.max
        if self.pattern is not None:
            schema["pattern"] = f"^(?:{self.pattern.source})$"
        return schema


def build_string(args: Arguments) -> StringLeaf | None:
    """``$string: {min, max, length, pattern}``, lengths in characters."""
    args.no_scalar()
    return _build(args, "string", None)


def build_text(args: Arguments) -> StringLeaf | None:
    """``$text``: the same, and the argument may be the text that samples say."""
    sentence = args.argument if isinstance(args.argument, str) else None
    if sentence is None:
        args.no_scalar()
    elif "{{" in sentence:
        args.problem("E251", "a constant as the argument of $text", repr(sentence), "Write the expression as `default`")
    leaf = _build(args, "text", sentence)
    if leaf is not None and sentence is not None:
        fault = leaf.fault(sentence)
        if fault is not None:
            args.problem("E252", f"{fault.want} as the argument of $text", repr(sentence))
            return None
    return leaf


def _build(args: Arguments, name: str, sentence: str | None) -> StringLeaf | None:
    args.only("min", "max", "length", "pattern")
    length, low, high = (args.whole(key) for key in ("length", "min", "max"))
    source = args.text("pattern")
    if length is not None and (low is not None or high is not None):
        args.problem("E252", f"`length` of ${name}, or `min` and `max`", "both", "Keep one", args.place_of("length"))
    args.ordered("min", "max", (low, high))
    low, high = (length, length) if length is not None else (low or 0, high)
    pattern = None
    if source is not None and args.ok:
        pattern = compile_pattern(source, low, MOST_CHARACTERS if high is None else high, args)
    if not args.ok:
        return None
    return StringLeaf(name, low, high, pattern, opaque=name == "text", sentence=sentence)
