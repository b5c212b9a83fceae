"""Both directions of a kind of credentials: signing by a hook, checking by it, and whether the two fit together."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING

from troth.contracts.exchange import Headers, Request
from troth.errors import TrothError

if TYPE_CHECKING:
    from troth.contracts.auth import Auth

__all__ = ["HookError", "checked", "signature", "words", "wrong_hook"]

_AT = 1_750_000_000.0
_SAMPLES = (
    Request("GET", "/things/1", "page=2", ((b"Accept", b"*/*"),), b"", "api.example"),
    Request("POST", "/things", "", ((b"Content-Type", b"application/json"),), b'{"a": 1}', "api.example"),
)


class HookError(TrothError):
    """A hook failed, or gave what it must not."""

    exit_code = 4

    def __init__(self, name: str, found: str) -> None:
        super().__init__("E195", f"an answer of the hook {name!r}", found, "Mend it in the contract's hooks")


def signature(auth: Auth, request: Request, given: Mapping[str, str], at: float) -> Headers:
    """The headers that the hook of ``auth`` signs ``request`` with. Raises HookError."""
    assert auth.hook is not None
    try:
        found = dict(auth.hook.sign(request, given, at))
        return tuple((name.encode("latin-1"), value.encode("latin-1")) for name, value in found.items())
    except Exception as error:
        raise HookError(auth.name, words(error)) from None


def checked(auth: Auth, request: Request) -> bool:
    """Does the hook of ``auth`` take ``request``? Raises HookError."""
    assert auth.hook is not None

    def fits(name: str, text: str) -> bool:
        pattern = auth.fits[name]
        return pattern is None or (bool(text) and fnmatchcase(text, pattern))

    try:
        return auth.hook.check(request, fits) is True
    except Exception as error:
        raise HookError(auth.name, words(error)) from None


def wrong_hook(auth: Auth, given: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """What is wrong with a kind of credentials, tried with ``given``; "" when its two directions fit together.

    And the headers, in lower case, that it adds.
    """
    names: dict[str, None] = {}
    try:
        for request in _SAMPLES:
            first, second = (signature(auth, request, given, _AT) for _ in range(2))
            names.update(dict.fromkeys(name.decode("latin-1").lower() for name, _ in first))
            if first != second:
                return "two signatures of one request that differ", ()
            signed = Request(
                request.method, request.path, request.query, (*request.headers, *first), request.body, request.host
            )
            if not checked(auth, signed):
                return f"a signed {request.method} that its own check refuses", ()
            if checked(auth, request):
                return f"a {request.method} without a signature that its check takes", ()
    except HookError as error:
        return error.found, ()
    return "", tuple(names)


def words(error: Exception) -> str:
    """An error's kind and its line. Its text is left out: it may quote a secret."""
    frames = extract_tb(error.__traceback__)
    return f"{type(error).__name__} at {Path(frames[-1].filename).name}:{frames[-1].lineno}"
