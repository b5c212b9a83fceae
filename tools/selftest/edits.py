"""Edits of the contract, while the provider stays as it is: none of them may be laid on the provider."""

from __future__ import annotations

from .changes import Field, Shown, drop, to
from .rows import Edit

__all__ = ["EDITS"]

EVERY = "*"
CONTRACT = "contract.yaml"
TYPES = "types.yaml"
CUSTOMERS = "operations/customers.yaml"
PAYMENTS = "operations/payments.yaml"
OTHERS = "operations/others.yaml"

RISK = "    risk: {$integer: {min: 0, max: 100}}"
SPEED = "    speed: {$enum: [instant, standard]}"
REFERENCE = '$any_of: [$integer, {$string: {pattern: "[A-Z]+"}}]'
AMOUNT = "amount: {$integer: {min: 1, max: 1000000}}"
FEE = "body.amount * 29 / 100000"

EDITS: tuple[Edit, ...] = (
    # What the provider does not do, and never did
    Edit(
        "a field is demanded that is not there",
        TYPES,
        "    paid_total:",
        "    vip: $boolean\n    paid_total:",
        "missing_field",
    ),
    Edit("a number becomes a text", TYPES, RISK, "    risk: $string", "type"),
    Edit("a limit is narrower", TYPES, RISK, "    risk: {$integer: {min: 0, max: 5}}", "bounds"),
    Edit("an enum loses a value", TYPES, SPEED, "    speed: {$enum: [instant, express]}", "enum"),
    Edit("a UUID becomes an id", TYPES, "    trace: $uuid", "    trace: {$id: {prefix: tr_}}", "format"),
    Edit(
        "a date becomes an HTTP date",
        TYPES,
        "created_on: {$timestamp: date}",
        "created_on: {$timestamp: http}",
        "format",
    ),
    Edit("ids have another prefix", TYPES, "prefix: file_, length: 12", "prefix: fil_, length: 13", "format"),
    Edit("alternatives are others", TYPES, REFERENCE, "$any_of: [$boolean, $null]", "variant"),
    Edit("a constant is another", TYPES, "    object: card\n", "    object: credit_card\n", "value"),
    Edit(
        "another status is due",
        OTHERS,
        "      accepted:\n        status: 202",
        "      accepted:\n        status: 201",
        "status",
    ),
    Edit("a header is due that is not there", CUSTOMERS, '"private"', '"private", Vary: "Accept"', "missing_header"),
    Edit("a header has another value", CONTRACT, 'Api-Version: "2026-04-01"', 'Api-Version: "2026-05-01"', "header"),
    Edit("an error code is another", PAYMENTS, "code: card_declined", "code: declined", "value"),
    Edit("a default is another", CUSTOMERS, "default: en}", "default: fr}", "value"),
    Edit("a fee is another", OTHERS, FEE, "body.amount * 30 / 100000", "value"),
    Edit("versions go up by two", CUSTOMERS, "customer.version + 1", "customer.version + 2", "value"),
    Edit("the default order is another", PAYMENTS, 'default: "-number"', "default: amount", "list_order"),
    Edit("more requests are fine", PAYMENTS, AMOUNT, "amount: {$integer: {min: 1}}", "valid_refused"),
    Edit(
        "a field may not change",
        TYPES,
        "updated_at: {$timestamp: rfc3339, changes: up}",
        "updated_at: {$timestamp: rfc3339}",
        "",
    ),
    # What says the same in other words
    Edit("a type has another name", EVERY, "Payout", "BankTransfer"),
    Edit("a response has another name", EVERY, "accepted", "taken"),
    Edit(
        "fields are in another order",
        TYPES,
        "    object: payout\n    amount: {$integer: {min: 1}}\n",
        "    amount: {$integer: {min: 1}}\n    object: payout\n",
    ),
    Edit("a limit is wider", TYPES, RISK, "    risk: {$integer: {min: 0, max: 1000}}"),
    Edit("an enum has one more value", TYPES, SPEED, "    speed: {$enum: [instant, standard, slow]}"),
    Edit("a comment", TYPES, "types:\n", "types:\n  # Types of the twin\n"),
    Edit(
        "a response may come that never did",
        OTHERS,
        "      quoted:\n",
        "      busy: {when: maybe, status: 409, json: $Error}\n      quoted:\n",
    ),
    # Both on one night: an edit, and a drift of the provider elsewhere
    Edit(
        "an edit, and another field is gone",
        TYPES,
        RISK,
        "    risk: $string",
        "type",
        Shown("card", "holder", drop),
        "missing_field",
    ),
    Edit(
        "an edit, and another value in the same answer",
        OTHERS,
        FEE,
        "body.amount * 30 / 100000",
        "value",
        Field("quote", "object", to("offer")),
        "value",
    ),
    Edit(
        "a type has another name, and a field of it is gone",
        EVERY,
        "Payout",
        "BankTransfer",
        "",
        Shown("payout", "speed", drop),
        "missing_field",
    ),
    Edit(
        "a response has another name, and a field of it is gone",
        EVERY,
        "accepted",
        "taken",
        "",
        Shown("payout", "speed", drop, "create_payout"),
        "missing_field",
    ),
)
