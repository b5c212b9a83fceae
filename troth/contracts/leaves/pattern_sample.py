"""Texts that match a regular expression, from its tree and a seeded source of choices."""

from __future__ import annotations

from dataclasses import dataclass, field

from troth.contracts.leaves.pattern_tree import Branch, Chars, Element, Elements, Group, Repeat
from troth.contracts.matcher import Draw

__all__ = ["sample"]

_PRINTABLE = range(0x20, 0x7F)


def sample(tree: Elements, draw: Draw, growth: int, *, full: bool = False) -> str:
    """A text that should match (anchors and look-aheads are not regarded, so match it).

    Repeats take up to ``growth`` times more than they must; with ``full``, exactly so much more.
    """
    return _Writer(draw, growth, full).sequence(tree)


@dataclass(slots=True)
class _Writer:
    draw: Draw
    growth: int
    full: bool
    groups: dict[int, str] = field(default_factory=dict)

    def sequence(self, elements: Elements) -> str:
        return "".join([self._element(element) for element in elements])

    def _element(self, element: Element) -> str:
        if isinstance(element, Chars):
            return self._character(element)
        if isinstance(element, Repeat):
            return self._repeat(element)
        if isinstance(element, Branch):
            return self.sequence(element.ways[self.draw.below(len(element.ways))])
        if isinstance(element, Group):
            if element.body is not None:
                self.groups[element.number] = self.sequence(element.body)
            return self.groups.get(element.number, "")
        return ""

    def _repeat(self, repeat: Repeat) -> str:
        more = min(repeat.high - repeat.low, self.growth)
        count = repeat.low + (more if self.full else self.draw.below(more + 1))
        alone = repeat.body[0] if len(repeat.body) == 1 else None
        if isinstance(alone, Chars) and count:
            return self.draw.text(count, _alphabet(alone))
        return "".join([self.sequence(repeat.body) for _ in range(count)])

    def _character(self, chars: Chars) -> str:
        alphabet = _alphabet(chars)
        return alphabet if len(alphabet) == 1 else self.draw.text(1, alphabet)


def _alphabet(chars: Chars) -> str:
    """The characters to choose from: letters and digits where the author only said what it is not."""
    codes = sorted(code for code in chars.codes if code >= 0)
    plain = [code for code in codes if code in _PRINTABLE or code > 127]
    if not chars.listed:
        plain = [code for code in plain if chr(code).isalnum()] or plain
    return "".join(map(chr, plain or codes or [ord("é")]))
