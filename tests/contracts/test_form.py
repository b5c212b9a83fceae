"""Forms and queries: what SDKs send is read, what is built is read back, what makes no sense is a fault."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from troth.contracts.codecs import (
    FormOptions,
    build_form,
    build_form_options,
    build_query,
    parse_form,
    parse_query,
)
from troth.contracts.codecs.form import parse_pairs
from troth.contracts.codecs.nesting import nest
from troth.contracts.codecs.options import Nesting
from troth.contracts.leaves import Fault
from troth.contracts.values import ABSENT
from troth.contracts.yaml_files.placed import Map, Marks
from troth.errors import Place, Problems

STRIPE = FormOptions(lists="indexed", booleans={"true": ("true", "True"), "false": ("false", "False")})


def test_what_the_stripe_sdk_sends() -> None:
    """stripe 16.1.0: raw brackets, indexed lists, escaped letters beyond ASCII, an empty value kept."""
    body = (
        b"email=a%40b.c&metadata[plan]=gold&metadata[%C3%A9]=%C3%BC&address[line1]=1+rue&address[country]=FR"
        b"&preferred_locales[0]=fr&preferred_locales[1]=en&tax_exempt=none&name="
    )
    assert parse_form(body, STRIPE) == {
        "email": "a@b.c",
        "metadata": {"plan": "gold", "é": "ü"},
        "address": {"line1": "1 rue", "country": "FR"},
        "preferred_locales": ["fr", "en"],
        "tax_exempt": "none",
        "name": "",
    }
    assert build_form(parse_form(body, STRIPE), STRIPE) == body  # type: ignore[arg-type]


def test_lists_of_maps() -> None:
    """A checkout session's line items."""
    body = (
        b"mode=payment&line_items[0][price_data][currency]=usd&line_items[0][price_data][product_data][name]=T"
        b"&line_items[0][quantity]=2&line_items[1][price]=price_1&line_items[1][quantity]=1"
    )
    assert parse_form(body, STRIPE) == {
        "mode": "payment",
        "line_items": [
            {"price_data": {"currency": "usd", "product_data": {"name": "T"}}, "quantity": "2"},
            {"price": "price_1", "quantity": "1"},
        ],
    }


def test_what_the_twilio_sdk_sends() -> None:
    """twilio 9.13.0: a repeated name for a list, an escaped plus sign, UTF-8."""
    body = b"To=%2B15558675310&Body=h%C3%A9+llo&MediaUrl=https%3A%2F%2Fx%2Fa.png&MediaUrl=https%3A%2F%2Fx%2Fb.png"
    values = {"To": "+15558675310", "Body": "hé llo", "MediaUrl": ["https://x/a.png", "https://x/b.png"]}
    assert parse_form(body, FormOptions()) == values
    assert build_form(values, FormOptions()) == body


def test_brackets_may_be_escaped_in_queries() -> None:
    """Stripe's lists come with ``created%5Bgte%5D``; a query is built so."""
    text = "limit=1&created%5Bgte%5D=1700000000&created%5Blt%5D=1800000000&expand%5B0%5D=data.default_source"
    values = {
        "limit": "1",
        "created": {"gte": "1700000000", "lt": "1800000000"},
        "expand": ["data.default_source"],
    }
    assert parse_query(text, STRIPE) == values
    assert parse_query(text.replace("%5B", "[").replace("%5D", "]"), STRIPE) == values
    assert build_query(values, STRIPE) == text


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("a", {"a": ""}),
        ("a=", {"a": ""}),
        ("=1", {"": "1"}),
        ("a=1&&b=2&", {"a": "1", "b": "2"}),
        ("a=b=c", {"a": "b=c"}),
        ("a+b=c+d", {"a b": "c d"}),
        ("a%2Bb=c%2Bd", {"a+b": "c+d"}),
        ("metadata[a+b]=1", {"metadata": {"a b": "1"}}),
        ("metadata[a%2Bb]=1", {"metadata": {"a+b": "1"}}),
        ("a=100%&b=%zz", {"a": "100%", "b": "%zz"}),
        ("a;b=1", {"a;b": "1"}),
        ("a=%00", {"a": "\0"}),
        ("a=1&a=2&a=3", {"a": ["1", "2", "3"]}),
        ("m[k]=1&m[k]=2", {"m": {"k": ["1", "2"]}}),
        ("a[]=1&a[]=2", {"a": ["1", "2"]}),
        ("a[]=1", {"a": ["1"]}),
        ("a[1]=y&a[0]=x", {"a": ["x", "y"]}),
        ("a[0]=x&a[2]=z", {"a": {"0": "x", "2": "z"}}),
        ("a[1]=x", {"a": {"1": "x"}}),
        ("a[0]=x&a[b]=y", {"a": {"0": "x", "b": "y"}}),
        ("a[00]=x", {"a": {"00": "x"}}),
        ("a[][b]=1&a[][c]=2&a[][b]=3", {"a": [{"b": "1", "c": "2"}, {"b": "3"}]}),
        ("a[][b][]=1&a[][b][]=2&a[][c]=3", {"a": [{"b": ["1", "2"], "c": "3"}]}),
        ("a[][b][c]=1&a[][b][d]=2&a[][b][c]=3", {"a": [{"b": {"c": "1", "d": "2"}}, {"b": {"c": "3"}}]}),
        ("a[b=1", {"a[b": "1"}),
        ("a]=1", {"a]": "1"}),
        ("[a]=1", {"[a]": "1"}),
        ("a[b]c=1", {"a[b]c": "1"}),
        ("a[b]c[d]=1", {"a[b]c[d]": "1"}),
        ("a[[b]]=1", {"a[[b]]": "1"}),
        ("]=1", {"]": "1"}),
        ("0=a&1=b", {"0": "a", "1": "b"}),
    ],
)
def test_readings(text: str, values: dict[str, Any]) -> None:
    """Every spelling that servers meet; nothing is dropped, and nothing guessed."""
    assert parse_query(text, FormOptions()) == values
    assert parse_form(text.encode(), FormOptions()) == values


@pytest.mark.parametrize(
    ("text", "kind", "path"),
    [
        ("a=1&a[b]=2", "type", "a[b]"),
        ("a[b]=2&a=1", "type", "a"),
        ("a=1&a[]=2", "type", "a[]"),
        ("a[]=2&a=1", "type", "a"),
        ("a[]=1&a[0]=2", "type", "a[0]"),
        ("a[0]=1&a[]=2", "type", "a[]"),
        ("a[b]=1&a[b][c]=2", "type", "a[b][c]"),
        ("a=1&a=2&a[b]=3", "type", "a[b]"),
        ("a[][b]=1&a[0][b]=2", "type", "a[0][b]"),
        ("a=%FF", "format", "a"),
        ("%C3=1", "format", "%C3"),
        ("a" + "[b]" * 32 + "=1", "bounds", ("a" + "[b]" * 32)[:80]),
        ("a&" * 10_000 + "a", "bounds", ""),
    ],
)
def test_faults(text: str, kind: str, path: str) -> None:
    """What has no one reading, or no bound, is a fault that names the place."""
    fault = parse_query(text, FormOptions())
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.path) == (kind, path)


def test_bytes_that_are_no_utf_8_are_a_fault() -> None:
    """Raw, or as what a broken client makes of its URL."""
    assert isinstance(parse_form(b"a=\xff", FormOptions()), Fault)
    assert isinstance(parse_query("a=\udcff", FormOptions()), Fault)


def test_the_bounds_are_not_too_low() -> None:
    """31 brackets and 10,000 pairs are read."""
    assert not isinstance(parse_query("a" + "[b]" * 31 + "=1", FormOptions()), Fault)
    assert not isinstance(parse_query("&".join(f"a{n}=1" for n in range(10_000)), FormOptions()), Fault)


def test_other_nestings() -> None:
    """Dots, or names as they are."""
    assert parse_query("a.b.0=1&c[d]=2", FormOptions("dots")) == {"a": {"b": ["1"]}, "c[d]": "2"}
    assert parse_query("a..b=1&.c=2", FormOptions("dots")) == {"a..b": "1", ".c": "2"}
    assert parse_query("a[b]=1&a.b=2&a[b]=3", FormOptions("none")) == {"a[b]": ["1", "3"], "a.b": "2"}
    assert build_query({"a": {"b": [1, 2]}}, FormOptions("dots", "indexed")) == "a.b.0=1&a.b.1=2"
    assert build_query({"a": ["x", "y"]}, FormOptions("brackets", "empty")) == "a%5B%5D=x&a%5B%5D=y"
    # Slack: a structure inside a form is JSON text.
    assert (
        build_form({"files": [{"id": "F1"}], "n": [1, 2]}, FormOptions("none"))
        == b"files=%5B%7B%22id%22%3A%22F1%22%7D%5D&n=1&n=2"
    )


def test_values_that_are_no_texts_are_spelled() -> None:
    """Scenarios send what authors write; null is the empty text, absent is nothing, bytes are sent as they are."""
    values = {"a": True, "b": 1, "c": 1.5, "d": None, "e": ABSENT, "f": b"\xff ", "g": [], "h": {}, "i": "\ud800"}
    assert build_form(values, STRIPE) == b"a=true&b=1&c=1.5&d=&f=%FF+&i=%ED%A0%80"


def test_booleans_are_spelled_as_the_provider_spells_them() -> None:
    """stripe 5.5 sends ``True``; the first spelling is the one that is written."""
    assert STRIPE.decode_boolean("True") is True
    assert STRIPE.decode_boolean("False") is False
    assert isinstance(STRIPE.decode_boolean("TRUE"), Fault)
    assert isinstance(FormOptions().decode_boolean("True"), Fault)
    assert FormOptions(booleans={"true": ("1",), "false": ("0",)}).encode_boolean(True) == "1"


names = st.text(st.characters(codec="utf-8", exclude_characters="[].\0"), min_size=1, max_size=8).filter(
    lambda name: not name.isdigit()
)
texts = st.text(st.characters(codec="utf-8"), max_size=12)
structures = st.recursive(
    texts,
    lambda inner: st.lists(inner, min_size=2, max_size=3) | st.dictionaries(names, inner, min_size=1, max_size=3),
    max_leaves=12,
)


@given(
    st.dictionaries(names, structures, max_size=5),
    st.sampled_from(["brackets", "dots"]),
    st.sampled_from(["indexed", "empty", "repeat"]),
)
@settings(max_examples=300, deadline=None)
def test_what_is_built_is_read_back(values: dict[str, Any], nesting: Any, lists: Any) -> None:
    """Any structure of texts with lists of two and more, in every way to write it."""
    options = FormOptions(nesting, lists)
    assert parse_form(build_form(values, options), options) == values
    assert parse_query(build_query(values, options), options) == values


@given(st.text("ab[]=&+%20.é\udcff", max_size=40), st.sampled_from(["brackets", "dots", "none"]))
@settings(max_examples=500, deadline=None)
def test_nothing_that_comes_raises(text: str, nesting: Any) -> None:
    """Whatever a client sends is a structure or a fault."""
    found = parse_query(text, FormOptions(nesting))
    assert isinstance(found, dict | Fault)
    if isinstance(found, dict):
        assert all(type(value) in (str, list, dict) for value in found.values())
    assert isinstance(parse_form(text.encode("utf-8", "surrogateescape"), FormOptions(nesting)), dict | Fault)


def options_of(raw: Any) -> tuple[FormOptions, list[str]]:
    """The options of a contract, and the codes of its problems."""
    problems = Problems()
    return build_form_options(raw, Place("c.yaml", 1, 1), problems), [problem.code for problem in problems.items]


def test_options_as_contracts_write_them() -> None:
    """Everything may be left out."""
    raw = {"nesting": "brackets", "lists": "indexed", "booleans": {"true": ["true", "True"], "false": "false"}}
    options, codes = options_of(raw)
    assert codes == []
    assert (options.nesting, options.lists) == ("brackets", "indexed")
    assert options.booleans == {"true": ("true", "True"), "false": ("false",)}
    assert options_of({}) == (FormOptions(), [])


@pytest.mark.parametrize(
    ("raw", "codes"),
    [
        ([], ["E271"]),
        ({"nest": "dots"}, ["E270"]),
        ({"nesting": "dot", "lists": 3}, ["E271", "E271"]),
        ({"booleans": {"yes": ["1"]}}, ["E271"]),
        ({"booleans": {"true": [True]}}, ["E271"]),
        ({"booleans": {"true": []}}, ["E271"]),
        ({"booleans": {"true": ["1"], "false": ["1"]}}, ["E271"]),
    ],
)
def test_options_that_make_no_sense(raw: Any, codes: list[str]) -> None:
    """All problems at once, and options that can be worked with all the same."""
    options, found = options_of(raw)
    assert found == codes
    assert options.encode_boolean(True)


def test_problems_of_options_have_a_place() -> None:
    """Where the reader kept it."""
    raw = Map([("nesting", "dot")], Place("c.yaml", 1, 1))
    raw.marks["nesting"] = Marks("c.yaml", 4, 3, 4, 12)
    problems = Problems()
    build_form_options(raw, Place("c.yaml", 1, 1), problems)
    assert problems.items[0].place == Place("c.yaml", 4, 12)
    assert "'dots'" in problems.items[0].fix


PIECES = st.sampled_from(
    ["a", "b", "0", "1", "[", "]", "[]", "=", "&", "+", "%", "%26", "%3D", "%5B", "%5D", "%e2", "x[y]"]
)


@given(st.lists(PIECES, max_size=14).map("".join), st.sampled_from(["brackets", "dots", "none"]))
def test_the_short_way_gives_what_the_long_way_gives(text: str, nesting: Nesting) -> None:
    """Simple forms are read by other code than those with escaped marks, repeats or deep names."""
    pairs = parse_pairs(text)
    long_way = pairs if isinstance(pairs, Fault) else nest(pairs, nesting)
    assert parse_form(text.encode(), FormOptions(nesting=nesting)) == long_way
