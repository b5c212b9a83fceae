"""Which edition of the contract an operation depends on: an edited contract is not to be taken for a changed provider.

An edition is a hash of all that an operation's predictions read: the operation with what ``defaults`` and traits say,
the types that it names (and those that they name), state, constants, codecs and versions. Scenarios, targets, secrets
and other operations are not in it, so that adding one does not make the history of the rest doubtful.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

__all__ = ["editions"]

_TYPE = re.compile(r"\$([A-Z][A-Za-z0-9_]*)")
_SHARED = ("state", "data", "codecs", "versions", "auth")


def editions(root: Mapping[str, Any]) -> dict[str, str]:
    """Operation to edition, 16 hex digits; ``root`` is a document as it was read, with everything merged in."""
    types = root.get("types") or {}
    shared = {name: root.get(name) for name in _SHARED}
    return {name: _edition(operation, shared, types) for name, operation in (root.get("operations") or {}).items()}


def _edition(operation: Any, shared: Mapping[str, Any], types: Mapping[str, Any]) -> str:
    used: dict[str, Any] = {}
    waiting = [operation, shared]
    while waiting:
        for name in _names(waiting.pop()):
            if name in types and name not in used:
                used[name] = types[name]
                waiting.append(types[name])
    written = json.dumps([operation, shared, dict(sorted(used.items()))], ensure_ascii=True, default=str)
    return blake2b(written.encode(), digest_size=8).hexdigest()


def _names(part: Any) -> Iterator[str]:
    """Every type that a part of the document names, in keys, in texts, anywhere below."""
    waiting = [part]
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, str):
            yield from _TYPE.findall(thing)
        elif isinstance(thing, Mapping):
            waiting += [*thing.keys(), *thing.values()]
        elif isinstance(thing, list | tuple):
            waiting += thing
