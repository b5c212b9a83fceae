"""Editions: they change with what an operation depends on, and with nothing else."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from troth.runners.editions import Editions
from troth.runners.places import Spot

ROOT: dict[str, Any] = {
    "types": {"Charge": {"currency": "$Currency"}, "Currency": {"$enum": ["eur"]}, "Other": "$string"},
    "state": {"charges": {"of": "$Charge", "key": "id"}},
    "data": {"declines": {}},
    "operations": {
        "charge": {"responses": {"created": {"json": {"$Refund": {}}}}},
        "get": {"responses": {"found": {"json": "$Other"}}},
    },
    "scenarios": {"a": {"steps": []}},
}


def editions(root: dict[str, Any]) -> dict[str, str]:
    """The edition of each operation."""
    made = Editions.of(root)
    return {name: made.at(Spot("T.a", f"{name}.created")) for name in root.get("operations", {})}


def edited(*path: str, to: Any = "edited") -> dict[str, str]:
    """The editions after one edit."""
    root = deepcopy(ROOT)
    part = root
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = to
    return editions(root)


def test_an_edition_is_sixteen_hex_digits_and_stable() -> None:
    """It is stored for years."""
    assert editions(ROOT) == editions(deepcopy(ROOT))
    assert all(len(edition) == 16 and int(edition, 16) for edition in editions(ROOT).values())


@pytest.mark.parametrize(
    ("path", "changed"),
    [
        (("operations", "charge", "responses"), {"charge"}),
        (("types", "Other"), {"get"}),
        (("types", "Currency"), {"charge", "get"}),  # through state, which every operation may read
        (("state", "charges", "key"), {"charge", "get"}),
        (("data", "declines"), {"charge", "get"}),
        (("scenarios", "a"), set()),
        (("types", "Refund"), {"charge"}),
        (("types", "Unused"), set()),
        (("title",), set()),
    ],
)
def test_what_an_edit_touches(path: tuple[str, ...], changed: set[str]) -> None:
    """Types count where they are named, also through other types."""
    before, after = editions(ROOT), edited(*path)

    assert {name for name in before if before[name] != after[name]} == changed


def test_a_new_operation_leaves_the_others_alone() -> None:
    """Adding to a contract does not make its history doubtful."""
    after = edited("operations", "new", to={})

    assert {name: after[name] for name in editions(ROOT)} == editions(ROOT)


def test_types_that_name_each_other_end() -> None:
    """A cycle is walked once."""
    assert edited("types", "Currency", to={"of": "$Charge"})["charge"]


def in_scenario(root: dict[str, Any], label: str = "a") -> str:
    """The edition of a reply in a scenario."""
    return Editions.of(root).at(Spot("reply charge.created in a", "charge.created", label))


@pytest.mark.parametrize(
    ("path", "changed"),
    [
        (("scenarios", "a"), True),
        (("scenarios", "part", "steps"), True),
        (("operations", "charge"), True),
        (("scenarios", "other"), False),
        (("operations", "get"), False),
    ],
)
def test_what_belongs_to_a_scenario_depends_on_it(path: tuple[str, ...], changed: bool) -> None:
    """And on the parts that it may include."""
    root = deepcopy(ROOT)
    root["scenarios"]["part"] = {"part": True, "steps": []}
    after = deepcopy(root)
    part = after
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = {"edited": True}

    assert (in_scenario(root) != in_scenario(after)) == changed


def test_a_case_belongs_to_its_scenario() -> None:
    """Its name stands in front."""
    root = deepcopy(ROOT)
    root["scenarios"]["a[b]"] = {"steps": [1]}

    assert in_scenario(root, "a[case]") == in_scenario(root, "a")
    assert in_scenario(root, "a[b][case]") == in_scenario(root, "a[b]") != in_scenario(root, "a")


def test_an_empty_document_has_no_editions() -> None:
    """Nothing to agree about."""
    assert editions({}) == {}
