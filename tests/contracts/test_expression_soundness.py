"""Forking is sound: what is decided about unknown things holds whatever they turn out to be. Random expressions."""

from __future__ import annotations

from itertools import product

from fakes.scopes import FakeScope, expression
from hypothesis import given, settings
from hypothesis import strategies as st

from troth.contracts.expressions.expression import ExpressionError
from troth.contracts.expressions.unknowns import identical
from troth.contracts.values import ABSENT, Unknown, Value

NAMES = ("a", "b", "c")
LITERALS = ("1", "0", "2.0", "''", "'x'", "true", "false", "none", "('x', 1)")
SCALARS = st.sampled_from([True, False, None, 0, 1, 2, 2.0, "", "x", "xy", ABSENT])
VALUES = st.one_of(
    SCALARS, st.fixed_dictionaries({"f": SCALARS}), st.lists(SCALARS.filter(lambda v: v is not ABSENT), max_size=2)
)
UNKNOWN = object()

ATOMS = st.one_of(st.sampled_from(NAMES), st.sampled_from([f"{name}.f" for name in NAMES]), st.sampled_from(LITERALS))


def compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Every construct of the language whose meaning is three-valued, around smaller expressions."""
    pair = st.tuples(inner, inner)
    return st.one_of(
        st.builds("(not {})".format, inner),
        st.builds("(-{})".format, inner),
        st.builds("({} is absent)".format, inner),
        st.builds("({} is not absent)".format, inner),
        st.builds("({} is none)".format, inner),
        st.builds("({} | default({}))".format, inner, inner),
        st.builds("({} | as_list)".format, inner),
        st.builds("({} | as_list | all_in({} | as_list))".format, inner, inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
        st.builds("(({}, {}) == ({}, {}))".format, inner, inner, inner, inner),
        *(
            st.builds(lambda operands, sign=sign: f"({operands[0]} {sign} {operands[1]})", pair)
            for sign in ("and", "or", "==", "!=", "<", "<=", ">", ">=", "+", "~")
        ),
        st.builds(lambda operands: f"({operands[0]} in ({operands[1]}, 1))", pair),
        st.builds(lambda operands: f"({operands[0]} not in ({operands[1]} | as_list))", pair),
    )


EXPRESSIONS = st.recursive(ATOMS, compound, max_leaves=8)
BOOLEANS = st.recursive(
    st.sampled_from([*NAMES, "true", "false"]),
    lambda inner: st.one_of(
        st.builds("(not {})".format, inner),
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
    ),
    max_leaves=10,
)


class ClosedScope(FakeScope):
    """A scope that knows everything: to be asked is an error."""

    def ask(self, unknown: Unknown) -> bool:
        raise AssertionError(f"asked about {unknown.label}")


def compiled(source: str):
    """The expression, or None where its constant parts make no sense together."""
    from troth.contracts.expressions.expression import compile_expression
    from troth.errors import Place, Problems

    return compile_expression(source, Place(), Problems())


def run_closed(source: str, values: dict[str, Value]) -> Value:
    return compiled(source).run(ClosedScope(values))


def known(value: Value) -> bool:
    if isinstance(value, list):
        return all(map(known, value))
    if isinstance(value, dict):
        return all(map(known, value.values()))
    return not isinstance(value, Unknown)


@settings(max_examples=600, deadline=None)
@given(EXPRESSIONS, st.fixed_dictionaries(dict.fromkeys(NAMES, VALUES)), st.sets(st.sampled_from(NAMES), min_size=1))
def test_what_is_decided_holds_for_every_value_of_the_unknown_things(source, values, hidden):
    """decide() and value() with things hidden agree with the run in which the same things are known."""
    if compiled(source) is None:
        return
    opened = {name: Unknown(name) if name in hidden else value for name, value in values.items()}
    try:
        truth = run_closed(source, values)
    except ExpressionError:
        return
    decided = compiled(source).decide(FakeScope(opened))
    assert decided is None or decided is bool(truth)
    try:
        value = compiled(source).value(FakeScope(opened))
    except ExpressionError:
        return
    if known(value):
        assert identical(value, truth)


@settings(max_examples=250, deadline=None)
@given(BOOLEANS, st.sets(st.sampled_from(NAMES)))
def test_a_pure_condition_is_undecided_only_if_both_answers_are_possible(source, hidden):
    """Forking loses nothing: with yes-or-no unknowns, decide() is exact."""
    free = sorted(hidden)
    fixed = {name: name == "a" for name in NAMES}
    outcomes = {
        bool(run_closed(source, {**fixed, **dict(zip(free, answers, strict=True))}))
        for answers in product([True, False], repeat=len(free))
    }
    decided = expression(source).decide(FakeScope({**fixed, **{name: Unknown(name) for name in free}}))
    assert decided is (outcomes.pop() if len(outcomes) == 1 else None)


@settings(max_examples=250, deadline=None)
@given(EXPRESSIONS, st.fixed_dictionaries(dict.fromkeys(NAMES, VALUES)))
def test_in_a_closed_world_every_way_to_evaluate_agrees(source, values):
    """run(), value(), decide() and test() say the same where nothing is unknown."""
    if compiled(source) is None:
        return
    scope = ClosedScope(values)
    try:
        value = compiled(source).run(scope)
    except ExpressionError:
        assert compiled(source).decide(scope) is None
        return
    assert identical(compiled(source).value(scope), value)
    assert compiled(source).decide(scope) is bool(value)
    assert compiled(source).test(scope) is bool(value)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40) | st.text("ab.|()'\"=<>!~ {}%#-+0123456789", max_size=40))
def test_any_text_is_an_expression_or_one_problem(source):
    """Nothing that a user types ends in another error."""
    from troth.contracts.expressions.expression import compile_expression, compile_template
    from troth.errors import Place, Problems

    for compile_ in (compile_expression, compile_template):
        problems = Problems()
        result = compile_(source, Place(), problems)
        assert (result is None) == (len(problems.items) == 1)
