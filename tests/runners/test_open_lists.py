"""A value that an open list does not name: allowed, and worth a notice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes.nights import KEPT, ChangingPay, Nights
from fakes.talk import Talk, contract_of, put

from troth.runners.finding import Blame, Verdict

CARDS = """
troth: 1
provider: cards
types:
  Card: {id: {$id: {prefix: c_}}, brand: {$open_enum: [visa, amex]}, kind: {$nullable: {$open_enum: [debit]}}}
state: {cards: {of: $Card, key: id}}
operations:
  make:
    request: {method: POST, path: /c, json: {brand?: $string}}
    responses: {made: {status: 201, json: {$Card: {}, from: body}, effects: [put: cards]}}
  get:
    request: {method: GET, path: "/c/{id}"}
    let: {card: state.cards(path.id)}
    responses:
      missing: {when: not card, status: 404}
      found: {status: 200, json: "{{ card }}"}
"""


@pytest.mark.parametrize("field", ["brand", "kind"])
def test_a_value_that_is_not_named(field: str) -> None:
    """No mismatch; told with its path, at first sight and later."""
    talk = Talk(contract_of(CARDS))
    made = talk.call("make", put(field, "new"))
    got = talk.call("get", put(field, "new"), id=talk.body["id"])

    for judgement in (made, got):
        assert judgement.mismatches == ()
        assert [(path, choice.value) for path, choice in judgement.news.items()] == [(f"$.{field}", "new")]


def test_a_value_that_was_asked_for() -> None:
    """The request said it, so it is no news of the provider."""
    talk = Talk(contract_of(CARDS))

    assert dict(talk.call("make", brand="elo").news) == {}


def test_named_values_are_no_news() -> None:
    """Nor is null."""
    assert dict(Talk(contract_of(CARDS)).call("make", put("kind", None)).news) == {}


def night(folder: Path, mood: str) -> Any:
    """A night with a provider whose charges have this mood, in an open list of one."""
    nights = Nights(folder)
    nights.edit("    note?: $string\n", "    note?: $string\n    mood: {$open_enum: [calm]}\n")

    def moody(seen: Any, body: dict[str, Any]) -> dict[str, Any]:
        if "data" in body:
            return {"data": [moody(seen, row) for row in body["data"]]}
        return {**body, "mood": mood} if "amount" in body else body

    with ChangingPay(moody) as pay:
        (provider,) = nights.night(pay.url, only=(KEPT,)).providers
    return provider


def test_a_new_value_is_a_notice_and_no_drift(tmp_path: Path) -> None:
    """The contract allows it; whoever lists all values in the code wants to know."""
    provider = night(tmp_path, "wild")

    (found,) = provider.findings
    assert (found.code, found.kind, found.path, found.blame) == ("TR707", "loose_member", "$.mood", Blame.LOOSE)
    assert (found.simulator, found.sandbox) == ("calm", "wild")
    assert provider.verdict is Verdict.AGREE


def test_a_named_value_is_no_finding(tmp_path: Path) -> None:
    """As every night."""
    assert night(tmp_path, "calm").findings == ()
