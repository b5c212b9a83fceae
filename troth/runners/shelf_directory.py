"""A history in a directory: a mounted share, a CI cache, the folder of an artefact."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from troth.runners.packets import HistoryError

__all__ = ["DirectoryShelf"]


class DirectoryShelf:
    """Files below ``folder``. A file appears whole or not at all; what is not Troth's is left alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.label = str(folder)

    def absence(self) -> str:
        """A push makes the folder; where there is none, nothing was ever pushed, or its name is misspelt."""
        with self._translated():
            there = self.folder.is_dir()
        return "" if there else f"No directory {self.label} is there. Is its name right? The first push makes it."

    def names(self) -> frozenset[str]:
        """The files that are there now."""
        with self._translated():
            found = (path for pattern in ("*.json", "*/*.json.gz") for path in self.folder.glob(pattern))
            return frozenset(path.relative_to(self.folder).as_posix() for path in found)

    def read(self, name: str) -> bytes | None:
        """One file; None when it is gone."""
        with self._translated():
            try:
                return (self.folder / name).read_bytes()
            except FileNotFoundError:
                return None

    def publish(self, add: Mapping[str, bytes], remove: Collection[str]) -> bool:
        """Files of nights first: nothing tells of a night that is not there."""
        with self._translated():
            for name in sorted(add, key=lambda name: "/" not in name):
                self._write(self.folder / name, add[name])
            for name in remove:
                (self.folder / name).unlink(missing_ok=True)
        return True

    def _write(self, path: Path, content: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_name(f".{path.name}.{uuid4().hex}")
        try:
            half.write_bytes(content)
            os.replace(half, path)
        finally:
            half.unlink(missing_ok=True)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            asked = f"a directory that can be read and written: {self.label}"
            raise HistoryError("E421", asked, error.strerror or str(error)) from error
