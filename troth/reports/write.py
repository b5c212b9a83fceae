"""Puts the reports of a run into a folder: anew each time, and never half-written."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from pathlib import Path

from troth.errors import UsageError
from troth.reports import html, junit, markdown, run_json
from troth.runners.finding import Run

__all__ = ["MARKER", "check_out", "rebuild", "write_reports"]

MARKER = ".troth-report"
"""A file of this name says that a folder is a report, and may be replaced by the next one."""

_MARKER_TEXT = b"Made by Troth, and replaced by its next report.\n"
_TRIES = 5


def write_reports(run: Run, out: Path) -> None:
    """Write ``report.html``, ``run.json``, ``junit.xml`` and ``summary.md`` into the folder ``out``, replacing it.

    All files are made beside it first; then the folder is exchanged as a whole. UsageError (E454 to E457) when ``out``
    cannot be a report; what was there before is then still there.
    """
    contents = {
        "report.html": html.render(run),
        "junit.xml": junit.render(run),
        "summary.md": markdown.render(run),
        "run.json": run_json.dump(run),
        MARKER: _MARKER_TEXT,
    }
    check_out(out)
    place = out.resolve()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if os.path.ismount(place):
            _refill(place, contents)
        else:
            _exchange(place, contents)
    except OSError as error:
        raise _not_written(out, error) from error


def rebuild(path: Path, out: Path) -> Run:
    """The reports of the run in ``path`` (a ``run.json``, or a folder with one) once more, into ``out``."""
    run = run_json.load(path / "run.json" if path.is_dir() else path)
    write_reports(run, out)
    return run


def check_out(out: Path) -> None:
    """May ``out`` be replaced by a report? UsageError (E454 to E457) when not; ask before a long run."""
    place = out.resolve()
    asked = f"a folder for the report, {out}"
    here = Path.cwd()
    if place == here or place in here.parents:
        fix = "The report replaces its folder as a whole. Give one of its own, such as --out troth-report."
        raise UsageError("E457", asked, "the current folder, or one above it", fix)
    try:
        # One look each: another run may be replacing the folder at this moment.
        names = os.listdir(place)
        if names and MARKER not in names:
            fix = "It would be replaced. Give another folder with --out, or empty this one."
            raise UsageError("E455", asked, "a folder that holds something else than a report", fix)
    except FileNotFoundError:
        pass
    except NotADirectoryError:
        if place.exists():
            fix = "Give another name with --out, or remove the file."
            raise UsageError("E454", asked, "a file of that name", fix) from None
    except OSError as error:
        raise _not_written(out, error) from error
    try:
        _check_parent(place)
    except OSError as error:
        raise _not_written(out, error) from error


def _check_parent(place: Path) -> None:
    """OSError when no folder can be made at ``place``, as far as can be seen without trying."""
    parent = next(folder for folder in place.parents if folder.exists())
    if not parent.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(parent))
    if not os.access(parent, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(parent))


def _exchange(place: Path, contents: dict[str, bytes]) -> None:
    fresh = _beside(place, "new")
    fresh.mkdir()
    try:
        for name, content in contents.items():
            (fresh / name).write_bytes(content)
        _swap(fresh, place)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _swap(fresh: Path, place: Path) -> None:
    """``fresh`` takes the place; what stood there goes. Two runs may do this at the same time: the last one stays."""
    for left in reversed(range(_TRIES)):
        old = _beside(place, "old")
        moved = _move_away(place, old)
        try:
            fresh.rename(place)
        except OSError as error:
            taken = error.errno in (errno.ENOTEMPTY, errno.EEXIST) or isinstance(error, FileExistsError)
            if moved and not place.exists():
                old.rename(place)
            elif moved:
                shutil.rmtree(old, ignore_errors=True)
            if not taken or not left:
                raise
            continue
        if moved:
            shutil.rmtree(old, ignore_errors=True)
        return


def _move_away(place: Path, old: Path) -> bool:
    try:
        place.rename(old)
    except FileNotFoundError:
        return False
    return True


def _refill(place: Path, contents: dict[str, bytes]) -> None:
    """For a folder that cannot be moved (a volume mounted into a container): each file is replaced as a whole."""
    for name, content in contents.items():
        fresh = place / f".{name}.{secrets.token_hex(4)}"
        try:
            fresh.write_bytes(content)
            fresh.replace(place / name)
        finally:
            fresh.unlink(missing_ok=True)


def _beside(place: Path, role: str) -> Path:
    return place.with_name(f".{place.name}.{role}-{secrets.token_hex(4)}")


def _not_written(out: Path, error: OSError) -> UsageError:
    fix = "Give a folder that can be written, with --out."
    return UsageError("E456", f"a report in {out}", (error.strerror or str(error)).lower(), fix)
