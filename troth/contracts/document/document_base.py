"""What every part of a contract document has in common: strict keys, places, one message for one mistake.

The models are pydantic, and their errors become Problems (``document_problems``). What pydantic cannot say well is
reported here directly, with the place of the key: unknown keys with a suggestion, features to come, ``null`` where
nothing is left to remove. Everything is reported in one go, so validation goes on after such a problem.
"""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, NoReturn, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainValidator,
    PrivateAttr,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic.functional_validators import ModelWrapValidatorHandler
from pydantic_core import PydanticCustomError

from troth.contracts.describe import describe
from troth.contracts.quantity import QuantityError
from troth.contracts.suggest import closest, did_you_mean
from troth.contracts.yaml_files.placed import Map
from troth.errors import Place, Problem, Problems

__all__ = [
    "BODY_KEYS",
    "EXPRESSION_SCHEMA",
    "MATCHER_SCHEMA",
    "STRUCTURE_SCHEMA",
    "Collector",
    "Doc",
    "ExpressionText",
    "HeaderNames",
    "Headers",
    "Matcher",
    "Names",
    "Structure",
    "as_list",
    "header_name",
    "problem_of",
    "quantity",
    "refuse",
]

BODY_KEYS = ("json", "form", "multipart", "xml", "text", "bytes", "body")
"""Keys that hold a body; ``body`` leaves the codec open."""


class Collector:
    """Passed through validation as pydantic's context: where problems go."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.partial = False
        """True inside traits and defaults, where ``null`` removes what lies beneath."""


def refuse(code: str, asked: str, found: str, fix: str = "") -> NoReturn:
    """End the validation of one value with a problem of our own; for validators only."""
    text = {"code": code, "asked": asked, "found": found, "fix": fix}
    raise PydanticCustomError("troth", "{code} {asked}; found {found}. {fix}", text)


class Doc(BaseModel):
    """A mapping in a contract. ``at`` is where it begins; ``place(key)`` and ``key_place(key)`` find its entries."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        arbitrary_types_allowed=True,
        defer_build=True,  # one validator for the whole document, not one for every part of it
    )

    label: ClassVar[str] = "this mapping"
    later: ClassVar[Mapping[str, str]] = {}
    """Keys of features to come, and the feature's name."""
    one_of: ClassVar[tuple[str, ...]] = ()
    """Exactly one of these keys must be there."""
    beside: ClassVar[Mapping[str, frozenset[str]]] = {}
    """For each of ``one_of``: the keys that may stand beside it."""
    at_most_one_of: ClassVar[tuple[str, ...]] = ()
    partial: ClassVar[bool] = False
    """Does it lie beneath something, so that ``null`` removes?"""

    _source: Map = PrivateAttr(default_factory=Map)

    @property
    def at(self) -> Place:
        """Where the mapping begins; unknown for one written in a short form."""
        return self._written().at

    def place(self, key: str, /) -> Place:
        """Where the value of ``key`` (as in YAML: ``with``, not ``with_``) is written."""
        return self._written().place(key)

    def key_place(self, key: str, /) -> Place:
        """Where ``key`` is written."""
        return self._written().key_place(key)

    def has(self, key: str) -> bool:
        """Is ``key`` (as in YAML) written? Tells ``json: null`` from no ``json``."""
        return key in self._written()

    def _written(self) -> Map:
        # The short way to a private attribute: pydantic's own takes ten times as long, and this is asked often.
        source: Map = (self.__pydantic_private__ or {})["_source"]
        return source

    @classmethod
    def keys(cls) -> dict[str, FieldInfo]:
        """Every key as in YAML, with its field."""
        return {field.alias or name: field for name, field in cls.model_fields.items()}

    @model_validator(mode="wrap")
    @classmethod
    def _strictly(cls, data: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        if isinstance(data, cls):
            return data
        if not isinstance(data, dict):
            refuse("E031", f"{cls.label} to be a mapping (key: value)", describe(data))
        source = data if isinstance(data, Map) else Map(data.items())
        context = info.context if isinstance(info.context, Collector) else Collector(Problems())
        known = cls.keys()
        cls._check_choice(source, known)
        cls._report_later(source, context)
        partial, context.partial = context.partial, context.partial or cls.partial
        try:
            made = handler({key: value for key, value in source.items() if cls._keep(key, source, known, context)})
        finally:
            context.partial = partial
        made._source = source
        if not isinstance(info.context, Collector):
            context.problems.raise_if_any()
        return made

    @classmethod
    def _check_choice(cls, source: Map, known: Mapping[str, Any]) -> None:
        written = [key for key in (cls.one_of or cls.at_most_one_of) if key in source]
        if cls.at_most_one_of and len(written) > 1:
            found = " and ".join(written)
            refuse("E033", f"at most one of {', '.join(cls.at_most_one_of)} in {cls.label}", found, _drop(written))
        if not cls.one_of or len(written) == 1 or (not written and any(key in cls.later for key in source)):
            return
        choice = f"exactly one of {', '.join(cls.one_of)} in {cls.label}"
        if written:
            refuse("E033", choice, " and ".join(written), "Make each an entry of its own")
        strangers = [key for key in source if key not in known]
        near = next((n for key in strangers if (n := closest(key, cls.one_of))), None)
        fix = f"Did you mean {near!r}?" if near else ""
        refuse("E033", choice, ", ".join(map(str, source)) or "none", fix)

    @classmethod
    def _report_later(cls, source: Map, context: Collector) -> None:
        reported: set[str] = set()
        for key in source:
            feature = cls.later.get(key)
            if feature and feature not in reported:
                reported.add(feature)  # `await`, `where` and `within` are one feature, and one problem
                asked = f"not yet: {feature} ({key!r} in {cls.label})"
                fix = "It is planned; leave it out until then"
                context.problems.add("E090", source.key_place(key), asked, repr(key), fix)

    @classmethod
    def _keep(cls, key: str, source: Map, known: Mapping[str, FieldInfo], context: Collector) -> bool:
        problems, place = context.problems, source.key_place(key)
        if key in cls.later:
            return False
        choice = next((verb for verb in cls.one_of if verb in source), None)
        if cls.one_of and not choice:
            return False  # its verb is a feature to come, and was reported
        if key not in known:
            hint = did_you_mean(key, known, "keys")
            problems.add("E030", place, f"only known keys in {cls.label}", repr(key), hint)
            return False
        if choice and key != choice and choice in cls.beside and key not in cls.beside[choice]:
            others = ", ".join(sorted(cls.beside[choice])) or "nothing"
            problems.add("E034", place, f"beside {choice!r} only {others}", repr(key), "Remove it")
            return False
        if source[key] is None and not _takes_null(known[key]):
            if not context.partial:
                asked = f"a value for {key!r} (null removes what was inherited)"
                problems.add("E036", source.place(key), asked, "null, and nothing is left to remove", "Remove the key")
            return False
        return True


def _drop(written: list[str]) -> str:
    return f"If one is inherited, drop it with `{written[0]}: null`"


def _takes_null(field: FieldInfo) -> bool:
    return field.annotation is Any


T = TypeVar("T")


def as_list(value: Any) -> Any:
    """One text stands for a list of one."""
    return [value] if isinstance(value, str) else value


def _expression(value: Any) -> Any:
    # `until: true` and `keep: {n: 1}` are expressions too; YAML has read them as values.
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if not isinstance(value, str):
        refuse("E031", "an expression", describe(value), "Write it as a text: a == b, or >- and the next line")
    if not value.strip():
        refuse("E031", "an expression", "an empty text")
    return value


def _structure(value: Any) -> Map:
    if not isinstance(value, dict):
        refuse("E031", "a mapping (name: value)", describe(value))
    return value if isinstance(value, Map) else Map(value.items())


_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def header_name(text: str) -> bool:
    """Can a header be called so? (A token of RFC 9110.)"""
    return bool(_HEADER.fullmatch(text))


def _header_names(value: Map) -> Map:
    for name in value:
        if not header_name(name.removesuffix("?")):
            found = describe(name).removeprefix("the text ")
            refuse("E035", "names of headers, which have neither spaces nor colons", found)
    return value


def quantity(parse: Callable[[Any], T]) -> BeforeValidator:
    """A validator out of a function of ``troth.contracts.quantity``."""

    def validate(value: Any) -> T:
        try:
            return parse(value)
        except QuantityError as error:
            refuse(error.code, error.asked, error.found, error.fix)

    return BeforeValidator(validate)


def _names(value: list[str]) -> list[str]:
    twice = sorted({name for name in value if value.count(name) > 1})
    if twice:
        refuse("E035", "each name once", ", ".join(twice))
    return value


MATCHER_SCHEMA = {"x-troth": "matcher"}
STRUCTURE_SCHEMA = {"x-troth": "structure"}
EXPRESSION_SCHEMA = {"type": ["string", "boolean", "number"], "description": "An expression"}

Matcher = Annotated[Any, WithJsonSchema(MATCHER_SCHEMA)]
"""A matcher position: kept as it was read, with places; compiled later."""
Structure = Annotated[Map, PlainValidator(_structure), WithJsonSchema(STRUCTURE_SCHEMA)]
"""A mapping from names to matchers, kept as it was read."""
HeaderNames = AfterValidator(_header_names)
"""For a mapping whose keys name headers."""
Headers = Annotated[Structure, HeaderNames]
"""A structure of headers."""
ExpressionText = Annotated[str, BeforeValidator(_expression), WithJsonSchema(EXPRESSION_SCHEMA)]
"""A bare expression."""
Names = Annotated[list[str], BeforeValidator(as_list, json_schema_input_type=str | list[str]), AfterValidator(_names)]
"""A list of names; one name may stand for a list of one."""


def problem_of(place: Place, error: Mapping[str, Any]) -> Problem:
    """The problem that ``refuse`` put into a pydantic error's context."""
    return Problem(error["code"], place, error["asked"], error["found"], error["fix"])
