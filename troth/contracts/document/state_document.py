"""How state is written: collections of records, and the changes that a provider makes by itself."""

from typing import Annotated, ClassVar, Self

from pydantic import Field, WithJsonSchema, model_validator

from troth.contracts import quantity as q
from troth.contracts.document.document_base import Doc, ExpressionText, Matcher, Structure, quantity, refuse
from troth.contracts.document.operation_document import Duration, EffectDoc

__all__ = ["CollectionDoc", "MoveDoc"]

Span = Annotated[
    tuple[float, float],
    quantity(q.duration_range),
    WithJsonSchema({"type": "string", "pattern": f"^(?:{q.DURATION_RANGE})$"}),
]


class MoveDoc(Doc):
    """A change that the provider makes by itself."""

    label: ClassVar = "a move"

    when: ExpressionText = Field(description="The records that it is for; `it` is the record")
    takes: Span = Field(description="The least and the most time from then: 0s..60s")
    simulated: Duration | None = Field(None, description="How long a simulator waits; without it the least")
    effects: list[EffectDoc] = Field(description="What it does, in order")

    @model_validator(mode="after")
    def _simulated_in_time(self) -> Self:
        least, most = self.takes
        if self.simulated is not None and not least <= self.simulated <= most:
            # A simulator may not do what a judge would call early or late.
            refuse("E035", "`simulated` within `takes`", f"{self.simulated:g}s, outside {least:g}s..{most:g}s")
        return self


class CollectionDoc(Doc):
    """Records of one kind."""

    label: ClassVar = "a collection"

    of: Matcher = Field(None, description="The type of a record: $Charge")
    key: str = Field(description="The field that tells records apart")
    also: Structure | None = Field(None, description="Hidden fields, never in a reply")
    seeds: list[Structure] = Field(default_factory=list, description="Records that are there from the start")
    inline: ExpressionText | None = Field(None, description="When a link to it shows the whole record: here in expand")
    moves: dict[str, MoveDoc] = Field(default_factory=dict, description="Changes that the provider makes by itself")
