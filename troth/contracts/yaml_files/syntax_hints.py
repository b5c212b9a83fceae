"""What a YAML syntax error means in a contract, and what to write instead.

A parser says "did not find expected ',' or '}'"; most of the time the cause is one of a dozen that people meet when
they write expressions into YAML. Each has a code of its own and a remedy.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import yaml

from troth.contracts.yaml_files.excerpt import lines_of
from troth.errors import Place, Problem
from troth.frozen import frozen

__all__ = ["explain"]


@frozen
class _Error:
    """A parser's error, in words that both parsers (libyaml and Python) share."""

    what: str
    """Context and problem, lower case."""
    file: str
    lines: list[str]
    line: int
    column: int
    context: tuple[int, int] | None
    """Line and column (from 0) where the collection or text began."""

    @property
    def text(self) -> str:
        return self.line_at(self.line)

    def line_at(self, number: int) -> str:
        """Line ``number`` (from 0); parsers also name the line after the last."""
        return self.lines[number] if 0 <= number < len(self.lines) else ""

    @property
    def char(self) -> str:
        return self.text[self.column : self.column + 1]

    @property
    def before(self) -> str:
        return self.text[: self.column].rstrip()

    def problem(self, code: str, asked: str, found: str, fix: str = "", *, at_context: bool = False) -> Problem:
        line, column = self.context if at_context and self.context else (self.line, self.column)
        return Problem(code, Place(self.file, line + 1, column + 1), asked, found, fix)


def explain(error: yaml.MarkedYAMLError, text: str, file: str) -> Problem:
    """The problem that ``error`` stands for."""
    mark = error.problem_mark or error.context_mark
    start = error.context_mark
    what = f"{error.context or ''} {error.problem or ''}".strip()
    seen = _Error(
        what.lower(),
        file,
        lines_of(text),
        mark.line if mark else 0,
        mark.column if mark else 0,
        (start.line, start.column) if start else None,
    )
    for rule in _RULES:
        problem = rule(seen)
        if problem is not None:
            return problem
    return seen.problem("E010", "YAML that can be read", what or "an error", "")


def _nesting(e: _Error) -> Problem | None:
    if "nesting depth" not in e.what:
        return None
    return e.problem("E002", "fewer levels of nesting", "more than the parser takes")


def _tab(e: _Error) -> Problem | None:
    if "tab character" in e.what or ("cannot start any token" in e.what and e.char == "\t"):
        return e.problem("E007", "spaces before a key", "a tab", "Indent with spaces")
    return None


def _reserved_character(e: _Error) -> Problem | None:
    if "scanning a directive" in e.what:
        return e.problem("E027", "a text that begins with another character", "%", "Quote it", at_context=True)
    if "cannot start any token" not in e.what:
        return None
    fix = "Quote it" + ("; attributes of XML elements are written `.name`" if e.char == "@" else "")
    return e.problem("E027", "a text that begins with another character", e.char or "a character", fix)


def _expression(e: _Error) -> Problem | None:
    line = e.context[0] if e.context else e.line
    text = e.line_at(line)
    inside_braces = bool(e.context and text[: e.context[1] + 1].endswith("{{"))
    after_braces = e.before.endswith("}}") and "{{" in _unquoted(e.before)
    if not (inside_braces or after_braces):
        return None
    text = e.text if after_braces else text
    column = _unquoted(text).find("{{")
    expression = text[column:].split("}}")[0] + "}}"
    place = Place(e.file, e.line + 1 if after_braces else line + 1, column + 1)
    fix = f'Quote the whole value: "{expression}"'
    return Problem("E011", place, "an expression in quotes", "{{ without quotes", fix)


def _after_quote(e: _Error) -> Problem | None:
    if not e.before.endswith(('"', "'")) or not _expects_more(e.what) or not e.char or e.char in "}],:":
        return None
    if e.char == "?":
        fix = 'The question mark of an optional field goes inside the quotes: "a b?"'
    else:
        fix = "Put the expression on the next line after >-, or quote the whole of it"
    return e.problem("E014", "nothing after a closing quote", e.text[e.column :].strip(), fix)


def _braces_in_flow(e: _Error) -> Problem | None:
    if "flow" not in e.what or "expected ',' or" not in e.what or e.char not in ("{", "["):
        return None
    if e.char == "{" and e.before.endswith("$"):
        name = re.split(r"[}:]", e.text[e.column + 1 :])[0].strip() or "NAME"
        fix = f"Drop the ${{}}: {{env: {name}, default: x}}"
        return e.problem("E013", "a value without ${}", f"${{{name}}}", fix)
    word = re.split(r"[\s,:{\[]", e.before)[-1]
    if e.char == "[" and re.search(r"[\w$]$", e.before) and e.before == e.text[: e.column] and "/" not in word:
        fix = f"Look-ups are calls: {word}(key); the last item of a list is (list | last). Or quote the text"
        return e.problem("E012", "no [ inside an unquoted text", f"{word}[", fix)
    fix = "Quote the text that holds it, or put it on a line of its own outside the braces"
    return e.problem("E012", f"no {e.char} inside an unquoted text", f"{word}{e.char}", fix)


def _colon_in_text(e: _Error) -> Problem | None:
    in_flow = "flow" in e.what and "expected ',' or" in e.what and e.char == ":"
    if "mapping values are not allowed" not in e.what and not in_flow:
        return None
    above = next((e.line_at(n) for n in range(e.line - 1, -1, -1) if e.line_at(n).strip()), "")
    glued = re.match(r"\s*(?:- )?([\w$?.-]+):([^\s:/][^\s]*)$", above)
    if glued and ":" not in e.before:
        line = e.line - 1
        return Problem(
            "E018", Place(e.file, line + 1, 1), "a space after the colon of a key", f"{glued[1]}:{glued[2]}",
            f"Write {glued[1]}: {glued[2]}",
        )  # fmt: skip
    if ": " not in e.before and not in_flow and above.strip():
        fix = "Indent it like its neighbours, or quote the value above it"
        return e.problem("E010", "a key at the indentation of its mapping", e.text.strip(), fix)
    fix = "Quote it, use another name, or write a comma before the next key"
    return e.problem("E028", "a name or text without ': ' in it", e.text.strip(), fix)


def _glued_key(e: _Error) -> Problem | None:
    if "unexpected ':'" not in e.what and not ("<document start>" in e.what and e.char == ":"):
        return None
    return e.problem("E018", "a space after the colon of a key", e.text[e.column :].strip(), "Write a space after it")


def _quote(e: _Error) -> Problem | None:
    if "quoted scalar" not in e.what:
        return None
    if "escape" in e.what:
        start = e.column if e.char == "\\" else max(e.column - 1, 0)
        found = e.text[start : start + 2]
        fix = "Use single quotes, or double the backslash"
        return Problem("E010", Place(e.file, e.line + 1, start + 1), "a YAML escape in double quotes", found, fix)
    return e.problem("E010", "a closing quote", "the end of the file", "Close the quote", at_context=True)


def _anchor(e: _Error) -> Problem | None:
    if "scanning an alias" not in e.what and "scanning an anchor" not in e.what:
        return None
    sign = "*" if "alias" in e.what else "&"
    return e.problem("E022", f"a text that does not begin with {sign}", sign, "Quote it", at_context=True)


def _explicit_key(e: _Error) -> Problem | None:
    if "mapping keys are not allowed" not in e.what:
        return None
    return e.problem("E017", "a key without ? before it", "?", "Write `a?: x` for an optional field a; quote a text")


def _unclosed(e: _Error) -> Problem | None:
    if "parsing a flow" not in e.what or e.context is None:
        return None
    if "stream end" in e.what or (e.line >= len(e.lines) - 1 and not e.char):
        opening = e.line_at(e.context[0])[e.context[1] : e.context[1] + 1] or "a bracket"
        return e.problem("E010", f"the end of what {opening} opens", "the end of the file", "Close it", at_context=True)
    if e.char in ("}", "]"):
        return e.problem("E010", "a value, and a bracket that closes the last one opened", e.char)
    fix = "Write a comma before it, or close the bracket"
    return e.problem("E010", "a comma between entries", e.text[e.column :].strip() or "the end of the line", fix)


def _closing(e: _Error) -> Problem | None:
    if e.char in ("}", "]"):
        return e.problem("E010", "a bracket that was opened", f"one {e.char} too many")
    return None


def _cut_by_comment(e: _Error) -> Problem | None:
    if e.line == 0 or not _expects_more(e.what):
        return None
    above = e.line_at(e.line - 1)
    head = re.split(r"\s#", above)[0]
    if head == above or (head.count('"') % 2 == 0 and head.count("'") % 2 == 0):
        return None
    fix = "Quote the whole value, or put it on the next line after >-"
    place = Place(e.file, e.line, len(head) + 2)
    return Problem("E015", place, "text in which # begins no comment", "a comment inside a quote", fix)


def _indentation(e: _Error) -> Problem | None:
    if "block" not in e.what or not _expects_more(e.what):
        return None
    fix = "Indent it like its neighbours; a list and the keys of a mapping do not mix"
    return e.problem("E010", "a line that continues what stands above it", e.text.strip(), fix)


def _no_colon(e: _Error) -> Problem | None:
    if "could not find expected ':'" not in e.what:
        return None
    line = e.context[0] if e.context else e.line
    found = e.line_at(line).strip()
    return e.problem("E010", "a key, a colon and a value", found, "Write `key: value`", at_context=True)


def _list_in_line(e: _Error) -> Problem | None:
    if "sequence entries are not allowed" not in e.what:
        return None
    return e.problem("E010", "a list on the lines below its key", e.text.strip(), "Begin a new line, or write [a, b]")


def _block_text(e: _Error) -> Problem | None:
    if "block scalar" not in e.what:
        return None
    fix = "The text begins on the next line"
    return e.problem("E010", "a line break after > or |", e.text[e.column :].strip(), fix)


def _expects_more(what: str) -> bool:
    return "expected key" in what or "expected '-'" in what or "<block end>" in what or "expected ',' or" in what


def _unquoted(text: str) -> str:
    """``text`` with everything in quotes blanked out, so that columns stay."""
    return re.sub(r'"[^"]*"|\'[^\']*\'', lambda match: " " * len(match.group()), text)


_RULES: tuple[Callable[[_Error], Problem | None], ...] = (
    _nesting, _tab, _reserved_character, _expression, _after_quote, _braces_in_flow, _colon_in_text, _glued_key,
    _quote, _anchor, _explicit_key, _cut_by_comment, _unclosed, _closing, _indentation, _no_colon,
    _list_in_line, _block_text,
)  # fmt: skip
