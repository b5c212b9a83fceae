"""`auth`: which credentials requests carry, and what a simulator demands of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from troth.contracts.auth import Auth, Certificate, Grant
from troth.contracts.compiler.call_values import full_name
from troth.contracts.contract import Secret
from troth.contracts.expressions.expression import Expression, compile_expression
from troth.contracts.expressions.said import Said, compile_said
from troth.contracts.hooks.round_trip import wrong_hook
from troth.contracts.secret_values import fitting_value
from troth.contracts.suggest import did_you_mean
from troth.errors import Place, Problems

if TYPE_CHECKING:
    from troth.contracts.compiler.static import Names
    from troth.contracts.contract import Operation
    from troth.contracts.document.auth_document import AuthDoc
    from troth.contracts.document.document import Document

__all__ = ["AuthCompiler"]

_PIECE = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_SECRET = re.compile(r"\s*secrets\.([A-Za-z_]\w*)\s*")
_TOKEN = "this.access_token"
"""Where RFC 6749 section 5.1 has it."""


class AuthCompiler:
    """``compile`` for each `auth` of a document; ``check`` when its operations are known."""

    def __init__(self, document: Document, names: Names, problems: Problems) -> None:
        self._document, self._names, self._problems = document, names, problems
        self._made: dict[Place, Auth] = {}
        self._granted: list[tuple[AuthDoc, Grant]] = []

    def compile(self, doc: AuthDoc) -> Auth:
        """How requests are signed; what `defaults` say is compiled once for all operations."""
        if doc.kind == "none":
            return Auth("none")
        if doc.at not in self._made:
            self._made[doc.at] = self._compiled(doc)
        return self._made[doc.at]

    def _compiled(self, doc: AuthDoc) -> Auth:
        if doc.oauth2 is not None:
            return Auth("oauth2", grant=self._grant(doc, doc.oauth2))
        if doc.sigv4 is not None:
            return self._sigv4(doc.sigv4)
        if doc.mtls is not None:
            return Auth("mtls", certificate=Certificate(doc.mtls.cert.env, doc.mtls.key.env, doc.subject))
        if doc.hook is not None:
            return self._hook(doc, doc.hook)
        if doc.basic is not None:
            user, password = doc.basic
            texts: dict[str, str | None] = {"username": user, "password": password}
            return Auth("basic", **self._all(texts, doc.at), fits=self._fits(texts))
        texts = {"token": doc.bearer if doc.bearer is not None else doc.value}
        name = doc.header or doc.query or ""
        return Auth(doc.kind, **self._all(texts, doc.at), name=name, fits=self._fits(texts))

    def _sigv4(self, doc: Any) -> Auth:
        texts = {"username": doc.id, "password": doc.key, "session": doc.session}
        fits = self._fits({"username": doc.id})
        return Auth("sigv4", **self._all(texts, doc.at), service=doc.service, region=doc.region or "", fits=fits)

    def _hook(self, doc: AuthDoc, name: str) -> Auth:
        hooks = self._document.loaded_hooks
        kinds = hooks.auth_kinds if hooks is not None else {}
        if name not in kinds:
            fix = did_you_mean(name, kinds, "kinds") if kinds else "Name the file that gives it under `hooks`"
            self._problems.add("E193", doc.place("hook"), "a kind of credentials from the hooks", repr(name), fix)
            return Auth("none")
        texts = {key: str(value) for key, value in (doc.with_ or {}).items()}
        given = self._all(texts, doc.at)
        auth = Auth("hook", name=name, hook=kinds[name], given=given, fits=self._fits(texts))
        values = {key: self._sampled(text) for key, text in texts.items()}
        why, carriers = wrong_hook(auth, values)
        if why:
            asked = f"a kind {name!r} that signs the same request alike, takes what it signs, and nothing unsigned"
            self._problems.add("E194", doc.place("hook"), asked, why)
        return replace(auth, carriers=carriers)

    def _all(self, texts: Mapping[str, str | None], place: Place) -> dict[str, Any]:
        return {name: self._said(text, place) for name, text in texts.items() if text is not None}

    def _said(self, data: Any, place: Place) -> Said:
        said = compile_said(data, place, self._problems)
        for expression in said.expressions:
            self._names.check(expression, self._problems)
        return said

    # What a simulator demands

    def _fits(self, texts: Mapping[str, str | None]) -> dict[str, str | None]:
        return {name: self._pattern(text) for name, text in texts.items() if text is not None}

    def _pattern(self, text: str) -> str | None:
        """The text with the pattern of what each secret in it may be; None for one that says nothing."""
        pieces = _PIECE.split(text)
        if len(pieces) == 1:
            return _literal(text) if text else None
        return "".join(self._allowed(piece) if number % 2 else _literal(piece) for number, piece in enumerate(pieces))

    def _sampled(self, text: str) -> str:
        """The text with a value that fits in the place of each secret."""
        return _PIECE.sub(lambda piece: self._fitting(piece[1]), text)

    def _fitting(self, expression: str) -> str:
        found = _SECRET.fullmatch(expression)
        secret = self._document.secrets.get(found[1]) if found else None
        return fitting_value(Secret("", secret.env, secret.allow)) if secret is not None else "x"

    def _allowed(self, expression: str) -> str:
        found = _SECRET.fullmatch(expression)
        secret = self._document.secrets.get(found[1]) if found else None
        return secret.allow if secret is not None and secret.allow is not None else "*"

    # Tokens

    def _grant(self, doc: AuthDoc, operation: str) -> Grant:
        values: Mapping[str, Any] = doc.with_ or {}
        said = {key: self._said(value, doc.at) for key, value in values.items()}
        token = self._expression(doc, "token", doc.token or _TOKEN)
        expires = self._expression(doc, "expires", doc.expires) if doc.expires is not None else None
        grant = Grant(operation, said, token, expires)
        self._granted.append((doc, grant))
        return grant

    def _expression(self, doc: AuthDoc, key: str, text: str) -> Expression:
        place = doc.place(key) if doc.has(key) else doc.at
        expression = compile_expression(text, place, self._problems)
        if expression is None:
            # What is wrong with it was reported; the contract is not used.
            return compile_expression("absent", place, Problems())  # type: ignore[return-value]
        self._names.with_names("reply").check(expression, self._problems)
        return expression

    def check(self, operations: Mapping[str, Operation]) -> None:
        """Report tokens of operations that do not exist or need one themselves, and values that they do not take."""
        for doc, grant in self._granted:
            place = doc.place("oauth2")
            operation = operations.get(grant.operation)
            if operation is None:
                fix = did_you_mean(grant.operation, self._document.operations, "operations")
                self._problems.add("E061", place, "a known operation", repr(grant.operation), fix)
                continue
            if operation.auth is None or operation.auth.grant is not None:
                asked = f"credentials for {grant.operation!r} that need no token"
                fix = f"Give {grant.operation!r} an `auth` of its own: none, basic, ..."
                self._problems.add("E197", place, asked, "those that it gives a token for", fix)
            for name in grant.values:
                where = doc.with_.key_place(name) if doc.with_ is not None else place
                full_name(name, operation, where, self._problems)


def _literal(text: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", text)
