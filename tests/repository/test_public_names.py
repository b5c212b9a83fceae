"""Public names: few at the top, listed in every module, and all there. Ruff keeps the lists sorted."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import pytest

import troth

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(troth.__path__, "troth.")
    if not module.name.endswith("__main__") and not module.ispkg
)


def test_the_package_offers_four_names():
    assert troth.__all__ == ["Simulator", "__version__", "hookimpl", "load"]
    assert dir(troth) == troth.__all__
    assert callable(troth.load)
    assert callable(troth.Simulator)


@pytest.mark.parametrize("name", MODULES)
def test_every_module_lists_its_public_names(name):
    module = importlib.import_module(name)

    assert module.__all__
    assert [public for public in module.__all__ if not hasattr(module, public)] == []


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, troth; print([m for m in ('httpx', 'pydantic', 'jinja2', 'asyncio') if m in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout.strip() == "[]"
