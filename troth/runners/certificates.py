"""Client certificates: which files hold them, and whether their subject may be shown to a provider."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from troth.contracts.auth import Certificate
from troth.errors import RefusedCredential, Unauthorized

__all__ = ["Identity", "identities", "subject_of"]

_VERSION = 0xA0
"""The tag of the first field, which old certificates lack."""
_NAMES = {
    b"\x55\x04\x03": "CN",
    b"\x55\x04\x05": "serialNumber",
    b"\x55\x04\x06": "C",
    b"\x55\x04\x07": "L",
    b"\x55\x04\x08": "ST",
    b"\x55\x04\x0a": "O",
    b"\x55\x04\x0b": "OU",
    b"\x55\x04\x61": "organizationIdentifier",
}
"""Attribute types (RFC 5280, appendix A.1) by their object identifiers; others are left out."""


@dataclass(frozen=True, slots=True, repr=False)
class Identity:
    """The paths of a certificate and of its key."""

    cert: str
    key: str

    def context(self, base: ssl.SSLContext) -> ssl.SSLContext:
        """``base``, which then shows the certificate to every server that asks for one."""
        base.load_cert_chain(self.cert, self.key, password=_no_password)
        return base


def _no_password() -> bytes:
    """Instead of OpenSSL's question at the terminal."""
    raise ValueError("the key has a password")


def identities(
    certificates: Iterable[Certificate], environment: Mapping[str, str], provider: str
) -> dict[Certificate, Identity]:
    """The files of each certificate.

    Raises Unauthorized (E372) where a variable is not set or its file cannot be used, and RefusedCredential (E371) for
    a certificate whose subject the contract does not allow.
    """
    return {found: _identity(found, environment, provider) for found in certificates}


def _identity(certificate: Certificate, environment: Mapping[str, str], provider: str) -> Identity:
    missing = [name for name in (certificate.cert, certificate.key) if not environment.get(name)]
    if missing:
        fix = f"Set {'it' if len(missing) == 1 else 'them'} to the path of a PEM file, or run without --sandbox"
        raise Unauthorized("E372", f"a client certificate for {provider}", f"not set: {', '.join(missing)}", fix)
    identity = Identity(environment[certificate.cert], environment[certificate.key])
    try:
        identity.context(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        subject = subject_of(Path(identity.cert).read_text(encoding="ascii", errors="replace"))
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        # Its text is left out: where a variable holds the key itself, it would quote the key as a file name.
        asked = f"PEM files with a certificate and its key, without a password, for {provider}"
        found = f"{certificate.cert} and {certificate.key} do not lead to such files ({type(error).__name__})"
        raise Unauthorized("E372", asked, found, "Set them to the paths of such files") from None
    if certificate.subject is None:
        asked, found = (
            "`subject` beside `mtls`",
            f"the contract does not say which certificates {provider} may be shown",
        )
        raise RefusedCredential("E371", asked, found, "Add a pattern that only test certificates fit: CN=acme-test,*")
    if not fnmatchcase(subject, certificate.subject):
        asked = f"a certificate in {certificate.cert} whose subject fits {certificate.subject!r}"
        found = f"its subject is {subject!r}; it might be a live one, and is not shown"
        raise RefusedCredential("E371", asked, found, f"Set {certificate.cert} to a test certificate")
    return identity


def subject_of(pem: str) -> str:
    """The subject of the first certificate in ``pem``: ``CN=acme,O=Acme Ltd``, most particular first.

    Raises ValueError for what is no certificate. The layout is that of RFC 5280 section 4.1.
    """
    start = pem.find("-----BEGIN CERTIFICATE-----")
    end = pem.find("-----END CERTIFICATE-----", start)
    if start < 0 or end < 0:
        raise ValueError("no certificate")
    try:
        whole = ssl.PEM_cert_to_DER_cert(pem[start : end + len("-----END CERTIFICATE-----")])
        body = next(_members(next(_members(whole))[1]))[1]
        fields = [value for tag, value in _members(body) if tag != _VERSION]
        pairs = [_pair(attribute) for _, group in _members(fields[4]) for _, attribute in _members(group)]
    except (IndexError, StopIteration, UnicodeDecodeError):
        raise ValueError("no certificate") from None
    return ",".join(pair for pair in reversed(pairs) if pair)


def _pair(attribute: bytes) -> str:
    (_, name), (tag, value) = list(_members(attribute))[:2]
    shown = value.decode("utf-16-be" if tag == 0x1E else "utf-8", "replace")
    return f"{_NAMES[name]}={shown}" if name in _NAMES else ""


def _members(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Tag and content of each value in DER."""
    at = 0
    while at < len(data):
        tag, size, at = data[at], data[at + 1], at + 2
        if size & 0x80:
            count = size & 0x7F
            size, at = int.from_bytes(data[at : at + count], "big"), at + count
        yield tag, data[at : at + size]
        at += size
