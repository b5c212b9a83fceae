"""How far an edit reaches: the operations that say something else after it, through types, `defaults` and traits."""

from __future__ import annotations

import json
from typing import Any

from troth.contracts.document.walk import matchers
from troth.contracts.yaml_files.placed import Map

__all__ = ["touched"]


def touched(before: Map, after: Map) -> tuple[str, ...]:
    """Names of operations, in their order; the roots have everything merged in."""
    old, new = _Meanings(before), _Meanings(after)
    names = dict.fromkeys([*(before.get("operations") or ()), *(after.get("operations") or ())])
    return tuple(name for name in names if old.of(name) != new.of(name))


class _Meanings:
    """What operations say, with the types that they name and those that these name."""

    def __init__(self, root: Map) -> None:
        self._operations: Any = root.get("operations") or {}
        self._types: Any = root.get("types") or {}
        self._state: Any = root.get("state") or {}

    def of(self, name: str) -> str:
        operation = self._operations.get(name)
        waiting, used = [operation, self._records(operation)], dict[str, Any]()
        while waiting:
            for use in matchers(waiting.pop()):
                if use.name in self._types and use.name not in used:
                    used[use.name] = self._types[use.name]
                    waiting.append(used[use.name])
        return json.dumps([operation, dict(sorted(used.items()))], default=str)

    def _records(self, operation: Any) -> Map:
        """The collections that an operation names: `state.charges(...)`, `put: charges`, `$select: charges`."""
        text = json.dumps(operation, default=str)
        named = {name for name in self._state if name in text}
        return Map((name, self._state[name]) for name in sorted(named))
