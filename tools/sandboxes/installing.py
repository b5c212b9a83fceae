"""Environments for third-party programs under ``.cache``, made on first use and kept.

Every environment has a lock, which is what it holds when it is done. Processes that need the same environment at the
same time wait for the one that makes it; a failure is remembered for a while, so that they do not all try in turn.
"""

from __future__ import annotations

import importlib.util
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

__all__ = ["LOCKS", "Unavailable", "node_environment", "python_environment"]

CACHE = Path(__file__).parents[2] / ".cache" / "sandboxes"
LOCKS = Path(__file__).parent / "locks"
PATIENCE = 600.0
"""Seconds that one installation may take, and that another process waits for it."""
REMEMBERED = 300.0
"""Seconds for which a failed installation is not tried again."""


class Unavailable(Exception):
    """A third-party program cannot be had here; the text says why."""


def python_environment(lock: Path, cache: Path = CACHE) -> Path:
    """The interpreter of a virtual environment that holds what ``lock``, a requirements file, lists.

    Raises Unavailable when it cannot be made, most often for want of a network.
    """
    # The version of Python is in the name: an environment made with another one would not start.
    home = cache / f"{lock.stem}-py{sys.version_info.major}.{sys.version_info.minor}"
    python = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"

    def make() -> None:
        # Our own pip installs into it, where we have one: a pip of its own takes longer than the packages.
        lent = importlib.util.find_spec("pip") is not None
        _run([sys.executable, "-m", "venv", "--clear", *(["--without-pip"] if lent else []), str(home)])
        pip = [sys.executable, "-m", "pip", "--python", str(python)] if lent else [str(python), "-m", "pip"]
        # Two tries: without a network every package would otherwise be asked for six times.
        options = ["--quiet", "--disable-pip-version-check", "--no-input", "--retries", "1"]
        _run([*pip, "install", *options, "--requirement", str(lock)])

    _ensure(home, lock.read_text(encoding="utf-8"), make, needs=python)
    return python


def node_environment(lock: Path, cache: Path = CACHE) -> Path:
    """A folder with ``node_modules`` as ``lock``, a folder with package.json and package-lock.json, has it.

    Raises Unavailable when npm is missing, or the packages cannot be had.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise Unavailable("npm and node are not installed")
    home = cache / lock.name
    files = [lock / name for name in ("package.json", "package-lock.json")]

    def make() -> None:
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir()
        for file in files:
            shutil.copy(file, home)
        _run([npm, "ci", "--no-audit", "--no-fund", "--fetch-retries", "1", "--prefix", str(home)])

    _ensure(home, "".join(file.read_text(encoding="utf-8") for file in files), make, needs=home / "node_modules")
    return home


def _ensure(home: Path, holds: str, make: Callable[[], None], needs: Path) -> None:
    """Run ``make`` unless ``home`` already ``holds`` that and the file that it ``needs`` is there."""
    home.parent.mkdir(parents=True, exist_ok=True)
    done = home.parent / f"{home.name}.done"
    failed = home.parent / f"{home.name}.failed"
    with _alone(home.parent / f"{home.name}.turn"):
        if needs.exists() and done.exists() and done.read_text(encoding="utf-8") == holds:
            return
        if failed.exists() and time.time() - failed.stat().st_mtime < REMEMBERED:
            raise Unavailable(failed.read_text(encoding="utf-8"))
        done.unlink(missing_ok=True)
        try:
            make()
        except Unavailable as error:
            failed.write_text(str(error), encoding="utf-8")
            raise
        failed.unlink(missing_ok=True)
        done.write_text(holds, encoding="utf-8")


@contextmanager
def _alone(file: Path) -> Iterator[None]:
    """One process at a time. SQLite locks files everywhere, waits with a limit, and lets go when a process dies."""
    with closing(sqlite3.connect(file, timeout=PATIENCE, isolation_level=None)) as turn:
        try:
            turn.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            raise Unavailable(f"another process did not finish with {file.stem} in {PATIENCE:.0f} s: {error}") from None
        yield


def _run(command: Sequence[str]) -> None:
    """Run to the end; Unavailable with the first error that it wrote when it fails."""
    try:
        ended = subprocess.run(
            command, check=False, timeout=PATIENCE, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"could not be installed: {error}") from error
    if ended.returncode != 0:
        lines = [line.strip() for line in f"{ended.stdout}\n{ended.stderr}".splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower()]
        said = next(iter((*errors, *reversed(lines))), f"exit code {ended.returncode}")
        raise Unavailable(f"could not be installed: {said}")
