"""How requests show who sends them: what one contract demands, compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Literal

from troth.frozen import frozen

if TYPE_CHECKING:
    from troth.contracts.expressions.expression import Expression, Said
    from troth.contracts.hooks.specs import AuthHook

__all__ = ["Auth", "AuthKind", "Certificate", "Grant"]

AuthKind = Literal["bearer", "basic", "header", "query", "oauth2", "sigv4", "mtls", "hook", "none"]


@frozen
class Grant:
    """Where an OAuth 2 token comes from: ``values`` (by written name) for ``operation``, whose reply holds it."""

    operation: str
    values: Mapping[str, Said]
    token: Expression
    """``this`` is the reply's body."""
    expires: Expression | None = None
    """Seconds for which the token is good, from the reply; None: until it is refused."""


@frozen
class Certificate:
    """A client certificate: the variables that hold the paths of two PEM files."""

    cert: str
    key: str
    subject: str | None = None
    """Pattern of the subjects that may be shown: ``CN=acme,*``. None: none may."""


@frozen
class Auth:
    """How requests are signed, and what a simulator demands of them."""

    kind: AuthKind
    token: Said | None = None
    """The credential of ``bearer``, ``header`` and ``query``."""
    username: Said | None = None
    """For ``sigv4`` the id of the key."""
    password: Said | None = None
    """For ``sigv4`` the secret key."""
    session: Said | None = None
    """For ``sigv4`` the token of temporary credentials."""
    name: str = ""
    """Of the header or the query parameter."""
    service: str = ""
    region: str = ""
    """Empty: the one in the host's name, else us-east-1."""
    grant: Grant | None = None
    certificate: Certificate | None = None
    hook: AuthHook | None = None
    given: Mapping[str, Said] = field(default_factory=dict)
    """For ``hook``: its values by name."""
    carriers: tuple[str, ...] = ()
    """For ``hook``: the headers, in lower case, that it adds."""
    fits: Mapping[str, str | None] = field(default_factory=dict)
    """A field, or a name in ``given``, to the pattern that a simulator demands; None: anything, also nothing."""
