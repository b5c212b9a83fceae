"""Version 5.5 of Stripe's official Python SDK, which speaks the same API in another hand (``confirm=True``)."""

from __future__ import annotations

from pathlib import Path

from sandboxes.installing import LOCKS, python_environment

__all__ = ["old_sdk"]


def old_sdk() -> Path:
    """The interpreter that has it. Raises Unavailable when it cannot be had."""
    return python_environment(LOCKS / "stripe-5.5.0.txt")
