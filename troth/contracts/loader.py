"""From a path to a compiled contract."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import nullcontext, suppress
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
    """The document at ``path``. Where something is wrong in it, what the rest means is looked at too, so that all its
    problems are told at once.
    """
    try:
        return read_document(path)
    except ContractError as error:
        draft = error.draft
        if draft is None:
            raise
        files = {name: number for number, name in enumerate(draft.document.sources)}
        problems = [*error.problems, *draft.news(_problems_of(draft.document))]
        raise ContractError(sorted(problems, key=lambda item: (files.get(item.place.file, -1), item.place))) from None


def _problems_of(draft: Document) -> Sequence[Problem]:
    """What compiling finds wrong in a document that does not hold."""
    problems = Problems()
    with suppress(Exception):  # it was made for documents that hold; what it cannot do here is no news
        _compile(draft, problems)
    return with_excerpts((item for item in problems.items if not item.warning), draft.sources)


def _compile(document: Document, problems: Problems) -> Contract:
    hooks = document.loaded_hooks
    with using(hooks.filters) if hooks is not None else nullcontext():
        return compile_document(document, problems)


def _compiled(document: Document) -> tuple[Contract, list[Problem]]:
    problems = Problems()
    try:
        contract = _compile(document, problems)
        problems.raise_if_any()
    except ContractError as error:
        raise ContractError(with_excerpts(error.problems, document.sources)) from None
    return contract, [problem for problem in problems.items if problem.warning]
