"""Fingerprints: the same for the same disagreement, whatever varies between two nights."""

from __future__ import annotations

from decimal import Decimal

import pytest

from troth.contracts.values import ABSENT, Unknown
from troth.runners.fingerprint import Identity, class_of, fingerprint, response_class

IDENTITY = Identity(
    "acmepay", "charge", "declines[visa]", "value", "$.data[0].status", "Charge.status", "string", "null"
)


def test_a_fingerprint_is_a_version_and_twelve_hex_digits() -> None:
    """Others store fingerprints, so their form is fixed. The value is too: a change of recipe needs a new version."""
    assert fingerprint(IDENTITY) == "v1:d2c5694d0c93"


def test_the_index_in_a_list_does_not_matter() -> None:
    """The third item of a list is the same finding as the first."""
    assert fingerprint(IDENTITY._replace(path="$.data[7].status")) == fingerprint(IDENTITY)


@pytest.mark.parametrize("field", Identity._fields)
def test_every_other_part_matters(field: str) -> None:
    """Two findings that differ in one part are two findings."""
    assert fingerprint(IDENTITY._replace(**{field: "other"})) != fingerprint(IDENTITY)


def test_parts_do_not_run_into_each_other() -> None:
    """Moving a letter from one part to the next gives another finding."""
    one, two = IDENTITY._replace(provider="ab", operation="c"), IDENTITY._replace(provider="a", operation="bc")

    assert fingerprint(one) != fingerprint(two)


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (ABSENT, "absent"),
        (None, "null"),
        (True, "boolean"),
        (1, "integer"),
        (1.0, "number"),
        (Decimal("1.00"), "number"),
        ("1", "string"),
        (b"1", "bytes"),
        ([1], "array"),
        ((1,), "array"),
        ({}, "object"),
        (Unknown("x"), "unknown"),
        (object(), "other"),
    ],
)
def test_class_of_a_value(value: object, want: str) -> None:
    """Wire types are told apart; values are not."""
    assert class_of(value) == want


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("declined", "declined"),
        (["created", "declined"], "created|declined"),
        (("declined", "created"), "created|declined"),
        ("declined, created", "created|declined"),
        ("created, other", "string"),
        (404, "4xx"),
        ("whatever", "string"),
        (ABSENT, "absent"),
        (True, "boolean"),
    ],
)
def test_class_of_a_response(value: object, want: str) -> None:
    """Declared responses stand for themselves, statuses for their hundred."""
    assert response_class(value, {"created", "declined"}) == want
