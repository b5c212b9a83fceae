"""The contract document as data: every key of the language, checked and with its places, nothing compiled yet.

``folder`` makes one from files. Matchers stay as they were read (``Map``, ``Seq``, scalars); the
compiler gives them their meaning. ``defaults`` and traits are merged into every operation.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, PlainValidator, PrivateAttr, ValidationInfo, WithJsonSchema

from troth.contracts.describe import describe
from troth.contracts.document.auth_document import Authentication
from troth.contracts.document.document_base import MATCHER_SCHEMA, Collector, Doc, Names, Structure, refuse
from troth.contracts.document.operation_document import OperationDoc, TraitDoc
from troth.contracts.document.provider_document import (
    CodecsDoc,
    ProvenDoc,
    SecretDoc,
    TargetDoc,
    VersionsDoc,
)
from troth.contracts.document.scenario_document import ScenarioDoc
from troth.contracts.document.state_document import CollectionDoc
from troth.contracts.document.wire_document import WireDoc
from troth.contracts.hooks.hooks import Hooks
from troth.contracts.yaml_files.placed import Map, place_of
from troth.errors import Place, Problems

__all__ = ["LANGUAGE_VERSION", "Document"]

LANGUAGE_VERSION = 1
_TYPE_NAME = re.compile(r"[A-Z][A-Za-z0-9_]*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CALL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_LONGEST_NAME = 200


def _version(value: Any) -> Any:
    if value != LANGUAGE_VERSION or isinstance(value, bool):
        refuse("E037", f"`troth: {LANGUAGE_VERSION}`, the version of the language", describe(value))
    return value


def _types(value: Any) -> Map:
    if not isinstance(value, Map):
        refuse("E031", "`types` to be a mapping (Name: structure)", describe(value))
    for name in value:
        if not _TYPE_NAME.fullmatch(name):
            fix = f"Write {name[:1].upper()}{name[1:]}" if name[:1].islower() else "Letters, digits and _ follow"
            refuse("E035", "names of types that begin with a capital letter", repr(name), fix)
    return value


def _named(value: Any) -> Any:
    # Names that expressions use after a dot: state.charges, secrets.key, data.declines.
    for name in value if isinstance(value, dict) else ():
        if not _NAME.fullmatch(name):
            refuse("E035", "a name of letters, digits and _", repr(name), "Expressions could not name it")
    return value


def _called(value: Any) -> Any:
    for name in value if isinstance(value, dict) else ():
        if not _CALL_NAME.fullmatch(name):
            refuse("E035", "a name of letters, digits, _, - and .", repr(name))
    return value


def _targets(value: Any) -> Any:
    if isinstance(value, dict) and "simulator" in value:
        refuse("E069", "other names of targets", "'simulator', which is Troth's own", "Choose another name")
    return _called(value)


def _one_line(value: Any) -> Any:
    for name in value if isinstance(value, dict) else ():
        if not name.strip() or name != name.strip() or not name.isprintable() or len(name) > _LONGEST_NAME:
            refuse("E035", f"a name on one line, at most {_LONGEST_NAME} characters, no spaces around it", repr(name))
    return value


def _drift(value: Any, info: ValidationInfo) -> Any:
    # A key for each kind of finding takes long to set up, and few contracts have a policy.
    from troth.contracts.document.drift_document import read_drift  # noqa: PLC0415

    context = info.context if isinstance(info.context, Collector) else Collector(Problems())
    return read_drift(value, context)


class Document(Doc):
    """A contract: one provider."""

    label: ClassVar = "a contract"
    later: ClassVar = {
        "events": "events",
        "quotas": "quotas",
        "openapi": "OpenAPI",
    }

    troth: Annotated[int, BeforeValidator(_version), WithJsonSchema({"const": LANGUAGE_VERSION})] = Field(
        description="The version of the language: 1"
    )
    provider: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=64)] = Field(
        description="The name of the provider: letters, digits, - _ ."
    )
    hooks: Names = Field(
        default_factory=list, description="Python files of the contract, for what the language cannot say"
    )
    extends: str = Field("", description="The contract below: pack:stripe, or the way to its file or folder")
    title: str = Field("", description="One line for people")
    parts: Names = Field(default_factory=list, description="Other files of the contract: types.yaml, operations/*.yaml")
    versions: VersionsDoc | None = Field(None, description="The versions of the provider's API")
    proven: ProvenDoc | None = Field(None, description="Where the claims of this contract come from")
    drift: Annotated[Any, PlainValidator(_drift), WithJsonSchema({"type": "object"})] = Field(
        None, description="How much disagreements matter"
    )
    secrets: Annotated[dict[str, SecretDoc], BeforeValidator(_named)] = Field(
        default_factory=dict, description="Secrets by name"
    )
    auth: Authentication | None = Field(
        None, description="How the runner signs requests, and the simulator checks them"
    )
    targets: Annotated[dict[str, TargetDoc], BeforeValidator(_targets)] = Field(
        default_factory=dict, description="Where scenarios can run, by name"
    )
    codecs: CodecsDoc | None = Field(None, description="Options of the codecs")
    wires: Annotated[dict[str, WireDoc], BeforeValidator(_named)] = Field(
        default_factory=dict, description="Protocols in which operations can be called, by name"
    )
    data: Annotated[
        Structure, BeforeValidator(_named), WithJsonSchema({"type": "object", "additionalProperties": True})
    ] = Field(default_factory=Map, description="Constants, by name; `data.name` in expressions")
    types: Annotated[
        Map,
        PlainValidator(_types),
        WithJsonSchema(
            {"type": "object", "additionalProperties": False, "patternProperties": {"^[A-Z]": MATCHER_SCHEMA}}
        ),
    ] = Field(default_factory=Map, description="Types by name; names begin with a capital letter")
    state: Annotated[dict[str, CollectionDoc], BeforeValidator(_named)] = Field(
        default_factory=dict, description="Collections of records, by name"
    )
    defaults: TraitDoc | None = Field(None, description="What lies beneath every operation")
    traits: dict[str, TraitDoc] = Field(default_factory=dict, description="What lies beneath operations that `use` it")
    operations: Annotated[dict[str, OperationDoc], BeforeValidator(_called)] = Field(
        default_factory=dict, description="Operations by name"
    )
    scenarios: Annotated[dict[str, ScenarioDoc], BeforeValidator(_one_line)] = Field(
        default_factory=dict, description="Scenarios by name"
    )

    _layers: tuple[tuple[Path, tuple[str, ...]], ...] = PrivateAttr(default=((Path(), ()),))
    _root: Map = PrivateAttr(default_factory=Map)
    _content_hash: str = PrivateAttr(default="")
    _loaded_hooks: Hooks | None = PrivateAttr(default=None)
    _sources: Mapping[str, str] = PrivateAttr(default_factory=dict)

    @property
    def file(self) -> Path:
        """The contract file, the one that names the parts."""
        return self._layers[0][0]

    @property
    def loaded_hooks(self) -> Hooks | None:
        """What the files in `hooks` give; None where it names none."""
        return self._loaded_hooks

    @property
    def layers(self) -> tuple[tuple[Path, tuple[str, ...]], ...]:
        """This contract and those that it extends, itself first: the contract file, and the names of all its files."""
        return self._layers

    @property
    def root(self) -> Map:
        """Everything as it was read, parts, `defaults` and traits merged in."""
        return self._root

    @property
    def content_hash(self) -> str:
        """Of all its files, 16 hex digits."""
        return self._content_hash

    @property
    def sources(self) -> Mapping[str, str]:
        """The text of every file, by the name that places show; the contract file first."""
        return self._sources

    def place(self, *path: object) -> Place:
        """Where the value at ``path`` (keys and indexes from the top) is written."""
        return place_of(self._root, path)
