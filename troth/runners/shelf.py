"""Where a history outlives the machine: a shelf of files, whatever it is made of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Protocol

from troth.errors import UsageError

__all__ = ["Shelf", "open_shelf"]


class Shelf(Protocol):
    """Files by name. Those of nights are written once and never changed; ``proof.json`` and the marker are.

    Whatever goes wrong outside is a HistoryError E421.
    """

    label: str
    """Names it in messages, without credentials."""

    def absence(self) -> str:
        """What to tell whoever fetches from a place that is not there, which may be misspelt; "" where it is."""
        ...

    def names(self) -> frozenset[str]:
        """The files that are there now; empty where there is no history yet."""
        ...

    def read(self, name: str) -> bytes | None:
        """One file of those that ``names`` gave last; None when it is gone."""
        ...

    def publish(self, add: Mapping[str, bytes], remove: Collection[str]) -> bool:
        """Add and remove files; False when somebody else was faster, and nothing was done: look again."""
        ...


def open_shelf(target: str, root: Path) -> Shelf:
    """The shelf that ``target`` names: ``git:BRANCH``, ``git:REMOTE#BRANCH``, ``postgresql://...``, else a directory.

    A directory is relative to ``root``, which is also the repository of a branch. UsageError E423 for what names none.
    """
    kind, colon, rest = target.partition(":")
    if kind == "git" and colon:
        from troth.runners.shelf_git import GitShelf

        remote, _, branch = rest.rpartition("#")
        return GitShelf(root, remote or "origin", branch)
    if kind in ("postgres", "postgresql") and rest.startswith("//"):
        from troth.runners.shelf_postgres import PostgresShelf

        return PostgresShelf.connect(target)
    if not target.strip() or "://" in target:
        asked = "a directory, git:BRANCH, git:REMOTE#BRANCH or postgresql://... to keep the history in"
        raise UsageError("E423", asked, f"an address of another kind ({kind})" if colon else "nothing")
    from troth.runners.shelf_directory import DirectoryShelf

    return DirectoryShelf(root / Path(target).expanduser())
