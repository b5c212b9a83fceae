"""From a path to a Document: a file, a folder with a contract.yaml, or the name of a pack that ships with Troth."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from troth.contracts.document.collector import collector_off
from troth.contracts.document.document import Document
from troth.contracts.document.document_base import Doc
from troth.contracts.document.document_cache import DocumentCache
from troth.contracts.document.draft import draft_of
from troth.contracts.document.extending import Layer, below, hook_files, joined
from troth.contracts.document.merge import inherit
from troth.contracts.document.not_yet import check_matchers
from troth.contracts.document.references import check_references
from troth.contracts.document.validation import Steps, validated
from troth.contracts.hooks.hooks import Hooks
from troth.contracts.suggest import closest, did_you_mean
from troth.contracts.yaml_files.excerpt import with_excerpts
from troth.contracts.yaml_files.placed import Map, Seq
from troth.errors import ContractError, Place, Problem, Problems

if TYPE_CHECKING:
    from troth.contracts.yaml_files.reader import Source

__all__ = [
    "ACCEPTED_FILE",
    "CONTRACT_FILE",
    "PACKS",
    "amended",
    "contract_file",
    "find_contracts",
    "pack_names",
    "parse_document",
    "read_document",
]

ACCEPTED_FILE = "accepted.yaml"
"""Beside the contract, and no part of it: findings that somebody answers for."""
CONTRACT_FILE = "contract.yaml"
PACKS = Path(__file__).parents[1] / "providers"
_PACK_NAME = re.compile(r"(?:pack:)?([a-z0-9][a-z0-9_-]*)")
_MISSING: Final = frozenset({"E032", "E033", "E036", "E065"})
"""Problems of what is not there."""
_PASSED_OVER = frozenset({"node_modules", "__pycache__", "site-packages", "troth-report"})


def pack_names(packs: Path = PACKS) -> list[str]:
    """The contracts that ship with Troth: the folders of ``packs`` with a contract.yaml."""
    if not packs.is_dir():
        return []
    return sorted(folder.name for folder in packs.iterdir() if (folder / CONTRACT_FILE).is_file())


def contract_file(path: str | Path, packs: Path = PACKS) -> Path:
    """The contract file that ``path`` means. Raises ContractError (E001, E050, E051)."""
    try:
        return _contract_file(path, packs)
    except OSError as error:  # a name that is too long, a folder that may not be read
        raise _error("E001", str(path), "a path that can be read", error.strerror or type(error).__name__) from None


def _contract_file(path: str | Path, packs: Path) -> Path:
    given = Path(path)
    if given.is_dir() and (given / CONTRACT_FILE).is_file():
        return given / CONTRACT_FILE
    name = _PACK_NAME.fullmatch(str(path))
    pack = packs / name[1] / CONTRACT_FILE if name and not given.is_file() else None
    if pack and pack.is_file():
        return pack
    if given.is_dir():
        fix = f"Write one there, or name the file. Packs: {', '.join(pack_names(packs)) or 'none'}"
        raise _error("E050", str(path), f"a folder with {CONTRACT_FILE}", "a folder without it", fix)
    if given.exists():
        return given
    if name:
        asked, found = "a file, a folder or a pack", f"{name[1]!r}, which is none of them"
        near = closest(name[1], [*pack_names(packs), *_beside(given)])
        fix = f"Did you mean {near!r}?" if near else did_you_mean(name[1], pack_names(packs), "packs")
        raise _error("E051", str(path), asked, found, fix)
    near = closest(given.name, _beside(given))
    fix = f"Did you mean {str(given.with_name(near))!r}?" if near else ""
    asked = f"a contract file, or a folder with {CONTRACT_FILE}"
    raise _error("E050", str(path), asked, "no such file or folder", fix)


def _beside(path: Path) -> list[str]:
    """The names that may have been meant: folders and YAML files where ``path`` would be."""
    try:
        entries = sorted(path.parent.iterdir())
    except (OSError, ValueError):  # ValueError: a name with a null character
        return []
    return [entry.name for entry in entries if entry.suffix in (".yaml", ".yml") or _is_folder(entry)]


def _is_folder(entry: Path) -> bool:
    return entry.is_dir() and not entry.name.startswith(".") and entry.name not in _PASSED_OVER


def find_contracts(paths: Iterable[str | Path]) -> list[Path]:
    """The contract files that ``paths`` mean, each once; in a folder of contract folders, every one below it.

    Hidden folders and what other tools keep (``node_modules``) are passed over. Raises ContractError with a problem for
    every path that leads to none.
    """
    found: dict[Path, None] = {}
    problems: list[Problem] = []
    for path in paths:
        try:
            below = list(_contracts_below(Path(path)))
            found.update(dict.fromkeys(below or [contract_file(path)]))
        except ContractError as error:
            problems.extend(error.problems)
        except OSError as error:
            problems.append(Problem("E001", Place(str(path)), "folders that can be read", str(error)))
    if problems:
        raise ContractError(problems)
    return list(found)


def _contracts_below(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        return
    if (folder / CONTRACT_FILE).is_file():
        yield folder / CONTRACT_FILE
        return
    for entry in sorted(folder.iterdir()):
        if not entry.is_symlink() and not entry.name.startswith(".") and entry.name not in _PASSED_OVER:
            yield from _contracts_below(entry)


def read_document(path: str | Path) -> Document:
    """Read the contract at ``path``, with its parts. Raises ContractError with every problem in all its files."""
    file = contract_file(path)
    problems = Problems()
    with collector_off():
        cache = DocumentCache(file, lambda patterns: _files(file, patterns, lambda index: Place(), Problems()))
        kept = cache.find()
        if kept is not None:
            return kept
        layers = [_layer(file, problems)]
        while (base := below(layers[-1], [layer.file for layer in layers], contract_file, problems)) is not None:
            layers.append(_layer(base, problems))
        document = _document(layers, problems)
        if len(layers) == 1 and document.loaded_hooks is None:
            cache.keep(document, layers[0].sources, document.parts)
        return document


def parse_document(text: str, file: str = CONTRACT_FILE) -> Document:
    """A Document from one text, without parts; ``file`` is the name that places show."""
    problems = Problems()
    source = _source_in(text, file, problems)
    for key in ("parts", "extends"):
        if source.root is not None and key in source.root:
            problems.add("E052", source.root.place(key), "a contract in one text", repr(key), "Read it from a folder")
    return _document([Layer(Path(file), (source,))], problems)


def amended(document: Document, texts: Mapping[str, str]) -> Document:
    """The document with other texts for some of its files, by the names that places show; nothing is read or written.

    Raises ContractError as ``read_document`` does.
    """
    problems = Problems()
    with collector_off():
        layers = []
        for file, names in document.layers:
            sources = [_source_in(texts.get(name, document.sources[name]), name, problems) for name in names]
            layers.append(Layer(file, tuple(sources)))
        return _document(layers, problems)


# Sources: a contract that is taken from the shelf needs no YAML, which takes a while to import


def _source_of(path: Path, problems: Problems) -> Source:
    from troth.contracts.yaml_files.reader import read_file  # noqa: PLC0415

    return read_file(path, problems)


def _source_in(text: str, file: str, problems: Problems) -> Source:
    from troth.contracts.yaml_files.reader import read_text  # noqa: PLC0415

    return read_text(text, file, problems)


# Parts


def _layer(file: Path, problems: Problems) -> Layer:
    source = _source_of(file, problems)
    parts = _read_parts(file, source.root, problems) if source.root is not None else []
    return Layer(file, (source, *parts))


def _read_parts(file: Path, root: Map, problems: Problems) -> list[Source]:
    parts = root.get("parts", Seq())
    patterns = [parts] if isinstance(parts, str) else parts if isinstance(parts, list) else []

    def place(index: int) -> Place:
        return parts.place(index) if isinstance(parts, Seq) else root.place("parts")

    return [_source_of(path, problems) for path in _files(file, patterns, place, problems)]


def _files(file: Path, patterns: Sequence[Any], place: Callable[[int], Place], problems: Problems) -> Iterable[Path]:
    """What the patterns match, each file once; ``place`` says where each pattern is written."""
    found: dict[Path, None] = {}
    for index, pattern in enumerate(patterns):
        if isinstance(pattern, str):
            found.update(dict.fromkeys(_matches(file, pattern, place(index), problems)))
    return found


def _matches(file: Path, pattern: str, place: Place, problems: Problems) -> list[Path]:
    folder = file.parent
    steps = re.split(r"[/\\]", pattern)
    if not pattern or steps[0] == "" or ".." in steps or ":" in steps[0]:
        fix = "Write the path from the contract's folder: operations/*.yaml"
        problems.add("E053", place, "a file or pattern inside the contract's folder", repr(pattern), fix)
        return []
    try:
        found = (path for path in folder.glob(pattern) if path.is_file() and not path.samefile(file))
        paths = sorted(path for path in found if path != folder / ACCEPTED_FILE)
    except (ValueError, NotImplementedError, OSError) as error:
        problems.add("E053", place, "a file or pattern like operations/*.yaml", f"{pattern!r} ({error})")
        return []
    inside = [path for path in paths if path.resolve().is_relative_to(folder.resolve())]
    for path in paths:
        if path not in inside:
            problems.add("E053", place, "a file inside the contract's folder", f"{path}, a link that leads out of it")
    if not paths:
        fix = "Remove it, or write the file"
        problems.add("E052", place, "a file or pattern that matches something", repr(pattern), fix)
    return inside


# One document


def _document(layers: list[Layer], problems: Problems) -> Document:
    texts = {source.file: source.text for layer in layers for source in layer.sources}
    document, removed = None, list[Steps]()
    files = hook_files(layers, problems)
    hooks = _loaded(files, problems) if files else None
    complete = all(layer.complete for layer in layers)
    if all(layer.root is not None for layer in layers):
        document, removed = _checked(joined(layers, problems), problems, complete=complete)
    if document is None or any(not problem.warning for problem in problems.items):
        said, draft = with_excerpts(_without_shadows(problems.items), texts), None
        if document is not None:
            document._layers, document._sources, document._loaded_hooks = _names_of(layers), texts, hooks
            draft = draft_of(document, said, removed, complete=complete)
        raise ContractError(said, draft)
    document._layers, document._sources, document._loaded_hooks = _names_of(layers), texts, hooks
    document._content_hash = _hash(layers)
    return document


def _names_of(layers: Iterable[Layer]) -> tuple[tuple[Path, tuple[str, ...]], ...]:
    return tuple((layer.file, tuple(source.file for source in layer.sources)) for layer in layers)


def _loaded(files: dict[Path, Place], problems: Problems) -> Hooks:
    # Few contracts have hooks, and only they need pluggy.
    from troth.contracts.hooks.loading import load_hooks  # noqa: PLC0415

    return load_hooks(files, problems)


def _checked(root: Map, problems: Problems, *, complete: bool) -> tuple[Document | None, list[Steps]]:
    """The document, without the entries that are wrong, and their paths."""
    check_matchers(root, problems)
    found = Problems()
    inherited = inherit(root, found)
    document, removed = validated(inherited.root, found)
    torn = {path[:2] for path in removed}
    if document is not None:
        document._root = inherited.root
        for name, operation in document.operations.items():
            operation._inherited = inherited.names.get(name, frozenset())
            if ("operations", name) not in torn:
                _check_whole(name, document, found)
        if complete:
            check_references(document, inherited.root, found)
    # What is missing may stand in what could not be read.
    problems.items.extend(item for item in found.items if complete or item.code not in _MISSING)
    return document, removed


def _check_whole(name: str, document: Document, problems: Problems) -> None:
    operation, operations = document.operations[name], document.root["operations"]
    place, written = operations.key_place(name), operations[name]
    for key in ("method", "path"):
        if not getattr(operation.request, key) and not _strange(written.get("request"), operation.request):
            problems.add("E032", place, f"the key {key!r} in the request of {name!r}", "nothing")
    if not operation.responses and not _strange(written, operation):
        problems.add("E032", place, f"at least one response of {name!r}", "none")


def _strange(written: Any, doc: Doc) -> bool:
    """Has it a key that is not known? What is missing may be what that one is meant to be."""
    return isinstance(written, Map) and not doc.keys().keys() >= written.keys()


def _without_shadows(items: Iterable[Problem]) -> list[Problem]:
    """What the reader found wrong at a place explains what later stages find there."""
    problems = list(items)
    read = {problem.place for problem in problems if problem.code < "E030"}
    return [problem for problem in problems if problem.code < "E030" or problem.place not in read]


def _hash(layers: list[Layer]) -> str:
    """Of all files, those of lower contracts under names of their own; where they lie does not count."""
    digest = blake2b(digest_size=8)
    by_name: dict[str, bytes] = {}
    for depth, layer in enumerate(layers):
        for source in layer.sources:
            by_name["^" * depth + _relative(source.file, layer.file.parent)] = source.content
    for name, content in sorted(by_name.items()):
        digest.update(f"{name}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _relative(file: str, folder: Path) -> str:
    path = Path(file)
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name


def _error(code: str, path: str, asked: str, found: str, fix: str = "") -> ContractError:
    return ContractError([Problem(code, Place(path), asked, found, fix)])
