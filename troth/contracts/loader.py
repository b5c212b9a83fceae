"""From a path to a compiled contract."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from troth.contracts.compiler.compiler import compile_document
from troth.contracts.document.collector import collector_off
from troth.contracts.document.folder import find_contracts, read_document
from troth.contracts.document.lint import lint_document
from troth.contracts.expressions.filters_in_use import using
from troth.contracts.yaml_files.excerpt import with_excerpts
from troth.errors import ContractError, Problem, Problems

if TYPE_CHECKING:
    from troth.contracts.contract import Contract
    from troth.contracts.document.document import Document

__all__ = ["Loaded", "compiled", "load", "load_all", "load_with_warnings"]


_WORD = re.compile(r"\w+")


class Loaded(NamedTuple):
    """A contract, and what is doubtful in it."""

    contract: Contract
    document: Document
    warnings: list[Problem]
    """Lint: warnings, and errors that do not keep the contract from being used."""


def load(path: str | Path) -> Contract:
    """The contract at ``path``: a file, a folder with a contract.yaml, or the name of a pack (``stripe``).

    Raises ContractError with every problem in all its files.
    """
    with collector_off():
        document = _read(path)
        contract, _ = _compiled(document)
    return contract


def load_all(paths: Iterable[str | Path]) -> list[Contract]:
    """Every contract that ``paths`` lead to, as ``find_contracts`` finds them. Raises ContractError for all at once."""
    contracts: list[Contract] = []
    problems: list[Problem] = []
    for file in find_contracts(paths):
        try:
            contracts.append(load(file))
        except ContractError as error:
            problems.extend(error.problems)
    if problems:
        raise ContractError(problems)
    return contracts


def load_with_warnings(path: str | Path) -> Loaded:
    """Like ``load``, with what the document and its compilation leave in doubt."""
    with collector_off():
        document = _read(path)
        contract, warnings = _compiled(document)
        warnings = with_excerpts([*warnings, *lint_document(document)], document.sources)
    return Loaded(contract, document, warnings)


def compiled(document: Document) -> Contract:
    """The contract that a document makes. Raises ContractError with every problem."""
    with collector_off():
        contract, _ = _compiled(document)
    return contract


def _read(path: str | Path) -> Document:
    """The document at ``path``. Where only names are wrong in it, what it means is looked at too, so that all its
    problems are told at once; what follows from a wrong name, because it speaks of it on its line, is left out.
    """
    try:
        return read_document(path)
    except ContractError as error:
        if error.draft is None:
            raise
        said = error.problems
        further = [item for item in _further(error.draft) if not any(_echoes(item, other) for other in said)]
        raise ContractError(sorted([*said, *further], key=attrgetter("place"))) from None


def _echoes(item: Problem, other: Problem) -> bool:
    same_line = (item.place.file, item.place.line) == (other.place.file, other.place.line)
    return same_line and bool(set(_WORD.findall(other.found)) & set(_WORD.findall(item.found)))


def _further(draft: Document) -> Sequence[Problem]:
    """What compiling finds wrong in a document whose names do not all lead somewhere."""
    try:
        _compiled(draft)
    except ContractError as error:
        return error.problems
    except Exception:  # it was made for documents that hold; what it cannot do here is no news
        return ()
    return ()


def _compiled(document: Document) -> tuple[Contract, list[Problem]]:
    problems = Problems()
    try:
        hooks = document.loaded_hooks
        with using(hooks.filters) if hooks is not None else nullcontext():
            contract = compile_document(document, problems)
        problems.raise_if_any()
    except ContractError as error:
        raise ContractError(with_excerpts(error.problems, document.sources)) from None
    return contract, [problem for problem in problems.items if problem.warning]
