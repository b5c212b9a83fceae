"""What a structure is read with."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from troth.contracts.matcher import Out, Scope
from troth.contracts.values import Value

if TYPE_CHECKING:
    from troth.contracts.codecs import FormOptions
    from troth.contracts.nodes.base import Node

__all__ = ["Reading"]

_NONE_SPENT: Final[frozenset[str]] = frozenset()


class Reading:
    """What a structure is read with: where findings go, what names mean, and whether values arrive as text."""

    __slots__ = ("changes", "coming", "fill", "options", "out", "scope", "spent", "text")

    def __init__(
        self,
        out: Out,
        scope: Scope | None,
        text: bool = False,
        fill: bool = False,
        options: FormOptions | None = None,
        coming: Mapping[tuple[str, str], dict[str, Value]] = MappingProxyType({}),
    ) -> None:
        self.out = out
        self.scope = scope
        self.text = text
        self.fill = fill
        """Requests: put in the default where a field is absent, and demand nothing of state."""
        self.options = options
        self.coming = coming
        """(collection, key) of records that this reply's effects change, and how: where it shows them, they are so."""
        self.changes = "never"
        """What the whole in which we are allows its parts, where they say nothing themselves."""
        self.spent: frozenset[str] = _NONE_SPENT
        """The paths where what may change once has done so before."""

    def fork(self) -> Reading:
        """The same reading with an empty ``out``, to try something."""
        new = Reading(Out(), self.scope, text=self.text, fill=self.fill, options=self.options, coming=self.coming)
        new.changes, new.spent = self.changes, self.spent
        return new

    def allowed(self, node: Node, path: str) -> str:
        """How the stored value at ``path`` may change: never, up, once or freely."""
        changes = node.changing if node.changing != "never" else self.changes
        if changes == "once" and any(path == at or path.startswith((f"{at}.", f"{at}[")) for at in self.spent):
            return "never"
        return changes
