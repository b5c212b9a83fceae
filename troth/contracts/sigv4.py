"""Signature Version 4 of Amazon Web Services: the headers that sign a request, and whether a request has such ones.

Source: "AWS Signature Version 4 for API requests" in the IAM user guide; its suite of examples is in the tests.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import quote, unquote_plus

from troth.contracts.exchange import Headers, Request

__all__ = ["Claim", "Key", "claim_of", "region_of", "sign"]

_ALGORITHM = "AWS4-HMAC-SHA256"
_HOST = re.compile(r"[a-z0-9-]+\.([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com(?:\.cn)?(?::\d+)?")
_CLAIM = re.compile(
    rf"{_ALGORITHM}\s+Credential=([^/,\s]+)/(\d{{8}})/([^/,\s]+)/([^/,\s]+)/aws4_request,\s*"
    r"SignedHeaders=([a-z0-9;_-]+),\s*Signature=([0-9a-f]{64})"
)


class Key(NamedTuple):
    """An access key, and what it signs for. An empty region is found in the host's name."""

    id: str
    secret: str
    service: str
    region: str = ""
    session: str = ""

    def __repr__(self) -> str:
        return f"Key(service={self.service!r})"


class Claim(NamedTuple):
    """What an Authorization header says of itself."""

    id: str
    day: str
    region: str
    service: str
    signed: tuple[str, ...]
    """Names of headers, in lower case."""


def claim_of(authorization: str) -> Claim | None:
    """What a well-formed Authorization header says; None for any other."""
    found = _CLAIM.fullmatch(authorization.strip())
    if found is None:
        return None
    id_, day, region, service, signed, _ = found.groups()
    return Claim(id_, day, region, service, tuple(signed.split(";")))


def sign(request: Request, key: Key, at: float) -> Headers:
    """The headers that sign ``request``, whose path and host are those that are sent, at ``at`` (Unix seconds)."""
    stamp = datetime.fromtimestamp(at, UTC).strftime("%Y%m%dT%H%M%SZ")
    content = hashlib.sha256(request.body).hexdigest()
    added = [(b"X-Amz-Date", stamp.encode())]
    if key.service == "s3":
        added.append((b"X-Amz-Content-Sha256", content.encode()))
    if key.session:
        added.append((b"X-Amz-Security-Token", key.session.encode()))
    headers = _signed([*request.headers, *added], request.host)
    names = ";".join(headers)
    lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
    canonical = "\n".join((request.method, _path(request.path, key), _query(request.query), lines, names, content))
    scope = f"{stamp[:8]}/{region_of(key.region, request.host)}/{key.service}/aws4_request"
    text = "\n".join((_ALGORITHM, stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()))
    secret = f"AWS4{key.secret}".encode()
    for part in (*scope.split("/"), text):
        secret = hmac.digest(secret, part.encode(), "sha256")
    value = f"{_ALGORITHM} Credential={key.id}/{scope}, SignedHeaders={names}, Signature={secret.hex()}"
    return (*added, (b"Authorization", value.encode()))


def region_of(region: str, host: str) -> str:
    """The region that is meant: the one that is given, the one in the host's name, or us-east-1."""
    found = _HOST.fullmatch(host)
    return region or (found[1] if found else "us-east-1")


def _signed(headers: Headers, host: str) -> dict[str, str]:
    found: dict[str, str] = {"host": host}
    for raw, value in headers:
        name = raw.decode("latin-1").lower()
        if name == "content-type" or name.startswith("x-amz-"):
            text = " ".join(value.decode("latin-1").split())
            found[name] = f"{found[name]},{text}" if name in found else text
    return dict(sorted(found.items()))


def _path(path: str, key: Key) -> str:
    """S3 takes the path as it is; every other service has it encoded once more."""
    return path if key.service == "s3" else quote(path or "/", safe="/-_.~")


def _query(query: str) -> str:
    pairs = (part.partition("=") for part in query.split("&") if part)
    return "&".join(sorted(f"{_encoded(name)}={_encoded(value)}" for name, _, value in pairs))


def _encoded(text: str) -> str:
    return quote(unquote_plus(text), safe="-_.~")
