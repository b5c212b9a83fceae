"""Paths of findings: reading them, and forgetting what varies."""

from __future__ import annotations

import pytest

from troth.contracts.json_path import schema_path, segments, value_at
from troth.contracts.nodes.base import member
from troth.contracts.values import ABSENT

BODY = {"data": [{"id": "a"}, {"id": "b"}], "odd name": {"it's": 1}, "none": None}


@pytest.mark.parametrize(
    ("path", "want"),
    [
        ("$", BODY),
        ("$.data[1].id", "b"),
        ("$['odd name']['it\\'s']", 1),
        ('$["odd name"]', {"it's": 1}),
        ("$.none", None),
        ("$.data[2].id", ABSENT),
        ("$.data.id", ABSENT),
        ("$.nothing.below", ABSENT),
        ("status", ABSENT),
        ("$.[", ABSENT),
    ],
)
def test_value_at_a_path(path: str, want: object) -> None:
    """A path leads to its value, and to ABSENT where there is none."""
    assert value_at(BODY, path) == want or value_at(BODY, path) is want


@pytest.mark.parametrize("name", ["plain", "odd name", "it's", "back\\slash", "a.b", "[0]", 'quo"te', "ümlaut"])
def test_every_member_that_is_written_can_be_read(name: str) -> None:
    """What the matchers write as a path is read back as the same name."""
    assert segments(member("$", name)) == (name,)


@pytest.mark.parametrize(
    ("path", "want"),
    [
        ("$.data[3].amount", "$.data[*].amount"),
        ("$.metadata['ord-17']", "$.metadata[*]"),
        ("$.days['2026-10-01'].count", "$.days[*].count"),
        ("$.address.line1", "$.address.line1"),
        ("$['content-type']", "$.content-type"),
        ("headers.request-id", "headers.request-id"),
        ("status", "status"),
        ("not a path [", "not a path ["),
    ],
)
def test_schema_path_forgets_indexes_and_generated_keys(path: str, want: str) -> None:
    """Only the contract's own names stay."""
    assert schema_path(path) == want
