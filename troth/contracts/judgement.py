"""What the model says of one exchange."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from troth.contracts.exchange import Response
from troth.contracts.matcher import Mismatch, Origin
from troth.contracts.values import ABSENT, Json, Value
from troth.frozen import frozen

__all__ = ["Answer", "Choice", "Judgement", "NearMiss", "Unobserved", "Why"]


@frozen
class Why:
    """Why a part of an exchange was not judged exactly. Leniency is counted, never silent."""

    reason: str
    """``undecided``, ``unknown``, ``maybe``, ``doubt``, ``timer``, ``limit``, ``mismatch`` or ``unlisted``."""
    what: str


@frozen
class Unobserved:
    """The reply says nothing about the contract: neither agreement nor drift."""

    verdict: Literal["unauthorized", "exhausted", "unreachable"]
    reason: str


@frozen
class Choice:
    """A place where the contract leaves something open, and what the target did there."""

    what: Literal["default", "presence", "null", "size", "order", "member"]
    value: Json
    origin: Origin


@frozen
class Judgement:
    """One judged exchange.

    ``response`` is the name of the response that came (None when undeclared or unobserved); ``predicted`` the names
    that the contract allowed here. ``body`` is the decoded reply body (links as keys), ``headers`` the decoded reply
    headers by lower-case name with ``_``.
    """

    operation: str
    response: str | None
    predicted: tuple[str, ...] = ()
    mismatches: tuple[Mismatch, ...] = ()
    agreed: frozenset[Origin] = frozenset()
    unjudged: tuple[Why, ...] = ()
    unobserved: Unobserved | None = None
    choices: Mapping[str, Choice] = field(default_factory=dict)
    news: Mapping[str, Choice] = field(default_factory=dict)
    """Values that an open list does not name."""
    worlds: int = 1
    body: Value = ABSENT
    headers: Mapping[str, Json] = field(default_factory=dict)
    created: tuple[tuple[str, Json], ...] = ()
    """(collection, key) of every record that the reply's ``put`` effects registered."""
    doubted: Mapping[str, str] = field(default_factory=dict)
    """Responses that come or do not come by what a doubtful value really is, to the mismatch that made it doubtful."""


@frozen
class NearMiss:
    """An operation that a request did not reach, and field by field why not (``path``, ``want``, ``got``)."""

    operation: str
    method: str
    path: str
    reasons: tuple[tuple[str, str, str], ...]


@dataclass(slots=True)
class Answer:
    """What the simulator says to one request. ``operation`` None: no route; ``near`` then explains."""

    response: Response
    operation: str | None
    name: str | None
    near: tuple[NearMiss, ...] = ()
    refused: tuple[tuple[str, str, str], ...] = ()
    """Why the contract calls the request invalid (``path``, ``want``, ``got``), when ``name`` is the answer to that."""
    unsteered: str = ""
    """Set when the request could not be answered as it was steered: why, in words."""
