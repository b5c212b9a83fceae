"""One request and its answer, as they were on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

__all__ = ["Headers", "Interval", "Request", "Response", "header"]

Headers: TypeAlias = Sequence[tuple[bytes, bytes]]
"""Name and value as they were sent, in order, duplicates kept."""


class Interval(NamedTuple):
    """A span of time, Unix seconds. On a sandbox: [sent - skew, received + skew]; on a simulator lo == hi."""

    lo: float
    hi: float


def header(headers: Headers, name: bytes) -> str | None:
    """The first header called ``name`` (given in lower case), decoded as Latin-1; None when there is none."""
    for key, value in headers:
        if key.lower() == name:
            return value.decode("latin-1")
    return None


@dataclass(slots=True)
class Request:
    """What a client sent. Not frozen, for the speed of the simulator; nothing changes one once it is made."""

    method: str
    path: str
    """As sent: percent-encoded, without the query."""
    query: str = ""
    """As sent, without the question mark."""
    headers: Headers = ()
    body: bytes = b""
    host: str = ""


@dataclass(slots=True)
class Response:
    """What came back."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    trailers: Headers = field(default=())
