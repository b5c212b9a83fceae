"""Contracts that were read before, so that to start once more with the same files takes half as long.

What Python does with modules: a document that held is kept in the user's cache folder, and taken from there for as long
as every file it came from is what it was, byte for byte. Nothing here ever fails: what cannot be kept or found is read.
A kept document is Python's own format, which whoever writes it controls, so the folder must belong to the user alone.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from troth.contracts.document.document import Document
    from troth.contracts.yaml_files.reader import Source

__all__ = ["DocumentCache"]

_MOST: Final = 32
"""Documents that are kept; the one that was written longest ago goes first."""
_SMALL: Final = 10_000
"""Bytes; so little is read as fast as it is found."""
_OTHERS_WRITE: Final = 0o022
_PACKAGE: Final = Path(__file__).parents[1]


class _Label(NamedTuple):
    """What must still be so: each file, with the hash of what is in it, in the order in which they are read."""

    made_by: str
    patterns: tuple[str, ...]
    files: tuple[tuple[str, bytes], ...]


class DocumentCache:
    """Where the document of one contract file is kept. ``parts`` gives the files that patterns of `parts` match."""

    def __init__(self, file: Path, parts: Callable[[Sequence[str]], Iterable[Path]]) -> None:
        self._file = file
        self._parts = parts

    def find(self) -> Document | None:
        """The document, if it was kept and its files have not changed since."""
        with suppress(Exception):  # whatever is wrong with it: it is read from its files then
            place = self._place()
            if place is None or not place.is_file():
                return None
            with place.open("rb") as stream:
                label = pickle.load(stream)
                if isinstance(label, _Label) and self._holds(label):
                    document: Document = pickle.load(stream)
                    return document
        return None

    def keep(self, document: Document, sources: Iterable[Source], patterns: Iterable[str]) -> None:
        """Keep it for the next time."""
        read = tuple(sources)
        if sum(len(source.content) for source in read) < _SMALL:
            return
        files = tuple((source.file, _hash(source.content)) for source in read)
        with suppress(Exception):  # no room, no right to write: then it is not kept
            place = self._place()
            if place is None:
                return
            label = pickle.dumps(_Label(_made_by(), tuple(patterns), files), pickle.HIGHEST_PROTOCOL)
            _write(place, label + pickle.dumps(document, pickle.HIGHEST_PROTOCOL))
            _make_room(place.parent)

    def _holds(self, label: _Label) -> bool:
        files = [str(self._file), *(str(path) for path in self._parts(label.patterns))]
        if label.made_by != _made_by() or files != [name for name, _ in label.files]:
            return False
        return all(_hash(Path(name).read_bytes()) == found for name, found in label.files)

    def _place(self) -> Path | None:
        """None where there is no folder that is the user's alone."""
        folder = _folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid"):
            found = folder.stat()
            if found.st_uid != os.getuid() or found.st_mode & _OTHERS_WRITE:
                return None
        # Places in a document show the path as it was given, so that is part of its name.
        name = _hash(f"{self._file.absolute()}\n{self._file}".encode("utf-8", "surrogatepass")).hex()
        return folder / f"{name}.pickle"


def _folder() -> Path:
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "troth" / "contracts"


def _made_by() -> str:
    """Which Python, and which Troth, also one that is being worked on."""
    modules = list(_modules(_PACKAGE))
    newest, size = max(found.st_mtime_ns for found in modules), sum(found.st_size for found in modules)
    return f"{sys.version} {len(modules)} {size} {newest}"


def _modules(folder: Path) -> Iterable[os.stat_result]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield entry.stat()
            elif entry.name not in ("providers", "__pycache__") and entry.is_dir():
                yield from _modules(Path(entry.path))


def _hash(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()


def _write(place: Path, content: bytes) -> None:
    """At once or not at all, since others may read it now."""
    import tempfile  # noqa: PLC0415 - seldom needed, and it brings much along

    number, name = tempfile.mkstemp(dir=place.parent)
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(content)
        os.replace(name, place)
    except BaseException:
        os.unlink(name)
        raise


def _make_room(folder: Path) -> None:
    kept = sorted(folder.glob("*.pickle"), key=lambda path: path.stat().st_mtime_ns)
    for path in kept[:-_MOST]:
        path.unlink(missing_ok=True)
