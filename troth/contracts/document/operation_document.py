"""How an operation is written: its request, its possible responses, what they do to state, and how to undo it."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, PrivateAttr, WithJsonSchema

from troth.contracts import quantity as q
from troth.contracts.document.auth_document import Authentication
from troth.contracts.document.document_base import (
    Doc,
    ExpressionText,
    Headers,
    Matcher,
    Names,
    Structure,
    quantity,
)
from troth.contracts.document.provider_document import ProvenDoc
from troth.contracts.document.request_document import BodyDoc, RequestDoc

__all__ = [
    "EffectDoc",
    "IdempotencyDoc",
    "OperationDoc",
    "PartialResponseDoc",
    "ReplayDoc",
    "ResponseDoc",
    "SharedDoc",
    "TraitDoc",
    "UndoDoc",
]

Status = Annotated[int, Field(ge=100, le=599)]
Odds = Annotated[
    float,
    quantity(q.fraction),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "pattern": f"^(?:{q.FRACTION})$"}]}),
]
Duration = Annotated[float, quantity(q.duration), WithJsonSchema({"type": "string", "pattern": f"^(?:{q.DURATION})$"})]


class EffectDoc(Doc):
    """One thing that a response does to state."""

    label: ClassVar = "an effect"
    later: ClassVar = {"emit": "events"}
    one_of: ClassVar = ("put", "set", "delete")
    beside: ClassVar = {
        "put": frozenset({"value", "also", "each", "as", "when"}),
        "set": frozenset({"to", "also", "each", "as", "when"}),
        "delete": frozenset({"each", "as", "when"}),
    }

    put: str | None = Field(None, description="Insert the reply's body (or `value`) into this collection, or merge it")
    set: ExpressionText | None = Field(None, description="Change this record as `to` says")
    delete: ExpressionText | None = Field(None, description="Delete this record")
    value: Matcher = Field(None, description="What `put` inserts; without it the reply's body")
    also: Structure | None = Field(None, description="Hidden fields of the record")
    to: Structure | None = Field(None, description="The fields that `set` changes")
    each: ExpressionText | None = Field(None, description="Do it for each item of this list, called `as`")
    as_: str = Field("", alias="as", description="The name of the item of `each`")
    when: ExpressionText | None = Field(None, description="Only if this holds")


class PartialResponseDoc(BodyDoc):
    """A response in `defaults` or a trait, which may leave to others what it does not change."""

    label: ClassVar = "a response"
    later: ClassVar = {**BodyDoc.later, "stream": "streams"}

    when: ExpressionText | None = Field(None, description="The condition under which it comes; without it, always")
    let: Structure | None = Field(None, description="Names for expressions in this response")
    odds: Odds | None = Field(None, description="How often a simulator says it, where `when` reads `maybe`: 1/4")
    means: Literal["unauthorized", "exhausted", "unreachable"] | None = Field(
        None, description="Nothing was learnt about the contract unless a step expects this response"
    )
    status: Status | None = Field(None, description="The HTTP status")
    headers: Headers | None = Field(None, description="Header name to matcher; `Name?` for an optional one")
    effects: list[EffectDoc] = Field(default_factory=list, description="What it does to state, in order")
    proven: ProvenDoc | None = Field(None, description="Where the claim that the provider answers so comes from")
    since: str | None = Field(None, description="The first version of the API that has it")
    until: str | None = Field(None, description="The first version of the API that no longer has it")


class ResponseDoc(PartialResponseDoc):
    """One possible response of an operation."""

    status: Status = Field(description="The HTTP status")


class ReplayDoc(Doc):
    """How a replayed answer differs from the first."""

    label: ClassVar = "`replay`"
    later: ClassVar = {"status": "another status for replayed answers"}

    headers: Headers | None = Field(None, description="Headers that a replayed answer has besides")


class IdempotencyDoc(Doc):
    """Requests with the same key are answered once."""

    label: ClassVar = "`idempotency`"
    later: ClassVar = {"busy": "`busy`"}

    key: ExpressionText = Field(description="The key, from the request: headers.idempotency_key")
    same: list[Literal["method", "path", "query", "body"]] = Field(
        default_factory=list, description="What must be the same when a key comes again; else `conflict`"
    )
    replay: ReplayDoc | None = Field(None, description="How a replayed answer differs from the first")
    conflict: ResponseDoc | None = Field(None, description="The answer when a key comes with another request")
    skip: Names = Field(default_factory=list, description="Responses that are not kept for replay")
    keep: Duration | None = Field(None, description="How long keys are remembered: 24h")


class UndoDoc(Doc):
    """How what an operation created is taken back."""

    label: ClassVar = "`undo`"

    call: str = Field(description="The operation that takes it back")
    with_: Structure | None = Field(
        None, alias="with", description="What it is called with; `this` is the reply's body"
    )
    when: ExpressionText | None = Field(None, description="Only if this holds")


class SharedDoc(Doc):
    """What operations have in common: `defaults`, a trait."""

    label: ClassVar = "`defaults` or a trait"
    wires: Names | None = Field(None, description="The wires on which it can be called, the usual one first")
    request: RequestDoc | None = Field(None, description="The request")
    let: Structure | None = Field(None, description="Names for expressions: name to expression or $select")
    idempotency: IdempotencyDoc | None = Field(None, description="Requests with the same key are answered once")
    undo: UndoDoc | None = Field(None, description="How what it created is taken back")
    cost: Structure | None = Field(
        None, description="What a call costs on a sandbox, by unit: {usd: 0.01}; `this` is the reply's body"
    )
    auth: Authentication | None = Field(None, description="Credentials, where they differ from the document's; or none")
    headers: Headers | None = Field(None, description="Headers of every response")
    proven: ProvenDoc | None = Field(None, description="Where the claim that the provider behaves so comes from")


def _without_removals(value: Any) -> Any:
    return {name: item for name, item in value.items() if item is not None} if isinstance(value, dict) else value


class TraitDoc(SharedDoc):
    """`defaults`, or a trait: what lies beneath the operations that use it. `null` removes what was inherited."""

    partial: ClassVar = True

    responses: Annotated[dict[str, PartialResponseDoc], BeforeValidator(_without_removals)] = Field(
        default_factory=dict, description="Responses that come before the operation's own"
    )


class OperationDoc(SharedDoc):
    """A named request and its possible responses, with what `defaults` and traits say merged in."""

    label: ClassVar = "an operation"

    title: str = Field("", description="One line for people")
    use: Names = Field(default_factory=list, description="Traits, in the order in which they are merged")
    request: RequestDoc = Field(default_factory=lambda: RequestDoc.model_validate({}), description="The request")
    responses: dict[str, ResponseDoc] = Field(
        default_factory=dict, description="Responses by name, in the order in which they are tried"
    )
    since: str | None = Field(None, description="The first version of the API that has it")
    until: str | None = Field(None, description="The first version of the API that no longer has it")

    _inherited: frozenset[str] = PrivateAttr(default=frozenset())

    @property
    def inherited(self) -> frozenset[str]:
        """Names of the responses that came from `defaults` and traits, and that it did not write itself."""
        return self._inherited
