"""The credentials of one run: held by the object that uses them, with no readable form."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from troth.contracts.contract import Auth, Contract, Secret
from troth.contracts.values import ABSENT
from troth.runners.scope import SecretValues, StepScope

if TYPE_CHECKING:
    from troth.contracts.expressions.expression import Said

__all__ = ["Credentials", "fitting"]


class Credentials:
    """Secret values by name, and the headers that they make. Never printed, compared or pickled."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)

    @property
    def secrets(self) -> SecretValues:
        """What ``secrets`` stands for in expressions."""
        return SecretValues(self._values)

    def header(self, auth: Auth | None) -> bytes | None:
        """The value of ``Authorization``; None when ``auth`` asks for none, or for a secret that is not held."""
        if auth is None or auth.kind == "none":
            return None
        scope = StepScope({"secrets": self.secrets})
        if auth.kind == "bearer":
            token = _text(auth.token, scope)
            return None if token is None else b"Bearer " + token.encode()
        user, password = _text(auth.username, scope), _text(auth.password, scope)
        if user is None and password is None:
            return None
        return b"Basic " + b64encode(f"{user or ''}:{password or ''}".encode())

    def hidden(self, auths: Iterator[Auth] | tuple[Auth, ...] = ()) -> Iterator[tuple[str, str]]:
        """(name, text) of everything that must never be seen: the values, and what basic auth makes of them."""
        yield from self._values.items()
        for auth in auths:
            header = self.header(auth)
            if header is not None:
                yield "authorization", header.split(b" ", 1)[1].decode()

    def __repr__(self) -> str:
        return f"Credentials({len(self._values)} hidden)"

    def __reduce__(self) -> str:
        raise TypeError("credentials are not pickled")


def fitting(contract: Contract) -> Credentials:
    """Credentials for a simulator: for each secret a value that fits its ``allow``, and that no provider accepts."""
    return Credentials({secret.name: _fit(secret) for secret in contract.secrets.values()})


def _fit(secret: Secret) -> str:
    """A text that fits a shell pattern: ``*`` becomes a word, ``?`` a letter, ``[abc]`` its first member."""
    if secret.allow is None:
        return f"troth-simulated-{secret.name}"
    out, rest = "", secret.allow
    while rest:
        head, rest = rest[0], rest[1:]
        if head == "*":
            out += "trothsimulated"
        elif head == "?":
            out += "x"
        elif head == "[" and "]" in rest[1:]:
            end = rest.index("]", 1)
            out += _member(rest[:end])
            rest = rest[end + 1 :]
        else:
            out += head
    return out


def _member(group: str) -> str:
    if not group.startswith("!"):
        return group[0]
    return next(letter for letter in "xyz0123456789abc" if letter not in group)


def _text(said: Said | None, scope: StepScope) -> str | None:
    value = ABSENT if said is None else said.value(scope)
    return None if value is ABSENT or value is None else str(value)
