"""Text as Markdown that cannot turn into anything else: no markup, no link, no mention of somebody."""

from __future__ import annotations

import re

from troth.reports.visible import shorten, visible

__all__ = ["code_span", "prose"]

_SPECIAL = re.compile(r"([\\`*_{}\[\]!|~$])")
_BLOCK = re.compile(r"^(?=[-+=]|\d+[.)])")
"""What would begin a list or a heading at the start of a line."""
_REFERENCES = {"@": "&#64;", "#": "&#35;", "://": ":&#47;&#47;", "www.": "www&#46;"}
"""What GitHub turns into a mention, a number of an issue, or a link."""
_TEXT = 300


def prose(text: str) -> str:
    """Prose that cannot turn into markup, a link, or a mention of somebody."""
    flat = visible(" ".join(shorten(text, _TEXT).split()))
    escaped = flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    escaped = _BLOCK.sub(r"\\", _SPECIAL.sub(r"\\\1", escaped))
    return re.sub("|".join(map(re.escape, _REFERENCES)), lambda found: _REFERENCES[found.group()], escaped)


def code_span(text: str) -> str:
    """A code span; backticks inside need a longer fence, a bar would end a cell of a table."""
    flat = visible(" ".join(text.split())).replace("|", "¦")
    if not flat:
        return "–"
    longest = max((len(run) for run in re.findall("`+", flat)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{pad}{flat}{pad}{fence}"
