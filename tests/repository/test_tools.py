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


def page_with(
    folder: Path, marker: str, snippet: str = "a: 1\n# --8<-- [start:one]\n  b: 2\n# --8<-- [end:one]\n"
) -> Path:
    """A README with one marker and an old code block, beside the file ``s.yaml``."""
    (folder / "docs").mkdir()
    (folder / "s.yaml").write_text("a: 1\n# --8<-- [start:one]\n  b: 2\n# --8<-- [end:one]\n")
    page = folder / "README.md"
    page.write_text(f"before\n\n<!-- snippet: {marker} -->\n\n```yaml\nold\n```\n\nafter\n")
    return page


def test_the_examples_on_pages_are_what_their_files_say():
    assert tool("inline_snippets").main(["--check"], ROOT) == 0


@pytest.mark.parametrize(("marker", "shown"), [("s.yaml", "a: 1\n  b: 2\n"), ("s.yaml:one", "b: 2\n")])
def test_a_snippet_is_written_into_its_page(tmp_path, marker, shown):
    page = page_with(tmp_path, marker)

    assert tool("inline_snippets").main([], tmp_path) == 0

    assert page.read_text() == f"before\n\n<!-- snippet: {marker} -->\n\n```yaml\n{shown}```\n\nafter\n"
    assert tool("inline_snippets").main(["--check"], tmp_path) == 0


def test_checking_writes_nothing_and_names_the_page(tmp_path, capsys):
    page = page_with(tmp_path, "s.yaml")
    before = page.read_text()

    assert tool("inline_snippets").main(["--check"], tmp_path) == 1

    assert page.read_text() == before
    assert capsys.readouterr().out.startswith("README.md shows an older text")


@pytest.mark.parametrize("marker", ["gone.yaml", "s.yaml:two"])
def test_a_marker_that_leads_nowhere_fails(tmp_path, capsys, marker):
    page_with(tmp_path, marker)

    assert tool("inline_snippets").main([], tmp_path) == 1
    assert capsys.readouterr().out.startswith(f"README.md: {marker}: ")


def test_a_document_is_taken_in_whole(tmp_path):
    page = page_with(tmp_path, "s.yaml")
    page.write_text("<!-- snippet: d.md -->\n<!-- end of snippet -->\n")
    (tmp_path / "d.md").write_text("# D\n\n```sh\nls\n```\n")

    assert tool("inline_snippets").main([], tmp_path) == 0

    assert page.read_text() == "<!-- snippet: d.md -->\n\n# D\n\n```sh\nls\n```\n\n<!-- end of snippet -->\n"
    assert tool("inline_snippets").main(["--check"], tmp_path) == 0


def test_a_marker_without_a_block_fails(tmp_path, capsys):
    page_with(tmp_path, "s.yaml").write_text("<!-- snippet: s.yaml -->\n\nnothing\n")

    assert tool("inline_snippets").main([], tmp_path) == 1
    assert "neither a code block nor an end" in capsys.readouterr().out
