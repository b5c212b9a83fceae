"""``--url PROVIDER=URL``: where sandboxes are, for one run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

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
            raise UsageError("E909", "--url PROVIDER=URL, such as stripe=http://127.0.0.1:8420", repr(text))
        if provider not in known:
            raise UsageError("E910", f"a provider of this run in --url: {', '.join(known)}", repr(provider))
        found[provider] = url
    return found
