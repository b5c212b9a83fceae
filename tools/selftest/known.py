"""What Troth is known to get wrong, so that the short form guards the rest. A row goes when it is mended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["KNOWN"]

KNOWN: Final[Mapping[str, str]] = {}
"""The name of a row to the reason. A row that is as it should be may not stand here."""
