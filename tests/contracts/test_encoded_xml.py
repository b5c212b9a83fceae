"""XML inside of a text: ``$encoded`` with ``as: xml``, in both directions."""

from __future__ import annotations

import pytest
from fakes.talk import Talk, contract_of, kinds, put

from troth.errors import ContractError

CONTRACT = """
troth: 1
provider: orders
codecs: {xml: {lists: repeat}}
types:
  Item: {.sku: $string, Count: {$integer: {min: 1}}}
operations:
  order:
    request:
      method: POST
      path: /o
      json: {document: {$encoded: {Order: {Item: {$array: $Item, size: 1..9}, Note?: $string}}, as: xml}}
    responses:
      bad: {when: mismatch, status: 400, json: {error: $text}}
      taken:
        status: 200
        json:
          receipt:
            $encoded:
              Receipt:
                Total: {$integer: {}, is: "{{ body.document.Order.Item | length }}"}
                Item: {$each: body.document.Order.Item, as: it, of: {Count: {$integer: {}, is: "{{ it.Count }}"}}}
            as: xml
"""
ORDER = '<Order><Item sku="a&lt;"><Count>2</Count></Item><Item sku="é"><Count>1</Count></Item></Order>'


@pytest.fixture
def talk() -> Talk:
    return Talk(contract_of(CONTRACT))


def test_the_text_is_a_document_and_its_values_are_values(talk: Talk) -> None:
    """The simulator reads one and writes one; the judge finds nothing."""
    found = talk.call("order", document=ORDER)

    assert b"<Receipt><Total>2</Total><Item><Count>2</Count></Item><Item><Count>1</Count></Item></Receipt>" in (
        talk.reply.body
    )
    assert found.mismatches == ()
    assert found.body["receipt"]["Receipt"]["Total"] == 2


def test_a_list_of_one_is_a_list(talk: Talk) -> None:
    """On the wire it does not look like one."""
    found = talk.call("order", document='<Order><Item sku="a"><Count>1</Count></Item></Order>')

    assert found.mismatches == ()
    assert found.body["receipt"]["Receipt"]["Item"] == [{"Count": 1}]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<Receipt><Total>3</Total><Item><Count>2</Count></Item><Item><Count>1</Count></Item></Receipt>", "value"),
        ("<Receipt><Total>x</Total><Item><Count>2</Count></Item><Item><Count>1</Count></Item></Receipt>", "type"),
        ("<Receipt><Total>2</Total><Item><Count>2</Count></Item></Receipt>", "list_missing"),
        ("<Receit/>", "missing_field"),
        ("<Receipt>", "format"),
        ('<!DOCTYPE r [<!ENTITY e "x">]><Receipt/>', "format"),
        ("", "format"),
    ],
)
def test_what_is_wrong_in_it_is_told(talk: Talk, text: str, kind: str) -> None:
    """As in any other body, and never with an entity expanded."""
    assert kind in kinds(talk.call("order", put("receipt", text), document=ORDER))


@pytest.mark.parametrize("text", ["{}", "<Order/>", ORDER.replace(">2<", ">0<"), ORDER.replace("Order", "Ordre")])
def test_a_request_with_another_document_is_a_mismatch(talk: Talk, text: str) -> None:
    """The simulator refuses it."""
    found = talk.call("order", document=text)

    assert (found.response, found.mismatches) == ("bad", ())


@pytest.mark.parametrize("inner", ["$string", "{A: $string, B: $string}", "{A?: $string}", "{$array: $string}"])
def test_a_document_has_one_root(inner: str) -> None:
    """Which must be there."""
    with pytest.raises(ContractError) as refused:
        contract_of(CONTRACT.replace("{Order: {Item: {$array: $Item, size: 1..9}, Note?: $string}}", inner))

    assert "E161" in {problem.code for problem in refused.value.problems}
