"""Keeps the examples on pages equal to the files under test that they come from, so that a page is complete by itself.

A page names the file, and after a colon a section of it, above a code block; this tool writes the block's text:

    <!-- snippet: docs/snippets/language/values.yaml:types -->

Without a code block (another document is taken in whole), the text stands up to ``<!-- end of snippet -->``. A section
is what lies between the lines ``--8<-- [start:types]`` and ``--8<-- [end:types]`` of the file. ``--check`` writes
nothing and fails when something would be written.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from textwrap import dedent

MARKER = re.compile(r"^<!-- snippet: (?P<source>[^\n]*?) -->\n", re.MULTILINE)
BLOCK = re.compile(
    MARKER.pattern + r"\n?(?:(?P<fence>```\w+[^\n]*\n)(?:[^\n]*\n)*?```$|(?:[^\n]*\n)*?<!-- end of snippet -->$)",
    re.MULTILINE,
)
_EDGE = re.compile(r"^[ \t]*# --8<-- \[(start|end):([\w-]+)\]\n", re.MULTILINE)


class SnippetError(Exception):
    """A marker that cannot be followed."""


def pages(root: Path) -> list[Path]:
    """The documents that may show snippets."""
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def snippet(root: Path, source: str) -> str:
    """The text of ``FILE`` or ``FILE:SECTION``, without the lines that mark sections. Raises SnippetError."""
    name, _, section = source.partition(":")
    try:
        text = (root / name).read_text(encoding="utf-8")
    except OSError as error:
        raise SnippetError(f"{source}: {error}") from None
    if section:
        parts = {match[2]: text[match.end() :] for match in _EDGE.finditer(text) if match[1] == "start"}
        begun, end, _ = parts.get(section, "").partition(f"# --8<-- [end:{section}]")
        if not end:
            raise SnippetError(f"{source}: the file has no section of that name; it has {', '.join(parts) or 'none'}")
        text = begun.rpartition("\n")[0] + "\n"
    return dedent(_EDGE.sub("", text)).strip("\n") + "\n"


def inlined(root: Path, text: str) -> str:
    """A page's text with every snippet as its file has it now. Raises SnippetError."""

    def written(match: re.Match[str]) -> str:
        body = snippet(root, match["source"])
        inside = f"{match['fence']}{body}```" if match["fence"] else f"{body}\n<!-- end of snippet -->"
        return f"<!-- snippet: {match['source']} -->\n\n{inside}"

    bare = {match["source"] for match in MARKER.finditer(text)} - {match["source"] for match in BLOCK.finditer(text)}
    if bare:
        raise SnippetError(f"{', '.join(sorted(bare))}: neither a code block nor an end below the marker")
    return BLOCK.sub(written, text)


def main(arguments: list[str], root: Path) -> int:
    """1 when a marker cannot be followed, or with ``--check`` when a page is not as its files are."""
    failed = 0
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        try:
            wanted = inlined(root, text)
        except SnippetError as error:
            print(f"{page.relative_to(root)}: {error}")
            failed = 1
            continue
        if wanted != text and "--check" in arguments:
            print(f"{page.relative_to(root)} shows an older text of a snippet; make snippets writes it anew")
            failed = 1
        elif wanted != text:
            page.write_text(wanted, encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Path(__file__).parents[1]))
