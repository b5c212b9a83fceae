"""Reads one YAML file into mappings and lists that know their places, and reports everything that could be misread.

The language is YAML 1.2 narrowed to what means the same to every reader. What a parser would read silently as something
else than it looks like (``{a:1}``, ``0123``, a comment inside a quote) is a problem here, never a value.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from troth.contracts.yaml_files.placed import Map, Marks, Seq, place_of
from troth.contracts.yaml_files.pure_yaml import PureLoader
from troth.contracts.yaml_files.salvage import without_entry
from troth.contracts.yaml_files.syntax_hints import explain
from troth.contracts.yaml_files.yaml_builder import LIMITS, Builder, Enough, Limits
from troth.errors import Place, Problem, Problems
from troth.frozen import frozen

__all__ = ["LIMITS", "Limits", "Map", "Marks", "Seq", "Source", "fastest_loader", "place_of", "read_file", "read_text"]


@frozen
class Source:
    """One file as read. ``root`` is None when it cannot be used at all (then there is a problem)."""

    file: str
    text: str
    content: bytes
    root: Map | None
    complete: bool = True
    """False where the parser stumbled, and ``root`` lacks what it stumbled over (then, too, there is a problem)."""


def fastest_loader() -> Any:
    """PyYAML's loader on libyaml where it has one, else the one in Python."""
    return getattr(yaml, "CSafeLoader", PureLoader)


def read_file(path: Path, problems: Problems, *, limits: Limits = LIMITS) -> Source:
    """Read ``path``. Everything wrong with it goes to ``problems``; nothing is raised."""
    file = str(path)
    try:
        if path.exists() and not path.is_file():  # a pipe would wait for a writer
            problems.add("E001", Place(file), "a YAML file that can be read", "no ordinary file")
            return Source(file, "", b"", None, complete=False)
        with path.open("rb") as stream:
            content = stream.read(limits.size + 1)
    except OSError as error:
        problems.add("E001", Place(file), "a YAML file that can be read", error.strerror or type(error).__name__)
        return Source(file, "", b"", None, complete=False)
    return read_text(content, file, problems, limits=limits)


def read_text(
    content: bytes | str, file: str, problems: Problems, *, limits: Limits = LIMITS, loader: Any = None
) -> Source:
    """Read YAML from memory; ``file`` is the name that places show."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogatepass")
    text = _decoded(content, file, problems, limits)
    if text is None:
        return Source(file, "", content, None, complete=False)
    before = len(problems.items)
    try:
        root = _parsed(text, file, problems, limits, loader or fastest_loader())
    except _Unreadable as error:
        reported = problems.items[before:]
        root = _rest(text, file, error.line, reported, limits, loader or fastest_loader())
        problems.items[before:] = reported
        return Source(file, text, content, root, complete=False)
    return Source(file, text, content, root, complete=root is not None)


_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\ufeff")


def _decoded(content: bytes, file: str, problems: Problems, limits: Limits) -> str | None:
    start = Place(file, 1, 1)
    if len(content) > limits.size:
        found = "more" if len(content) == limits.size + 1 else f"{len(content):,}"
        problems.add("E002", start, f"a file of at most {limits.size:,} bytes", found, "Split it with `parts`")
        return None
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        problems.add("E003", start, "UTF-8 text", "UTF-16", "Save the file as UTF-8")
        return None
    if content.startswith(b"\xef\xbb\xbf"):
        problems.add("E003", start, "UTF-8 text", "a byte order mark before it", "Save the file as UTF-8 without BOM")
        return None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        place = _place_at(file, content[: error.start].decode("utf-8"))
        problems.add("E003", place, "UTF-8 text", f"the byte 0x{content[error.start]:02x}", "Save the file as UTF-8")
        return None
    bad = _FORBIDDEN.search(text)
    if bad:
        place = _place_at(file, text[: bad.start()])
        found = f"the character U+{ord(bad.group()):04X}"
        fix = 'Write it as an escape in double quotes ("\\u...."), or remove it'
        problems.add("E003", place, "printable text", found, fix)
        return None
    return text


def _place_at(file: str, before: str) -> Place:
    return Place(file, before.count("\n") + 1, len(before) - before.rfind("\n"))


class _Unreadable(Exception):
    """The text is no YAML; the problem was reported."""

    def __init__(self, line: int) -> None:
        self.line = line
        """Where what cannot be read begins, from 1."""


def _parsed(text: str, file: str, problems: Problems, limits: Limits, loader: Any) -> Map | None:
    builder = Builder(text, file, problems, limits, loader)
    try:
        return builder.document()
    except yaml.MarkedYAMLError as error:
        problem = explain(error, text, file)
        builder.syntax_error(problem)
        begun = error.context_mark.line + 1 if error.context_mark else problem.place.line
        raise _Unreadable(min(begun, problem.place.line)) from None
    except yaml.YAMLError as error:
        problems.add("E010", Place(file, 1, 1), "YAML", str(error))
    except Enough:
        pass
    return None


def _rest(text: str, file: str, line: int, reported: list[Problem], limits: Limits, loader: Any) -> Map | None:
    """What the file says beside the entry at ``line``; what is wrong with that goes to ``reported``."""
    for rest in without_entry(text, line):
        problems = Problems()
        try:
            root = _parsed(rest, file, problems, limits, loader)
        except _Unreadable:
            continue
        if root is not None:
            reported.extend(problem for problem in problems.items if problem not in reported)
            return root
    return None
