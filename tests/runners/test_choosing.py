"""Which scenarios a run is to do: by name, by case, by pattern."""

from __future__ import annotations

import pytest
from fakes.acmepay import acmepay

from troth.errors import UsageError
from troth.runners.choosing import chosen

SCENARIOS = """\
  good amounts:
    cases: [{key: small, amount: 1}, {key: large, amount: 900}]
    steps:
      - {call: create_charge, with: {amount: "{{ case.amount }}"}}
  a part:
    part: true
    steps:
      - {call: list_charges}
  a list [of charges]:
    steps:
      - {include: a part}
"""
CONTRACT = acmepay(SCENARIOS)


def labels(*only: str) -> list[str]:
    """The items that are chosen."""
    (items,) = chosen([CONTRACT], only)
    return [item.label for item in items]


ALL = labels()


def test_without_names_everything_but_parts() -> None:
    """Each case is an item."""
    assert len(ALL) == 3
    assert "a part" not in ALL


@pytest.mark.parametrize("label", ALL)
def test_an_item_is_chosen_by_its_own_name(label: str) -> None:
    """Although its brackets would mean something else in a pattern."""
    assert labels(label) == [label]


@pytest.mark.parametrize(
    ("only", "count"), [(("good amounts",), 2), (("good *",), 2), (("*",), 3), (("good*", "a list*"), 3)]
)
def test_names_without_a_case_and_patterns(only: tuple[str, ...], count: int) -> None:
    """All cases of a scenario, or whatever fits; each item once."""
    assert len(labels(*only)) == count


def test_a_name_must_fit_in_one_contract_only() -> None:
    """The others then have nothing to do."""
    other = acmepay("  another:\n    steps:\n      - {call: list_charges}\n")

    assert [len(items) for items in chosen([CONTRACT, other], ("another",))] == [0, 1]


@pytest.mark.parametrize("name", ["a part", "no such scenario", "good amounts[medium]"])
def test_a_name_that_fits_nothing_is_refused(name: str) -> None:
    """A part does not run by itself."""
    with pytest.raises(UsageError) as raised:
        chosen([CONTRACT], (name,))

    assert raised.value.code == "E376"
