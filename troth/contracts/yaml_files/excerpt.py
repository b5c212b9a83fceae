"""The source line of a problem, with a caret under the column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from troth.contracts.secret_shapes import hide_secrets
from troth.errors import Place, Problem

__all__ = ["excerpt", "lines_of", "with_excerpts"]

# The line breaks that YAML parsers count; str.splitlines knows more of them.
_BREAKS = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
_WIDTH = 110
_EXPRESSION = re.compile(r"  (?P<source>[^\n]*)\n  (?P<before> *)\^")
"""An expression alone, with a caret below it."""


def lines_of(text: str) -> list[str]:
    """The lines of a YAML text, as a YAML parser counts them."""
    return _BREAKS.split(text)


def excerpt(lines: list[str], place: Place) -> str:
    """The line at ``place`` and a caret under its column; long lines are cut around it. Empty when there is none."""
    if not 1 <= place.line <= len(lines):
        return ""
    line, column = _printable(hide_secrets(lines[place.line - 1].replace("\t", " "))), max(place.column, 1) - 1
    before = after = ""
    if len(line) > _WIDTH:
        start = max(0, min(column - _WIDTH // 2, len(line) - _WIDTH))
        before, after = ("…" if start else ""), ("…" if start + _WIDTH < len(line) else "")
        line, column = line[start : start + _WIDTH], column - start + len(before)
    number = f"{place.line:>5} | "
    return f"{number}{before}{line}{after}\n{' ' * (len(number) - 2)}| {' ' * column}^"


def _printable(line: str) -> str:
    """What cannot be seen, or turns the writing round, as U+FFFD: a line is to look on a screen as it is read."""
    return "".join(char if char.isprintable() else "\ufffd" for char in line)


def with_excerpts(problems: Iterable[Problem], sources: Mapping[str, str]) -> list[Problem]:
    """The problems in the order of their places, each once, each with its excerpt. ``sources``: file to text.

    What looks like a credential is blotted out: problems go to screens and logs.
    """
    lines: dict[str, list[str]] = {}
    files = {name: number for number, name in enumerate(sources)}
    done: dict[Problem, None] = {}
    for problem in problems:
        place, shown = problem.place, problem
        if place.file in sources:
            if place.file not in lines:
                lines[place.file] = lines_of(sources[place.file])
            text = _in_its_line(lines[place.file], problem) if problem.excerpt else excerpt(lines[place.file], place)
            shown = replace(problem, found=hide_secrets(problem.found), fix=hide_secrets(problem.fix), excerpt=text)
        done[shown] = None
    return sorted(done, key=lambda p: (files.get(p.place.file, len(files)), p.place.line, p.place.column))


def _in_its_line(lines: list[str], problem: Problem) -> str:
    """The excerpt of an expression as part of the line that holds it.

    The caret moves into that line where the expression stands in it as it is; one that YAML folded or unescaped is
    shown below the line where it begins.
    """
    place, own = problem.place, _EXPRESSION.fullmatch(problem.excerpt)
    line = excerpt(lines, place)
    if own is None or not line:
        return problem.excerpt
    source = own["source"]
    found = lines[place.line - 1].replace("\t", " ").find(source, max(place.column, 1) - 1)
    if found >= 0 and source.strip():
        return excerpt(lines, place._replace(column=found + len(own["before"]) + 1))
    return f"{line.partition(chr(10))[0]}\n{hide_secrets(problem.excerpt)}"
