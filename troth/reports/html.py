"""``report.html``: one file with everything in it, which asks nothing of any network."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from troth.reports.page import page_of
from troth.reports.pieces import Line, Piece
from troth.reports.visible import visible
from troth.reports.words import BLAME_TITLES, Code, Words, severity_words
from troth.runners.finding import Run

__all__ = ["render"]

_MARK = Markup("<mark>{}</mark>")
_NOTE = Markup('<span class="note">{}</span>')
_CODE = Markup("<code>{}</code>")


def render(run: Run) -> bytes:
    """The page, UTF-8. Everything from outside is escaped; what does not print is shown as its escape."""
    css, js = _read("report.css"), _read("report.js")
    page = (
        _environment()
        .get_template("report.html.j2")
        .render(
            page=page_of(run),
            css=Markup(css),
            js=Markup(js),
            css_hash=_hash(css),
            js_hash=_hash(js),
            blame_titles=BLAME_TITLES,
        )
    )
    return page.encode("utf-8", "replace")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_read),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters.update(block=_block, lines=_lines, words=_words, visible=visible, severity_words=severity_words)
    return environment


def _read(name: str) -> str:
    return files("troth.reports").joinpath("templates", name).read_text(encoding="utf-8")


def _finalize(value: Any) -> Any:
    """Every text that goes into the page passes here, before it is escaped."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _hash(text: str) -> str:
    """For the page's content security policy: only this style and this script may work."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _block(text: str) -> Markup:
    """Text of several lines."""
    return _text(visible(text, keep="\n"))


def _lines(lines: Sequence[Line]) -> Markup:
    return Markup("\n").join(Markup("").join(map(_piece, line)) for line in lines)


def _piece(piece: Piece) -> Markup:
    text = _text(piece.text)
    if piece.note:
        text = _NOTE.format(text)
    return _MARK.format(text) if piece.mark else text


def _words(words: Words) -> Markup:
    return Markup("").join(_CODE.format(_text(word)) if isinstance(word, Code) else _text(word) for word in words)


def _text(text: str) -> Markup:
    """Text between tags, where quotes may stay as they are: JSON is full of them."""
    return Markup(escape(text, quote=False))
