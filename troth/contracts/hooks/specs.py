"""What a file of hooks may give. Everything in it is a pure function: no state, no clock, no network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import pluggy

from troth.contracts.exchange import Request

__all__ = ["PROJECT", "AuthHook", "CodecHook", "Specs", "hookimpl"]

PROJECT = "troth"
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function in a file of hooks."""
_hookspec = pluggy.HookspecMarker(PROJECT)


class AuthHook(Protocol):
    """A kind of credentials. ``given`` are the values of ``with``, as texts."""

    def sign(self, request: Request, given: Mapping[str, str], at: float) -> Mapping[str, str]:
        """The headers that sign ``request``, whose path and host are those that are sent, at ``at`` (Unix seconds)."""
        ...

    def check(self, request: Request, fits: Callable[[str, str], bool]) -> bool:
        """Is ``request`` well signed? ``fits(name, text)`` tells whether ``text`` may be the value called ``name``."""
        ...


class CodecHook(Protocol):
    """How a value stands in a text, for ``$encoded: M, as: NAME``. ``samples`` are values that it is tried with."""

    samples: Sequence[Any]

    def encode(self, value: Any) -> str:
        """The text of a value."""
        ...

    def decode(self, text: str) -> Any:
        """The value of a text; any exception says that it holds none."""
        ...


class Specs:
    """The hooks that there are."""

    @_hookspec
    def troth_filters(self) -> Mapping[str, Callable[..., Any]]:
        """Filters of expressions by name: functions of a value, and of arguments."""
        raise NotImplementedError

    @_hookspec
    def troth_auth_kinds(self) -> Mapping[str, AuthHook]:
        """Kinds of credentials by name, for ``auth: {hook: NAME, with: {...}}``."""
        raise NotImplementedError

    @_hookspec
    def troth_codecs(self) -> Mapping[str, CodecHook]:
        """Codecs by name, for ``$encoded: M, as: NAME``."""
        raise NotImplementedError
