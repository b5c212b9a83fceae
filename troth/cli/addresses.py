"""``--url PROVIDER=URL``: where sandboxes are, for one run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from troth.contracts.suggest import closest
from troth.errors import UsageError

if TYPE_CHECKING:
    from troth.config import Settings

__all__ = ["addresses"]


def addresses(given: Iterable[str], settings: Settings, providers: Iterable[str]) -> Mapping[str, str]:
    """Provider to base URL: ``--url`` first, then the settings. UsageError for what is malformed or not in the run."""
    from troth.config import is_base_url

    known = sorted(providers)
    found = {name: entry.url for name, entry in settings.providers.items() if entry.url and name in known}
    for text in given:
        provider, equals, url = text.partition("=")
        if not equals or not is_base_url(url):
            raise UsageError("E909", "--url PROVIDER=URL, such as stripe=http://127.0.0.1:8420", _shown(text))
        if provider not in known:
            raise UsageError(
                "E910", f"a provider of this run in --url: {', '.join(known)}", repr(provider), _near(provider, known)
            )
        found[provider] = url
    return found


def _shown(text: str) -> str:
    """What was given; not an address that may hold a password."""
    if set("@?#") & set(text):
        return "an address with a user name, a query or a fragment; credentials belong into the contract's `secrets`"
    return repr(text)


def _near(provider: str, known: Iterable[str]) -> str:
    near = closest(provider, known)
    return f"Did you mean {near!r}?" if near else ""
