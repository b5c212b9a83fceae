"""Three-valued conditions by forking, and times that are known only within an interval."""

from __future__ import annotations

import pytest
from fakes.scopes import FakeRecord, FakeScope, decide, expression, run

from troth.contracts.expressions.unknowns import MAX_RUNS, Forks, Instant, identical
from troth.contracts.values import ABSENT, Slot, Unknown

A, B = Unknown("a"), Unknown("b")
T, F, U = True, False, None
KNOWN = {True: True, False: False, None: A}
OTHER = {True: True, False: False, None: B}


class TestTruthTables:
    """Kleene's strong logic: decided as soon as the known operands decide it."""

    @pytest.mark.parametrize(("a", "result"), [(T, F), (F, T), (U, U)])
    def test_not(self, a, result):
        assert decide("not a", a=KNOWN[a]) is result

    @pytest.mark.parametrize(
        ("a", "b", "result"),
        [(T, T, T), (T, F, F), (F, T, F), (F, F, F), (T, U, U), (U, T, U), (F, U, F), (U, F, F), (U, U, U)],
    )
    def test_and(self, a, b, result):
        assert decide("a and b", a=KNOWN[a], b=OTHER[b]) is result

    @pytest.mark.parametrize(
        ("a", "b", "result"),
        [(T, T, T), (T, F, T), (F, T, T), (F, F, F), (T, U, T), (U, T, T), (F, U, U), (U, F, U), (U, U, U)],
    )
    def test_or(self, a, b, result):
        assert decide("a or b", a=KNOWN[a], b=OTHER[b]) is result

    @pytest.mark.parametrize(
        ("a", "b", "c", "result"), [(U, T, T, T), (U, F, F, F), (U, T, F, U), (T, U, F, U), (F, U, T, T)]
    )
    def test_if(self, a, b, c, result):
        third = {True: True, False: False, None: Unknown("c")}
        assert decide("b if a else c", a=KNOWN[a], b=OTHER[b], c=third[c]) is result


class TestForking:
    @pytest.mark.parametrize(
        ("source", "result"),
        [
            ("a or not a", True),
            ("a and not a", False),
            ("(a and b) or (not a and b) or not b", True),
            ("a == 1 or not (a == 1)", True),
            ("a == 1 or a != 1", True),
            ("a == b or not (b == a)", True),
            ("a == b or a == c", None),
            ("(a | lower) or not (a | length)", None),
            ("a | at(0) or not (a | at(1))", None),
            ("a == 1 or a == 2", None),
            ("a < 1 or not (1 > a)", True),
            ("a in (1, 2) or a not in (1, 2)", True),
            ("a is absent or a is not absent", True),
            ("a.x or not a.x", True),
            ("a.x or not a.y", None),
            ("(a | lower) == 'x' or not ((a | lower) == 'x')", True),
            ("a + 1 > 2 or not (a + 1 > 2)", True),
        ],
    )
    def test_the_same_question_has_the_same_answer_within_a_run(self, source, result):
        assert decide(source, a=A, b=B, c=Unknown("c")) is result

    @pytest.mark.parametrize(
        "source",
        [
            "a",
            "a.b",
            "a == 1",
            "a != 1",
            "1 == a",
            "a < 1",
            "a >= 1",
            "1 < 2 < a",
            "a in (1, 2)",
            "a not in (1, 2)",
            "1 in a",
            "1 in l",
            "a + 1",
            "-a",
            "a ~ 'x'",
            "a | lower",
            "'x' | hmac_sha256(a)",
            "a is absent",
            "a is not absent",
            "a is none",
            "a('x')",
            "state.c(a)",
            "l == (1,)",
            "o == p",
            "a == b",
            "a == a",
            "text == a",
            "a == text",
            "l | all_in((1, 2))",
        ],
    )
    def test_undecided_where_it_depends_on_something_unknown(self, source):
        assert decide(source, a=A, b=B, l=[Unknown("item")], o={"x": A}, p={"x": 1}, text="x") is None

    @pytest.mark.parametrize(
        ("source", "result"),
        [
            ("a == gone", False),
            ("a != gone", True),
            ("a < gone", False),
            ("a in ()", False),
            ("a in gone", False),
            ("1 in gone", False),
            ("2 in l", True),
            ("l == ()", False),
            ("o == q", False),
            ("(a + gone) is absent", True),
            ("(gone | default(5)) == 5", True),
            ("5 | default(a) == 5", True),
            ("a < 5 < 3", False),
        ],
    )
    def test_decided_whatever_the_unknown_is(self, source, result):
        assert decide(source, a=A, l=[A, 2], o={"x": A, "y": 1}, q={"x": A, "y": 2}) is result

    def test_a_member_that_may_be_absent_leaves_equality_open(self):
        assert decide("o == p", o={"x": A}, p={}) is None

    def test_default_asks_whether_the_unknown_thing_is_absent(self):
        assert decide("(a | default(5)) == 5 or a is not absent", a=A) is True
        assert "depends on (a is absent)" in run_value("a | default(5)", a=A).label
        assert identical(run_value("a | default(a)", a=A), A)

    def test_questions_about_long_values_that_begin_alike_are_different_questions(self):
        names = {"x": "x" * 500 + "1", "y": "x" * 500 + "2"}
        assert decide("a == x or not (a == y)", a=A, **names) is None
        assert decide("a == x or not (x == a)", a=A, **names) is True
        assert len(run("a == x", a=A, **names).label) < 100

    def test_too_many_unknown_things_leave_it_undecided(self):
        names = {f"x{index}": Unknown(f"x{index}") for index in range(6)}
        many = " and ".join(f"(x{index} or not x{index})" for index in range(6))
        assert decide(many, **names) is None
        few = " and ".join(f"(x{index} or not x{index})" for index in range(5))
        assert MAX_RUNS == 2**5
        assert decide(few, **names) is True

    def test_all_answers_are_tried_depth_first_and_the_inner_scope_is_not_asked(self):
        inner = FakeScope({"a": A, "b": B})
        forks = Forks(inner)
        seen = []
        while True:
            seen.append((forks.ask(A), forks.ask(B), forks.ask(A)))
            if not forks.advance():
                break
        assert seen == [(True, True, True), (True, False, True), (False, True, False), (False, False, False)]
        assert inner.asked == []

    def test_nothing_forks_when_everything_is_known(self):
        runs = []

        class Counting(FakeScope):
            def get(self, name):
                runs.append(name)
                return super().get(name)

        assert expression("a and b or not a").decide(Counting({"a": 1, "b": 0})) is False
        assert runs == ["a", "b", "a"]


def run_value(source, **names):
    return expression(source).value(FakeScope(names))


class TestValue:
    def test_the_same_value_in_every_run_is_the_value(self):
        assert run_value("5 if a else 5", a=A) == 5
        assert run_value("(1, 2) if a else (1, 2)", a=A) == [1, 2]
        assert run_value("x if a else x", a=A, x={"k": [1]}) == {"k": [1]}

    @pytest.mark.parametrize("source", ["5 if a else 6", "1 if a else 1.0", "1 if a else true", "5 if a", "a or b"])
    def test_other_values_make_it_unknown(self, source):
        value = run_value(source, a=A, b=B)
        assert isinstance(value, Unknown)
        assert source in value.label

    def test_a_bare_path_keeps_the_place_of_the_unknown_value(self):
        slot = Slot("charges", "ch_1", ("amount",))
        assert run_value("charge.amount", charge=Unknown("ch_1", Slot("charges", "ch_1", ()))).slot == slot
        assert run_value("none or charge", charge=Unknown("ch_1", slot)).slot == slot

    def test_values_that_depend_on_different_things_have_different_names(self):
        labels = {run_value("1 if x else 2", x=Unknown(name)).label for name in ("a", "b")}
        assert len(labels) == 2

    def test_too_many_runs_make_it_unknown(self):
        names = {f"x{index}": Unknown(f"x{index}") for index in range(6)}
        source = "(" + " and ".join(f"(x{index} or true)" for index in range(6)) + ") and 5"
        assert isinstance(run_value(source, **names), Unknown)


class TestIdentical:
    @pytest.mark.parametrize(
        ("a", "b", "same"),
        [
            (1, 1, True),
            (1, 1.0, False),
            (1, True, False),
            (ABSENT, ABSENT, True),
            (ABSENT, None, False),
            ([1], [1], True),
            ([1], [1.0], False),
            ([1], [1, 2], False),
            ({"a": 1}, {"a": 1}, True),
            ({"a": 1}, {"a": True}, False),
            ({"a": 1}, {"b": 1}, False),
            (Unknown("x"), Unknown("x"), True),
            (Unknown("x"), Unknown("y"), False),
            (Instant(1, 2), Instant(1, 2), True),
            (Instant(1, 2), Instant(1, 3), False),
            (FakeRecord("x", {}), FakeRecord("x", {}), False),
        ],
    )
    def test_identical(self, a, b, same):
        assert identical(a, b) is same

    def test_values_that_are_nested_too_deep_do_not_fail(self):
        deep, other = nested(5000), nested(5000)
        assert identical(deep, other) is False
        assert isinstance(run("x == a", x=deep, a=A), Unknown)


def nested(depth):
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


class TestInstant:
    def test_arithmetic_keeps_the_interval(self):
        now = Instant(100.0, 102.0)
        assert now + 5 == Instant(105.0, 107.0)
        assert 5 + now == Instant(105.0, 107.0)
        assert now - 5 == Instant(95.0, 97.0)
        assert 200 - now == Instant(98.0, 100.0)
        assert now - Instant(90.0, 91.0) == Instant(9.0, 12.0)

    @pytest.mark.parametrize(
        ("source", "value"),
        [
            ("now + 30", Instant(130.0, 132.0)),
            ("30 + now", Instant(130.0, 132.0)),
            ("now + '5m'", Instant(400.0, 402.0)),
            ("now - '1970-01-01T00:01:00Z'", Instant(40.0, 42.0)),
            ("'1970-01-01T00:02:00Z' - now", Instant(18.0, 20.0)),
            ("now - now", Instant(-2.0, 2.0)),
            ("now + gone", ABSENT),
        ],
    )
    def test_in_expressions(self, source, value):
        assert expression(source).run(FakeScope(now=Instant(100.0, 102.0))) == value

    def test_a_time_and_an_unknown_duration_make_an_unknown_time(self):
        assert isinstance(run("now + x", x=A), Unknown)

    @pytest.mark.parametrize(
        ("source", "point", "interval"),
        [
            ("now > 98", True, True),
            ("now > 99", True, True),
            ("now > 99.9", True, True),
            ("now > 100", False, None),
            ("now >= 100", True, None),
            ("now > 101", False, None),
            ("now > 102", False, False),
            ("now >= 102", False, None),
            ("now > 102.5", False, False),
            ("now > 103", False, False),
            ("now < 103", True, True),
            ("now < 102", True, None),
            ("now <= 102", True, True),
            ("99 < now < 103", True, True),
            ("now == 100", True, None),
            ("now == 99", False, False),
            ("now == 98", False, False),
            ("now == 103", False, False),
            ("now != 103", True, True),
            ("now == 'x'", False, False),
            ("now == none", False, False),
            ("now == now", True, None),
            ("now > '1970-01-01T00:01:38Z'", True, True),
            ("now < '1970-01-01T00:01:41Z'", True, None),
            ("now < 'Thu, 01 Jan 1970 00:01:43 +0000'", True, True),
            ("now < '1970-01-02'", True, True),
            ("now > '1970-01-01'", True, None),
            ("it.at < now", True, None),
            ("it.none < now", False, False),
        ],
    )
    def test_comparisons(self, source, point, interval):
        """At a point every comparison is decided; an interval that overlaps what was cut off is not."""
        closed = FakeScope({"it": {"at": 99}}, now=Instant(100.0, 100.0))
        opened = FakeScope({"it": {"at": Instant(99.0, 100.5)}}, now=Instant(100.0, 102.0))
        assert expression(source).decide(closed) is point
        assert expression(source).decide(opened) is interval

    @pytest.mark.parametrize("value", ["soon", None, True, [1], "2026-13-01"])
    def test_what_is_no_time_has_no_order_with_times(self, value):
        assert decide("x < now", x=value) is None

    def test_a_point_is_equal_to_the_second_that_it_lies_in(self):
        scope = FakeScope(now=Instant(1_700_000_000.9, 1_700_000_000.9))
        assert expression("now == 1700000000").decide(scope) is True
        assert expression("now == 1700000001").decide(scope) is False
        names = {"it": {"at": 1_700_000_000}}
        assert expression("it.at == now").decide(FakeScope(names, now=scope.now())) is True
        assert expression("now == '2023-11-14T22:13:20.9Z'").decide(scope) is True
        assert expression("now == '2023-11-14T22:13:20.8Z'").decide(scope) is False

    def test_intervals_that_touch_may_be_the_same_time(self):
        names = {"a": Instant(1.0, 2.0), "b": Instant(2.0, 3.0), "c": Instant(2.5, 3.0)}
        assert decide("a == b", **names) is None
        assert decide("b == a", **names) is None
        assert decide("a == c", **names) is False
        assert decide("c == a", **names) is False

    def test_repr(self):
        assert repr(Instant(1, 1)) == "instant(1.000)"
        assert repr(Instant(1, 2.5)) == "instant(1.000..2.500)"
