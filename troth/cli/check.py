"""``troth check``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from troth.cli.arguments import AsJson, Paths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from troth.cli.session import Session
    from troth.errors import Problem

__all__ = ["check", "exit_code", "problems_of"]

BROKEN = 3
INVALID = 4


def check(context: typer.Context, paths: Paths = None, as_json: AsJson = False) -> None:
    """Validate contracts and warn about what is doubtful in them."""
    from troth.contracts.document.folder import find_contracts

    session: Session = context.obj
    problems = {path: problems_of(path, session.settings.root) for path in find_contracts(session.paths(paths))}
    found = [problem for each in problems.values() for problem in each]
    errors = sum(not problem.warning for problem in found)
    if as_json:
        session.json(_as_data(problems, errors))
    else:
        for problem in found:
            session.say(str(problem))
        session.say(_summary(len(problems), errors, len(found) - errors))
    raise typer.Exit(exit_code(found))


def problems_of(path: Path, root: Path | None = None) -> Sequence[Problem]:
    """Everything that is wrong with a contract of the project ``root``, or doubtful in it; sends nothing anywhere."""
    from troth.contracts.accepted import accepted_of
    from troth.contracts.loader import load_with_warnings
    from troth.contracts.yaml_files.excerpt import with_excerpts
    from troth.errors import ContractError
    from troth.runners.prove import prove

    try:
        loaded = load_with_warnings(path)
        accepted_of(loaded.contract, root or Path.cwd())
        return [*loaded.warnings, *with_excerpts(prove(loaded.contract), loaded.document.sources)]
    except ContractError as invalid:
        return invalid.problems


def exit_code(found: Sequence[Problem]) -> int:
    """3 when Troth itself failed, whatever else is wrong; 4 for errors of contracts; else 0."""
    from troth.runners.prove import DEFECT

    if any(problem.code == DEFECT for problem in found):
        return BROKEN
    return 0 if all(problem.warning for problem in found) else INVALID


def _summary(contracts: int, errors: int, warnings: int) -> str:
    return f"{_count(contracts, 'contract')}: {_count(errors, 'error')}, {_count(warnings, 'warning')}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _as_data(problems: dict[Path, Sequence[Problem]], errors: int) -> dict[str, Any]:
    return {
        "contracts": [
            {"path": str(path), "problems": [_problem_as_data(problem) for problem in each]}
            for path, each in problems.items()
        ],
        "errors": errors,
        "warnings": sum(len(each) for each in problems.values()) - errors,
    }


def _problem_as_data(problem: Problem) -> dict[str, Any]:
    place = problem.place
    return {
        "code": problem.code,
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "asked": problem.asked,
        "found": problem.found,
        "fix": problem.fix,
    }
