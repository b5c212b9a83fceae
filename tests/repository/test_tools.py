"""The repository's own tools."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def tool(name: str) -> ModuleType:
    """The script ``tools/NAME.py`` as a module."""
    spec = importlib.util.spec_from_file_location(f"tools_{name}", ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def project(folder: Path, dependency: str) -> Path:
    """A small pyproject.toml."""
    path = folder / "pyproject.toml"
    path.write_text(f'[project]\nname = "x"\nrequires-python = ">=3.11"\ndependencies = ["{dependency}"]\n')
    return path


def test_the_committed_lock_was_made_from_the_committed_requirements():
    lock = tool("lock")

    assert lock.is_current(ROOT / "pyproject.toml", ROOT / "requirements.lock")


def test_a_lock_made_from_other_requirements_is_not_current(tmp_path):
    lock = tool("lock")
    made_from = project(tmp_path, "httpx>=1")
    written = tmp_path / "requirements.lock"
    written.write_text(f"{lock.HEADER}{lock.requirements_hash(made_from)}\nhttpx==1\n")

    assert lock.is_current(made_from, written)
    assert not lock.is_current(project(tmp_path, "httpx>=2"), written)


def test_without_a_lock_none_is_current(tmp_path):
    assert not tool("lock").is_current(project(tmp_path, "httpx"), tmp_path / "requirements.lock")


def test_the_lock_pins_exact_versions_and_names_no_place():
    for line in (ROOT / "requirements.lock").read_text().splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            assert "==" in line
            assert "://" not in line
            assert not line.startswith("-")


@pytest.mark.parametrize(("lines", "found"), [(500, 0), (501, 1)])
def test_a_file_of_more_than_500_lines_is_too_long(tmp_path, lines, found):
    (tmp_path / "troth").mkdir()
    (tmp_path / "troth" / "big.py").write_text("pass\n" * lines)

    assert len(tool("size_lint").too_long(tmp_path)) == found


def test_no_file_of_ours_is_too_long():
    assert tool("size_lint").too_long(ROOT) == []
