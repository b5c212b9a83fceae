"""The documentation as text, as tests read it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SNIPPETS = DOCS / "snippets"
CODE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^<!-- snippet: [^\n]+ -->\n\n```\w+[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""A code block that comes from a file."""


def pages() -> list[Path]:
    """Every page."""
    return sorted(DOCS.glob("*.md"))


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """The code blocks of a page: language and text."""
    for match in CODE.finditer(page.read_text(encoding="utf-8")):
        yield match.group(1), match.group(2)


def section(page: str, heading: str) -> str:
    """The text under a second-level heading, up to the next."""
    text = (DOCS / page).read_text(encoding="utf-8")
    assert f"\n## {heading}\n" in text, f"{page} has no section {heading!r}"
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def rows(text: str) -> list[list[str]]:
    """The cells of every table row in ``text``, without headings and rules."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    rules = {index for index, row in enumerate(cells) if set("".join(row)) <= {"-", ":"}}
    return [row for index, row in enumerate(cells) if index not in rules and index + 1 not in rules]
