"""Says why no operation answers a request: as JSON for the client, as text for the test that fails.

No two lines of an explanation are alike, and what was wanted never prints like what was got.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from troth.contracts.exchange import Request
from troth.contracts.judgement import NearMiss

__all__ = ["explanation_json", "explanation_text", "refusal_text", "unmatched"]

_LONGEST = 200
_FIX = "Correct the request, or describe it in the contract"


def unmatched(request: Request, provider: str) -> str:
    """Which request it is that nothing answers."""
    query = f"?{request.query}" if request.query else ""
    return f"nothing in the contract of {provider} answers {request.method} {_short(request.path + query)}"


def explanation_json(request: Request, near: Sequence[NearMiss], provider: str) -> dict[str, Any]:
    """``message``, ``nearest`` (each with ``operation``, ``method``, ``path``, ``why``) and ``fix``.

    ``why`` is a list of ``{"at", "want", "got"}``. Secrets must be out of ``request`` and ``near`` already.
    """
    nearest = [
        {
            "operation": miss.operation,
            "method": miss.method,
            "path": miss.path,
            "why": [{"at": at, "want": want, "got": got} for at, want, got in _reasons(miss)],
        }
        for miss in near
    ]
    return {"message": unmatched(request, provider), "nearest": nearest, "fix": _FIX}


def explanation_text(request: Request, near: Sequence[NearMiss], provider: str) -> str:
    """The same for people, a line a reason."""
    lines = [unmatched(request, provider)]
    for miss in near:
        lines.append(f"  nearest: {miss.operation} ({miss.method} {miss.path})")
        for at, want, got in _reasons(miss):
            line = f"    {at}: wants {want}, got {got}"
            lines.append(line if line not in lines else f"{line} (for {miss.operation} too)")
    lines.append(f"  {_FIX}.")
    return "\n".join(lines)


def refusal_text(request: Request, answer: str, reasons: Sequence[tuple[str, str, str]], provider: str) -> str:
    """Why a request was answered by ``answer`` (``operation.response``), which is for invalid ones; a line a reason."""
    lines = [f"{request.method} {_short(request.path)} does not fit the contract of {provider}: answered by {answer}"]
    lines += [f"    {at}: wants {want}, got {got}" for at, want, got in _told(reasons)]
    return "\n".join(lines)


def _reasons(miss: NearMiss) -> list[tuple[str, str, str]]:
    return _told(miss.reasons)


def _told(reasons: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Each reason once, shortened, and told apart."""
    found: dict[tuple[str, str, str], None] = {}
    for at, want, got in reasons:
        found[(at, *_told_apart(_short(want), _short(got)))] = None
    return list(found)


def _told_apart(want: str, got: str) -> tuple[str, str]:
    """Spaces, control characters and look-alike letters are escaped when the two would print the same."""
    if want.split() != got.split():
        return want, got
    want, got = ascii(want), ascii(got)
    return want, got if want != got else f"{got} (it prints alike, but differs: in its type or beyond what is shown)"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"
