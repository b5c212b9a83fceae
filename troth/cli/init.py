"""``troth init``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from troth.errors import UsageError

if TYPE_CHECKING:
    from troth.cli.session import Session

__all__ = ["init", "template"]

_FILES = {
    "contracts/acmepay/contract.yaml": "contract.yaml",
    "tests/test_acmepay.py": "test_acmepay.py",
    ".github/workflows/troth-pr.yml": "troth-pr.yml",
    ".github/workflows/troth-nightly.yml": "troth-nightly.yml",
}
"""Path in the project to the name of the template."""

_PYTEST = ("pytest.ini", "[pytest]\ntroth_contracts = contracts\n")
_SETTINGS = ("troth.toml", 'contracts = ["contracts"]\nhistory = "git:troth-history"\n')
_IGNORED = (".troth/", "troth-report/")
"""What a run writes, and what belongs into no repository."""
_PYPROJECT_PYTEST = '\n[tool.pytest.ini_options]\ntroth_contracts = ["contracts"]\n'
_PYPROJECT_SETTINGS = '\n[tool.troth]\ncontracts = ["contracts"]\nhistory = "git:troth-history"\n'


def init(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the project.")] = Path(),
) -> None:
    """Write a first contract, a test, and CI files.

    The test passes at once, and the pytest settings and two CI files come with it. Nothing is overwritten.
    """
    session: Session = context.obj
    project = folder / "pyproject.toml"
    tool = _tool_tables(project)
    texts = {path: template(name) for path, name in _FILES.items()}
    if tool is None:
        texts |= dict([_PYTEST, _SETTINGS])
    _refuse_to_overwrite([folder / path for path in texts])
    _write(folder, texts)
    for path in sorted(texts):
        session.say(f"wrote {folder / path}")
    if tool is not None:
        for line in _extend(project, tool):
            session.say(line)
    session.say(_ignore(folder / ".gitignore"))
    session.say("Next: troth check, then pytest")


def template(name: str) -> str:
    """The text of a file that ``init`` writes."""
    from importlib.resources import files

    return files("troth.cli").joinpath("templates", name).read_text(encoding="utf-8")


def _tool_tables(project: Path) -> dict[str, object] | None:
    """The ``[tool]`` table of pyproject.toml; None without that file."""
    import tomllib

    if not project.is_file():
        return None
    try:
        tool = tomllib.loads(project.read_text(encoding="utf-8")).get("tool", {})
    except (OSError, ValueError) as error:
        raise UsageError("E900", "a readable pyproject.toml", f"{project}: {error}") from None
    return tool if isinstance(tool, dict) else {}


def _refuse_to_overwrite(paths: list[Path]) -> None:
    there = sorted(str(path) for path in paths if path.exists())
    if there:
        raise UsageError(
            "E907",
            "room for the files that init writes",
            f"already there: {', '.join(there)}",
            "Move them away, or give another folder; nothing was written",
        )


def _write(folder: Path, texts: dict[str, str]) -> None:
    try:
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError("E908", f"a folder that can be written: {folder}", str(error)) from None


def _extend(project: Path, tool: dict[str, object]) -> list[str]:
    """Add the tables that pyproject.toml lacks at its end; what was done or is left to do, in words."""
    lines: list[str] = []
    added = ""
    if "pytest" in tool:
        lines.append(f'add to the pytest settings in {project}: troth_contracts = ["contracts"]')
    else:
        added += _PYPROJECT_PYTEST
    if "troth" in tool:
        lines.append(f'add to [tool.troth] in {project}: contracts = ["contracts"], history = "git:troth-history"')
    else:
        added += _PYPROJECT_SETTINGS
    if added:
        text = project.read_text(encoding="utf-8")
        project.write_text(text + ("" if text.endswith("\n") or not text else "\n") + added, encoding="utf-8")
        lines.insert(0, f"added settings at the end of {project}")
    return lines


def _ignore(path: Path) -> str:
    """Add the lines that .gitignore lacks at its end; what was done, in words."""
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        there = {line.strip().strip("/") for line in text.splitlines()}
        missing = [line for line in _IGNORED if line.strip("/") not in there]
        if not missing:
            return f"{path} has all that it needs"
        path.write_text(text + ("" if text.endswith("\n") or not text else "\n") + "\n".join(missing) + "\n", "utf-8")
    except (OSError, ValueError) as error:
        raise UsageError("E908", f"a .gitignore that can be read and written: {path}", str(error)) from None
    return f"added {' and '.join(missing)} to {path}" if text else f"wrote {path}"
