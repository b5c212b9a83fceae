"""Path templates: ``/v1/charges/{id}``, ``/Messages/{sid}.json``, ``/models/{model}:generate``."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from troth.errors import Place, Problems
from troth.frozen import frozen

__all__ = ["Segment", "Template", "check_template", "parse_template"]

_PART: Final = re.compile(r"\{([^{}]*)\}")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)
_LONGEST: Final = 2000


@frozen
class Segment:
    """One segment: ``literal``, or ``names`` of its parameters with the literals before, between and after them.

    A parameter that is the whole segment has no ``literals``. ``shape`` is the same for segments that differ only in
    the names of their parameters; segments with a smaller ``rank`` are more literal.
    """

    literal: str | None
    names: tuple[str, ...] = ()
    literals: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[str, ...]:
        return (self.literal,) if self.literal is not None else ("{}", *self.literals)

    @property
    def rank(self) -> tuple[int, int, tuple[str, ...]]:
        return -sum(map(len, self.literals)), -len(self.literals[0]) if self.literals else 0, self.literals

    def parts(self, text: str) -> list[str] | None:
        """The parameters of a text of this shape, none of them empty; None for another text.

        Each ends where the literal after it first comes, the last one before the literal that ends the segment; so
        one pass is enough, whatever the text.
        """
        first, *between, last = self.literals
        at, end = len(first), len(text) - len(last)
        if not text.startswith(first) or not text.endswith(last):
            return None
        found: list[str] = []
        for literal in between:
            stop = text.find(literal, at + 1, end)
            if stop < 0:
                return None
            found.append(text[at:stop])
            at = stop + len(literal)
        return [*found, text[at:end]] if at < end else None


@frozen
class Template:
    """The segments after the first slash, and the names of all parameters in order."""

    segments: tuple[Segment, ...]
    names: tuple[str, ...]


def parse_template(text: str) -> Template | str:
    """The template, or what is wrong with it, in words."""
    if not text.startswith("/"):
        return "it does not begin with a slash"
    if len(text) > _LONGEST:
        return f"it is longer than {_LONGEST} characters"
    if re.search(r"[\s?#]", text):
        return "it has a space, a question mark or a hash (a query is written under `query`)"
    segments: list[Segment] = []
    for part in text[1:].split("/"):
        segment = _segment(part)
        if isinstance(segment, str):
            return segment
        segments.append(segment)
    names = tuple(name for segment in segments for name in segment.names)
    for name in names:
        if names.count(name) > 1:
            return f"the parameter {name!r} comes twice"
    return Template(tuple(segments), names)


def check_template(text: str, place: Place, problems: Problems) -> tuple[str, ...]:
    """The names of a template's parameters; a problem (E280) when it cannot be read."""
    template = parse_template(text)
    if isinstance(template, Template):
        return template.names
    fix = "Write parameters in braces: /v1/charges/{id}"
    problems.add("E280", place, "a path like /v1/charges/{id}", f"{text[:200]!r}: {template}", fix)
    return ()


def _segment(part: str) -> Segment | str:
    pieces = _PART.split(part)
    literals, names = tuple(map(unquote, pieces[::2])), tuple(pieces[1::2])
    if any("{" in piece or "}" in piece for piece in pieces[::2]):
        return f"the braces of {part!r} do not pair up"
    for name in names:
        if not _NAME.fullmatch(name):
            return f"{name!r} is no name of a parameter"
    if not names:
        return Segment(literals[0])
    if literals == ("", ""):
        return Segment(None, names)
    if any(not piece for piece in literals[1:-1]):
        return f"nothing stands between two parameters of {part!r}"
    return Segment(None, names, literals)
