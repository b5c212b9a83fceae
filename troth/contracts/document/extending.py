"""`extends`: a contract built on another one, file upon file, down to the one that extends none.

The lower contract is read whole, with its own parts. What is written above is merged over it by the rule of ``merge``:
mappings merge, lists and scalars replace, ``null`` removes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING

from troth.contracts.document.merge import join_parts, merge
from troth.contracts.suggest import did_you_mean
from troth.contracts.yaml_files.placed import Map, Seq
from troth.errors import ContractError, Place, Problems
from troth.frozen import frozen

if TYPE_CHECKING:
    from troth.contracts.yaml_files.reader import Source

__all__ = ["Layer", "below", "hook_files", "joined"]

_SECTIONS = ("secrets", "targets", "data", "types", "state", "traits", "operations", "scenarios")
"""Mappings from names to things: ``null`` for a name removes what lies below."""


@frozen
class Layer:
    """One contract as read: its file, and the sources of that file and of its parts."""

    file: Path
    sources: tuple[Source, ...]

    @property
    def root(self) -> Map | None:
        """What the contract file says; None when it cannot be used."""
        return self.sources[0].root

    @property
    def complete(self) -> bool:
        """Could every file be read, and all of it?"""
        return all(source.complete for source in self.sources)


def below(layer: Layer, above: Iterable[Path], find: Callable[[str | Path], Path], problems: Problems) -> Path | None:
    """The contract file that ``layer`` extends; None when it extends none, or none that can be used.

    ``above`` are the files that led here, and ``find`` gives the file that a path or the name of a pack means.
    """
    root = layer.root
    said = root.get("extends") if root is not None else None
    if root is None or not isinstance(said, str):
        return None  # the document's validation says what is wrong with another value
    place = root.place("extends")
    if Path(said).is_absolute() or PureWindowsPath(said).is_absolute():
        fix = "Write the way from here: ../base"
        problems.add("E058", place, "a pack, or a path from this contract's folder", repr(said), fix)
        return None
    try:
        file = find(said if said.startswith("pack:") else layer.file.parent / said)
    except ContractError as error:
        hint = error.problems[0].fix
        problems.add("E058", place, "a pack (pack:NAME), or a contract's file or folder", repr(said), hint)
        return None
    if file.resolve() in {path.resolve() for path in above}:
        problems.add("E057", place, "contracts that do not extend each other in a circle", repr(said), "Remove it")
        return None
    return file


def hook_files(layers: Iterable[Layer], problems: Problems) -> dict[Path, Place]:
    """The files that `hooks` names, in every layer, with the places that name them."""
    found: dict[Path, Place] = {}
    for layer in layers:
        said = layer.root.get("hooks") if layer.root is not None else None
        names = [said] if isinstance(said, str) else said if isinstance(said, Seq) else []
        for index, name in enumerate(names):
            place = said.place(index) if isinstance(said, Seq) else layer.root.place("hooks")  # type: ignore[union-attr]
            path = layer.file.parent / str(name)
            inside = path.resolve().is_relative_to(layer.file.parent.resolve())
            if not inside or path.suffix != ".py" or not path.is_file():
                problems.add("E190", place, "a Python file in the contract's folder: hooks.py", repr(name))
            else:
                found[path] = place
    return found


def joined(layers: Iterable[Layer], problems: Problems) -> Map:
    """One document out of ``layers``, the topmost first; each has a root."""
    result: Map | None = None
    for layer in reversed(tuple(layers)):
        roots = [source.root for source in layer.sources if source.root is not None]
        own = join_parts(roots[0], roots[1:], problems)
        result = own if result is None else _over(result, own, problems)
    assert result is not None
    return result


def _over(base: Map, own: Map, problems: Problems) -> Map:
    for section in _SECTIONS:
        mine, theirs = own.get(section), base.get(section)
        if isinstance(mine, Map):
            known = theirs if isinstance(theirs, Map) else Map()
            for name, value in mine.items():
                if value is None and name not in known:
                    fix = did_you_mean(name, known, f"{section} of the contract below")
                    problems.add("E036", mine.key_place(name), "null only for what is inherited", repr(name), fix)
    # What the lower contract says of its own files is said, and done.
    return merge(_without(base, ("parts", "extends")), own)


def _without(value: Map, keys: tuple[str, ...]) -> Map:
    result = Map((), value.at)
    for key, item in value.items():
        if key not in keys:
            result.with_entry(key, item, value.marks.get(key))
    return result
