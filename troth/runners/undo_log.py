"""Remembers, outside this process, what a run created in a sandbox until it is cleaned up.

An entry is written before the creating request is sent (``intended``), completed as soon as its answer is there
(``created``), and closed when it is undone (``done``). What a crash leaves open is undone by the next run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from troth.contracts.values import Json

__all__ = ["FileUndoLog", "MemoryUndoLog", "UndoEntry", "UndoLog"]


@dataclass(frozen=True, slots=True)
class UndoEntry:
    """One thing that may have to be taken back: by calling ``call`` with ``values``, on the target at ``url``.

    ``call`` is "" while only the intent is known: then nobody can say what was created, if anything.
    """

    id: str
    provider: str
    url: str
    run: str
    scenario: str
    operation: str
    call: str = ""
    values: Mapping[str, Json] = field(default_factory=dict)
    time: float = 0.0
    """When the creating request was about to be sent, Unix seconds."""


class UndoLog(Protocol):
    """Where entries are kept. Each method returns when the change is safe."""

    def put(self, entry: UndoEntry) -> None:
        """Write an entry, or replace the one with its id."""
        ...

    def done(self, entry_id: str) -> None:
        """Nothing is left to undo for this entry."""
        ...

    def open(self, provider: str, url: str) -> tuple[UndoEntry, ...]:
        """What is still to be undone on a provider's target, oldest first."""
        ...


class MemoryUndoLog:
    """For targets that end with the process (simulators), and for tests."""

    def __init__(self) -> None:
        self._entries: dict[str, UndoEntry] = {}

    def put(self, entry: UndoEntry) -> None:
        self._entries[entry.id] = entry

    def done(self, entry_id: str) -> None:
        self._entries.pop(entry_id, None)

    def open(self, provider: str, url: str) -> tuple[UndoEntry, ...]:
        return tuple(entry for entry in self._entries.values() if (entry.provider, entry.url) == (provider, url))


class FileUndoLog:
    """JSON lines in a file that only grows while a run is on; each line is on the disk before the request leaves.

    When the last entry is closed the file is removed. Lines that a crash cut off are passed over.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries = {entry.id: entry for entry in _read(path)}
        self._begin = "\n"
        """In front of the first line, which would otherwise continue one that a crash cut off."""

    def put(self, entry: UndoEntry) -> None:
        self._entries[entry.id] = entry
        self._write({"put": asdict(entry)})

    def done(self, entry_id: str) -> None:
        if self._entries.pop(entry_id, None) is None:
            return
        self._write({"done": entry_id})
        # Another run may have written here meanwhile.
        if not self._entries and not any(True for _ in _read(self._path)):
            with suppress(FileNotFoundError):
                self._path.unlink()

    def open(self, provider: str, url: str) -> tuple[UndoEntry, ...]:
        return tuple(entry for entry in self._entries.values() if (entry.provider, entry.url) == (provider, url))

    def _write(self, line: Mapping[str, Any]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(self._begin + json.dumps(line, default=str) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self._begin = ""


def _read(path: Path) -> Iterator[UndoEntry]:
    entries: dict[str, UndoEntry] = {}
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        with suppress(ValueError, TypeError, KeyError):
            said = json.loads(line)
            if "done" in said:
                entries.pop(said["done"], None)
            else:
                entry = UndoEntry(**said["put"])
                entries[entry.id] = entry
    yield from entries.values()
