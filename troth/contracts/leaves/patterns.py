"""A ``pattern``: a regular expression that a whole text matches, and that texts can be made from."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from hashlib import blake2b

from troth.contracts.leaves.arguments import Arguments, shown
from troth.contracts.leaves.base import Fault
from troth.contracts.leaves.pattern_risk import SHORTEST_LIMIT, longest_text
from troth.contracts.leaves.pattern_sample import sample
from troth.contracts.leaves.pattern_tree import Elements, parse
from troth.contracts.matcher import Draw
from troth.errors import ContractError, Place, Problem
from troth.frozen import frozen

__all__ = ["Pattern", "compile_pattern"]

_LONGEST_SOURCE = 1000
_LONGEST_SAMPLE = 10_000
_TRIALS = 30


@frozen
class Pattern:
    """``source`` as the author wrote it; ``witness`` matches it and fits the lengths that were asked for."""

    source: str
    regex: re.Pattern[str]
    tree: Elements
    limit: int | None
    """Longer texts are not tried, for the time that it would take; None: any length is quick."""
    growth: int = 0
    """How much more than they must all repeats take in a text of the length that was asked for."""
    witness: str | None = None

    def fault(self, text: str) -> Fault | None:
        """Why ``text`` does not match; None when it does."""
        if self.limit is not None and len(text) > self.limit:
            return Fault("bounds", f"at most {self.limit} characters, to match {self.source}")
        return None if self.regex.fullmatch(text) else Fault("format", f"a text that matches {self.source}")

    def make(self, draw: Draw, low: int, high: int | None) -> str:
        """A matching text of ``low`` to ``high`` characters; ContractError when none could be made (see ``said``)."""
        for growth, full in _NATURAL:
            made = self._try(draw, growth, full, low, high)
            if made is not None:
                return made
        for full in (True, False, False):
            made = self._try(draw, self.growth, full, low, high)
            if made is not None:
                return made
        if self.witness is None:
            raise _unmakeable(self.source, Place())
        return self.witness

    def _try(self, draw: Draw, growth: int, full: bool, low: int, high: int | None) -> str | None:
        text = sample(self.tree, draw, growth, full=full)
        fits = len(text) >= low and (high is None or len(text) <= high)
        return text if fits and self.regex.fullmatch(text) else None


_NATURAL = ((3, False), (3, False), (8, False), (0, True))
"""How much repeats take at first: growth, and whether they take all of it."""


def compile_pattern(source: str, low: int, high: int, args: Arguments) -> Pattern | None:
    """Compile once, prove that it is cheap and that samples of the wanted length can be made; else report why not."""
    place = args.place_of("pattern")
    asked = f"a regular expression as `pattern` of ${args.name}"
    try:
        if len(source) > _LONGEST_SOURCE:
            raise ValueError(f"{len(source)} characters of it")
        with warnings.catch_warnings():
            # `[[a-z]`, `[a--b]`: a later Python may read them in another way.
            warnings.simplefilter("error", FutureWarning)
            tree, least = parse(source)
            regex = re.compile(source, re.ASCII)
    except (re.error, ValueError, OverflowError, RecursionError, FutureWarning) as error:
        args.problem("E253", asked, f"{shown(source)}: {error}", "See docs.python.org/3/library/re.html", place)
        return None
    limit = longest_text(tree)
    if limit is None:
        found = f"{shown(source)}, which can take forever on a text of {SHORTEST_LIMIT} characters that does not match"
        fix = "Part repeats by a character that they cannot take, or give them a small upper bound"
        args.problem("E254", "a pattern that is quick to match", found, fix, place)
        return None
    pattern = Pattern(source, regex, tree, limit or None)
    if least <= _LONGEST_SAMPLE:
        pattern = _with_witness(pattern, low, high)
    if pattern.witness is None and not args.said:
        args.problems.items += _unmakeable(source, place).problems
        return None
    return pattern


def _unmakeable(source: str, place: Place) -> ContractError:
    asked = "a pattern from which texts of the right length can be made"
    fix = "Say one as `default` (samples say it) or `is` (demanded, too)"
    return ContractError([Problem("E255", place, asked, f"{shown(source)}, for which none was found", fix)])


def _with_witness(pattern: Pattern, low: int, high: int) -> Pattern:
    """With the growth that reaches ``low``, and the first fitting text out of many."""
    growth = _growth(pattern, low)
    pattern = replace(pattern, growth=growth)
    for seed in range(_TRIALS):
        for most, full in (*_NATURAL, (growth, True), (growth, False), (2 * growth, False)):
            text = pattern._try(_Trial(seed), most, full, low, high)
            if text is not None:
                return replace(pattern, witness=text)
    return pattern


def _growth(pattern: Pattern, low: int) -> int:
    """The least growth with which a text has ``low`` characters, found by halving."""
    least, most = 0, min(low, _LONGEST_SAMPLE)
    while least < most:
        middle = (least + most) // 2
        if len(sample(pattern.tree, _Trial(0), middle, full=True)) >= low:
            most = middle
        else:
            least = middle + 1
    return least


class _Trial:
    """A fixed source of choices, for trying a pattern when the contract loads."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._count = 0

    def below(self, n: int) -> int:
        self._count += 1
        digest = blake2b(f"{self._seed}.{self._count}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") % n

    def text(self, length: int, alphabet: str) -> str:
        return "".join([alphabet[self.below(len(alphabet))] for _ in range(length)])

    def raw(self, length: int) -> bytes:
        return bytes([self.below(256) for _ in range(length)])
