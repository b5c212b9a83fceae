"""Every snippet is a file, every file is shown, and each does what the page says."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest
from fakes.documentation import ROOT, SHOWN, SNIPPETS, blocks, pages

from troth.cli.check import problems_of
from troth.config import read_settings
from troth.contracts.document.accepted_document import read_accepted

CONTRACTS = sorted((SNIPPETS / "language").glob("*.yaml"))
TESTS = sorted((SNIPPETS / "python").glob("test_*.py"))


def test_code_on_pages_comes_from_files():
    written = [
        (page.name, text)
        for page in (*pages(), ROOT / "README.md")
        for language, text in blocks(page)
        if language in ("yaml", "python", "toml", "ini") and text not in SHOWN.findall(page.read_text())
    ]

    assert written == []


def test_every_snippet_file_is_shown_somewhere():
    text = "".join(page.read_text() for page in pages()) + (ROOT / "README.md").read_text()
    files = {str(path.relative_to(SNIPPETS)) for path in SNIPPETS.rglob("*.*") if "__pycache__" not in path.parts}

    assert {name for name in files if f"<!-- snippet: docs/snippets/{name}" not in text} == set()


@pytest.mark.parametrize("path", CONTRACTS, ids=lambda path: path.stem)
def test_contracts_are_without_errors_and_warnings(path):
    assert [str(problem) for problem in problems_of(path)] == []


def test_contracts_hold_on_their_simulators(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\ntroth_contracts = language\n")
    shutil.copytree(SNIPPETS / "language", tmp_path / "language")
    for path in sorted((tmp_path / "language").glob("*.yaml")):
        (tmp_path / "language" / path.stem).mkdir()
        path.rename(tmp_path / "language" / path.stem / "contract.yaml")
        shutil.copy(SNIPPETS / "language" / "hooks.py", tmp_path / "language" / path.stem)

    run_pytest(tmp_path)


def test_python_snippets_pass(tmp_path):
    (tmp_path / "pytest.ini").write_text((SNIPPETS / "pytest.ini").read_text())
    (tmp_path / "contracts" / "acmepay").mkdir(parents=True)
    shutil.copy(ROOT / "troth/cli/templates/contract.yaml", tmp_path / "contracts" / "acmepay")
    for path in TESTS:
        shutil.copy(path, tmp_path)

    run_pytest(tmp_path)


def run_pytest(folder):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:schemathesis"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_settings_are_valid(tmp_path):
    shutil.copy(SNIPPETS / "troth.toml", tmp_path)

    assert read_settings(tmp_path).nightly.timezone == "Europe/Vienna"


def test_the_accepted_finding_is_valid():
    (entry,) = read_accepted(SNIPPETS / "accepted.yaml")

    assert entry.owner == "ada"


@pytest.mark.parametrize(("language", "snippet"), [("python", "python/test_readme.py"), ("yaml", "readme.yaml")])
def test_the_readme_shows_the_tested_text(language, snippet):
    shown = [text for name, text in blocks(ROOT / "README.md") if name == language]

    assert shown == [(SNIPPETS / snippet).read_text()]


def test_the_example_in_the_readme_has_ten_lines_and_a_contract_without_warnings():
    lines = (SNIPPETS / "python" / "test_readme.py").read_text().splitlines()

    assert sum(bool(line.strip()) for line in lines) <= 10
    assert [str(problem) for problem in problems_of(SNIPPETS / "readme.yaml")] == []


def test_pages_link_only_to_what_is_there():
    for page in (*pages(), ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
