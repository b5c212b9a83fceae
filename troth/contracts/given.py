"""Records that are on a target before a scenario starts, put there by somebody else: fixtures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from troth.frozen import frozen

if TYPE_CHECKING:
    from troth.contracts.expressions.said import Said

__all__ = ["Given"]


@frozen
class Given:
    """One record, by the name that the steps use. What is not written of it nobody knows."""

    name: str
    collection: str
    values: Mapping[str, Said]
    """Field to value; the key is among them."""
