"""Reply headers beside what a response declares."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from troth.contracts.exchange import Response
from troth.contracts.matcher import Out, Scope
from troth.contracts.nodes.base import Reading
from troth.contracts.values import ABSENT, Json, Value

if TYPE_CHECKING:
    from troth.contracts.contract import ResponseShape
    from troth.contracts.nodes.shape import Shape

__all__ = ["Reply", "compare_headers", "header_values", "judge_headers"]


class Reply:
    """``reply`` in the effects of a sample: ``status``, ``headers``, ``body``."""

    __slots__ = ("_body", "_headers", "_response")

    def __init__(self, response: Response, body: Value) -> None:
        self._response = response
        self._body = body
        self._headers: dict[str, str] | None = None

    def item(self, name: str) -> Value:
        if name == "body":
            return self._body
        if name == "status":
            return self._response.status
        if name != "headers":
            return ABSENT
        if self._headers is None:
            self._headers = header_values(self._response)
        return self._headers


def header_values(response: Response) -> dict[str, str]:
    """All headers by lower-case name with ``_``; the first of duplicates."""
    values: dict[str, str] = {}
    for name, value in response.headers:
        values.setdefault(name.decode("latin-1").lower().replace("-", "_"), value.decode("latin-1"))
    return values


def compare_headers(shape: ResponseShape, scope: Scope, response: Response, out: Out, headers: dict[str, Json]) -> None:
    """Judge the declared headers; fill ``headers`` with every header, declared ones decoded."""
    judge_headers(shape.headers, scope, response, out, headers)


def judge_headers(declared: Shape | None, scope: Scope, response: Response, out: Out, headers: dict[str, Json]) -> None:
    """The same for any set of declared headers."""
    values = header_values(response)
    headers.update(values)
    if declared is None:
        return
    inner = Out()
    sent: dict[str, Json] = {field.name: values[field.name] for field in declared.fields if field.name in values}
    decoded = declared.read(sent, "headers", Reading(inner, scope, text=True))
    inner.mismatches = [
        replace(found, kind="missing_header" if found.kind == "missing_field" else "header")
        for found in inner.mismatches
    ]
    out.merge(inner)
    if isinstance(decoded, dict):
        headers.update({name: value for name, value in decoded.items() if name in sent})
