"""Recorded exchanges as the page shows them: one line, a cURL command, and what went over the wire."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from troth.reports.bodies import body_lines
from troth.reports.curl import curl, request_head, response_head
from troth.reports.pieces import Line, Piece, plain_text
from troth.reports.visible import shorten, visible
from troth.runners.finding import Finding, RecordedExchange

__all__ = ["ExchangeView", "Exchanges", "duration"]

_BUDGET = 1_200_000
"""Characters that all exchanges of a page may take together; a page must open at once, also on a phone."""
_MOST, _LEAST = 12_000, 1_000
"""Characters of one body that are shown, when there are few exchanges and when there are many."""
_HEAD = 60
"""Headers that are shown."""
_COMMAND = 4_000


@dataclass(frozen=True, slots=True)
class ExchangeView:
    """One exchange.

    ``shown_at`` is the id of the finding that shows it already; ``left_out`` says that the page has no room for it. In
    both cases the rest is empty.
    """

    target: str
    line: str
    answer: str
    took: str
    shown_at: str = ""
    left_out: bool = False
    command: str = ""
    command_cut: bool = False
    request: Sequence[Line] = ()
    response: Sequence[Line] = ()
    error: str = ""


class Exchanges:
    """Makes the views of one page; an exchange that several findings share is shown once."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        unique = {exchange for finding in findings for exchange in finding.exchanges}
        self._limit = max(_LEAST, min(_MOST, _BUDGET // (3 * max(len(unique), 1))))
        self._room = _BUDGET
        self._shown: dict[RecordedExchange, str] = {}

    def views(self, finding: Finding, identity: str) -> tuple[ExchangeView, ...]:
        """The exchanges of a finding whose element on the page is called ``identity``."""
        return tuple(self._view(exchange, finding.path, identity) for exchange in finding.exchanges)

    def _view(self, exchange: RecordedExchange, path: str, identity: str) -> ExchangeView:
        line, answer = _line(exchange), _answer(exchange)
        shown_at = self._shown.setdefault(exchange, identity)
        if shown_at != identity:
            return ExchangeView(exchange.target, line, answer, duration(exchange.elapsed), shown_at)
        if self._room <= 0:
            return ExchangeView(exchange.target, line, answer, duration(exchange.elapsed), left_out=True)
        view = self._whole(exchange, path, line, answer)
        self._room -= _size(view.command) + _size(plain_text(view.request)) + _size(plain_text(view.response))
        return view

    def _whole(self, exchange: RecordedExchange, path: str, line: str, answer: str) -> ExchangeView:
        command = curl(exchange)
        room = min(_COMMAND, self._limit * 2)
        sent = _body(exchange.request_body, _inside_request(path), self._limit)
        return ExchangeView(
            target=exchange.target,
            line=line,
            answer=answer,
            took=duration(exchange.elapsed),
            command=shorten(command, room),
            command_cut=len(command) > room,
            request=_head(request_head(exchange), "") + sent,
            response=_head(response_head(exchange), path) + _body(exchange.response_body, path, self._limit),
            error=exchange.error or "",
        )


def duration(seconds: float) -> str:
    """A span of time as people say it: ``12 ms``, ``3.4 s``, ``2 min 5 s``."""
    if seconds < 1:
        return f"{max(seconds, 0) * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def _size(text: str) -> int:
    """Characters that the text takes on the page, where some are written as references."""
    return len(text) + 4 * (text.count("<") + text.count(">") + text.count("&"))


def _line(exchange: RecordedExchange) -> str:
    first = request_head(exchange)[0]
    return shorten(first, 160)


def _answer(exchange: RecordedExchange) -> str:
    if exchange.status is None:
        return "no answer"
    name = visible(exchange.response_name) if exchange.response_name else "not declared"
    return f"{exchange.status} {name}"


def _inside_request(path: str) -> str:
    """A path such as ``body.card.number`` as one into the request's body."""
    return "$" + path[4:] if path == "body" or path.startswith(("body.", "body[")) else ""


def _head(head: list[str], path: str) -> list[Line]:
    wanted = path.removeprefix("headers.").replace("_", "-").lower() if path.startswith("headers.") else None
    lines: list[Line] = []
    for number, text in enumerate(head[:_HEAD]):
        name = text.partition(":")[0].lower()
        mark = name == wanted if number else path == "status"
        lines.append([Piece(shorten(text, 400), mark)])
    if wanted and not any(line[0].mark for line in lines):
        lines.append([Piece(f"no {wanted}", True, True)])
    if len(head) > _HEAD:
        lines.append([Piece(f"… {len(head) - _HEAD} more headers", False, True)])
    return lines


def _body(body: str, path: str, limit: int) -> list[Line]:
    lines = body_lines(body, path, limit)
    return [[], *lines] if lines else []
