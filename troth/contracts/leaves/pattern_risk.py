"""How long can matching a regular expression take? Told from its tree, before it ever meets a text.

``re`` backtracks: where a repeat can be cut in several ways, a text that does not match costs every combination of
cuts. A repeat of something that can itself be cut in several ways is exponential (``(a+)+``) and never loads. Two
neighbouring repeats that can take the same characters (``a+a+``) cost the square of the text's length, three the cube.
Small choices side by side multiply (``a?a?a?...``). From both follows the longest text that is matched in time, and a
pattern for which that is too short does not load. The check is conservative: it may refuse a harmless pattern, and the
message says how to write it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from troth.contracts.leaves.pattern_tree import OTHER, Branch, Chars, Element, Elements, Group, Look, Repeat

__all__ = ["SHORTEST_LIMIT", "longest_text"]

_WIDE = 16
"""A repeat whose number varies by this much or more is dear when it stands inside another."""
_LONG = 1000
"""A repeat that can take this many counts as unbounded when it stands beside another."""
_BUDGET = 50_000_000
"""Steps that a match may take at worst, about a second's worth."""
SHORTEST_LIMIT = 1000
"""Characters; a pattern that cannot be tried on texts this long does not load."""


def longest_text(tree: Elements) -> int | None:
    """How long a text may be to be matched in time: any length (0), so many characters, or None when far too few."""
    elements = _flat(tree)
    if any(not _safe(element) for element in elements):
        return None
    cost = _Cost()
    cost.add(elements)
    if cost.pairs == 0 and cost.ways == 1:
        return 0
    longest = int((_BUDGET / cost.ways) ** (1 / (1 + cost.pairs)))
    return longest if longest >= SHORTEST_LIMIT else None


def _flat(tree: Elements) -> list[Element]:
    """The elements with groups opened."""
    flat: list[Element] = []
    for element in tree:
        if isinstance(element, Group) and element.body is not None:
            flat += _flat(element.body)
        else:
            flat.append(element)
    return flat


def _inside(element: Element) -> list[Elements]:
    if isinstance(element, Branch):
        return list(element.ways)
    if isinstance(element, Repeat):
        return [element.body]
    return [element.body] if isinstance(element, Look) else []


def _safe(element: Element) -> bool:
    if isinstance(element, Repeat) and element.high > 1:
        body = _flat(element.body)
        dear = any(_varies(part, 1 if element.high >= _WIDE else _WIDE) for part in body)
        if dear and not _tells_its_end(body):
            return False
    return all(_safe(part) for body in _inside(element) for part in _flat(body))


def _varies(element: Element, by: int) -> bool:
    """Can this be cut in several ways: a repeat whose number varies by ``by``, or alternatives that may overlap?"""
    if isinstance(element, Repeat):
        return element.high - element.low >= by or (element.high > 0 and _any(element.body, by))
    if isinstance(element, Branch):
        return by == 1 or any(_any(way, by) for way in element.ways)
    return isinstance(element, Group)


def _any(body: Elements, by: int) -> bool:
    return any(_varies(part, by) for part in _flat(body))


def _tells_its_end(body: list[Element]) -> bool:
    """Is each round of a repeat marked off, so that there is one way only to cut the whole?

    Either the one varying part is a run of characters, and the round begins or ends with a character that the run
    cannot take (``(?:[a-z]+[.])*``), or it is a choice between alternatives that begin differently.
    """
    varying = [part for part in body if _varies(part, 1)]
    if len(varying) != 1:
        return False
    part = varying[0]
    if isinstance(part, Branch):
        return not any(_any(way, 1) for way in part.ways) and _begin_differently(part)
    if isinstance(part, Repeat) and len(part.body) == 1 and isinstance(part.body[0], Chars):
        run = part.body[0].codes
        return any(isinstance(end, Chars) and not end.codes & run for end in (body[0], body[-1]))
    return False


def _begin_differently(branch: Branch) -> bool:
    seen: frozenset[int] = frozenset()
    for way in branch.ways:
        flat = _flat(way)
        if not flat or not isinstance(flat[0], Chars) or flat[0].codes & seen:
            return False
        seen |= flat[0].codes
    return True


class _Run(NamedTuple):
    """A repeat that came before: what it takes, and by how many its number varies."""

    codes: frozenset[int]
    span: int


class _Cost:
    """Counts where neighbours can take the same characters: pairs of long repeats, and combinations of small ones."""

    def __init__(self) -> None:
        self.pairs = 0
        self.ways = 1

    def add(self, elements: list[Element]) -> None:
        """Count the elements of one sequence, and what is inside them."""
        before: list[_Run] = []
        for element in elements:
            if isinstance(element, Chars):
                # A character that a run cannot take ends it; what comes later cannot be cut differently.
                before = [run for run in before if run.codes & element.codes]
                continue
            for body in _inside(element):
                self.add(_flat(body))
            if isinstance(element, Branch) and not _begin_differently(element):
                self._multiply(len(element.ways))
            if isinstance(element, Repeat):
                self._multiply(_self_ambiguity(element))
                if element.high > element.low:
                    run = _Run(_codes(element.body), element.high - element.low)
                    self._meet(run, before)
                    # After a repeat that can be empty, the runs before it still touch what follows.
                    before = [run] if element.low else [*before, run]

    def _multiply(self, ways: int) -> None:
        self.ways = min(self.ways * ways, _BUDGET)

    def _meet(self, run: _Run, before: list[_Run]) -> None:
        spans = [other.span for other in before if other.codes & run.codes]
        if not spans:
            return
        if min(run.span, max(spans)) >= _LONG:
            self.pairs += 1
        else:
            self._multiply(1 + min(run.span, max(spans)))


def _self_ambiguity(repeat: Repeat) -> int:
    """In how many ways a repeat of something that varies can be cut into rounds (``(a{0,3}){0,3}``)."""
    body = _flat(repeat.body)
    if repeat.high < 2 or not _any(repeat.body, 1) or _tells_its_end(body):
        return 1
    ways: int = _choices(body) ** min(repeat.high, 64)
    return min(ways, _BUDGET)


def _choices(elements: Iterable[Element]) -> int:
    """How many shapes a sequence has: the product of what its repeats and branches can choose from."""
    choices = 1
    for element in elements:
        if isinstance(element, Repeat):
            rounds: int = _choices(_flat(element.body)) ** min(element.high, 64)
            choices *= (element.high - element.low + 1) * min(rounds, _BUDGET)
        elif isinstance(element, Branch):
            choices *= sum(_choices(_flat(way)) for way in element.ways)
        choices = min(choices, _BUDGET)
    return choices


def _codes(body: Elements) -> frozenset[int]:
    """Every character that can stand in a text of this."""
    codes: frozenset[int] = frozenset()
    for element in _flat(body):
        if isinstance(element, Chars):
            codes |= element.codes
        elif isinstance(element, Group):
            codes |= frozenset(range(128)) | {OTHER}
        else:
            for inner in _inside(element):
                codes |= _codes(inner)
    return codes
