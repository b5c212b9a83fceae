"""What the server says in its own name, never in the provider's.

Every such answer has the header ``Troth-Error`` and the JSON body ``{"troth": {"code", "message", "fix"}}``, so that a
test can tell it from what the contract declares.

E310  no operation answers this request (501)
E311  the simulator failed (500)
E312  the request is not HTTP/1.1 (400)
E313  request line (414) or headers (431) above the limit
E314  body above the limit (413)
E315  the request did not arrive in time (408)
E316  a transfer coding other than chunked (501)
E317  an expectation other than 100-continue (417)
E318  too many connections (503)
E319  another version of HTTP (505)
E320  CONNECT: the simulator is not a proxy (501)
E321  steered to a response that this request cannot get (501)
"""

from __future__ import annotations

import traceback
from pathlib import PurePath
from typing import Any

import orjson

from troth.contracts.exchange import Response
from troth.frozen import frozen

__all__ = ["Refusal", "Refused", "broken_response", "refusal_response", "troth_response", "where_it_failed"]


@frozen
class Refusal:
    """Why a request was not given to the simulator: ``status`` is the HTTP status, ``code`` from the table above."""

    status: int
    code: str
    message: str
    fix: str = ""


class Refused(Exception):
    """The rest of the connection cannot be read as requests; carries the Refusal to send."""

    def __init__(self, status: int, code: str, message: str, fix: str = "") -> None:
        self.refusal = Refusal(status, code, message, fix)
        super().__init__(message)


def troth_response(status: int, code: str, details: dict[str, Any]) -> Response:
    """An answer in Troth's own name: ``details`` beside ``code`` under the key ``troth``."""
    body = orjson.dumps({"troth": {"code": code, **details}}, option=orjson.OPT_INDENT_2)
    headers = [(b"Content-Type", b"application/json"), (b"Troth-Error", code.encode())]
    return Response(status, headers, body)


def refusal_response(refusal: Refusal) -> Response:
    """The answer that carries ``refusal``."""
    details = {"message": refusal.message}
    if refusal.fix:
        details["fix"] = refusal.fix
    return troth_response(refusal.status, refusal.code, details)


def broken_response() -> Response:
    """What a client gets when the simulator itself failed. Nothing of the failure is in it: it may quote a secret."""
    refusal = Refusal(
        500,
        "E311",
        "the simulator failed while it made this answer; this is Troth's own fault, not the provider's",
        "The log of 'troth.simulators' names the place; please report it",
    )
    return refusal_response(refusal)


def where_it_failed(error: BaseException) -> str:
    """The type of ``error`` and the lines of code that it passed, innermost last, without its text or any value."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = " > ".join(f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames)
    return f"{type(error).__name__} at {lines}"
