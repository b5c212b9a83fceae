"""What a finding about something missing shows: what was due on the contract's side, nothing on the provider's."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.planted import LEDGER, Ledger, dropped, shown

from troth.contracts.values import ABSENT, Kind
from troth.reports.json_values import decode, encode
from troth.reports.words import side_words

KEPT = "an account is kept"
OPEN = LEDGER.replace("    note?: $string\n", "    rank: $integer\n    bank: {name: $string}\n    note?: $string\n", 1)


@pytest.mark.parametrize(("field", "due"), [("rank", "a whole number"), ("bank", "an object")])
def test_the_contract_says_what_kind_of_value_was_due(tmp_path: Path, field: str, due: str) -> None:
    """It leaves open which one, so it shows its kind: in the finding, in run.json, on the screen."""
    (root,) = Ledger(tmp_path, OPEN).roots(shown(dropped(field)), only=(KEPT,))

    assert (root.kind, root.contract, root.sandbox) == ("missing_field", Kind(due), ABSENT)
    assert root.simulator is not ABSENT
    assert decode(encode(root.contract)) == root.contract
    assert encode(root.contract) == {"$kind": due}
    assert side_words(root, "contract") == due


def test_a_value_that_the_contract_says_is_shown(tmp_path: Path) -> None:
    """Not its kind."""
    (root,) = Ledger(tmp_path).roots(shown(dropped("status")), only=(KEPT,))

    assert (root.kind, root.contract, root.sandbox) == ("missing_field", "open", ABSENT)
