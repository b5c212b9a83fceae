"""What a contract says of drift: how much each kind of disagreement matters."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import BeforeValidator, Field, ValidationError, create_model

from troth.contracts.describe import describe
from troth.contracts.document.document_base import Collector, Doc, refuse
from troth.contracts.document.document_problems import problems_of
from troth.contracts.json_path import root_of, segments
from troth.contracts.kinds import KINDS
from troth.contracts.policy import FIXED, PATH_ROOTS
from troth.contracts.suggest import closest
from troth.contracts.yaml_files.placed import Map

__all__ = ["DriftDoc", "KindsDoc", "OperationPolicyDoc", "PathPolicyDoc", "PolicyDoc", "read_drift"]

SeverityName: TypeAlias = Literal["breaking", "risky", "notice", "cosmetic"]
_NAMES = ("breaking", "risky", "notice", "cosmetic")

if TYPE_CHECKING:
    KindsDoc: TypeAlias = Doc
else:
    # A key for each row of the table of kinds, so that editors know them and a misspelt one is told its neighbour.
    KindsDoc = create_model(
        "KindsDoc",
        __base__=Doc,
        __doc__="A severity for each kind of finding.",
        **{
            # Some kinds have names that pydantic has a use for (`schema`).
            f"{kind.name}_": (SeverityName | None, Field(None, alias=kind.name, description=kind.means))
            for kind in KINDS.values()
            if kind.name not in FIXED
        },
    )


def _for_all_kinds(value: Any) -> Any:
    if isinstance(value, str):
        if value not in _NAMES:
            near = closest(value, _NAMES)
            fix = f"Did you mean {near!r}?" if near else ""
            refuse("E035", f"a severity ({', '.join(_NAMES)}), or one for each kind", describe(value), fix)
        return Map([("any", value)])
    return value


def _path(value: Any) -> Any:
    if isinstance(value, str) and (segments(value) is None or root_of(value) not in PATH_ROOTS):
        fix = f"Write $.{value}" if segments(f"$.{value}") else "Copy the path of a finding"
        refuse("E035", "a path as findings show it: $.items[*].price, status, headers.NAME", describe(value), fix)
    return value


Path = Annotated[str, BeforeValidator(_path)]


class PathPolicyDoc(KindsDoc):
    """Severities at one place, and below it."""

    label: ClassVar = "the policy of a path"

    any: SeverityName | None = Field(None, description="For every kind that is not named")


PathPolicy = Annotated[
    PathPolicyDoc, BeforeValidator(_for_all_kinds, json_schema_input_type=PathPolicyDoc | SeverityName)
]


class OperationPolicyDoc(KindsDoc):
    """Severities in one operation."""

    label: ClassVar = "the policy of an operation"

    any: SeverityName | None = Field(None, description="For every kind that is not named")
    paths: dict[Path, PathPolicy] = Field(
        default_factory=dict, description="By path, as findings show it: what lies there and below"
    )


OperationPolicy = Annotated[
    OperationPolicyDoc, BeforeValidator(_for_all_kinds, json_schema_input_type=OperationPolicyDoc | SeverityName)
]


class PolicyDoc(KindsDoc):
    """Severities in place of the usual ones."""

    label: ClassVar = "`drift.policy`"

    paths: dict[Path, PathPolicy] = Field(
        default_factory=dict, description="By path, as findings show it: what lies there and below"
    )
    operations: dict[str, OperationPolicy] = Field(default_factory=dict, description="By operation")


class DriftDoc(Doc):
    """How much disagreements matter."""

    label: ClassVar = "`drift`"

    policy: PolicyDoc | None = Field(None, description="Severities by kind, operation and path")


def read_drift(value: Any, context: Collector) -> DriftDoc | None:
    """What stands under ``drift``; None where it is wrong, which goes to the problems of ``context``."""
    if not isinstance(value, Map):
        refuse("E031", "`drift` to be a mapping (key: value)", describe(value))
    try:
        return DriftDoc.model_validate(value, context=context)
    except ValidationError as error:
        context.problems.items.extend(problems_of(error, value))
        return None
