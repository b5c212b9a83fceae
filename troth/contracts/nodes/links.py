"""``$url`` with parts, and ``$links``: the Link header (RFC 8288)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qsl, quote, urlencode, urlsplit

from troth.contracts.leaves.urls import is_url
from troth.contracts.matcher import Origin, Scope
from troth.contracts.nodes.base import BAD, Node, Reading, json_type
from troth.contracts.values import ABSENT, Json, Unknown, Value

if TYPE_CHECKING:
    from troth.contracts.expressions.expression import Said

__all__ = ["LinksNode", "UrlNode"]

_LINK = re.compile(r'<([^<>]*)>\s*;[^,]*?rel="?([^",;]+)"?')


class UrlNode(Node):
    """A URL whose ``path``, ``query`` or ``host`` the author says; other query parameters may be there too."""

    __slots__ = ("parts",)
    name = "url"

    def __init__(self, origin: Origin, parts: Mapping[str, Said]) -> None:
        super().__init__(origin)
        self.parts = parts

    def generate(self, scope: Scope, here: str) -> Json:
        host = _address(self.parts["host"].run(scope)) if "host" in self.parts else _host(scope)
        path = self.parts["path"].run(scope) if "path" in self.parts else "/"
        query = self.parts["query"].run(scope) if "query" in self.parts else {}
        text = f"{host}{quote(str(path), safe='/%:@')}"
        return f"{text}?{urlencode(query)}" if query else text

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        if not isinstance(value, str):
            kind = "null" if value is None else "type"
            reading.out.add(kind, path, ABSENT, value, self.origin, f"a URL, not {json_type(value)}")
            return BAD
        if not is_url(value):
            reading.out.add(
                "format", path, ABSENT, value, self.origin, "an absolute URL, or a path that begins with a slash"
            )
            return BAD
        split = urlsplit(value)
        if reading.scope is not None and not reading.fill:
            self._check_host(split, path, reading)
            self._check("path", split.path, path, reading)
            self._check_query(dict(parse_qsl(split.query)), path, reading)
        return value

    def _check_host(self, observed: SplitResult, path: str, reading: Reading) -> None:
        said = self.parts.get("host")
        if said is None or reading.scope is None:
            return
        expected = said.value(reading.scope)
        if expected.__class__ is Unknown:
            reading.out.widened.append(f"unknown {expected.label}")
            return
        host = observed.netloc.rpartition("@")[2]
        if "://" in str(expected):
            host = f"{observed.scheme}://{host}"
        if host.lower() != str(expected).lower():
            reading.out.add("value", path, str(expected), host or ABSENT, self.origin, "this host")

    def _check(self, part: str, observed: str, path: str, reading: Reading) -> None:
        said = self.parts.get(part)
        if said is None or reading.scope is None:
            return
        expected = said.value(reading.scope)
        if expected.__class__ is Unknown:
            reading.out.widened.append(f"unknown {expected.label}")
        elif not observed.endswith(str(expected)):
            reading.out.add("value", path, str(expected), observed, self.origin, f"this {part}")

    def _check_query(self, observed: dict[str, str], path: str, reading: Reading) -> None:
        said = self.parts.get("query")
        if said is None or reading.scope is None:
            return
        expected = said.value(reading.scope)
        for name, value in expected.items() if isinstance(expected, dict) else ():
            if value.__class__ is not Unknown and observed.get(name) != str(value):
                got: Json = observed.get(name, ABSENT)
                reading.out.add("value", path, f"{name}={value}", got, self.origin, "this query parameter")

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}


def _address(host: object) -> str:
    """A host name with a scheme, where it has none."""
    return str(host) if "://" in str(host) else f"https://{host}"


def _host(scope: Scope) -> str:
    """The host that the client called, so that a client which follows the URL comes back."""
    headers = scope.get("headers")
    host = headers.item("host") if hasattr(headers, "item") else ABSENT
    return f"http://{host}" if isinstance(host, str) else ""


class LinksNode(Node):
    """A Link header: relation to URL; a relation whose URL is absent is left out."""

    __slots__ = ("relations",)
    name = "links"
    speaks = True

    def __init__(self, origin: Origin, relations: Mapping[str, Node]) -> None:
        super().__init__(origin)
        self.relations = relations

    def children(self) -> tuple[Node, ...]:
        return tuple(self.relations.values())

    def absence(self, scope: Scope) -> bool:
        return all(node.absence(scope) for node in self.relations.values())

    def generate(self, scope: Scope, here: str) -> Json:
        made = {name: node.make(scope, here) for name, node in self.relations.items()}
        parts = [f'<{url}>; rel="{name}"' for name, url in made.items() if url is not ABSENT]
        return ", ".join(parts) if parts else ABSENT

    def fit(self, value: Json, path: str, reading: Reading, known: Value) -> Json:
        if not isinstance(value, str):
            reading.out.add("type", path, ABSENT, value, self.origin, "a Link header")
            return BAD
        found = {name: url for url, name in _LINK.findall(value)}
        for name, node in self.relations.items():
            if name in found:
                node.read(found[name], f"{path}.{name}", reading)
            elif reading.scope is not None and not node.absence(reading.scope):
                reading.out.add("missing_field", f"{path}.{name}", ABSENT, ABSENT, node.origin, "this relation")
        return found

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}
