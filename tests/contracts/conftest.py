"""Contracts that tests share."""

from pathlib import Path

import pytest


@pytest.fixture
def contracts() -> Path:
    """The folder of contract folders under ``tests/data``."""
    return Path(__file__).parents[1] / "data" / "contracts"
