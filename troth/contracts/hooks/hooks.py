"""What a contract's hooks give it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from troth.frozen import frozen

if TYPE_CHECKING:
    from troth.contracts.expressions.filters import Filter
    from troth.contracts.hooks.specs import AuthHook
    from troth.contracts.nodes.coders import Coder

__all__ = ["Hooks"]


@frozen
class Hooks:
    """By name; ``filters`` has the built-in ones too. ``hash`` is that of the files, 16 hex digits."""

    filters: Mapping[str, Filter]
    auth_kinds: Mapping[str, AuthHook]
    codecs: Mapping[str, Coder]
    hash: str
