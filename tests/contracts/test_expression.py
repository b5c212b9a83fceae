"""Expressions: what each construct gives, what an expression says about itself, and Jinja's traps, one by one."""

from __future__ import annotations

from decimal import Decimal
from types import MappingProxyType

import pytest
from fakes.scopes import FakeRecord, FakeScope, decide, expression, run

from troth.contracts.exchange import Interval
from troth.contracts.expressions.expression import ExpressionError, check_names, compile_expression, compile_template
from troth.contracts.expressions.unknowns import Instant
from troth.contracts.values import ABSENT, Unknown
from troth.errors import Place, Problems

BODY = {"n": 0, "text": "", "amount": 7, "items": [1, 2], "in": {"not": "deep"}, "class": "c", "none": None}


def template(text: str, **names: object) -> object:
    """The value of a text with ``{{ }}``."""
    problems = Problems()
    compiled = compile_template(text, Place(), problems)
    assert compiled is not None, problems.items
    return compiled if isinstance(compiled, str) else compiled.value(FakeScope(names))


class TestJinjaTraps:
    """One test for each row of the table of Jinja's traps in the language's rules."""

    def test_two_expressions_make_a_text_and_never_a_number(self):
        assert template("{{ a }}{{ b }}", a="1", b="2") == "12"

    def test_one_whole_expression_keeps_its_value_as_it_is(self):
        assert template("{{ a }}", a="[1,2]") == "[1,2]"
        assert template("{{ a }}", a=[1, 2]) == [1, 2]

    @pytest.mark.parametrize("name", ["items", "values", "keys", "get", "in", "not", "class", "is", "if", "none"])
    def test_dots_read_items_only(self, name):
        assert run(f"body.{name}", body={name: 5}) == 5
        assert run(f"body.{name}", body={}) is ABSENT
        assert run(f"(body | merge(body)).{name} == 5", body={name: 5}) is True

    @pytest.mark.parametrize("name", ["__class__", "real", "format", "denominator", "append", "item"])
    def test_python_attributes_are_out_of_reach(self, name):
        for value in (5, "text", [1], {}, None, ABSENT, Instant(1, 1)):
            assert run(f"x.{name}", x=value) is ABSENT

    def test_an_optional_field_that_was_not_sent_is_absent(self):
        assert run("body.missing.deeper or none", body={}) is None

    def test_zero_and_empty_are_false_but_not_absent(self):
        assert run("not body.n", body=BODY) is True
        assert run("body.n is absent", body=BODY) is False
        assert run("body.n | default(9)", body=BODY) == 0
        assert run("body.text | default('x')", body=BODY) == ""
        assert run("body.none | default('x')", body=BODY) is None
        assert run("body.missing | default('x')", body=BODY) == "x"

    def test_maybe_and_something_false_is_decided(self):
        assert decide("maybe and body.n > 3", maybe=Unknown("maybe"), body=BODY) is False
        assert decide("maybe and body.n < 3", maybe=Unknown("maybe"), body=BODY) is None


class TestValues:
    @pytest.mark.parametrize(
        ("source", "value"),
        [
            ("true", True),
            ("none", None),
            ("absent", ABSENT),
            ("'a\\n'", "a\n"),
            ("1.50", 1.5),
            ("()", []),
            ("(1, 'b')", [1, "b"]),
            ("absent.x.y", ABSENT),
        ],
    )
    def test_literals(self, source, value):
        assert run(source) == value
        assert expression(source).constant

    def test_numbers_booleans_and_null_of_yaml_stand_for_themselves(self):
        assert [expression(value).run(FakeScope()) for value in (5, True, None)] == [5, True, None]

    def test_a_record_is_asked_for_its_fields(self):
        record = FakeRecord("charges[ch_1]", {"amount": 5})
        assert run("charge.amount", charge=record) == 5
        assert run("charge.note", charge=record).label == "charges[ch_1].note"
        assert run("charge.a.b.c", charge=record).label == "charges[ch_1].a.b.c"

    def test_any_mapping_is_an_object(self):
        assert run("data.codes.x", data=MappingProxyType({"codes": MappingProxyType({"x": 1})})) == 1
        assert run("data.codes(k)", data=MappingProxyType({"codes": MappingProxyType({"x": 1})}), k="x") == 1

    def test_now_is_an_instant_made_from_an_interval(self):
        assert expression("now").run(FakeScope(now=Interval(1, 2))) == Instant(1, 2)
        assert expression("now").run(FakeScope(now=Instant(1, 2))) == Instant(1, 2)

    def test_and_or_give_their_operands(self):
        assert run("a or b", a=0, b="x") == "x"
        assert run("a and b", a=0, b="x") == 0
        assert run("a and b", a=1, b="x") == "x"
        assert run("'big' if a > 3 else 'small'", a=4) == "big"
        assert run("'big' if a > 3", a=1) is ABSENT


class TestLookUps:
    SCOPE = FakeScope(
        {"path": {"id": "ch_1"}, "data": {"codes": {"missing": "parameter_missing"}}, "kind": "missing"},
        {("charges", "ch_1"): {"id": "ch_1", "amount": 3}},
        {("charges", "ch_9")},
    )

    def test_a_record_is_looked_up_by_its_key(self):
        assert expression("state.charges(path.id).amount").run(self.SCOPE) == 3
        assert expression("state.charges('ch_2')").run(self.SCOPE) is ABSENT

    def test_a_deleted_record_is_known_to_be_deleted(self):
        assert expression("state.charges.deleted('ch_9')").run(self.SCOPE) is True
        assert expression("state.charges.deleted(path.id)").run(self.SCOPE) is False

    def test_data_is_looked_up_by_a_computed_name(self):
        assert expression("data.codes(kind)").run(self.SCOPE) == "parameter_missing"
        assert expression("data.codes('other')").run(self.SCOPE) is ABSENT

    @pytest.mark.parametrize(
        "source", ["state.charges(path.none)", "data.codes(path.none)", "data.none('x')", "none('x')", "data.none(5)"]
    )
    def test_absent_keys_and_places_lead_to_absent(self, source):
        assert expression(source).run(self.SCOPE) is ABSENT

    def test_an_absent_key_was_not_deleted(self):
        scope = FakeScope(deleted={("charges", ABSENT)})
        assert expression("state.charges.deleted(path.none)").run(scope) is False

    @pytest.mark.parametrize("key", [5, True, None, [1], {"a": 1}])
    def test_a_key_that_is_no_text_finds_nothing_in_data(self, key):
        assert run("data.codes(k)", data={"codes": {"5": 1}}, k=key) is ABSENT

    def test_unknown_keys_lead_to_unknown_records(self):
        scope = FakeScope({"id": Unknown("body.id"), "data": {"codes": {}}})
        labels = [
            expression(source).run(scope).label for source in ("state.c(id)", "state.c.deleted(id)", "data.codes(id)")
        ]
        assert len(set(labels)) == 3
        assert all("body.id" in label for label in labels)

    def test_unique_calls_what_the_scope_provides(self):
        assert run("unique('k-') ~ '!'", unique=lambda text: text + "1") == "k-1!"
        assert run("unique(x)", unique=lambda text: text + "1") is ABSENT

    def test_unique_means_nothing_outside_of_scenarios(self):
        with pytest.raises(ExpressionError, match="E120"):
            run("unique('k-')")

    def test_other_callables_are_never_called(self):
        with pytest.raises(ExpressionError):
            run("f(1)", f=lambda key: key)


class TestComparisons:
    @pytest.mark.parametrize(
        ("source", "value"),
        [
            ("1 == 1.0", True),
            ("true == 1", False),
            ("false == 0", False),
            ("'1' == 1", False),
            ("none == none", True),
            ("a.x == b.x", False),
            ("a.x != b.x", True),
            ("(1, ('x', 2)) == (1.0, ('x', 2))", True),
            ("(1, 2) == (2, 1)", False),
            ("0.1 == '0.10' | decimal", True),
            ("'13.130' == '13.13' | decimal", True),
            ("'13.13' == '13.130'", False),
            ("'x' == '1' | decimal", False),
            ("1 < 2 <= 2 < 3", True),
            ("3 > 2 > 2", False),
            ("2 >= 2", True),
            ("'a' < 'b'", True),
            ("'1.5' | decimal > 1", True),
            ("'1.0' | decimal <= 1", True),
            ("'1.0' | decimal < 1", False),
            ("a.x < 1", False),
            ("a.x > 1", False),
            ("a.x >= b.x", False),
            ("2 in (1, 2)", True),
            ("2 not in (1, 2)", False),
            ("true in (1, 2)", False),
            ("'a' in ('a', 'b')", True),
            ("5 in ('a', 'b')", False),
            ("a.x in ('a', 'b')", False),
            ("'a' in a.x", False),
            ("'a' not in a.x", True),
            ("a.x in s", False),
            ("'el' in s", True),
            ("'k' in o", True),
            ("5 in o", False),
            ("(1, 2) in o", False),
            ("'k' in n", False),
        ],
    )
    def test_value(self, source, value):
        assert run(source, a={}, b={}, s="hello", o={"k": 1}, n=None) is value

    @pytest.mark.parametrize(
        "source",
        ["s < one", "n < 1", "one > n", "t < 2", "t < t", "o < 1", "1 in s", "1 in one", "l < l", "r < r", "s < r"],
    )
    def test_without_meaning(self, source):
        with pytest.raises(ExpressionError, match="E120"):
            run(source, o={}, s="a", l=[1], one=1, n=None, t=True, r=b"a")

    def test_objects_are_equal_by_their_members(self):
        assert run("a == b", a={"x": [1, {"y": None}]}, b={"x": [1.0, {"y": None}]}) is True
        assert run("a == b", a={"x": 1}, b={"x": 1, "y": 2}) is False
        assert run("a == b", a={"x": 1}, b={"x": True}) is False

    def test_values_that_are_nested_too_deep_stay_unknown_and_do_not_fail(self):
        deep: object = "x"
        other: object = "x"
        for _ in range(2000):
            deep, other = [deep], [other]
        assert isinstance(run("a == b", a=deep, b=other), Unknown)


class TestArithmetic:
    @pytest.mark.parametrize(
        ("source", "value"),
        [
            ("1 + 2 * 3 - 4", 3),
            ("7 // 2", 3),
            ("-7 // 2", -4),
            ("7 % 4", 3),
            ("7 / 2", 3.5),
            ("2 ** 10", 1024),
            ("-a", -5),
            ("0.1 + 0.2 == 0.3", False),
            ("('0.1' | decimal) + 0.2 == 0.3", True),
            ("('-7' | decimal) % 4", Decimal(1)),
            ("('7' | decimal) % 4", Decimal(3)),
            ("('-7' | decimal) % -4", Decimal(-3)),
            ("w - 1 + 1", 2**256 - 1),
            ("('-7' | decimal) // 2", Decimal(-4)),
            ("('1' | decimal) / 3 * 3 < 1", True),
            ("'a' + 'b'", "ab"),
            ("'ab' * 2", "abab"),
            ("2 * 'ab'", "abab"),
            ("(1, 2) + (3,)", [1, 2, 3]),
            ("a + x", ABSENT),
            ("x * 2", ABSENT),
            ("-x", ABSENT),
            ("'a' ~ 1 ~ true ~ none ~ x ~ 1.50", "a1truenull1.5"),
        ],
    )
    def test_value(self, source, value):
        assert run(source, a=5, w=2**256 - 1) == value

    @pytest.mark.parametrize(
        "source", ["a + 1", "a % 5", "n + 1", "t + 1", "-a", "l * 2", "5 - a", "'%d' % five", "1 / zero"]
    )
    def test_without_meaning(self, source):
        with pytest.raises(ExpressionError, match="E120"):
            run(source, a="x", n=None, t=True, l=[1], five=5, zero=0)

    @pytest.mark.parametrize(
        "source",
        [
            "a * 10 ** 8",
            "a ~ big ~ big",
            "n ** n",
            "2 ** n ** 2",
            "n ** 99 * n",
            "w * w",
            "w + w",
            "raw ~ raw",
            "f * f",
            "d ** 999",
            "l + l",
        ],
    )
    def test_results_are_bounded(self, source):
        with pytest.raises(ExpressionError, match="E121"):
            run(
                source,
                a="a",
                big="x" * 600_000,
                n=1000,
                raw=b"x" * 600_000,
                f=1e200,
                w=2**256 - 1,
                d=Decimal(10) ** 40,
                l=[0] * 600_000,
            )

    def test_bytes_join_exactly(self):
        assert run("t ~ '.' ~ raw", t=17, raw=b"\xff\x00") == b"17.\xff\x00"


class TestTexts:
    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (1.0, "1.0"),
            (1e30, "1e+30"),
            (Decimal("1.50"), "1.50"),
            (True, "true"),
            (None, "null"),
            (ABSENT, ""),
            (Instant(1_700_000_000.9, 1_700_000_000.9), "1700000000"),
            ("é", "é"),
            (b"ab", "ab"),
            ({"a": [1, None, "é"]}, '{"a":[1,null,"é"]}'),
            ({"at": Instant(10.5, 10.5), "gone": ABSENT, "l": [ABSENT, 1]}, '{"at":10,"l":[1]}'),
        ],
    )
    def test_values_in_texts(self, value, text):
        assert template("<{{ v }}>", v=value) == f"<{text}>"

    def test_a_time_that_is_not_sure_to_the_second_makes_the_text_unknown(self):
        assert isinstance(template("<{{ v }}>", v=Instant(10.5, 11.5)), Unknown)
        assert template("<{{ v }}>", v=Instant(10.5, 10.9)) == "<10>"

    def test_an_unknown_part_makes_the_text_unknown(self):
        assert isinstance(template("<{{ v }}>", v=Unknown("x")), Unknown)
        assert isinstance(template("<{{ v }}>", v={"a": [Unknown("x")]}), Unknown)

    @pytest.mark.parametrize("value", [FakeRecord("r", {}), b"\xff", object()])
    def test_what_has_no_text(self, value):
        with pytest.raises(ExpressionError, match="E120"):
            template("<{{ v }}>", v=value)

    def test_braces_inside_quotes_do_not_end_an_expression(self):
        assert template("a{{ '}}' }}b{{ \"{{\" }}c}}d") == "a}}b{{c}}d"

    def test_line_ends_around_one_expression_do_not_make_it_a_text(self):
        assert template("{{ v }}\n", v=5) == 5
        assert template(" {{ v }}", v=5) == " 5"

    def test_plain_texts_stay_as_they_are(self):
        assert template("{a} }} {") == "{a} }} {"

    def test_a_text_is_an_expression_about_all_of_its_parts(self):
        compiled = compile_template("{{ a.b }} and {{ not c }}", Place(), Problems())
        assert not isinstance(compiled, str)
        assert compiled is not None
        assert compiled.names == {"a", "c"}
        assert compiled.reads == {("a", "b"), ("c",)}
        assert compiled.path is None
        assert compiled.source == "{{ a.b }} and {{ not c }}"

    def test_a_text_of_constants_is_constant(self):
        compiled = compile_template("a{{ 1 }}", Place(), Problems())
        assert not isinstance(compiled, str)
        assert compiled is not None
        assert compiled.constant

    def test_texts_are_bounded(self):
        with pytest.raises(ExpressionError, match="E121"):
            template("{{ v }}{{ v }}", v="x" * 600_000)


class TestAboutItself:
    def test_names_paths_and_reads(self):
        compiled = expression("state.charges(body.charge or intent.latest_charge).amount - charge.amount + now")
        assert compiled.names == {"state", "body", "intent", "charge", "now"}
        assert compiled.reads == {("body", "charge"), ("intent", "latest_charge"), ("charge", "amount"), ("now",)}
        assert compiled.calls == (("state", "charges"),)
        assert compiled.path is None
        assert not compiled.uses_maybe

    @pytest.mark.parametrize(
        ("source", "path"),
        [
            ("charge.amount", ("charge", "amount")),
            ("(it)", ("it",)),
            ("a.b | lower", None),
            ("a == b", None),
            ("none", None),
        ],
    )
    def test_a_bare_path(self, source, path):
        assert expression(source).path == path

    def test_calls_in_order(self):
        compiled = expression("data.codes(unique('a')) or state.c.deleted(x)")
        assert compiled.calls == (("unique",), ("data", "codes"), ("state", "c", "deleted"))

    def test_maybe(self):
        assert expression("not maybe").uses_maybe
        assert not expression("body.maybe").uses_maybe

    def test_paths_that_stand_as_conditions(self):
        compiled = expression("not query.n and (body.a or body.b == 1) and ('x' if it.c else it.d)")
        assert compiled.truths == {("query", "n"), ("body", "a"), ("it", "c")}

    def test_repr_is_the_source(self):
        assert repr(expression("a.b")) == "Expression('a.b')"

    def test_unknown_names_are_problems_with_a_suggestion(self):
        problems = Problems()
        assert check_names(expression("body.a == 'bodi'"), {"body"}, Place(), problems)
        assert not check_names(expression("1 == bodi.a"), {"body", "path"}, Place("f", 1, 2), problems)
        assert [problem.code for problem in problems.items] == ["E113"]
        assert "body" in problems.items[0].fix
        assert problems.items[0].excerpt.splitlines()[1] == "  " + " " * 5 + "^"

    def test_a_name_after_a_minus_may_be_half_of_a_name(self):
        problems = Problems()
        check_names(expression("body.first-name"), {"body"}, Place(), problems)
        assert "minus" in problems.items[0].fix

    def test_a_filter_of_ones_own(self):
        from troth.contracts.expressions.filters import FILTERS, Filter

        filters = {**FILTERS, "shout": Filter(lambda value: value.upper() + "!")}
        compiled = compile_expression("x | shout", Place(), Problems(), filters)
        assert compiled is not None
        assert compiled.run(FakeScope({"x": "a"})) == "A!"
        with pytest.raises(ExpressionError, match="AttributeError"):
            compiled.run(FakeScope({"x": 5}))


class TestErrors:
    def test_an_error_says_which_expression_and_where(self):
        with pytest.raises(ExpressionError) as caught:
            run("body.a < 1", body={"a": "x"})
        assert caught.value.source == "body.a < 1"
        assert "contract.yaml:3:7" in str(caught.value)
        assert "'x' and 1: text and a number have no order" in str(caught.value)
        assert caught.value.exit_code == 4

    def test_a_condition_with_an_error_is_undecided(self):
        assert decide("body.a < 1", body={"a": "x"}) is None
        assert decide("not (maybe and body.a < 1)", maybe=Unknown("maybe"), body={"a": "x"}) is None

    def test_value_and_test_raise(self):
        compiled = expression("body.a < 1")
        for method in (compiled.value, compiled.test):
            with pytest.raises(ExpressionError):
                method(FakeScope({"body": {"a": "x"}}))

    def test_test_asks_the_scope_about_unknown_things(self):
        scope = FakeScope({"x": Unknown("x")})
        assert expression("x").test(scope) is False
        assert scope.asked == ["x"]
        assert expression("y").test(FakeScope({"y": [1]})) is True
