"""Expressions: ``body.amount > 100``, ``state.charges(path.id)``, ``order {{ this.id }}``.

They have Jinja's syntax and are compiled to closures when a contract is loaded; Jinja itself never evaluates anything.
``.`` reads items of values, never Python attributes, and only what ``translate`` lists is allowed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from troth.contracts.expressions.closures import constant, template
from troth.contracts.expressions.comparisons import type_name
from troth.contracts.expressions.expression_error import ExpressionError, Site
from troth.contracts.expressions.filters import Filter
from troth.contracts.expressions.filters_in_use import filters_in_use
from troth.contracts.expressions.mistakes import Mistake, without_texts
from troth.contracts.expressions.syntax import Segment, parse, report, split_template
from troth.contracts.expressions.translate import Part, Refused, Translation
from troth.contracts.expressions.unknowns import Closure, Names, decide, resolve, truth
from troth.contracts.suggest import did_you_mean
from troth.contracts.values import Unknown, Value
from troth.errors import Place, Problems

__all__ = ["Expression", "ExpressionError", "check_names", "compile_expression", "compile_template"]

_NOTHING: Final[frozenset[tuple[str, ...]]] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """A compiled expression, or a text with expressions in ``{{ }}``.

    ``run``, ``value`` and ``test`` raise ExpressionError where the expression makes no sense for the values at hand.
    """

    source: str
    place: Place
    run: Closure
    """The bare closure: the fastest way to the value, which may be an Unknown."""
    names: frozenset[str] = frozenset()
    """Free root names: ``body``, ``state``, ``now``, ``maybe``, ``unique``, an author's ``let`` ..."""
    path: tuple[str, ...] | None = None
    """The names of a bare dotted path: ``charge.amount`` is ("charge", "amount"); else None."""
    reads: frozenset[tuple[str, ...]] = _NOTHING
    """Every dotted path that is read, from its root."""
    calls: tuple[tuple[str, ...], ...] = ()
    """The paths that are called: ("state", "charges"), ("state", "charges", "deleted"), ("data", "codes")."""
    truths: frozenset[tuple[str, ...]] = _NOTHING
    """Bare paths that stand as conditions inside: ``query.n`` of ``not query.n``, true for 0 and '' as well."""
    asks: bool = False
    """Can it fork: does it ask, before its end, whether an unknown thing is true?"""
    constant: bool = False
    """Does it read nothing?"""

    @property
    def uses_maybe(self) -> bool:
        """Does it read ``maybe``?"""
        return "maybe" in self.names

    def value(self, scope: Names) -> Value:
        """The value; an Unknown when it depends on whether unknown things are true."""
        return resolve(self.run, scope, self.source) if self.asks else self.run(scope)

    def decide(self, scope: Names) -> bool | None:
        """As a condition: True, False, or None when that depends on unknown things, or makes no sense (an error)."""
        try:
            if self.asks:
                return decide(self.run, scope)
            value = self.run(scope)
        except ExpressionError:
            return None
        return None if value.__class__ is Unknown else bool(value)

    def test(self, scope: Names) -> bool:
        """As a condition in a world where everything is known; an unknown thing is asked of the scope."""
        value = self.run(scope)
        return value if value.__class__ is bool else truth(value, scope)

    def __repr__(self) -> str:
        return f"Expression({self.source!r})"


def compile_expression(
    source: object, place: Place, problems: Problems, filters: Mapping[str, Filter] | None = None
) -> Expression | None:
    """A bare expression, as in ``when: not charge``; numbers, booleans and null stand for themselves.

    None when it is not one, with problems E100 to E115 that say why.
    """
    if not isinstance(source, str):
        return _literal(source, place, problems)
    site = Site(source, place)
    work = Translation(site, filters or filters_in_use())
    part = _translate(source, work, problems)
    return part and _expression(source, site, work, part)


def _literal(value: object, place: Place, problems: Problems) -> Expression | None:
    if value is not None and not isinstance(value, bool | int | float):
        problems.add("E100", place, "an expression", type_name(value), "Write a name, a comparison, ...")
        return None
    return Expression(str(value), place, constant(value), constant=True)


def compile_template(
    text: str, place: Place, problems: Problems, filters: Mapping[str, Filter] | None = None
) -> Expression | str | None:
    """A text of YAML: without ``{{ }}`` itself; one whole ``{{ }}`` the expression in it; else one that makes a text.

    None when something is wrong in it, with problems E100 to E115. Line ends around a whole ``{{ }}`` do not count (a
    ``>`` block ends with one), other blanks do.
    """
    if "{" not in text:
        return text
    segments = split_template(text)
    if isinstance(segments, Mistake):
        report(segments, text, place, problems)
        return None
    if not any(segment.expression for segment in segments):
        return text
    whole = [segment for segment in segments if segment.expression or segment.text.strip("\n")]
    if len(whole) == 1 and whole[0].expression:
        return compile_expression(_bare(whole[0]), place, problems, filters)
    return _text_with_expressions(text, segments, Translation(Site(text, place), filters or filters_in_use()), problems)


def _bare(segment: Segment) -> str:
    return segment.text.strip()


def _text_with_expressions(
    text: str, segments: list[Segment], work: Translation, problems: Problems
) -> Expression | None:
    parts: list[str | Closure] = []
    fixed = True
    for segment in segments:
        if not segment.expression:
            parts.append(segment.text)
            continue
        part = _translate(_bare(segment), work, problems)
        if part is None:
            return None
        parts.append(part.run)
        fixed = fixed and not part.varies
    run = template(parts, work.site)
    return _expression(text, work.site, work, Part(run, None, run) if fixed else Part(run))


def _translate(source: str, work: Translation, problems: Problems) -> Part | None:
    tree = parse(source, work.site.place, problems)
    if tree is None:
        return None
    try:
        return work.translate(tree)
    except Refused as refused:
        report(refused.mistake, source, work.site.place, problems)
        return None


def _expression(source: str, site: Site, work: Translation, part: Part) -> Expression:
    return Expression(
        source,
        site.place,
        part.run,
        names=frozenset(work.names),
        path=part.path,
        reads=frozenset(work.reads),
        calls=tuple(work.calls),
        truths=frozenset(work.truths),
        asks=work.asks and part.varies,
        constant=not part.varies,
    )


def check_names(expression: Expression, allowed: Collection[str], place: Place, problems: Problems) -> bool:
    """Are all root names in ``allowed``? Each one that is not is a problem E113 with the nearest known name."""
    unknown = sorted(expression.names - set(allowed))
    for name in unknown:
        found = re.search(rf"(?<![\w.]){re.escape(name)}\b", without_texts(expression.source))
        offset = found.start() if found else 0
        mistake = Mistake(
            "E113",
            offset,
            "a name that is known here",
            f"`{name}`",
            _name_advice(name, offset, expression.source, allowed),
        )
        report(mistake, expression.source, place, problems)
    return not unknown


def _name_advice(name: str, offset: int, source: str, allowed: Collection[str]) -> str:
    if re.search(r"[\w)]-$", source[:offset]):
        return f"A - between names is minus; a name with a - in it is read by `x | at('...-{name}')`"
    advice = did_you_mean(name, sorted(allowed))
    return advice if advice.startswith("Did") else f"Quote it if it is a text: '{name}'. {advice}"
