"""How a contract names its provider's world: secrets, targets, codecs, versions, and proof."""

import re
from typing import Annotated, Any, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, WithJsonSchema

from troth.contracts import quantity as q
from troth.contracts.describe import describe
from troth.contracts.document.auth_document import EnvDoc, Variable
from troth.contracts.document.document_base import Doc, ExpressionText, Names, quantity, refuse
from troth.contracts.yaml_files.placed import Map

__all__ = [
    "CodecsDoc",
    "FormCodecDoc",
    "HealthDoc",
    "LimitsDoc",
    "ProvenDoc",
    "SecretDoc",
    "TargetDoc",
    "UrlDoc",
    "VersionsDoc",
    "XmlCodecDoc",
]

Rate = Annotated[float, quantity(q.rate), WithJsonSchema({"type": "string", "pattern": f"^(?:{q.RATE})$"})]


def _seconds(value: Any) -> float:
    if type(value) in (int, float) and value > 0:
        return float(value)
    return q.duration(value)


Seconds = Annotated[
    float,
    quantity(_seconds),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "pattern": f"^(?:{q.DURATION})$"}]}),
]


class ProvenDoc(Doc):
    """Where a claim that the provider behaves so comes from."""

    label: ClassVar = "`proven`"

    by: str = Field(description="How it was proven: documentation, a run against the provider, support")
    on: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")] = Field(description="When: 2026-10-01")
    link: str = Field("", description="Where to read it")


class SecretDoc(Doc):
    """A named secret."""

    label: ClassVar = "a secret"

    env: Variable = Field(description="The environment variable that holds it")
    allow: str | None = Field(
        None, description="Shell pattern of the values that may leave the machine: sk_test_*. Without it, none may"
    )


class UrlDoc(Doc):
    """A URL that an environment variable may give."""

    label: ClassVar = "a URL"

    env: Variable | None = Field(None, description="The environment variable that is read first")
    default: str | None = Field(None, description="The URL when the variable is not set")


def _url(value: Any) -> Any:
    if isinstance(value, str):
        _check_url(value)
        return Map([("default", value)])
    if isinstance(value, dict):
        if not ({"env", "default"} & set(value)):
            refuse("E031", "a URL, or {env: NAME, default: URL}", describe(value))
        if isinstance(value.get("default"), str):
            _check_url(value["default"])
    return value


def _check_url(value: str) -> None:
    if not re.fullmatch(r"https?://[^\s/?#]+[^\s?#]*", value):
        refuse("E035", "a URL with http:// or https:// and a host, without ? and #", describe(value))
    try:
        parts = urlsplit(value)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:  # an IPv6 address without its bracket, a port that is none
        usable = False
    if not usable:
        asked = "a URL whose host is a name or an address, and whose port lies between 1 and 65535"
        refuse("E035", asked, describe(value), "Write it in full: https://HOST or http://HOST:PORT")


Url = Annotated[UrlDoc, BeforeValidator(_url, json_schema_input_type=str | UrlDoc)]


class LimitsDoc(Doc):
    """What a run may use of a target."""

    label: ClassVar = "`limits`"

    rate: Rate | None = Field(None, description="Requests in a time: 5/s")
    concurrency: Annotated[int, Field(ge=1)] | None = Field(None, description="Requests at the same time")
    requests: Annotated[int, Field(ge=1)] | None = Field(None, description="Requests in one run")
    seconds: Seconds | None = Field(None, description="How long a run may take: 600, or 10m")
    cost: dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]] | None = Field(
        None,
        description="What a run may cost, by unit, in which operations say their `cost`: {usd: 0.5, tokens: 20000}",
    )


class HealthDoc(Doc):
    """A request that shows whether a target is there."""

    label: ClassVar = "`health`"

    method: Literal["GET", "HEAD", "OPTIONS"] = Field("GET", description="GET, HEAD or OPTIONS")
    path: Annotated[str, Field(pattern="^/")] = Field(description="Its path")


class TargetDoc(Doc):
    """A place where scenarios can run."""

    label: ClassVar = "a target"

    url: Url | None = Field(None, description="The base URL, or {env: NAME, default: URL}")
    hosts: dict[str, Url] = Field(default_factory=dict, description="Further hosts, by the name in `request.host`")
    like: str | None = Field(None, description="Another target, whose keys count where this one has none")
    limits: LimitsDoc | None = Field(None, description="What a run may use")
    health: HealthDoc | None = Field(None, description="A safe request that shows whether the target is there")
    secrets: dict[str, EnvDoc] = Field(default_factory=dict, description="Other variables for secrets on this target")
    wires: Names | None = Field(None, description="The wires that it speaks; without it all")
    proxy: str | None = Field(None, description="The proxy to use: http://HOST:PORT")
    ca: str | None = Field(None, description="A PEM file of certificates to trust as well, from the contract's folder")


class FormCodecDoc(Doc):
    """How nested values are written in a form body or a query."""

    label: ClassVar = "a codec"

    nesting: Literal["brackets", "dots", "none"] | None = Field(None, description="a[b]=1, a.b=1, or no nesting")
    lists: Literal["indexed", "numbered", "empty", "repeat"] | None = Field(
        None, description="a[0]=1, a[1]=1 for the first item, a[]=1, or a=1&a=2"
    )
    booleans: dict[Literal["true", "false"], list[str]] | None = Field(
        None, description="The spellings of true and false; the first is the one that is sent"
    )


class XmlCodecDoc(Doc):
    """How values are written in XML."""

    label: ClassVar = "a codec of XML"

    lists: Literal["repeat", "wrapped"] | None = Field(
        None, description="An element for each item, or one around elements called `item`"
    )
    item: Annotated[str, Field(min_length=1)] | None = Field(None, description="The items of wrapped lists: member")
    namespace: str | None = Field(None, description="The namespace of documents; written, and not looked at")


class CodecsDoc(Doc):
    """Options of the codecs."""

    label: ClassVar = "`codecs`"
    form: FormCodecDoc | None = Field(None, description="Form bodies")
    query: FormCodecDoc | None = Field(None, description="Queries")
    xml: XmlCodecDoc | None = Field(None, description="XML bodies")


class VersionsDoc(Doc):
    """The versions of the provider's API."""

    label: ClassVar = "`versions`"

    from_: ExpressionText = Field(alias="from", description="Where a request says which: headers.stripe_version")
    known: Annotated[list[str], Field(min_length=1)] = Field(description="All of them, oldest first")
