"""Text in pieces, some of them marked: what the difference and body views make, and the page shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Line", "Piece", "Sheet", "cut_lines", "plain_text"]


class Piece(NamedTuple):
    """A run of text. ``mark`` says that it is the part that differs, ``note`` that it is ours, not the provider's."""

    text: str
    mark: bool = False
    note: bool = False


Line = Sequence[Piece]


@dataclass(slots=True)
class Sheet:
    """Collects lines of pieces up to about ``limit`` characters, then says that the rest was cut."""

    limit: int
    lines: list[list[Piece]] = field(default_factory=lambda: [[]])
    size: int = 0
    full: bool = False

    def add(self, text: str, mark: bool = False, note: bool = False) -> None:
        """Continue the current line."""
        if self.full or not text:
            return
        room = self.limit - self.size
        if len(text) > room:
            text, self.full = text[: max(room, 0)], True
        self.size += len(text)
        line = self.lines[-1]
        if line and line[-1][1:] == (mark, note):
            line[-1] = Piece(line[-1].text + text, mark, note)
        elif text:
            line.append(Piece(text, mark, note))
        if self.full:
            line.append(Piece("… cut", False, True))

    def newline(self, indent: int = 0) -> None:
        """Start another line."""
        if not self.full:
            self.lines.append([])
            self.add("  " * indent)


def cut_lines(lines: Sequence[Line], limit: int) -> list[Line]:
    """At most about ``limit`` characters of ``lines``: the beginning, and what stands around the first mark."""
    if sum(_length(line) for line in lines) <= limit:
        return list(lines)
    first = next((number for number, line in enumerate(lines) if any(piece.mark for piece in line)), None)
    head = _fitting(lines, limit if first is None else limit // 2)
    if first is None or first < head:
        return [*lines[:head], *_gap(len(lines) - head)]
    around = max(1, min(6, limit // 250))
    start, end = max(head, first - around), min(len(lines), first + around + 1)
    return [*lines[:head], *_gap(start - head), *lines[start:end], *_gap(len(lines) - end)]


def plain_text(lines: Iterable[Line]) -> str:
    """The text alone."""
    return "\n".join("".join(piece.text for piece in line) for line in lines)


def _length(line: Line) -> int:
    return 1 + sum(len(piece.text) for piece in line)


def _fitting(lines: Sequence[Line], limit: int) -> int:
    size = 0
    for number, line in enumerate(lines):
        size += _length(line)
        if size > limit:
            return number
    return len(lines)


def _gap(count: int) -> list[Line]:
    if count <= 0:
        return []
    return [[Piece(f"… {count:,} {'line' if count == 1 else 'lines'} cut", False, True)]]
