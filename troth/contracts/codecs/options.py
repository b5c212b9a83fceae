"""How a provider writes structures and booleans in forms, queries and XML (``codecs:`` in a contract)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, TypeVar

from troth.contracts.leaves import Fault
from troth.contracts.suggest import did_you_mean
from troth.contracts.yaml_files.placed import Map
from troth.errors import Place, Problems
from troth.frozen import frozen

__all__ = ["BodyOptions", "FormOptions", "Nesting", "XmlOptions", "build_form_options", "build_xml_options"]

Nesting: TypeAlias = Literal["brackets", "dots", "none"]
Lists: TypeAlias = Literal["indexed", "numbered", "empty", "repeat"]
XmlLists: TypeAlias = Literal["repeat", "wrapped"]

_Word = TypeVar("_Word", Nesting, Lists, XmlLists)

_NESTINGS: tuple[Nesting, ...] = ("brackets", "dots", "none")
_LISTS: tuple[Lists, ...] = ("indexed", "numbered", "empty", "repeat")
_XML_LISTS: tuple[XmlLists, ...] = ("repeat", "wrapped")
_PLAIN: Mapping[str, tuple[str, ...]] = MappingProxyType({"true": ("true",), "false": ("false",)})


@frozen
class FormOptions:
    """``nesting``: ``a[b]=1`` (brackets), ``a.b=1`` (dots), or names taken as they are (none).

    ``lists``: ``a[0]=1`` (indexed), ``a[1]=1`` for the first item (numbered), ``a[]=1`` (empty), ``a=1&a=2`` (repeat).
    This one is written; all of them are read, numbered ones only where that is the option.
    ``booleans``: every spelling that is read for ``true`` and ``false``; the first is written.
    """

    nesting: Nesting = "brackets"
    lists: Lists = "repeat"
    booleans: Mapping[str, Sequence[str]] = field(default_factory=lambda: _PLAIN)

    @property
    def first(self) -> int:
        """The number of a list's first item."""
        return 1 if self.lists == "numbered" else 0

    def decode_boolean(self, text: str) -> bool | Fault:
        """The boolean that ``text`` spells."""
        if text in self.booleans["true"]:
            return True
        if text in self.booleans["false"]:
            return False
        return Fault("type", f"one of {', '.join([*self.booleans['true'], *self.booleans['false']])}")

    def encode_boolean(self, value: bool) -> str:
        """How ``value`` is written."""
        return self.booleans["true" if value else "false"][0]


@frozen
class XmlOptions:
    """``lists``: an element for each item, ``<a>1</a><a>2</a>`` (repeat), or one around them, ``<a><item>`` (wrapped).

    ``item`` is the name of a wrapped list's items; ``namespace`` that of the document, written and not looked at.
    """

    lists: XmlLists = "repeat"
    item: str = "member"
    namespace: str = ""


@frozen
class BodyOptions:
    """What the codecs of bodies need to know."""

    form: FormOptions = field(default_factory=FormOptions)
    xml: XmlOptions = field(default_factory=XmlOptions)


def build_xml_options(raw: Mapping[str, Any], place: Place, problems: Problems) -> XmlOptions:
    """The options that ``codecs.xml`` or a wire gives; a problem (E271) for what makes no sense."""
    lists = _one_of(raw, "lists", _XML_LISTS, place, problems)
    return XmlOptions(lists or "repeat", raw.get("item") or "member", raw.get("namespace") or "")


def build_form_options(raw: Any, place: Place, problems: Problems) -> FormOptions:
    """The options that ``codecs.form`` (or ``codecs.query``) gives; problems (E270, E271) for what makes no sense."""
    if not isinstance(raw, Mapping):
        problems.add("E271", place, "a mapping of nesting, lists and booleans", repr(raw))
        return FormOptions()
    known = ("nesting", "lists", "booleans")
    for key in raw:
        if key not in known:
            fix = did_you_mean(str(key), known, "options")
            problems.add("E270", _place(raw, key, place), "an option of a form codec", repr(key), fix)
    nesting = _one_of(raw, "nesting", _NESTINGS, place, problems)
    lists = _one_of(raw, "lists", _LISTS, place, problems)
    booleans = _booleans(raw.get("booleans"), _place(raw, "booleans", place), problems)
    return FormOptions(nesting or "brackets", lists or "repeat", booleans)


def _one_of(
    raw: Mapping[str, Any], key: str, known: tuple[_Word, ...], place: Place, problems: Problems
) -> _Word | None:
    value = raw.get(key)
    if value is None:
        return None
    for word in known:
        if word == value:
            return word
    fix = did_you_mean(value, known, "values") if isinstance(value, str) else ""
    problems.add("E271", _place(raw, key, place), f"one of {', '.join(known)} as {key!r}", repr(value), fix)
    return None


def _booleans(raw: Any, place: Place, problems: Problems) -> Mapping[str, Sequence[str]]:
    if raw is None:
        return _PLAIN
    asked = 'spellings of booleans, like {"true": ["true", "True"], "false": ["false"]}'
    if not isinstance(raw, Mapping) or not raw.keys() <= _PLAIN.keys():
        problems.add("E271", place, asked, repr(raw))
        return _PLAIN
    found = dict(_PLAIN)
    for key, value in raw.items():
        spellings = value if isinstance(value, list) else [value]
        if not spellings or any(not isinstance(text, str) for text in spellings):
            problems.add(
                "E271", _place(raw, key, place), asked, repr(value), 'Quote them: "true" is a text, true is not'
            )
        else:
            found[key] = tuple(spellings)
    both = set(found["true"]) & set(found["false"])
    if both:
        problems.add("E271", place, "different spellings for true and false", f"{min(both)!r} for both")
    return MappingProxyType(found)


def _place(raw: Mapping[str, Any], key: str, place: Place) -> Place:
    return raw.place(key) if isinstance(raw, Map) and key in raw else place
