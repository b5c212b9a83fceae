"""Troth keeps test doubles honest: one contract, a simulator, a sandbox suite, a drift report.

Names are imported lazily, so that ``import troth`` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from troth.contracts.hooks.specs import hookimpl
    from troth.contracts.loader import load
    from troth.simulators.simulator import Simulator

__all__ = ["Simulator", "__version__", "hookimpl", "load"]

__version__ = "0.1.0"

_HOMES = {
    "hookimpl": "troth.contracts.hooks.specs",
    "load": "troth.contracts.loader",
    "Simulator": "troth.simulators.simulator",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'troth' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
