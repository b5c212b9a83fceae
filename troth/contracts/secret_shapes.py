"""Texts that look like credentials, by the shapes that providers publish for them.

Stripe: docs.stripe.com/keys. AWS: IAM identifiers. GitHub: "Behind GitHub's new authentication token formats". Slack:
api.slack.com/authentication/token-types. Google: 39 characters after ``AIza``. JWT: RFC 7519. PEM: RFC 7468.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Shape", "hide_secrets", "secrets_in"]

_SHAPES = {
    "a Stripe key": r"\b[rs]k_(?:live|test)_[0-9A-Za-z]{16,}",
    "a webhook secret": r"\bwhsec_[0-9A-Za-z+/]{20,}",
    "an AWS access key": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "a GitHub token": r"\b(?:gh[pousr]_[0-9A-Za-z]{30,}|github_pat_[0-9A-Za-z_]{40,})",
    "a Slack token": r"\bxox[abeoprs]-[0-9A-Za-z-]{10,}",
    "a Google API key": r"\bAIza[0-9A-Za-z_-]{35}",
    "an OpenAI or Anthropic key": r"\bsk-(?:ant-|proj-|svcacct-)?[0-9A-Za-z_-]{32,}",
    "a JSON web token": r"\beyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}",
    "a private key": r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----",
}
_ANY = re.compile("|".join(f"(?P<g{number}>{shape})" for number, shape in enumerate(_SHAPES.values())))
_NAMES = dict(zip((f"g{number}" for number in range(len(_SHAPES))), _SHAPES, strict=True))
_SHOWN = 8


class Shape(NamedTuple):
    """Something that looks like a credential."""

    what: str
    start: int
    end: int


def secrets_in(text: str) -> Iterator[Shape]:
    """Everything in ``text`` that looks like a credential."""
    for match in _ANY.finditer(text):
        yield Shape(_NAMES[str(match.lastgroup)], match.start(), match.end())


def hide_secrets(text: str) -> str:
    """``text``, as long as it was, with all but the first characters of what looks like a credential blotted out."""
    return _ANY.sub(lambda match: match.group()[:_SHOWN] + "•" * (len(match.group()) - _SHOWN), text)
