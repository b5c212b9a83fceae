"""Every kind of disagreement: its name, stable code, default severity, and what it means.

One table. ``docs/findings.md`` shows it (a test compares them). Codes are never renumbered and never used twice.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

__all__ = ["KINDS", "Kind", "Severity", "kind_of"]


class Severity(StrEnum):
    """How much a disagreement matters to the code that calls the provider, worst first."""

    BREAKING = "breaking"
    RISKY = "risky"
    NOTICE = "notice"
    COSMETIC = "cosmetic"

    @property
    def rank(self) -> int:
        """0 for breaking, 3 for cosmetic."""
        return list(Severity).index(self)


class Kind(NamedTuple):
    """One row of the table."""

    code: str
    name: str
    severity: Severity
    means: str


_B, _R, _N, _C = Severity.BREAKING, Severity.RISKY, Severity.NOTICE, Severity.COSMETIC

_TABLE = (
    # Which response came
    Kind("TR101", "response", _B, "another declared response came than the contract predicts, of another status class"),
    Kind("TR102", "response_variant", _R, "another declared response came, of the same status class"),
    Kind("TR103", "undeclared", _B, "the contract declares no response like this one"),
    Kind("TR104", "status", _R, "the response is the right one by its content, but its status differs in its class"),
    Kind("TR105", "content_type", _B, "the body came in another media type, or under none"),
    Kind("TR106", "expect", _B, "the scenario expected something else here"),
    Kind("TR107", "eventually", _B, "what the scenario waits for did not come in time"),
    Kind("TR108", "invalid_accepted", _R, "a request that the contract calls invalid was not refused as invalid"),
    Kind("TR109", "valid_refused", _B, "a request that the contract calls valid was refused as invalid"),
    # Structure of the body
    Kind("TR201", "missing_field", _B, "a required field is not there"),
    Kind("TR202", "new_field", _N, "a field that the contract does not list, where it says the list is closed"),
    Kind("TR203", "type", _B, "the value has another type"),
    Kind("TR204", "null", _B, "null where the contract does not allow it"),
    Kind("TR205", "enum", _R, "a value that the contract does not list"),
    Kind("TR206", "format", _B, "the text does not have the form that the contract gives"),
    Kind("TR207", "bounds", _R, "a number, length or size outside the contract's limits"),
    Kind("TR208", "variant", _B, "the value fits none of the contract's alternatives"),
    # Values and what they refer to
    Kind("TR301", "value", _B, "the contract says which value this is, and it is another"),
    Kind("TR302", "reference", _B, "an id that refers to something else than it must"),
    Kind("TR303", "stored", _B, "a value that was seen before and may not change came back changed"),
    Kind("TR304", "gone", _B, "a field that was seen before and may not vanish is gone"),
    Kind("TR305", "appeared", _R, "a field that was known to be absent has appeared"),
    Kind("TR306", "decreased", _B, "a value that only goes up went down"),
    # Lists and pages
    Kind("TR401", "list_missing", _B, "a record that this run made and that belongs in the list is not there"),
    Kind("TR402", "list_duplicate", _B, "the same record twice in one list or across its pages"),
    Kind("TR403", "list_order", _R, "the list is not in the order that the contract gives"),
    Kind("TR404", "list_filter", _B, "an item that does not satisfy what was asked for"),
    Kind("TR405", "list_size", _R, "more or fewer items than the contract allows"),
    Kind("TR406", "list_more", _B, "the provider says there is no more (or more), and that is not so"),
    Kind("TR407", "list_deleted", _B, "a record that this run deleted is still in the list"),
    # Headers
    Kind("TR501", "missing_header", _R, "a header that the contract demands is not there"),
    Kind("TR502", "header", _R, "a header has another value or form"),
    Kind("TR503", "deprecated", _N, "the provider announces that an operation will go"),
    Kind("TR504", "sunset", _R, "the provider announces the end of an operation within 90 days"),
    Kind("TR505", "sunset_near", _B, "the provider announces the end of an operation within 14 days, or it is over"),
    # Behaviour over several requests
    Kind("TR601", "idempotency_ignored", _B, "the same idempotency key was answered as if it were new"),
    Kind("TR602", "idempotency_scope", _B, "an idempotency key was held against a request that it does not belong to"),
    Kind("TR603", "early", _B, "a change of state came before the contract allows"),
    Kind("TR604", "late", _R, "a change of state that should have happened has not"),
    Kind("TR605", "leak", _R, "something that the run created could not be cleaned up"),
    # The contract leaves it open, and simulator and sandbox differ
    Kind("TR701", "loose_response", _N, "both are allowed; the simulator gives one, the sandbox another"),
    Kind("TR702", "loose_value", _N, "the simulator says the contract's default, the sandbox something else"),
    Kind("TR703", "loose_presence", _N, "an optional field is there on one side only"),
    Kind("TR704", "loose_null", _N, "null on one side only"),
    Kind("TR705", "loose_size", _N, "a list has another number of items"),
    Kind("TR706", "loose_order", _N, "a list has another order"),
    Kind("TR707", "loose_member", _N, "the sandbox says a value that the contract's open list does not name"),
    # The sandbox against its own past, inside what the contract allows
    Kind("TR711", "field_came", _N, "the sandbox gives a field that it did not give on any night before"),
    Kind("TR712", "field_went", _R, "an optional field that the sandbox gave on every night before is gone"),
    Kind("TR713", "value_changed", _N, "the sandbox fills in another value than on every night before"),
    Kind("TR714", "order_changed", _R, "a list that always had one order has another"),
    Kind("TR715", "header_came", _N, "the sandbox sends a header that it did not send on any night before"),
    Kind("TR716", "header_went", _N, "a header that the sandbox sent on every night before is gone"),
    Kind("TR717", "slower", _N, "the sandbox has answered more slowly for several nights than before"),
    # Property-based testing
    Kind("TR801", "schema", _B, "the simulator's answer to a generated request breaks the schema"),
    Kind("TR802", "server_error", _B, "a generated request made the target fail"),
    # Not drift, but worth saying
    Kind("TR901", "unobserved", _N, "the target's answer says nothing about the contract"),
    Kind("TR902", "broken", _B, "Troth could not judge this exchange; its own fault"),
)

KINDS: dict[str, Kind] = {kind.name: kind for kind in _TABLE}


def kind_of(name: str) -> Kind:
    """The row called ``name``; KeyError for a name that is not in the table."""
    return KINDS[name]
