"""Loads what can be loaded: one contract with errors does not cost the others their night."""

from __future__ import annotations

from collections.abc import Sequence

from troth.contracts.contract import Contract
from troth.contracts.document.folder import find_contracts
from troth.contracts.loader import load
from troth.errors import ContractError, Problem
from troth.runners.drift import Unloadable

__all__ = ["load_usable"]


def load_usable(paths: Sequence[str]) -> list[Contract | Unloadable]:
    """The contracts that ``paths`` lead to, and in place of those with errors, the errors.

    Raises ContractError with all problems when none can be used, or a path leads to none.
    """
    found: list[Contract | Unloadable] = []
    problems: list[Problem] = []
    for file in find_contracts(paths):
        try:
            found.append(load(file))
        except ContractError as error:
            problems += error.problems
            found.append(Unloadable(str(file), error))
    if problems and all(isinstance(item, Unloadable) for item in found):
        raise ContractError(problems)
    return found
