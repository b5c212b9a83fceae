"""A codec of a contract's hooks: both directions of it, guarded, and whether they fit together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from troth.contracts.hooks.round_trip import HookError, words
from troth.contracts.leaves import Fault
from troth.contracts.nodes.base import json_equal
from troth.contracts.values import Json

if TYPE_CHECKING:
    from troth.contracts.hooks.specs import CodecHook

__all__ = ["HookCoder", "wrong_codec"]

_JSON = (str, bytes, bool, int, float, list, dict, type(None))


class HookCoder:
    """``$encoded: M, as: NAME``. What a provider sends may be anything, so a failing ``decode`` is its fault."""

    texts = False

    def __init__(self, name: str, hook: CodecHook) -> None:
        self.name, self._hook = name, hook

    def encode(self, value: Json) -> str:
        """The text. Raises HookError."""
        try:
            text = self._hook.encode(value)
        except Exception as error:
            raise HookError(self.name, words(error)) from None
        if not isinstance(text, str):
            raise HookError(self.name, f"{type(text).__name__}, and no text, from encode")
        return text

    def decode(self, text: str) -> Json | Fault:
        """What is in a text. Raises HookError for what is no JSON."""
        try:
            value = self._hook.decode(text)
        except Exception:
            return Fault("format", f"a text in {self.name}")
        if not isinstance(value, _JSON):
            raise HookError(self.name, f"{type(value).__name__}, which is no JSON, from decode")
        return value


def wrong_codec(name: str, hook: Any) -> str:
    """What is wrong with a codec, tried with its own ``samples``; "" when its two directions fit together."""
    if not callable(getattr(hook, "encode", None)) or not callable(getattr(hook, "decode", None)):
        return f"{type(hook).__name__} without encode and decode"
    samples = getattr(hook, "samples", ())
    if not isinstance(samples, Sequence) or isinstance(samples, str) or not samples:
        return "no `samples`: values that it is tried with"
    coder = HookCoder(name, hook)
    try:
        for sample in samples:
            text = coder.encode(sample)
            if text != coder.encode(sample):
                return "two texts of one value that differ"
            again = coder.decode(text)
            if isinstance(again, Fault):
                return "a text of its own that it cannot decode"
            if not json_equal(again, sample):
                return "another value than the one that was encoded"
    except HookError as error:
        return error.found
    return ""
