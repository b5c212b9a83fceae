"""Which contracts a person means: files, folders, folders of folders, names of packs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["find_contracts"]

CONTRACT = "contract.yaml"


def find_contracts(paths: Iterable[str | Path]) -> list[str]:
    """The contracts that ``paths`` name, in order, each once.

    A folder that has no ``contract.yaml`` of its own stands for the folders in it that have one. Everything else
    (files, packs, what does not exist) is passed on as it is, for the loader to say what is wrong with it.
    """
    found: dict[str, None] = {}
    for path in paths:
        for name in _expanded(str(path)):
            found[name] = None
    return list(found)


def _expanded(path: str) -> Sequence[str]:
    folder = Path(path)
    if not folder.is_dir() or (folder / CONTRACT).is_file():
        return [path]
    inside = sorted(str(child.parent) for child in folder.glob(f"*/{CONTRACT}"))
    return inside or [path]

