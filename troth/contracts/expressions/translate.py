"""From syntax tree to closure: which parts of Jinja's expressions the contract language has, and what they become.

Only the nodes in ``_RULES`` are allowed; everything else is a problem. Parts that read nothing are evaluated at once,
so that what can never work (``'a' * 10 ** 8``) is a problem when the contract is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias

from jinja2 import nodes

from troth.contracts.expressions import closures
from troth.contracts.expressions.arithmetic import bounded
from troth.contracts.expressions.expression_error import ExpressionError, Site
from troth.contracts.expressions.filters import Filter
from troth.contracts.expressions.mistakes import Mistake
from troth.contracts.expressions.unknowns import Closure
from troth.contracts.suggest import did_you_mean
from troth.contracts.values import ABSENT, Unknown, Value

__all__ = ["Part", "Refused", "Translation"]

_MAX_DEPTH: Final = 60
_MAX_CHAIN: Final = 10
_VARIES: Final = object()


class Refused(Exception):
    """The expression has something that the language does not have."""

    def __init__(self, mistake: Mistake) -> None:
        self.mistake = mistake
        super().__init__(mistake.found)


class Part(NamedTuple):
    """A translated piece: its closure, its dotted path when it is nothing but one, its value when that is fixed."""

    run: Closure
    path: tuple[str, ...] | None = None
    constant: Value = _VARIES

    @property
    def varies(self) -> bool:
        return self.constant is _VARIES


def _fixed(value: Value) -> Part:
    return Part(closures.constant(value), None, value)


class _Nowhere:
    """The scope in which parts that read nothing are evaluated."""

    def get(self, name: str) -> Value:
        return ABSENT

    def ask(self, unknown: Unknown) -> bool:
        return False

    def row(self, collection: str, key: Value) -> Value:
        return ABSENT

    def deleted(self, collection: str, key: Value) -> Value:
        return False

    def now(self) -> Value:
        return ABSENT


@dataclass(slots=True)
class Translation:
    """One expression on its way from tree to closure; gathers what the expression reads."""

    site: Site
    filters: Mapping[str, Filter]
    names: set[str] = field(default_factory=set)
    reads: set[tuple[str, ...]] = field(default_factory=set)
    calls: list[tuple[str, ...]] = field(default_factory=list)
    truths: set[tuple[str, ...]] = field(default_factory=set)
    """Paths of which it is asked whether they are true, as in ``not query.n``."""
    asks: bool = False
    """Can it ask whether an unknown thing is true, before its end?"""
    depth: int = 0

    def translate(self, tree: nodes.Expr) -> Part:
        """The closure of ``tree``; Refused when it has something that the language has not."""
        part = self.part(tree)
        self._reads(part)
        return part

    def part(self, node: nodes.Node) -> Part:
        """A piece whose path, if it is one, is not yet counted as read: it may go on after it."""
        rule = _RULES.get(type(node))
        if rule is None:
            raise _refused("E104", node, "a part of the contract language", _describe(node), _advice(node))
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            asked = f"an expression nested at most {_MAX_DEPTH} deep"
            raise _refused("E109", node, asked, "a deeper one", "Split it up with `let`")
        part = rule(self, node)
        self.depth -= 1
        return part

    def value(self, node: nodes.Node) -> Part:
        """A piece whose value is needed."""
        part = self.part(node)
        self._reads(part)
        return part

    def condition(self, node: nodes.Node) -> Part:
        """A piece of which it is asked whether it is true."""
        part = self.value(node)
        self.asks = True
        if part.path is not None:
            self.truths.add(part.path)
        return part

    def _reads(self, part: Part) -> None:
        if part.path is not None:
            self.reads.add(part.path)

    def fold(self, node: nodes.Node, run: Closure, *parts: Part) -> Part:
        """The piece that ``run`` makes of ``parts``; evaluated now when all of them are fixed."""
        if any(part.varies for part in parts):
            return Part(run)
        try:
            return _fixed(run(_Nowhere()))
        except ExpressionError as error:
            raise _refused("E114", node, "an expression that has a value", error.found, error.fix) from error


def _refused(code: str, node: nodes.Node, asked: str, found: str, fix: str = "") -> Refused:
    return Refused(Mistake(code, node.lineno or 0, asked, found, fix))


def _const(work: Translation, node: nodes.Const) -> Part:
    try:
        return _fixed(bounded(node.value, work.site))
    except ExpressionError as error:
        raise _refused("E114", node, "a value within the limits", error.found, error.fix) from error


def _name(work: Translation, node: nodes.Name) -> Part:
    if node.name == "absent":
        return _fixed(ABSENT)
    work.names.add(node.name)
    run = closures.present if node.name == "now" else closures.name(node.name)
    return Part(run, (node.name,))


def _getattr(work: Translation, node: nodes.Getattr) -> Part:
    of = work.part(node.node)
    if of.path is not None:
        path = (*of.path, node.attr)
        return Part(closures.path(path), path)
    return work.fold(node, closures.field(of.run, node.attr), of)


def _call(work: Translation, node: nodes.Call) -> Part:
    if node.kwargs or node.dyn_args or node.dyn_kwargs or len(node.args) != 1:
        fix = "Write state.charges(path.id), data.codes(body.kind) or unique('text')"
        raise _refused("E115", node, "a look-up with one value in parentheses", "another number of them", fix)
    of = work.part(node.node)
    key = work.value(node.args[0])
    if of.path is None:
        return Part(closures.looked_up(of.run, key.run, work.site))
    work.calls.append(of.path)
    if of.path[0] == "state":
        return _state_call(work, node, of.path, key.run)
    if len(of.path) > 1:
        work.reads.add(of.path)
        return Part(closures.looked_up(of.run, key.run, work.site))
    if of.path == ("unique",):
        return Part(closures.call_unique(key.run, work.site))
    if of.path[0] in work.filters:
        found = f"{of.path[0]}(...), which is a filter"
        raise _refused("E115", node, "a look-up, or unique('text')", found, f"Write `value | {of.path[0]}`")
    work.reads.add(of.path)
    return Part(closures.looked_up(of.run, key.run, work.site))


def _state_call(work: Translation, node: nodes.Call, path: tuple[str, ...], key: Closure) -> Part:
    if len(path) == 2:
        return Part(closures.record(path[1], key))
    if len(path) == 3 and path[2] == "deleted":
        return Part(closures.deletion(path[1], key))
    fix = "Write state.C(key) or state.C.deleted(key)"
    raise _refused("E115", node, "a look-up in a collection", f"{'.'.join(path)}(...)", fix)


def _filter(work: Translation, node: nodes.Filter) -> Part:
    chosen = work.filters.get(node.name)
    if chosen is None:
        raise _refused(
            "E105", node, "a filter", f"`{node.name}`", did_you_mean(node.name, sorted(work.filters), "filters")
        )
    if node.node is None or node.kwargs or node.dyn_args or node.dyn_kwargs:
        raise _refused("E106", node, "arguments by position", f"`{node.name}` with others", "Leave the names out")
    if not chosen.least <= len(node.args) <= chosen.most:
        count = f"{chosen.least}" if chosen.least == chosen.most else f"{chosen.least} to {chosen.most}"
        found = f"`{node.name}` with {len(node.args)}"
        raise _refused("E106", node, f"{count} argument{'' if count == '1' else 's'}", found, "Correct their number")
    of = work.value(node.node)
    given = [work.value(argument) for argument in node.args]
    if node.name == "default":
        work.asks = True
        run = closures.default(of.run, given[0].run)
    else:
        run = closures.filtered(of.run, node.name, chosen, [part.run for part in given], work.site)
    return work.fold(node, run, of, *given)


def _test(work: Translation, node: nodes.Test) -> Part:
    if node.args or node.kwargs or node.dyn_args or node.dyn_kwargs:
        fix = "Put the test in parentheses: (x is absent)"
        raise _refused("E107", node, "a test alone", f"something right after `{node.name}`", fix)
    of = work.value(node.node)
    if node.name == "absent":
        work.asks = True
        return work.fold(node, closures.absence(of.run), of)
    if node.name == "none":
        return work.fold(node, closures.nullness(of.run), of)
    raise _refused(
        "E107", node, "`is absent`, `is not absent` or `is none`", f"`is {node.name}`", _test_advice(node.name)
    )


def _test_advice(name: str) -> str:
    advice = {
        "defined": "Write `is not absent`",
        "undefined": "Write `is absent`",
        "null": "Write `is none`",
        "true": "Write the value alone, or `x == true`",
        "false": "Write `not x`, or `x == false`",
        "empty": "Write `not x`",
        "in": "Write `x in y`",
    }
    return advice.get(name) or (f"Write `== {name}`" if name.isdigit() else "Write `==` to compare")


def _not(work: Translation, node: nodes.Not) -> Part:
    of = work.condition(node.node)
    return work.fold(node, closures.negation(of.run), of)


def _and(work: Translation, node: nodes.And) -> Part:
    left, right = work.condition(node.left), work.value(node.right)
    return work.fold(node, closures.both(left.run, right.run), left, right)


def _or(work: Translation, node: nodes.Or) -> Part:
    left, right = work.condition(node.left), work.value(node.right)
    return work.fold(node, closures.either(left.run, right.run), left, right)


def _conditional(work: Translation, node: nodes.CondExpr) -> Part:
    test, then = work.condition(node.test), work.value(node.expr1)
    otherwise = _fixed(ABSENT) if node.expr2 is None else work.value(node.expr2)
    return work.fold(node, closures.choice(test.run, then.run, otherwise.run), test, then, otherwise)


def _compare(work: Translation, node: nodes.Compare) -> Part:
    if len(node.ops) > _MAX_CHAIN:
        raise _refused("E109", node, f"at most {_MAX_CHAIN} comparisons in a row", "more", "Split it up with `and`")
    left = work.value(node.expr)
    links: list[Part] = []
    for operand in node.ops:
        right = work.value(operand.expr)
        links.append(_link(work, operand, left, right))
        left = right
    if len(links) == 1:
        return links[0]
    work.asks = True
    run = reduce(closures.both, [link.run for link in links])
    return work.fold(node, run, *links)


def _link(work: Translation, operand: nodes.Operand, left: Part, right: Part) -> Part:
    if left.constant is ABSENT or right.constant is ABSENT:
        fix = "Write `x is absent` or `x is not absent`"
        raise _refused("E107", operand.expr, "a value to compare with", "`absent`, which equals nothing", fix)
    if operand.op in ("in", "notin") and isinstance(right.constant, str):
        fix = "Write `x == 'a'`, or `x in ('a', 'b')` with a comma"
        raise _refused("E104", operand.expr, "a list to look in", "one text, of which `in` would find parts", fix)
    if operand.op in ("ne", "notin"):
        work.asks = True
    return work.fold(operand.expr, _COMPARE[operand.op](left, right, work.site), left, right)


def _eq(left: Part, right: Part, site: Site) -> Closure:
    if right.varies:
        return (
            closures.equality(left.run, right.run) if left.varies else closures.equality_with(right.run, left.constant)
        )
    return closures.equality_with(left.run, right.constant)


def _in(left: Part, right: Part, site: Site) -> Closure:
    if isinstance(right.constant, list) and all(isinstance(item, str) for item in right.constant):
        return closures.membership_of_texts(left.run, right.constant, site)
    return closures.membership(left.run, right.run, site)


_Link: TypeAlias = Callable[[Part, Part, Site], Closure]
_COMPARE: Final[Mapping[str, _Link]] = MappingProxyType(
    {
        "eq": _eq,
        "ne": lambda left, right, site: closures.negation(_eq(left, right, site)),
        "lt": lambda left, right, site: closures.order(left.run, right.run, site, or_equal=False),
        "lteq": lambda left, right, site: closures.order(left.run, right.run, site, or_equal=True),
        "gt": lambda left, right, site: closures.order(right.run, left.run, site, or_equal=False),
        "gteq": lambda left, right, site: closures.order(right.run, left.run, site, or_equal=True),
        "in": _in,
        "notin": lambda left, right, site: closures.negation(_in(left, right, site)),
    }
)


def _calculation(work: Translation, node: nodes.BinExpr) -> Part:
    left, right = work.value(node.left), work.value(node.right)
    run = closures.calculation(left.run, right.run, node.operator, work.site)
    return work.fold(node, run, left, right)


def _negative(work: Translation, node: nodes.Neg) -> Part:
    of = work.value(node.node)
    return work.fold(node, closures.negative(of.run, work.site), of)


def _joined(work: Translation, node: nodes.Concat) -> Part:
    parts = [work.value(part) for part in node.nodes]
    return work.fold(node, closures.joined([part.run for part in parts], work.site), *parts)


def _listed(work: Translation, node: nodes.Tuple) -> Part:
    parts = [work.value(item) for item in node.items]
    return work.fold(node, closures.listed([part.run for part in parts]), *parts)


def _describe(node: nodes.Node) -> str:
    names = {"Getitem": "an item in brackets or a number after a dot", "Pos": "a + before a value"}
    kind = type(node).__name__
    return names.get(kind, f"Jinja's {kind}")


def _advice(node: nodes.Node) -> str:
    if isinstance(node, nodes.Getitem):
        return "Write `(list | at(0))` for an item of a list, `state.charges(path.id)` to look up"
    return "See the language reference for what expressions can say"


_RULES: Final[Mapping[type[nodes.Node], Callable[[Translation, Any], Part]]] = MappingProxyType(
    {
        nodes.Add: _calculation,
        nodes.And: _and,
        nodes.Call: _call,
        nodes.Compare: _compare,
        nodes.Concat: _joined,
        nodes.CondExpr: _conditional,
        nodes.Const: _const,
        nodes.Div: _calculation,
        nodes.Filter: _filter,
        nodes.FloorDiv: _calculation,
        nodes.Getattr: _getattr,
        nodes.Mod: _calculation,
        nodes.Mul: _calculation,
        nodes.Name: _name,
        nodes.Neg: _negative,
        nodes.Not: _not,
        nodes.Or: _or,
        nodes.Pow: _calculation,
        nodes.Sub: _calculation,
        nodes.Test: _test,
        nodes.Tuple: _listed,
    }
)
