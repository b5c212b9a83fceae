"""What remains of a YAML file that cannot be read: everything but the entry that the parser stumbled over.

The entry's lines are blanked, so that all others keep their numbers. The rest is read again; where that fails as well,
only what stands above counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from troth.contracts.yaml_files.excerpt import lines_of

__all__ = ["without_entry"]

_SAYS_NOTHING = re.compile(r"\s*(?:#.*)?")


def without_entry(text: str, line: int) -> Iterator[str]:
    """``text`` without the entry that ``line`` (from 1) lies in, then without what follows it, and its section."""
    lines = lines_of(text)
    at = min(line, len(lines)) - 1
    section = _start(lines, at, 0)
    said = [number for number in range(section + 1, len(lines)) if not _SAYS_NOTHING.fullmatch(lines[number])]
    depth = _indent(lines[said[0]]) if said else 0
    entry = _start(lines, at, depth) if at > section and depth else section
    if entry > section and said[0] == entry and not any(_indent(lines[n]) == depth for n in _until(said[1:], lines, 0)):
        entry = section  # the only one: a section without any would be another mistake
    after = [number for number in said if number > at]
    end = next((number for number in after if _indent(lines[number]) <= _indent(lines[entry])), len(lines))
    for start, stop in ((entry, end), (entry, len(lines)), (section, len(lines))):
        yield "\n".join([*lines[:start], *[""] * (stop - start), *lines[stop:]])


def _start(lines: list[str], at: int, depth: int) -> int:
    """The line at or above ``at`` that begins at most ``depth`` columns in."""
    above = range(at, -1, -1)
    return next((n for n in above if _indent(lines[n]) <= depth and not _SAYS_NOTHING.fullmatch(lines[n])), 0)


def _until(numbers: Iterable[int], lines: list[str], depth: int) -> Iterator[int]:
    return takewhile(lambda number: _indent(lines[number]) > depth, numbers)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
