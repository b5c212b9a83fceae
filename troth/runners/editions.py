"""Which edition of the contract a place depends on: an edited contract is not to be taken for a changed provider.

An edition is a hash of all that an operation's predictions may read: the operation with what ``defaults`` and traits
say, the types that it names (and those that they name), state, constants, codecs, versions and all else that the whole
contract shares. Where a place belongs to one scenario, that scenario and all parts are in it too. Targets, secrets and
prose are not, and so adding a scenario or an operation does not make the history of the rest doubtful.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

from troth.runners.places import Spot

__all__ = ["Editions"]

_TYPE = re.compile(r"\$([A-Z][A-Za-z0-9_]*)")
_APART = frozenset(
    {
        *("troth", "provider", "title", "extends", "parts", "proven", "secrets", "targets", "drift", "hooks"),
        *("defaults", "traits", "types", "operations", "scenarios"),
    }
)
"""What no prediction reads, and what is in an edition only where it is used. What is not known here counts."""


class Editions:
    """The editions of one contract, 16 hex digits each. ``hooks`` is a hash of its hooks; "" while it has none."""

    def __init__(self, operations: Mapping[str, str], scenarios: Mapping[str, str], hooks: str = "") -> None:
        self._operations = operations
        self._scenarios = scenarios
        self.hooks = hooks

    @classmethod
    def of(cls, root: Mapping[str, Any], hooks: str = "") -> Editions:
        """From a document as it was read, with everything merged in."""
        types = root.get("types") or {}
        shared = {name: part for name, part in sorted(root.items()) if name not in _APART}
        operations = root.get("operations") or {}
        scenarios = root.get("scenarios") or {}
        parts = {name: part for name, part in scenarios.items() if isinstance(part, Mapping) and part.get("part")}
        return cls(
            {name: _edition(operation, shared, types) for name, operation in operations.items()},
            {name: _hash([scenario, parts]) for name, scenario in scenarios.items()},
            hooks,
        )

    def at(self, spot: Spot) -> str:
        """The edition that a place depends on."""
        operation = self._operations.get(spot.operation, "")
        return operation if not spot.scenario else _hash([operation, self._scenario(spot.scenario)])

    def _scenario(self, label: str) -> str:
        """By the scenario's name, or its name and a case."""
        names = (name for name in self._scenarios if label == name or label.startswith(f"{name}["))
        return self._scenarios.get(max(names, key=len, default=""), "")


def _edition(operation: Any, shared: Mapping[str, Any], types: Mapping[str, Any]) -> str:
    used: dict[str, Any] = {}
    waiting = [operation, shared]
    while waiting:
        for name in _names(waiting.pop()):
            if name in types and name not in used:
                used[name] = types[name]
                waiting.append(types[name])
    return _hash([operation, shared, dict(sorted(used.items()))])


def _hash(parts: Any) -> str:
    written = json.dumps(parts, ensure_ascii=True, default=str)
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
