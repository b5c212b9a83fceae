"""What the contract allows, and the provider never did on any night before."""

from __future__ import annotations

from ..changes import Header, Shown, to
from ..rows import Drift

__all__ = ["PAST"]

NIGHTS = 9
"""Of one night nobody can say that it is how the provider is."""
CUSTOMER = "create_customer get_customer update_customer list_customers"

PAST = (
    Drift(
        "a field is new",
        "field-added",
        Shown("customer", "loyalty", to(0)),
        "field_came",
        CUSTOMER,
        "notice",
        "loose",
        NIGHTS,
    ),
    Drift(
        "a header is new",
        "header-added",
        Header("create_customer", "Region", "eu-1"),
        "header_came",
        "create_customer",
        "notice",
        "loose",
        NIGHTS,
    ),
    Drift(
        "what is filled in is another value",
        "default-changed",
        Shown("payment", "risk", to(77)),
        "value_changed",
        "create_payment get_payment capture_payment cancel_payment list_payments",
        "notice",
        "loose",
        NIGHTS,
    ),
)
