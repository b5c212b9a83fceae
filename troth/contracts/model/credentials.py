"""``auth.ok``: does a request carry credentials of the contract's kind, each fitting its secret's ``allow``?"""

from __future__ import annotations

import base64
import binascii
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from troth.contracts.nodes.base import constant_of

if TYPE_CHECKING:
    from troth.contracts.contract import Auth, Contract
    from troth.contracts.expressions.expression import Said

__all__ = ["auth_ok"]


def auth_ok(contract: Contract, auth: Auth | None, sent: bytes | None) -> bool:
    """Does the Authorization header ``sent`` satisfy ``auth``? True without any demand for credentials."""
    if auth is None or auth.kind == "none":
        return True
    return sent is not None and _sent(contract, auth, sent)


def _sent(contract: Contract, auth: Auth, sent: bytes) -> bool:
    scheme, _, value = sent.decode("latin-1").partition(" ")
    if auth.kind == "bearer" and scheme.lower() == "bearer":
        return _fits(contract, auth.token, value.strip())
    if scheme.lower() != "basic":
        return False
    try:
        user, _, password = base64.b64decode(value.strip(), validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return False
    if auth.kind == "bearer":
        # Providers with bearer keys (Stripe) take the key as a Basic user name too.
        return _fits(contract, auth.token, user)
    return _fits(contract, auth.username, user) and (auth.password is None or _fits(contract, auth.password, password))


def _fits(contract: Contract, said: Said | None, value: str) -> bool:
    """Does the credential fit what the contract says it is, each secret standing for its ``allow`` pattern?"""
    if said is None:
        return bool(value)
    if said.constant:
        return constant_of(said) in (value, None, "")
    if not value:
        return False
    for expression in said.expressions:
        for path in expression.reads:
            secret = contract.secrets.get(path[1]) if path[:1] == ("secrets",) and len(path) == 2 else None
            if secret is not None and secret.allow is not None and not fnmatchcase(value, secret.allow):
                return False
    return True
