"""How scenarios are written: ordered steps that call operations, keep values, wait, and clean up."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema

from troth.contracts.describe import describe
from troth.contracts.document.document_base import (
    EXPRESSION_SCHEMA,
    STRUCTURE_SCHEMA,
    Doc,
    ExpressionText,
    Headers,
    Names,
    Structure,
    as_list,
    refuse,
)
from troth.contracts.document.operation_document import Duration, Status
from troth.contracts.document.request_document import BodyDoc
from troth.contracts.yaml_files.placed import Map

__all__ = ["ExpectDoc", "RepeatDoc", "ScenarioDoc", "StepDoc"]


class ExpectDoc(BodyDoc):
    """What a step expects of the reply."""

    label: ClassVar = "`expect`"

    response: Names = Field(default_factory=list, description="The response, or a list of those that may come")
    status: Status | None = Field(None, description="The HTTP status")
    headers: Headers | None = Field(None, description="Headers that must have these values")


def _expect(value: Any) -> Any:
    if isinstance(value, str | list):
        return Map([("response", value)])
    if type(value) is int:
        return Map([("status", value)])
    if not isinstance(value, dict):
        refuse("E031", "`expect` to be a response's name, a list of names, a status or a mapping", describe(value))
    return value


class RepeatDoc(Doc):
    """Call an operation several times."""

    label: ClassVar = "`repeat`"
    one_of: ClassVar = ("times", "until")
    beside: ClassVar = {"times": frozenset({"with"}), "until": frozenset({"with", "most"})}

    times: Annotated[int, Field(ge=1, le=1000)] | None = Field(None, description="How often")
    until: ExpressionText | None = Field(None, description="Until this holds for the reply")
    with_: Structure | None = Field(None, alias="with", description="What changes from the second call on")
    most: Annotated[int, Field(ge=1, le=1000)] = Field(100, description="At most so often; reaching it is a finding")


def _expressions(value: Any) -> Any:
    return as_list(value) if not isinstance(value, bool | int | float) else [value]


class StepDoc(Doc):
    """One step of a scenario."""

    label: ClassVar = "a step"
    later: ClassVar = {"await": "events", "where": "events", "within": "events"}
    one_of: ClassVar = ("call", "include", "wait")
    beside: ClassVar = {
        "call": frozenset({"auth", "wire", "with", "expect", "keep", "eventually", "repeat", "check"}),
        "include": frozenset({"as", "with"}),
        "wait": frozenset(),
    }

    call: str | None = Field(None, description="The operation to call")
    include: str | None = Field(None, description="The part whose steps to run here")
    wait: Duration | None = Field(None, description="Sleep on a target, advance the clock of a simulator: 6s")
    as_: str = Field("", alias="as", description="The name under which the part's kept values are found")
    auth: Literal["none"] | None = Field(None, description="`none` sends no credentials")
    wire: str | None = Field(None, description="The wire to call it on; without it the operation's first")
    with_: Structure | None = Field(
        None, alias="with", description="What is sent, by field; body.id: where it is in two"
    )
    expect: Annotated[ExpectDoc, BeforeValidator(_expect, json_schema_input_type=str | list[str] | int | ExpectDoc)] = (
        Field(
            default_factory=lambda: ExpectDoc.model_validate({}),
            description="The response that must come, and what it must contain",
        )
    )
    keep: dict[str, ExpressionText] = Field(default_factory=dict, description="Names for later steps, from the reply")
    eventually: Duration | None = Field(None, description="Call again until `expect` holds, at most so long: 30s")
    repeat: RepeatDoc | None = Field(None, description="Call several times")
    check: Annotated[
        list[ExpressionText],
        BeforeValidator(_expressions),
        WithJsonSchema({"anyOf": [EXPRESSION_SCHEMA, {"type": "array", "items": EXPRESSION_SCHEMA}]}),
    ] = Field(default_factory=list, description="Conditions that must hold for the reply")


def _cases(value: Any) -> Any:
    if isinstance(value, str) and value.strip():
        return value
    rows = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(rows, list):
        refuse("E031", "`cases` to be a list of rows, a mapping of rows, or an expression", describe(value))
    if not rows:
        refuse("E031", "`cases` to have rows", describe(value))
    for row in rows:
        if not isinstance(row, dict):
            refuse("E031", "each row of `cases` to be a mapping", describe(row), "Write [{name: value}, ...]")
    return value


def _given(value: Any) -> Any:
    if not isinstance(value, Map) or not value:
        refuse("E031", "`given` to be a mapping (name: {collection: record})", describe(value))
    for name, said in value.items():
        if not isinstance(said, Map) or len(said) != 1 or not all(isinstance(record, Map) for record in said.values()):
            asked = f"one record as `given.{name}`: {{collection: {{field: value}}}}"
            refuse("E031", asked, describe(said))
    return value


class ScenarioDoc(Doc):
    """Ordered steps."""

    label: ClassVar = "a scenario"
    part: bool = Field(False, description="Only for `include`; not run by itself")
    cases: Annotated[
        Any,
        PlainValidator(_cases),
        WithJsonSchema(
            {
                "anyOf": [
                    {"type": "string"},
                    {"type": "array", "items": STRUCTURE_SCHEMA, "minItems": 1},
                    {"type": "object", "additionalProperties": STRUCTURE_SCHEMA, "minProperties": 1},
                ]
            }
        ),
    ] = Field(None, description="Rows; the scenario runs once for each, and `case` is the row")
    tags: Names = Field(default_factory=list, description="Words to select scenarios by")
    given: Annotated[
        Any,
        PlainValidator(_given),
        WithJsonSchema(
            {
                "type": "object",
                "additionalProperties": {
                    "type": "object",
                    "additionalProperties": STRUCTURE_SCHEMA,
                    "minProperties": 1,
                    "maxProperties": 1,
                },
            }
        ),
    ] = Field(None, description="Records that are there before it starts, by name: {plan: {plans: {id: pro}}}")
    steps: Annotated[list[StepDoc], Field(min_length=1)] = Field(description="The steps, in order")
    keep: dict[str, ExpressionText] = Field(
        default_factory=dict, description="Names that a part gives, besides those that its steps keep"
    )
    cleanup: list[StepDoc] = Field(default_factory=list, description="Steps that always run at the end")
