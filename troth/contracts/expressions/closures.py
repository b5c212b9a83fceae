"""Expressions as closures: each function here makes one, in the shape that runs fastest for what it is given.

A closure takes the scope and gives a value. Common shapes (a name, ``name.field``, a comparison with a constant,
``and``) have closures of their own, without loops or argument lists; the rare cases are left to the functions of
``comparisons``, ``arithmetic`` and ``members``. Everything that can fail gets the ``Site`` that it reports.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from troth.contracts.expressions.arithmetic import MAX_TEXT, OPERATORS, bounded, join, negate, text_of
from troth.contracts.expressions.comparisons import contains, equal, less, less_or_equal, show
from troth.contracts.expressions.expression_error import ExpressionError, Site
from troth.contracts.expressions.filters import Filter
from troth.contracts.expressions.members import look_up, member
from troth.contracts.expressions.unknowns import Closure, Instant, Names, truth
from troth.contracts.values import ABSENT, Unknown, Value

__all__ = [
    "absence",
    "both",
    "calculation",
    "call_unique",
    "choice",
    "constant",
    "default",
    "deletion",
    "either",
    "equality",
    "equality_with",
    "field",
    "filtered",
    "joined",
    "listed",
    "looked_up",
    "membership",
    "membership_of_texts",
    "name",
    "negation",
    "negative",
    "nullness",
    "order",
    "path",
    "present",
    "record",
    "template",
]

_FAST_TYPES: Final = frozenset({int, float, str})
_SURELY_SMALL: Final = 2**63
_WHOLE_NUMBERS: Final[Mapping[str, Callable[[int, int], int]]] = MappingProxyType(
    {"+": operator.add, "-": operator.sub, "*": operator.mul}
)
"""What whole numbers can do without a look at the limits, so long as the result is small."""


def constant(value: Value) -> Closure:
    """Always ``value``."""

    def run(scope: Names) -> Value:
        return value

    return run


def name(root: str) -> Closure:
    """What a bare name stands for."""

    def run(scope: Names) -> Value:
        return scope.get(root)

    return run


def present(scope: Names) -> Value:
    """``now``."""
    span = scope.now()
    return span if span.__class__ is Instant else Instant(span.lo, span.hi)


def path(names: Sequence[str]) -> Closure:
    """``name.field.field``, from one name on."""
    if len(names) == 1:
        return name(names[0])
    if len(names) == 2:
        return _path_of_two(*names)
    return field(path(names[:-1]), names[-1])


def _path_of_two(root: str, first: str) -> Closure:
    def run(scope: Names) -> Value:
        value = scope.get(root)
        if value.__class__ is dict:
            return value[first] if first in value else ABSENT  # noqa: SIM401 - half the time of dict.get
        return member(value, first)

    return run


def field(of: Closure, first: str) -> Closure:
    """``(...).field``."""

    def run(scope: Names) -> Value:
        value = of(scope)
        if value.__class__ is dict:
            return value[first] if first in value else ABSENT  # noqa: SIM401
        return member(value, first)

    return run


def record(collection: str, key: Closure) -> Closure:
    """``state.C(key)``."""

    def run(scope: Names) -> Value:
        value = key(scope)
        if value is ABSENT:
            return ABSENT
        if value.__class__ is Unknown:
            return Unknown(f"{collection}[{value.label}]")
        return scope.row(collection, value)

    return run


def deletion(collection: str, key: Closure) -> Closure:
    """``state.C.deleted(key)``."""

    def run(scope: Names) -> Value:
        value = key(scope)
        if value is ABSENT:
            return False
        if value.__class__ is Unknown:
            return Unknown(f"{collection}[{value.label}] is deleted")
        return scope.deleted(collection, value)

    return run


def looked_up(of: Closure, key: Closure, site: Site) -> Closure:
    """``value(key)``."""

    def run(scope: Names) -> Value:
        value, wanted = of(scope), key(scope)
        if value.__class__ is dict and wanted.__class__ is str:
            return value.get(wanted, ABSENT)
        return look_up(value, wanted, site)

    return run


def call_unique(text: Closure, site: Site) -> Closure:
    """``unique(text)``: the scope provides the function."""

    def run(scope: Names) -> Value:
        value = text(scope)
        if value is ABSENT or value.__class__ is Unknown:
            return value
        make = scope.get("unique")
        if not callable(make) or not isinstance(value, str):
            raise site.error(f"unique({show(value)})", "`unique('text')` makes names in the steps of scenarios")
        return make(value)

    return run


def equality(left: Closure, right: Closure) -> Closure:
    """``left == right``."""

    def run(scope: Names) -> Value:
        a, b = left(scope), right(scope)
        return a == b if a.__class__ is str and b.__class__ is str else equal(a, b)

    return run


def equality_with(left: Closure, value: Value) -> Closure:
    """``left == constant``."""
    if isinstance(value, list):  # which may have to be compared with unknown items
        return equality(left, constant(value))
    kind = value.__class__

    def run(scope: Names) -> Value:
        found = left(scope)
        return found == value if found.__class__ is kind else equal(found, value)

    return run


def order(left: Closure, right: Closure, site: Site, *, or_equal: bool) -> Closure:
    """``left < right``, or ``left <= right``."""
    slow = less_or_equal if or_equal else less

    def run(scope: Names) -> Value:
        a, b = left(scope), right(scope)
        if a.__class__ is b.__class__ and a.__class__ in _FAST_TYPES:
            return a <= b if or_equal else a < b
        return slow(a, b, site)

    return run


def membership(needle: Closure, hay: Closure, site: Site) -> Closure:
    """``needle in hay``."""

    def run(scope: Names) -> Value:
        return contains(needle(scope), hay(scope), site)

    return run


def membership_of_texts(needle: Closure, texts: Sequence[str], site: Site) -> Closure:
    """``needle in ('a', 'b')``."""
    known = frozenset(texts)
    hay = list(texts)

    def run(scope: Names) -> Value:
        value = needle(scope)
        return value in known if value.__class__ is str else contains(value, hay, site)

    return run


def absence(of: Closure) -> Closure:
    """``value is absent``."""

    def run(scope: Names) -> Value:
        value = of(scope)
        return Unknown(f"({value.label} is absent)") if value.__class__ is Unknown else value is ABSENT

    return run


def nullness(of: Closure) -> Closure:
    """``value is none``."""

    def run(scope: Names) -> Value:
        value = of(scope)
        return Unknown(f"({value.label} is none)") if value.__class__ is Unknown else value is None

    return run


def negation(of: Closure) -> Closure:
    """``not value``."""

    def run(scope: Names) -> Value:
        value = of(scope)
        return not (scope.ask(value) if value.__class__ is Unknown else value)

    return run


def both(left: Closure, right: Closure) -> Closure:
    """``left and right``: the first of them that is false, else the last."""

    def run(scope: Names) -> Value:
        value = left(scope)
        return right(scope) if (scope.ask(value) if value.__class__ is Unknown else value) else value

    return run


def either(left: Closure, right: Closure) -> Closure:
    """``left or right``: the first of them that is true, else the last."""

    def run(scope: Names) -> Value:
        value = left(scope)
        return value if (scope.ask(value) if value.__class__ is Unknown else value) else right(scope)

    return run


def choice(test: Closure, then: Closure, otherwise: Closure) -> Closure:
    """``then if test else otherwise``."""

    def run(scope: Names) -> Value:
        return then(scope) if truth(test(scope), scope) else otherwise(scope)

    return run


def calculation(left: Closure, right: Closure, sign: str, site: Site) -> Closure:
    """``left + right`` and its like."""
    slow = OPERATORS[sign]
    fast = _WHOLE_NUMBERS.get(sign)
    if fast is None:
        return lambda scope: slow(left(scope), right(scope), site)

    def run(scope: Names) -> Value:
        a, b = left(scope), right(scope)
        if a.__class__ is int and b.__class__ is int:
            result = fast(a, b)
            if -_SURELY_SMALL < result < _SURELY_SMALL:
                return result
        return slow(a, b, site)

    return run


def negative(of: Closure, site: Site) -> Closure:
    """``-value``."""

    def run(scope: Names) -> Value:
        return negate(of(scope), site)

    return run


def joined(parts: Sequence[Closure], site: Site) -> Closure:
    """``a ~ b ~ c``."""

    def run(scope: Names) -> Value:
        return join([part(scope) for part in parts], site)

    return run


def listed(items: Sequence[Closure]) -> Closure:
    """``(a, b, c)``."""

    def run(scope: Names) -> Value:
        return [item(scope) for item in items]

    return run


def default(of: Closure, other: Closure) -> Closure:
    """``value | default(other)``: ``other`` is evaluated only where the value is absent."""

    def run(scope: Names) -> Value:
        value = of(scope)
        if value.__class__ is Unknown:
            return other(scope) if scope.ask(Unknown(f"({value.label} is absent)")) else value
        return other(scope) if value is ABSENT else value

    return run


def filtered(of: Closure, label: str, chosen: Filter, arguments: Sequence[Closure], site: Site) -> Closure:
    """``value | filter(arguments)``."""
    if not arguments:
        return _filtered_alone(of, label, chosen, site)

    def run(scope: Names) -> Value:
        value = of(scope)
        if value is ABSENT:
            return ABSENT
        given = [argument(scope) for argument in arguments]
        if value.__class__ is Unknown or any(item.__class__ is Unknown for item in given):
            return Unknown(f"({show(value)} | {label}({', '.join(map(show, given))}))")
        try:
            return bounded(chosen.apply(value, *given), site)
        except ExpressionError:
            raise
        except Exception as error:
            raise _failure(error, f"{show(value)} | {label}({', '.join(map(show, given))})", site) from error

    return run


def _filtered_alone(of: Closure, label: str, chosen: Filter, site: Site) -> Closure:
    apply = chosen.apply

    def run(scope: Names) -> Value:
        value = of(scope)
        if value is ABSENT:
            return ABSENT
        if value.__class__ is Unknown:
            return Unknown(f"({value.label} | {label})")
        try:
            return bounded(apply(value), site)
        except ExpressionError:
            raise
        except Exception as error:
            raise _failure(error, f"{show(value)} | {label}", site) from error

    return run


def _failure(error: Exception, call: str, site: Site) -> ExpressionError:
    """Filters may come from hooks: whatever they raise becomes an error of the expression that calls them."""
    reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
    return site.error(f"{call}: {reason}", "Give the filter what it takes")


def template(parts: Sequence[str | Closure], site: Site) -> Closure:
    """A text with values in it; unknown when any of them is."""

    def run(scope: Names) -> Value:
        texts = []
        for part in parts:
            text = part if isinstance(part, str) else text_of(part(scope), site)
            if isinstance(text, Unknown):
                return Unknown(f"text {show(site.source)} with {text.label}")
            texts.append(text)
        if sum(map(len, texts)) > MAX_TEXT:
            raise site.too_large(f"text of more than {MAX_TEXT:,} characters")
        return "".join(texts)

    return run
