"""The folder of a report: whole or not at all, and never in place of something else."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

import pytest
from fakes.report_runs import quiet_run, rich_run, run, stripe_run

from troth.errors import UsageError
from troth.reports import run_json
from troth.reports.write import MARKER, check_out, rebuild, write_reports

_FILES = {"report.html", "run.json", "junit.xml", "summary.md", MARKER}


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_everything_is_written(tmp_path: Path) -> None:
    """Into a folder that is made, with its parents; nothing is left beside it."""
    out = tmp_path / "a" / "troth-report"
    write_reports(run(stripe_run()), out)

    assert _names(out) == _FILES
    assert _names(out.parent) == {"troth-report"}
    assert run_json.load(out / "run.json") == run(stripe_run())


def test_a_report_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """What a former one left is gone."""
    out = tmp_path / "out"
    write_reports(rich_run(), out)
    (out / "left-over.txt").write_text("x", encoding="utf-8")

    write_reports(quiet_run(), out)

    assert _names(out) == _FILES
    assert _names(tmp_path) == {"out"}
    assert run_json.load(out / "run.json").verdict == "agree"


def test_an_empty_folder_may_become_a_report(tmp_path: Path) -> None:
    """CI systems make the folder first."""
    (tmp_path / "out").mkdir()
    write_reports(quiet_run(), tmp_path / "out")

    assert _names(tmp_path / "out") == _FILES


def test_others_may_read_the_folder(tmp_path: Path) -> None:
    """Artefacts are collected by another user: the folder has the usual permissions."""
    before = os.umask(0o022)
    try:
        write_reports(quiet_run(), tmp_path / "out")
    finally:
        os.umask(before)

    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o755


def test_a_folder_with_something_else_is_refused(tmp_path: Path) -> None:
    """And untouched."""
    (tmp_path / "precious.txt").write_text("x", encoding="utf-8")

    with pytest.raises(UsageError) as caught:
        write_reports(quiet_run(), tmp_path)

    assert caught.value.code == "E455"
    assert _names(tmp_path) == {"precious.txt"}


def test_a_file_is_refused(tmp_path: Path) -> None:
    """And untouched."""
    (tmp_path / "out").write_text("x", encoding="utf-8")

    with pytest.raises(UsageError) as caught:
        write_reports(quiet_run(), tmp_path / "out")

    assert caught.value.code == "E454"
    assert (tmp_path / "out").read_text(encoding="utf-8") == "x"


@pytest.mark.parametrize("out", [".", "..", "/"])
def test_the_current_folder_and_those_above_are_refused(
    out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even when empty: the shell would stand in a folder that is gone."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    with pytest.raises(UsageError) as caught:
        check_out(Path(out))

    assert caught.value.code == "E457"


def test_a_parent_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    """Not a traceback."""
    (tmp_path / "file").write_text("x", encoding="utf-8")

    with pytest.raises(UsageError) as caught:
        write_reports(quiet_run(), tmp_path / "file" / "out")

    assert caught.value.code == "E456"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_a_clear_error(tmp_path: Path) -> None:
    """With the words of the system."""
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(UsageError, match="permission denied") as caught:
            write_reports(quiet_run(), tmp_path / "out")
    finally:
        tmp_path.chmod(0o700)

    assert caught.value.code == "E456"


def test_a_name_that_no_file_system_takes_is_a_clear_error(tmp_path: Path) -> None:
    """Too long."""
    with pytest.raises(UsageError) as caught:
        write_reports(quiet_run(), tmp_path / ("x" * 300))

    assert caught.value.code == "E456"


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    """What it points to is replaced."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real", target_is_directory=True)

    write_reports(quiet_run(), tmp_path / "link")

    assert (tmp_path / "link").is_symlink()
    assert _names(tmp_path / "real") == _FILES


def test_a_reader_never_sees_half_a_report(tmp_path: Path) -> None:
    """While it is written again and again by two writers at once: a whole page, or for a moment none."""
    out = tmp_path / "out"
    write_reports(quiet_run(), out)
    failures: list[UsageError] = []

    def write() -> None:
        try:
            for _ in range(6):
                write_reports(quiet_run(), out)
        except UsageError as error:
            failures.append(error)

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    pages = set()
    while any(writer.is_alive() for writer in writers):
        with contextlib.suppress(FileNotFoundError):
            pages.add((out / "report.html").read_bytes())
    for writer in writers:
        writer.join()

    assert failures == []
    assert pages == {(out / "report.html").read_bytes()}
    assert _names(out) == _FILES
    assert _names(tmp_path) == {"out"}


@pytest.mark.parametrize("given", ["run.json", "."])
def test_a_report_is_made_again_from_its_run(given: str, tmp_path: Path) -> None:
    """From the file or its folder, also in place."""
    out = tmp_path / "out"
    write_reports(run(stripe_run()), out)
    before = {name: (out / name).read_bytes() for name in _FILES}
    (out / "report.html").unlink()

    made = rebuild(out / given, out)

    assert made == run(stripe_run())
    assert {name: (out / name).read_bytes() for name in _FILES} == before


def test_a_broken_run_replaces_nothing(tmp_path: Path) -> None:
    """The report that is there stays."""
    out = tmp_path / "out"
    write_reports(quiet_run(), out)
    (tmp_path / "run.json").write_text("{", encoding="utf-8")

    with pytest.raises(UsageError):
        rebuild(tmp_path / "run.json", out)

    assert _names(out) == _FILES


def test_a_place_below_a_file_is_refused_before_the_run(tmp_path: Path) -> None:
    """Nobody wants to hear of it when the run is over."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError) as raised:
        check_out(tmp_path / "file" / "a" / "report")

    assert raised.value.code == "E456"
    assert not check_out(tmp_path / "new" / "report")
