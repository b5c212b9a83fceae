"""What a finding complains of, as far as a patch needs it, and what a patch is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from troth.contracts.document.document import Document
from troth.contracts.repair.emit import Unwritable
from troth.contracts.repair.infer import constant
from troth.contracts.repair.places import Entry
from troth.contracts.repair.yaml_text import NoEdit, Splice, YamlText, applied
from troth.contracts.values import ABSENT, Json
from troth.contracts.yaml_files.placed import Map
from troth.errors import Place
from troth.frozen import frozen

__all__ = ["Bench", "Complaint", "Idea", "Patch"]


@frozen
class Complaint:
    """One disagreement. ``kind``, ``path`` and ``origin`` as in a finding."""

    kind: str
    path: str
    origin: str
    operation: str
    responses: tuple[str, ...] = ()
    """Every ``operation.response`` that showed it."""
    scenario: str = ""
    trail: str = ""
    expected: Json = ABSENT
    simulator: Json = ABSENT
    seen: tuple[Json, ...] = ()
    """What the provider showed there, each time that it disagreed; values that it left out are not among them."""
    status: int | None = None
    """Of the reply that showed it."""
    body: Json = ABSENT
    """Of that reply."""
    sent: Json = ABSENT
    """At ``path``, where that is a path into the request."""


@frozen
class Idea:
    """A way to patch: its name (``optional``, ``nullable`` ...), what it does in words, and how to make the edits."""

    name: str
    words: str
    edits: Callable[[], Splice | Iterable[Splice]]

    def splices(self) -> tuple[Splice, ...]:
        """The edits; raises NoEdit or Unwritable where they cannot be made."""
        made = self.edits()
        return (made,) if isinstance(made, Splice) else tuple(made)


@frozen
class Patch:
    """An idea worked out: the new text of every file that it changes."""

    name: str
    words: str
    texts: Mapping[str, str]
    place: Place
    """Where it changes something first."""


class Bench:
    """The document to patch, and its texts as they can be edited."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._texts: dict[str, YamlText] = {}

    @cached_property
    def root(self) -> Map:
        """Everything, with `defaults` and traits merged in."""
        return self.document.root

    def text(self, place: Place) -> YamlText:
        """The file that a place is in."""
        source = self.document.sources.get(place.file)
        if source is None:
            raise NoEdit("it is not written in a file of the contract")
        if place.file not in self._texts:
            self._texts[place.file] = YamlText(place.file, source)
        return self._texts[place.file]

    def replaced(self, entry: Entry, data: Json) -> Splice:
        """The entry's value becomes ``data``."""
        return self.text(entry.place).replaced(entry.place, data)

    def said(self, entry: Entry, values: Sequence[Json]) -> Splice:
        """The entry's value becomes the one scalar that all of ``values`` are. Raises Unwritable where they differ."""
        return self.replaced(entry, constant(values))

    def renamed(self, entry: Entry, name: str) -> Splice:
        """The entry's key becomes ``name``."""
        return self.text(entry.key_place).renamed(entry.key_place, name)

    def removed(self, entry: Entry) -> Splice:
        """The entry goes away."""
        return self.text(entry.key_place).without_entry(entry.key_place)

    def added(self, mapping: Entry, name: str, data: Json) -> Splice:
        """The mapping gets one more entry."""
        return self.text(mapping.place).with_entry(mapping.place, name, data)

    def more(self, items: Entry, data: Sequence[Json]) -> Splice:
        """The list gets more items."""
        return self.text(items.place).with_items(items.place, data)

    def wrapped(self, entry: Entry, name: str, outside: Mapping[str, Json] | None = None) -> tuple[Splice, ...]:
        """The value becomes the argument of a matcher."""
        return tuple(self.text(entry.place).wrapped(entry.place, name, outside))

    def patch(self, idea: Idea) -> Patch | None:
        """The texts after an idea; None where it cannot be written, or changes nothing."""
        try:
            splices = idea.splices()
            texts = {
                file: applied(self.document.sources[file], [splice for splice in splices if splice.file == file])
                for file in dict.fromkeys(splice.file for splice in splices)
            }
        except (NoEdit, Unwritable):
            return None
        changed = {file: text for file, text in texts.items() if text != self.document.sources[file]}
        if not changed:
            return None
        first = min((splice for splice in splices if splice.file in changed), key=lambda item: item.start)
        line = self.document.sources[first.file].count("\n", 0, first.start) + 1
        return Patch(idea.name, idea.words, changed, Place(first.file, line, 1))
