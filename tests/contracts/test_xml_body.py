"""XML to values and back, and what is refused."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troth.contracts.codecs import XmlOptions
from troth.contracts.codecs.xml_body import DEPTH_LIMIT, ELEMENT_LIMIT, build_xml, parse_xml
from troth.contracts.leaves import Fault
from troth.errors import ContractError

PLAIN = XmlOptions()
WRAPPED = XmlOptions(lists="wrapped", item="item", namespace="urn:a")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("<a>1</a>", {"a": "1"}),
        ("<a/>", {"a": ""}),
        ("<a>\n  <b>1</b>\n</a>", {"a": {"b": "1"}}),
        ("<a><b>1</b><c/><b>2</b></a>", {"a": {"b": ["1", "2"], "c": ""}}),
        ('<a currency="EUR">10.00</a>', {"a": {".currency": "EUR", ".": "10.00"}}),
        ('<p:a xmlns:p="urn:x" xmlns="urn:y" p:id="7"><b>1</b></p:a>', {"a": {".id": "7", "b": "1"}}),
        ("<a> <![CDATA[<&>]]> </a>", {"a": " <&> "}),
        ("<a>&lt;&#233;&amp;</a>", {"a": "<é&"}),
        ("<a><!-- no --><?no no?>b</a>", {"a": "b"}),
        (
            '<a xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><b i:nil="true"/><c i:type="t">1</c></a>',
            {"a": {"b": None, "c": "1"}},
        ),
    ],
)
def test_what_a_document_says(text: str, value: object) -> None:
    assert parse_xml(text.encode(), PLAIN) == value


def test_another_character_set_is_read_by_its_declaration() -> None:
    assert parse_xml('<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'.encode("latin-1"), PLAIN) == {"a": "é"}


def test_a_wrapped_list_has_an_element_around_its_items() -> None:
    value = {"a": {"b": ["1", "2"], "c": ["3"]}}

    text = build_xml(value, WRAPPED)

    assert b'<a xmlns="urn:a"><b><item>1</item><item>2</item></b><c><item>3</item></c></a>' in text
    assert parse_xml(text, WRAPPED) == value


def test_values_are_written_as_texts() -> None:
    value = {"a": {"b": [1, True, None, Decimal("1.50")], ".c": 'x"\n<', "d": "&\r"}}

    assert build_xml(value, PLAIN).decode().split("\n", 1)[1] == (
        '<a c="x&quot;&#10;&lt;"><b>1</b><b>true</b><b/><b>1.50</b><d>&amp;&#13;</d></a>'
    )


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
        '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/a.dtd"><a/>',
        '<!DOCTYPE a [<!ENTITY % b SYSTEM "file:///etc/passwd"> %b;]><a/>',
    ],
)
def test_document_types_are_refused_and_with_them_every_entity(text: str) -> None:
    fault = parse_xml(text.encode(), PLAIN)

    assert isinstance(fault, Fault)
    assert "document type" in fault.want


@pytest.mark.parametrize("text", ["", "a", "<a>", "<a></b>", "<a>&b;</a>", "<a/><b/>", "<a>\x01</a>"])
def test_what_is_no_document(text: str) -> None:
    assert parse_xml(text.encode(), PLAIN).__class__ is Fault


def test_an_unknown_character_set_is_a_fault() -> None:
    assert parse_xml(b'<?xml version="1.0" encoding="klingon"?><a/>', PLAIN).__class__ is Fault


def test_depth_is_bounded() -> None:
    deep = "<a>" * DEPTH_LIMIT + "</a>" * DEPTH_LIMIT
    deeper = f"<a>{deep}</a>"

    assert parse_xml(deep.encode(), PLAIN).__class__ is dict
    assert parse_xml(deeper.encode(), PLAIN) == Fault("bounds", f"XML nested at most {DEPTH_LIMIT} deep")


def test_the_number_of_elements_is_bounded() -> None:
    fault = parse_xml(b"<a>" + b"<b/>" * ELEMENT_LIMIT + b"</a>", PLAIN)

    assert isinstance(fault, Fault)
    assert fault.kind == "bounds"


@pytest.mark.parametrize("value", [None, "a", {}, {"a": 1, "b": 2}, {"a b": 1}, {"a": b"x"}, {"a": {".b c": 1}}])
def test_what_no_document_can_say_is_refused(value: object) -> None:
    with pytest.raises(ContractError) as refused:
        build_xml(value, PLAIN)

    assert [problem.code for problem in refused.value.problems] == ["E272"]


def test_characters_that_xml_does_not_have_are_replaced() -> None:
    assert parse_xml(build_xml({"a": "x\x00\ud800y"}, PLAIN), PLAIN) == {"a": "x\ufffd\ufffdy"}


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"))
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,5}", fullmatch=True)
VALUES = st.recursive(
    TEXTS,
    lambda inner: st.dictionaries(NAMES, inner | st.lists(inner, min_size=2, max_size=3), min_size=1, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(NAMES, VALUES, min_size=1, max_size=1))
def test_what_is_written_is_read_back(value: dict[str, object]) -> None:
    assert parse_xml(build_xml(value, PLAIN), PLAIN) == value
