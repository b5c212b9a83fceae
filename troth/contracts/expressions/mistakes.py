"""What people type in expressions out of habit, and what to write instead.

All of it is looked for outside of quoted texts, before the expression is parsed: a parser's "unexpected character"
helps nobody.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["MAX_LENGTH", "Mistake", "find_mistake", "without_texts"]

MAX_LENGTH: Final = 4096
"""Characters of an expression."""
_MAX_PARENTHESES: Final = 40


class Mistake(NamedTuple):
    """A problem of an expression: ``offset`` counts characters from its start."""

    code: str
    offset: int
    asked: str
    found: str
    fix: str


class _Habit(NamedTuple):
    pattern: str
    code: str
    asked: str
    fix: str


_OPERATORS: Final = "an operator of the contract language"
_WORDS: Final = "a word of the contract language"
_HABITS: Final = (
    _Habit(r"\{\{|\}\}", "E110", "an expression without braces", "An expression stands bare here: leave out {{ and }}"),
    _Habit(r"\$\{?\w*\}?", "E103", "a name", "Write the name alone, without $ and braces"),
    _Habit(r"&&?", "E103", _OPERATORS, "Write `and`"),
    _Habit(r"\|\|", "E103", _OPERATORS, "Write `or`"),
    _Habit(r"!==", "E103", _OPERATORS, "Write `!=`"),
    _Habit(r"===", "E103", _OPERATORS, "Write `==`"),
    _Habit(r"=~|!~", "E103", _OPERATORS, "Texts are compared whole; `'part' in text` looks for a part"),
    _Habit(r"!(?!=)", "E103", _OPERATORS, "Write `not`"),
    _Habit(r"<>", "E103", _OPERATORS, "Write `!=`"),
    _Habit(r"(?<![=!<>])=(?!=)", "E103", _OPERATORS, "Write `==` to compare"),
    _Habit(r"\?", "E103", _OPERATORS, "Write `a if test else b`, or `x | default(y)`; a missing field is just absent"),
    _Habit(r";", "E103", _OPERATORS, "Write one expression"),
    _Habit(r"`", "E102", "a text in ' or \"", "Write texts in single or double quotes"),
    _Habit(
        r"\[|\]",
        "E104",
        "an expression without brackets",
        "Write `state.charges(path.id)` to look up, `list | at(0)` for an item, `('a', 'b')` for a list",
    ),
    _Habit(r"[{}]", "E104", "an expression without braces", "Write objects as YAML, not inside of expressions"),
    _Habit(r"(?<![\w.])(?:null|nil|NULL|Null|None)\b", "E103", _WORDS, "Write `none`"),
    _Habit(r"(?<![\w.])undefined\b", "E103", _WORDS, "Write `absent`, as in `x is absent`"),
    _Habit(
        r"(?<![\w.])is\s+(?:not\s+)?(?:absent|none)\s+(?:if|in|is)\b",
        "E107",
        "a test in parentheses before another word",
        "Write `(x is absent) if ...`",
    ),
    _Habit(r"(?<![\w.])(?:True|TRUE)\b", "E103", _WORDS, "Write `true`"),
    _Habit(r"(?<![\w.])(?:False|FALSE)\b", "E103", _WORDS, "Write `false`"),
    _Habit(r"(?<![\w.])(?:AND|OR|NOT|IN|IS)\b", "E103", _WORDS, "Write it in lower case"),
    _Habit(
        r"(?<![\w.])(?:0\d+|\d+_\w*|0[xXoObB]\w+|\d+(?:\.\d+)?[eE][+-]?\d+)",
        "E103",
        "a plain number like 1000 or 0.5",
        "Write the digits",
    ),
)
_ANY_HABIT: Final = re.compile("|".join(habit.pattern for habit in _HABITS))
_QUOTED: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_HEADER: Final = re.compile(r"(?<![\w.])(?:reply\.)?headers\.(\w+(?:-[A-Za-z]\w*)+|\w*[A-Z]\w*)")
_TWO_TEXTS: Final = re.compile(r"\x00\s*(\x01)")


def without_texts(source: str) -> str:
    """``source`` with the insides of its quoted texts blanked out, as long as before."""
    return _QUOTED.sub(lambda found: found[0][0] + " " * (len(found[0]) - 2) + found[0][-1], source)


def find_mistake(source: str) -> Mistake | None:
    """The first mistake of habit in an expression, or None."""
    if not source.strip():
        return Mistake("E100", 0, "an expression", "nothing", "Write a name, a comparison, ...")
    if len(source) > MAX_LENGTH:
        found = f"{len(source):,} characters"
        return Mistake(
            "E109", 0, f"an expression of at most {MAX_LENGTH:,} characters", found, "Split it up with `let`"
        )
    masked = without_texts(source)
    return _find_quotes(source) or _find_habit(masked) or _find_header(masked) or _find_parenthesis(masked)


def _find_quotes(source: str) -> Mistake | None:
    bare = _QUOTED.sub(lambda found: "." * len(found[0]), source)
    for offset, character in enumerate(bare):
        if character in "'\"":
            return Mistake(
                "E102",
                offset,
                "a text that ends with the quote it began with",
                f"a {character} that is never closed",
                "Close it; if the expression was cut off at ` #`, quote the whole of it or write it after `>-`",
            )
    two = _TWO_TEXTS.search(_QUOTED.sub(lambda found: "\x01" + "\x00" * (len(found[0]) - 1), source))
    if two:
        return Mistake("E103", two.start(1), "one text", "two texts side by side", "Join texts with `~`")
    return None


def _find_habit(masked: str) -> Mistake | None:
    if _ANY_HABIT.search(masked) is None:
        return None
    for habit in _HABITS:
        found = re.search(habit.pattern, masked)
        if found:
            return Mistake(habit.code, found.start(), habit.asked, f"`{found[0]}`", habit.fix)
    return None


def _find_header(masked: str) -> Mistake | None:
    found = _HEADER.search(masked)
    if not found:
        return None
    path = found[0][: -len(found[1])] + found[1].lower().replace("-", "_")
    return Mistake("E108", found.start(1), "a header name in lower case with _", f"`{found[1]}`", f"Write {path}")


def _find_parenthesis(masked: str) -> Mistake | None:
    opened: list[int] = []
    for offset, character in enumerate(masked):
        if character == "(":
            opened.append(offset)
            if len(opened) > _MAX_PARENTHESES:
                asked = f"at most {_MAX_PARENTHESES} parentheses inside each other"
                return Mistake("E109", offset, asked, "one more", "Split the expression up with `let`")
        elif character == ")":
            if not opened:
                return Mistake("E102", offset, "balanced parentheses", "a ) without its (", "Remove it")
            opened.pop()
    if opened:
        fix = "Close it; inside of [ ] or { } YAML cuts an expression off at a comma: quote the whole of it"
        return Mistake("E102", opened[-1], "balanced parentheses", "a ( that is never closed", fix)
    return None
