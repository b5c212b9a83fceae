"""What each kind of finding is called, and what to change in the contract when the other side is right.

Placeholders: ``who`` (The sandbox, The simulator), ``got`` (what it says), ``want`` (what the contract says), ``path``,
``operation``, ``simulator`` and ``sandbox`` (what each says). A test holds this table against ``kinds.py``.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PHRASES", "Phrase"]


class Phrase(NamedTuple):
    """``title`` in one short sentence without a full stop; ``fix`` is an instruction that ends with one."""

    title: str
    fix: str


_RESPONSE = "look at the `when` of the responses of {operation}, and at the state that they read."
_FIELD = "correct the matcher of {path}."

_MOVE = "move to what replaces {operation}, or declare the header to say that it is known."

PHRASES: dict[str, Phrase] = {
    # Which response came
    "response": Phrase("{who} gives the response {got} where the contract predicts {want}", _RESPONSE),
    "response_variant": Phrase("{who} gives the response {got} where the contract predicts {want}", _RESPONSE),
    "undeclared": Phrase(
        "{who} answers {operation} with {got}, which the contract does not declare",
        "declare this response in {operation}, with the condition under which it comes.",
    ),
    "status": Phrase("The status is {got}, the contract says {want}", "correct the `status` of the response."),
    "content_type": Phrase(
        "The media type of the body is {got}, the contract says {want}",
        "correct the body key or the content type of the response.",
    ),
    "expect": Phrase(
        "The scenario expects {want}, {who} gives {got}",
        "correct the `expect` of the step, or what the steps before it set up.",
    ),
    "eventually": Phrase(
        "What the scenario waits for does not come in time", "give `eventually` more time, or correct what is expected."
    ),
    "invalid_accepted": Phrase(
        "{who} answers {got} to a request that the contract calls invalid at {path}",
        "loosen the request of {operation} at {path}, or write the response that came above the one for invalid ones.",
    ),
    "valid_refused": Phrase(
        "{who} refuses a request that the contract calls valid", "tighten the request of {operation} at {path}."
    ),
    # Structure of the body
    "missing_field": Phrase("The field {path} is missing", "make {path} optional by a `?` after its name."),
    "new_field": Phrase("There is a field {path} that the contract does not list", "add {path} to the structure."),
    "type": Phrase("{path} has another type: {got}", _FIELD),
    "null": Phrase("{path} is null, which the contract does not allow", "wrap the matcher of {path} in `$nullable`."),
    "enum": Phrase(
        "{path} is {got}, which the contract does not list", "add {got} to the list, or make it an `$open_enum`."
    ),
    "format": Phrase("{path} is {got}, which does not have the form that the contract gives", _FIELD),
    "bounds": Phrase("{path} is {got}, outside the contract's limits", "correct the limits of {path}."),
    "variant": Phrase("{path} fits none of the contract's alternatives", "add the alternative to {path}."),
    # Values and what they refer to
    "value": Phrase("{path} is {got}, the contract says {want}", "correct the value or the expression at {path}."),
    "reference": Phrase(
        "{path} refers to {got}, and should refer to {want}", "correct the link or the expression at {path}."
    ),
    "stored": Phrase(
        "{path} came back as {got}, it was {want} before", "say how it may change by `changes` on {path}."
    ),
    "gone": Phrase("{path} was there before and is gone", "make {path} optional, and say `changes` how it may go."),
    "appeared": Phrase("{path} was known to be absent and has appeared", "say `changes` how {path} may come."),
    "decreased": Phrase("{path} went down from {want} to {got}", "say `changes: freely` on {path}."),
    # Lists and pages
    "list_missing": Phrase(
        "A record that this run made is not in the list", "correct the `where` of the selection, or allow it a `lag`."
    ),
    "list_duplicate": Phrase(
        "The same record comes twice in the list or over its pages", "correct `after` or `at` of the selection."
    ),
    "list_order": Phrase("The list is not in the order that the contract gives", "correct the selection's `order`."),
    "list_filter": Phrase("The list holds an item that was not asked for", "correct the selection's `where`."),
    "list_size": Phrase("The list has a size that the contract does not allow", "correct the `size` of the list."),
    "list_more": Phrase(
        "{who} is wrong about whether there are more pages", "correct the selection's `size`, `after` or `at`."
    ),
    "list_deleted": Phrase(
        "A record that this run deleted is still in the list",
        "allow the selection a `lag`, or say by `set` instead of `delete` what becomes of the record.",
    ),
    # Headers
    "missing_header": Phrase("The header {path} is missing", "make {path} optional by a `?` after its name."),
    "header": Phrase("The header {path} is {got}, the contract says {want}", "correct the header's matcher."),
    # What the provider says of its own future
    "deprecated": Phrase("{who} announces that {operation} will go: {got}", _MOVE),
    "sunset": Phrase("{who} announces the end of {operation} within 90 days: {got}", _MOVE),
    "sunset_near": Phrase("{who} announces the end of {operation} within 14 days: {got}", _MOVE),
    # Behaviour over several requests
    "idempotency_ignored": Phrase(
        "{who} answers a repeated idempotency key as if it were new",
        "take the `idempotency` away from {operation}, or correct its `key` and `same`.",
    ),
    "idempotency_scope": Phrase(
        "{who} holds an idempotency key against a request that it does not belong to",
        "correct the `same` of the idempotency of {operation}.",
    ),
    "early": Phrase("A change of state comes too early", "lower the lower bound of the move's `takes`."),
    "late": Phrase("A change of state does not come in time", "raise the upper bound of the move's `takes`."),
    "leak": Phrase(
        "Something that the run created could not be cleaned up",
        "correct the `undo` of {operation}, and clean up by hand.",
    ),
    # The contract leaves it open, and simulator and sandbox differ
    "loose_response": Phrase(
        "The simulator gives {simulator}, the sandbox {sandbox}; the contract allows both",
        "say by `when` or `odds` which one comes.",
    ),
    "loose_value": Phrase(
        "{path} is {simulator} in the simulator and {sandbox} in the sandbox",
        "say what it is by `is`, or correct `default`.",
    ),
    "loose_presence": Phrase(
        "The optional field {path} is there on one side only", "make {path} required, or give it a `default`."
    ),
    "loose_null": Phrase("{path} is null on one side only", "give {path} a `default`."),
    "loose_size": Phrase("The list {path} has another number of items", "say how many by `size`."),
    "loose_order": Phrase("The list {path} has another order", "say which order by `order`."),
    "loose_member": Phrase(
        "{path} is {sandbox} in the sandbox, which the contract's open list does not name", "add {sandbox} to the list."
    ),
    # The sandbox against its own past
    "field_came": Phrase("The sandbox gives a field {path}, which it never gave before", "add {path} as optional."),
    "field_went": Phrase(
        "The sandbox does not give {path} any more", "take {path} out of the contract, if it does not come back."
    ),
    "value_changed": Phrase(
        "The sandbox fills in another {path} than before: {sandbox}", "say what it is by `is`, or correct `default`."
    ),
    "order_changed": Phrase("The sandbox gives the list {path} {sandbox}", "say which order by `order`."),
    "header_came": Phrase(
        "The sandbox sends a header {path}, which it never sent before", "declare the header as optional."
    ),
    "header_went": Phrase(
        "The sandbox does not send the header {path} any more", "take the header out of the contract."
    ),
    "slower": Phrase(
        "{operation} answers more slowly than before: {sandbox}",
        "look at the timeouts of your client; the contract says nothing of time.",
    ),
    # Property-based testing
    "schema": Phrase(
        "The simulator's answer to a generated request breaks the schema",
        "run `troth check`: one matcher says more than it fits.",
    ),
    "server_error": Phrase("A generated request makes the target fail", "send the request by hand, and look why."),
    # Not drift, but worth saying
    "unobserved": Phrase("{who} gives an answer that says nothing about the contract", "make {who} answer properly."),
    "broken": Phrase(
        "Troth could not judge this exchange", "report it with the exchange below: it is a fault of Troth."
    ),
}
