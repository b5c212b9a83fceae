"""The links at the root: no tool meets a file twice, and nothing needs them to be links."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("contracts", "simulators", "runners", "reports")
SKIPPED = shutil.ignore_patterns(
    ".*", "__pycache__", "node_modules", "dist", "site", "build", "troth-report", "*.egg-info"
)


@pytest.fixture(params=["links", "text files"])
def repository(request, tmp_path):
    """A copy of the repository, once with real links and once as git leaves it where it cannot make any."""
    copy = tmp_path / "repository"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=SKIPPED)
    for room in ROOMS:
        (copy / room).unlink(missing_ok=True)
        if request.param == "links":
            (copy / room).symlink_to(f"troth/{room}")
        else:
            (copy / room).write_text(f"troth/{room}")
    return copy


def run(folder: Path, *command: str) -> str:
    """Run a Python module in ``folder``; what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, timeout=90, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def modules(names: list[str]) -> Counter[str]:
    """How often each file of a room is among ``names``, whatever folder it was met in."""
    return Counter(name for name in names if any(f"{room}/" in name for room in ROOMS) and name.endswith(".py"))


def expected() -> int:
    return sum(1 for room in ROOMS for _ in (ROOT / "troth" / room).rglob("*.py"))


def test_ruff_meets_each_file_once(repository):
    listed = [line for line in run(repository, "ruff", "check", "--show-files").splitlines() if "/troth/" in line]

    rooms = [line for line in listed if Path(line).relative_to(repository / "troth").parts[0] in ROOMS]

    assert len(rooms) == len(set(rooms)) == expected()
    assert not [line for line in listed if Path(line).relative_to(repository).parts[0] in ROOMS]


def test_the_size_lint_meets_each_file_once(repository):
    code = "import size_lint, pathlib; print(*size_lint.python_files(pathlib.Path.cwd()), sep='\\n')"
    listed = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, 'tools'); {code}"],
        cwd=repository,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout.splitlines()

    inside = [Path(line).relative_to(repository).parts for line in listed]

    assert len(inside) == len(set(inside))
    assert sum(parts[0] == "troth" and parts[1] in ROOMS for parts in inside) == expected()
    assert not [parts for parts in inside if parts[0] in ROOMS]


def test_pytest_meets_each_test_file_once(repository):
    tests = repository / "tests"
    shutil.rmtree(tests)
    for room in ROOMS:
        (tests / room).mkdir(parents=True)
        (tests / room / "test_one.py").write_text(f"def test_{room}():\n    pass\n")

    listed = run(repository, "pytest", "--collect-only", "-q", "-p", "no:cacheprovider").splitlines()

    assert sorted(line for line in listed if "::" in line) == sorted(
        f"tests/{room}/test_one.py::test_{room}" for room in ROOMS
    )


def test_the_wheel_holds_each_file_once_and_only_the_package(repository):
    run(repository, "hatchling", "build", "-t", "wheel", "-d", "out")

    (wheel,) = (repository / "out").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()

    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"troth"}
    assert len(names) == len(set(names))
    assert sum(modules(names).values()) == expected()
    assert "troth/py.typed" in names
    assert "troth/cli/templates/contract.yaml" in names


def test_the_sdist_holds_each_file_once(repository):
    run(repository, "hatchling", "build", "-t", "sdist", "-d", "out")

    (sdist,) = (repository / "out").glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]

    assert len(names) == len(set(names))
    assert not [name for name in names if name.partition("/")[0] in ROOMS]
    assert {"Makefile", "requirements.lock", "LICENSE", "README.md", "pyproject.toml"} <= set(names)
