"""From the text of an expression to its syntax tree, by Jinja's lexer and parser.

Jinja tells lines only. Here every token carries its offset in place of its line, so that each node's ``lineno`` is the
offset where it stands, and each problem can put a caret under it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from jinja2 import Environment, TemplateSyntaxError, nodes
from jinja2.lexer import Token, TokenStream
from jinja2.parser import Parser

from troth.contracts.expressions.mistakes import Mistake, find_mistake
from troth.errors import Place, Problem, Problems

__all__ = ["Segment", "parse", "report", "split_template"]

_ENVIRONMENT: Final = Environment(keep_trailing_newline=True, autoescape=False)
_WIDTH: Final = 100
_PATH: Final = re.compile(r"[a-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){0,20}", re.ASCII)
_WORDS: Final = frozenset(
    {"and", "else", "false", "if", "in", "is", "nil", "none", "not", "null", "or", "true", "undefined"}
)


def _caret(source: str, offset: int) -> str:
    """The line of ``source`` around ``offset``, and a caret under it."""
    offset = min(max(offset, 0), len(source))
    start = source.rfind("\n", 0, offset) + 1
    end = source.find("\n", offset)
    line, column = source[start : end if end >= 0 else None], offset - start
    if column > _WIDTH * 3 // 4:
        cut = column - _WIDTH // 2
        line, column = "…" + line[cut:], column - cut + 1
    return f"  {line[:_WIDTH]}\n  {' ' * column}^"


def report(mistake: Mistake, source: str, place: Place, problems: Problems) -> None:
    """Add a mistake to the problems, with a caret under it."""
    shown = _caret(source, mistake.offset)
    problems.items.append(Problem(mistake.code, place, mistake.asked, mistake.found, mistake.fix, shown))


def parse(source: str, place: Place, problems: Problems) -> nodes.Expr | None:
    """The syntax tree of a bare expression; None when it has none, with a problem that says why.

    Trees are shared, so nobody may change one.
    """
    tree = _tree(source)
    if isinstance(tree, Mistake):
        report(tree, source, place, problems)
        return None
    return tree


@lru_cache(maxsize=1024)
def _tree(source: str) -> nodes.Expr | Mistake:
    """What `defaults` and traits say is written once and compiled for every operation, so it is worth remembering."""
    if _PATH.fullmatch(source):
        names = source.split(".")
        if names[0] not in _WORDS and "headers" not in names[:2]:
            return _path(names)
    mistake = find_mistake(source)
    if mistake is not None:
        return mistake
    try:
        parser = Parser(_ENVIRONMENT, "", state="variable")
        parser.stream = TokenStream(_tokens(source), None, None)
        tree = parser.parse_expression()
        if not parser.stream.eos:
            parser.fail(f"unexpected {str(parser.stream.current.value)!r}")
    except TemplateSyntaxError as error:
        return _syntax_mistake(error, source)
    except RecursionError:
        return Mistake("E109", 0, "an expression that is not nested so deep", "too deep", "Split it up with `let`")
    return tree


def _path(names: list[str]) -> nodes.Expr:
    """The tree of a dotted path. Most expressions are one, and this is ten times faster than the parser."""
    tree: nodes.Expr = nodes.Name(names[0], "load", lineno=0)
    offset = len(names[0])
    for name in names[1:]:
        tree = nodes.Getattr(tree, name, "load", lineno=offset)
        offset += 1 + len(name)
    return tree


def _tokens(source: str) -> Iterator[Token]:
    return _ENVIRONMENT.lexer.wrap(_with_offsets(source))


def _with_offsets(source: str) -> Iterator[tuple[int, str, str]]:
    offset = 0
    try:
        for _, kind, text in _ENVIRONMENT.lexer.tokeniter(source, None, None, "variable"):
            yield offset, kind, text
            offset += len(text)
    except TemplateSyntaxError as error:
        error.lineno = offset
        raise


_EXPECTED: Final = re.compile(r"expected token '(.+?)', got '(.+?)'")
_END: Final = "end of template"


def _syntax_mistake(error: TemplateSyntaxError, source: str) -> Mistake:
    message = (error.message or "").replace(_END, "the end").replace("end of print statement", "the end")
    at_end = _END in (error.message or "")
    found = _EXPECTED.fullmatch(message)
    what = f"{found[2]} where {found[1]} was due" if found else message
    fix = "Something is missing at the end" if at_end else "Look at the place above the caret"
    return Mistake("E101", len(source) if at_end else error.lineno, "an expression", what, fix)


class Segment(NamedTuple):
    """A piece of a text: plain, or an expression without its braces; ``offset`` is where it begins."""

    text: str
    offset: int
    expression: bool


_MARK: Final = re.compile(r"\{[{%#]")
_INSIDE: Final = re.compile(r"((?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|(?!\}\})[^'\"])*)\}\}", re.DOTALL)
_WRONG_MARKS: Final = {"{%": "a statement {%", "{#": "a comment {#"}


def split_template(text: str) -> list[Segment] | Mistake:
    """The plain pieces and the expressions of a text with ``{{ }}``, or the mistake in it."""
    segments: list[Segment] = []
    end = 0
    while mark := _MARK.search(text, end):
        if mark[0] in _WRONG_MARKS:
            fix = f"Only {{{{ }}}} works in texts; write {{{{ '{mark[0]}' }}}} for these two characters"
            return Mistake("E111", mark.start(), "a text with {{ }} only", _WRONG_MARKS[mark[0]], fix)
        if mark.start() > end:
            segments.append(Segment(text[end : mark.start()], end, False))
        inside = _INSIDE.match(text, mark.end())
        stop = inside.end() if inside else text.find("}}", mark.end()) + 2
        if stop < 2:
            fix = "Close it; write {{ '{{' }} for the two characters"
            return Mistake("E112", mark.start(), "}} after {{", "no }}", fix)
        if text[mark.end()] in "-+":
            fix = "Put a space after {{; blanks around {{ }} always stay"
            return Mistake("E111", mark.start(), "{{ and a space", f"{{{{{text[mark.end()]}", fix)
        segments.append(Segment(text[mark.end() : stop - 2], mark.end(), True))
        end = stop
    if end < len(text):
        segments.append(Segment(text[end:], end, False))
    return segments
