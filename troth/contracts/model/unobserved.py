"""Which replies say nothing about the contract, so that they are neither agreement nor drift."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from troth.contracts.exchange import Response
from troth.contracts.judgement import Unobserved
from troth.contracts.model.reply import ReplyBody

if TYPE_CHECKING:
    from collections.abc import Collection

    from troth.contracts.contract import ResponseShape

__all__ = ["by_declaration", "by_status"]

_STATUSES: dict[int, Literal["unauthorized", "exhausted", "unreachable"]] = {
    401: "unauthorized",
    403: "unauthorized",
    408: "unreachable",
    429: "exhausted",
}


def by_declaration(shape: ResponseShape | None, expected: Collection[str]) -> Unobserved | None:
    """A response with ``means`` is unobserved, unless the step expects that response."""
    if shape is None or shape.means is None or shape.name in expected:
        return None
    return Unobserved(shape.means, f"the provider answered {shape.status} ({shape.name})")


def by_status(response: Response, body: ReplyBody, declared: bool) -> Unobserved | None:
    """Undeclared 401, 403, 408, 429 and 5xx; HTML for JSON; bodies that cannot be decoded or are too large."""
    if not declared and (response.status in _STATUSES or response.status >= 500):
        verdict = _STATUSES.get(response.status, "unreachable")
        return Unobserved(verdict, f"the provider answered {response.status}, which the contract does not declare")
    if body.fault is None:
        return None
    if body.html:
        return Unobserved("unreachable", f"the provider answered {response.status} with HTML where JSON is due")
    if body.fault.kind == "bounds":
        size = len(response.body)
        return Unobserved("unreachable", f"the provider answered {size} bytes, more than is judged")
    if body.fault.kind == "content_type" and declared:
        return None
    return Unobserved("unreachable", f"the provider's answer cannot be decoded: {body.fault.want}")
