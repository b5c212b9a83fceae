"""Which replies say nothing about the contract, so that they are neither agreement nor drift."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal
from urllib.parse import urlsplit

from troth.contracts.exchange import Response, header
from troth.contracts.judgement import Unobserved
from troth.contracts.model.reply import ReplyBody

if TYPE_CHECKING:
    from collections.abc import Collection

    from troth.contracts.contract import ResponseShape

__all__ = ["REDIRECTS", "by_declaration", "by_status"]

_STATUSES: dict[int, Literal["unauthorized", "exhausted", "unreachable"]] = {
    401: "unauthorized",
    402: "exhausted",
    403: "unauthorized",
    407: "unreachable",
    408: "unreachable",
    429: "exhausted",
}
REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
"""What a front door sends elsewhere: to a login page, another host, or https."""


def by_declaration(shape: ResponseShape | None, expected: Collection[str]) -> Unobserved | None:
    """A response with ``means`` is unobserved, unless the step expects that response."""
    if shape is None or shape.means is None or shape.name in expected:
        return None
    return Unobserved(shape.means, f"the provider answered {shape.status} ({shape.name})")


def by_status(response: Response, body: ReplyBody, declared: bool) -> Unobserved | None:
    """What is undeclared and no API's own answer; HTML for JSON; bodies that cannot be decoded or are too large.

    Undeclared are 401, 402, 403, 407, 408, 429, 5xx and redirects, none of which is followed.
    """
    if not declared and (response.status in _STATUSES or response.status >= 500):
        verdict = _STATUSES.get(response.status, "unreachable")
        return Unobserved(verdict, f"the provider answered {response.status}, which the contract does not declare")
    if not declared and response.status in REDIRECTS:
        return Unobserved("unreachable", f"the provider answered {response.status}, {_where_to(response)}")
    if body.fault is None:
        return None
    if body.html:
        due = body.fault.want.partition(",")[0]
        return Unobserved("unreachable", f"the provider answered {response.status} with HTML where {due} is due")
    if body.fault.kind == "bounds":
        size = len(response.body)
        return Unobserved("unreachable", f"the provider answered {size} bytes, more than is judged")
    if body.fault.kind == "content_type" and declared:
        return None
    return Unobserved("unreachable", f"the provider's answer cannot be decoded: {body.fault.want}")


def _where_to(response: Response) -> str:
    """Where a redirect leads, without what its address may hold besides the host."""
    address = header(response.headers, b"location")
    if address is None:
        return "a redirect without an address"
    try:
        host = urlsplit(address).netloc.rpartition("@")[2]
    except ValueError:
        host = ""
    return f"a redirect to {host or 'another path'}, which is not followed"
