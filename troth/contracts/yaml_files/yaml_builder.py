"""Turns the events of a YAML parser into mappings and lists with places, and names every hazard on the way."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import yaml
from yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from troth.contracts.yaml_files.placed import Map, Marks, Seq
from troth.contracts.yaml_files.scalars import Hazard, resolve
from troth.errors import Place, Problem, Problems

__all__ = ["LIMITS", "Builder", "Enough", "Limits"]


class Limits(NamedTuple):
    """What one contract file may be at most."""

    size: int = 5_000_000
    """Bytes."""
    depth: int = 64
    """Collections in collections."""
    nodes: int = 400_000
    """Keys, values and items."""
    problems: int = 100
    """Reported in one file; then reading stops."""


LIMITS = Limits()


class Enough(Exception):
    """A limit was reached and reported; the file is not read further."""


_EXPLICIT_KEY = re.compile(r"(?:^|[\s{\[,])\?", re.MULTILINE)
_QUOTED = re.compile(r'"[^"]*"|\'[^\']*\'')
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")
_FRAME_WORD = re.compile(r"[A-Z]{2,}")
_NO_VALUE_FIX = 'Write null, "", [] or {} if that is meant'


class Builder:
    """Turns a parser's events into values. One file, one use."""

    def __init__(self, text: str, file: str, problems: Problems, limits: Limits, loader: Any) -> None:
        self._text, self._file, self._problems, self._limits = text, file, problems, limits
        self._loader = loader
        self._next: Callable[[], Any] = loader(text).get_event
        self._nodes = 0
        self._before = len(problems.items)
        self._open_paren = False
        self._question_marks: set[int] = set()

    def document(self) -> Map | None:
        """The one document of the file."""
        self._explicit_keys()
        event = self._skip(StreamStartEvent)
        if isinstance(event, StreamEndEvent):
            self._report("E004", Place(self._file, 1, 1), "a mapping of keys", "an empty file")
            return None
        if event.version or event.tags:
            self._report("E023", self._place(event), "a file without YAML directives", "%", "Remove the % line")
        value = self._node(self._next(), 1, flow=False)
        self._skip(DocumentEndEvent, end=True)
        if isinstance(value, Map):
            return value
        found = "a list" if isinstance(value, Seq) else f"only the text {value!r}" if value is not None else "null"
        self._report("E005", Place(self._file, 1, 1), "a mapping (key: value) at the top of the file", found)
        return None

    def _skip(self, kind: type, end: bool = False) -> Any:
        event = self._next()
        while isinstance(event, kind):
            event = self._next()
        if end and isinstance(event, DocumentStartEvent):
            fix = "Put each into a file of its own; `parts` puts files together"
            self._report("E006", self._place(event), "one document a file", "a second one after ---", fix)
        return event

    def _explicit_keys(self) -> None:
        # A parser forgets the `?` of `{?a: 1}` and `? a`. Only the tokens have it, and they are read only when needed.
        if not _EXPLICIT_KEY.search(self._text):
            return
        tokens = self._loader(self._text)
        try:
            while tokens.check_token():
                token = tokens.get_token()
                if isinstance(token, yaml.KeyToken) and token.start_mark.index != token.end_mark.index:
                    fix = "Write `a?: x` for an optional field a; `? ` keys are not part of the language"
                    self._question_marks.add(token.start_mark.line)
                    self._report("E017", self._place(token), "a key without ? before it", "?", fix)
        except yaml.YAMLError:
            return  # the event stream meets the same error, and reports it

    def syntax_error(self, problem: Problem) -> None:
        """Report what ended the reading, without what was only its shadow on the same line."""
        mine = self._problems.items[self._before :]
        kept = [p for p in mine if p.code != "E019" or p.place.line != problem.place.line]
        if not any(p.code == problem.code and 0 <= problem.place.line - p.place.line <= 1 for p in kept):
            kept.append(problem)
        self._problems.items[self._before :] = kept

    # Values

    def _node(self, event: Any, depth: int, flow: bool) -> Any:
        self._nodes += 1
        if self._nodes > self._limits.nodes:
            self._stop(event, f"at most {self._limits.nodes:,} keys and values in a file", "more")
        if type(event) is ScalarEvent:
            return self._scalar(event, flow)
        if type(event) is AliasEvent:
            fix = "Use `traits`, `defaults` or a type to share; quote a text that begins with *"
            self._report("E022", self._place(event), "values without anchors and aliases", "an alias", fix)
            return None
        if depth > self._limits.depth:
            self._stop(event, f"at most {self._limits.depth} levels of nesting", "more")
        self._check_properties(event)
        if type(event) is MappingStartEvent:
            return self._mapping(event, depth, flow or bool(event.flow_style))
        return self._sequence(event, depth, flow or bool(event.flow_style))

    def _mapping(self, start: Any, depth: int, flow: bool) -> Map:
        mark = start.start_mark
        result = Map((), Place(self._file, mark.line + 1, mark.column + 1))
        marks = result.marks
        file, get = self._file, self._next
        self._open_paren = False
        event = get()
        while type(event) is not MappingEndEvent:
            key = self._key(event, depth, flow)
            value_event = get()
            if _is_empty(value_event):
                if key is not None:
                    self._no_value(key, event, flow)
                value = None
            else:
                value = self._node(value_event, depth + 1, flow)
            if key is not None:
                at, to = event.start_mark, value_event.start_mark
                entry = Marks(file, at.line + 1, at.column + 1, to.line + 1, to.column + 1)
                if key in marks:
                    self._twice(key, marks[key], entry)
                else:
                    result[key] = value
                    marks[key] = entry
                if key == "data" and type(value) is Seq:
                    self._frame_word(value_event, value)
            event = get()
        self._open_paren = False
        return result

    def _sequence(self, start: Any, depth: int, flow: bool) -> Seq:
        mark = start.start_mark
        result = Seq((), Place(self._file, mark.line + 1, mark.column + 1))
        self._open_paren = False
        event = self._next()
        while type(event) is not SequenceEndEvent:
            at = event.start_mark
            if _is_empty(event):
                self._report("E019", self._place(event), "an item after -", "nothing", _NO_VALUE_FIX)
                result.append(None)
            else:
                result.append(self._node(event, depth + 1, flow))
            result.marks.append((at.line + 1, at.column + 1))
            event = self._next()
        self._open_paren = False
        return result

    def _scalar(self, event: Any, flow: bool) -> Any:
        self._check_properties(event)
        text: str = event.value
        if event.style or not text:
            return text
        if "'" in text or '"' in text:
            self._check_comment(event, text)
        if flow and ("(" in text or ")" in text):
            self._check_parens(event, text)
        value = resolve(text)
        if type(value) is Hazard:
            wanted = "a number or a text" if value.code == "E020" else "a value that cannot be misread"
            self._report(value.code, self._place(event), wanted, value.found, value.fix)
            return value.value
        return value

    def _key(self, event: Any, depth: int, flow: bool) -> str | None:
        if type(event) is not ScalarEvent:
            self._strange_key(event, depth, flow)
            return None
        self._check_properties(event)
        self._nodes += 1
        text: str = event.value
        if event.style:
            return text
        if not text:
            self._report("E025", self._place(event), "a key before the colon", "nothing")
            return None
        if text == "<<":
            fix = "Use `traits` or `defaults` to share; there are no merge keys"
            self._report("E022", self._place(event), "keys written out, without merge keys", "<<", fix)
            return None
        if flow and ("(" in text or ")" in text):
            self._check_parens(event, text)
        if not isinstance(resolve(text), str):
            self._report("E025", self._place(event), "a key that is a text", text, f'Quote it: "{text}"')
        return text

    # Hazards

    def _strange_key(self, event: Any, depth: int, flow: bool) -> None:
        place, at = self._place(event), event.start_mark.index
        if self._text[at - 1 : at + 1] == "{{":
            inside = self._text[at + 1 :].split("\n", 1)[0].split("}}", 1)[0].strip()
            place = Place(place.file, place.line, place.column - 1)
            fix = f'Quote it: "{{{{ {inside} }}}}"'
            self._report("E011", place, "an expression in quotes", "{{ without quotes", fix)
            before = len(self._problems.items)
            self._node(event, depth + 1, flow)
            del self._problems.items[before:]  # what the braces enclose is no YAML, so it has no problems of its own
        else:
            self._report("E025", place, "a key that is a text", "an alias, list or mapping as a key")
            self._node(event, depth + 1, flow)

    def _no_value(self, key: str, event: Any, flow: bool) -> None:
        if event.start_mark.line in self._question_marks or (not event.style and not isinstance(resolve(key), str)):
            return  # reported as a key
        place, fix = self._place(event), _NO_VALUE_FIX
        if flow and not event.style:
            if _unbalanced(key) or self._open_paren:
                return  # reported where the parenthesis opened
            if ":" in key:
                name, _, rest = key.partition(":")
                fix = f"Write a space after the colon: {name}: {rest}"
                self._report("E018", place, "a space after the colon of a key", key, fix)
                return
            fix += ". A comma inside { } ends a text: quote a text that has one"
        self._report("E019", place, f"a value for {key!r}", "nothing", fix)

    def _twice(self, key: str, first: Marks, second: Marks) -> None:
        place = Place(second.file, second.key_line, second.key_column)
        earlier = f"{first.file}:{first.key_line}:{first.key_column}"
        self._report("E024", place, "each key once", f"{key!r} again (first at {earlier})", "Remove or rename one")

    def _frame_word(self, event: Any, value: Seq) -> None:
        if not event.flow_style or len(value) != 1 or not isinstance(value[0], str):
            return
        word = value[0]
        at = self._text.find("[", event.start_mark.index)
        if _FRAME_WORD.fullmatch(word) and self._text[at + 1 :].lstrip().startswith(word):
            fix = f'Write "[{word}]" for the text, or ["{word}"] for a list'
            self._report("E026", self._place(event), "a text or a list", f"[{word}]", fix)

    def _check_comment(self, event: Any, text: str) -> None:
        words = _APOSTROPHE.sub("", text)
        if words.count('"') % 2 == 0 and words.count("'") % 2 == 0:
            return
        end = event.end_mark.index
        rest = self._text[end : end + 200].split("\n", 1)[0]
        if rest.lstrip(" \t").startswith("#"):
            fix = "Quote the whole value, or put it on the next line after >-"
            found = f"a comment after an odd number of quotes: {text} {rest.strip()}"
            self._report("E015", self._place(event), "text in which # begins no comment", found, fix)

    def _check_parens(self, event: Any, text: str) -> None:
        if not _unbalanced(text):
            return
        if not self._open_paren:
            fix = "A comma ends a text inside { } and [ ]: quote the whole expression"
            self._report("E016", self._place(event), "parentheses that close", text, fix)
        self._open_paren = True

    def _check_properties(self, event: Any) -> None:
        if event.anchor is not None:
            fix = "Use `traits`, `defaults` or a type to share; quote a text that begins with &"
            self._report("E022", self._place(event), "values without anchors", f"&{event.anchor}", fix)
        if event.tag is not None:
            fix = "Quote a text that begins with !"
            self._report("E023", self._place(event), "values without YAML tags", str(event.tag), fix)

    # Reporting

    def _place(self, event: Any) -> Place:
        mark = event.start_mark
        return Place(self._file, mark.line + 1, mark.column + 1)

    def _report(self, code: str, place: Place, asked: str, found: str, fix: str = "") -> None:
        self._problems.items.append(Problem(code, place, asked, _shortened(found), fix))
        if len(self._problems.items) - self._before >= self._limits.problems:
            self._problems.add("E002", place, f"at most {self._limits.problems} problems in a file", "more to come")
            raise Enough

    def _stop(self, event: Any, asked: str, found: str) -> None:
        self._problems.add("E002", self._place(event), asked, found)
        raise Enough


def _is_empty(event: Any) -> bool:
    return type(event) is ScalarEvent and not event.style and event.value == "" and event.tag is None


def _unbalanced(text: str) -> bool:
    bare = _QUOTED.sub("", text)
    return bare.count("(") != bare.count(")")


def _shortened(found: str) -> str:
    return found if len(found) <= 120 else found[:119] + "…"
