"""How requests are signed, as a contract writes it: `auth`."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from troth.contracts.auth import AuthKind
from troth.contracts.describe import describe
from troth.contracts.document.document_base import Doc, ExpressionText, Structure, header_name, refuse

__all__ = ["KINDS", "AuthDoc", "Authentication", "CertificateDoc", "EnvDoc", "SigV4Doc", "Variable"]

Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
KINDS: tuple[AuthKind, ...] = ("bearer", "basic", "header", "query", "oauth2", "sigv4", "mtls", "hook")


class EnvDoc(Doc):
    """A variable of the environment."""

    label: ClassVar = "a variable"

    env: Variable = Field(description="The environment variable that holds it")


class SigV4Doc(Doc):
    """Signature Version 4 of Amazon Web Services."""

    label: ClassVar = "`sigv4`"

    service: Annotated[str, Field(min_length=1)] = Field(description="The name of the service: sqs")
    id: str = Field(description='The id of the access key: "{{ secrets.id }}"')
    key: str = Field(description='The secret access key: "{{ secrets.key }}"')
    session: str | None = Field(None, description="The session token of temporary credentials")
    region: str | None = Field(None, description="The region; without it the one in the host's name, else us-east-1")


class CertificateDoc(Doc):
    """A client certificate."""

    label: ClassVar = "`mtls`"

    cert: EnvDoc = Field(description="The variable that holds the path of a PEM file with the certificate")
    key: EnvDoc = Field(description="The variable that holds the path of a PEM file with its key")


def _header_name(value: Any) -> Any:
    if isinstance(value, str) and not header_name(value):
        refuse("E035", "the name of a header", describe(value))
    return value


class AuthDoc(Doc):
    """How requests are signed."""

    label: ClassVar = "`auth`"
    one_of: ClassVar = KINDS
    beside: ClassVar = {
        **{kind: frozenset() for kind in KINDS},
        "header": frozenset({"value"}),
        "query": frozenset({"value"}),
        "oauth2": frozenset({"with", "token", "expires"}),
        "mtls": frozenset({"subject"}),
        "hook": frozenset({"with"}),
    }

    bearer: str | None = Field(None, description='The token: "{{ secrets.key }}"')
    basic: Annotated[list[str], Field(min_length=2, max_length=2)] | None = Field(
        None, description="User name and password"
    )
    header: Annotated[str, BeforeValidator(_header_name)] | None = Field(
        None, description="The name of a header that carries an API key; `value` is the key"
    )
    query: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="The name of a query parameter that carries an API key; `value` is the key"
    )
    value: str | None = Field(None, description='The API key: "{{ secrets.key }}"')
    oauth2: str | None = Field(None, description="The operation that gives tokens")
    with_: Structure | None = Field(
        None, alias="with", description="The values that this operation is called with, or that the hook gets"
    )
    token: ExpressionText | None = Field(None, description="The token in its reply; else this.access_token")
    expires: ExpressionText | None = Field(None, description="Seconds that a token is good for: this.expires_in")
    sigv4: SigV4Doc | None = Field(None, description="Signature Version 4 of Amazon Web Services")
    mtls: CertificateDoc | None = Field(None, description="A client certificate")
    hook: str | None = Field(None, description="A kind of credentials that the contract's hooks give")
    subject: str | None = Field(
        None, description="Shell pattern of the subjects that may be shown: CN=acme,*. Without it, none may"
    )

    @property
    def kind(self) -> AuthKind:
        """``bearer``, ``basic``, ..., or ``none``."""
        return next((kind for kind in KINDS if getattr(self, kind) is not None), "none")


def _authentication(value: Any) -> Any:
    if value == "none":
        return AuthDoc.model_construct(_fields_set=set())
    if isinstance(value, str):
        refuse("E031", f"`auth` to be none, or one of {', '.join(KINDS)}", describe(value))
    if isinstance(value, dict):
        for kind in ("header", "query"):
            if kind in value and "value" not in value:
                refuse("E032", f"the key 'value' beside {kind!r}: the API key", "nothing")
    return value


Authentication = Annotated[AuthDoc, BeforeValidator(_authentication, json_schema_input_type=AuthDoc | Literal["none"])]
"""`none`, or how requests are signed."""
