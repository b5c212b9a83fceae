"""A project with one contract, run by a pytest of its own."""

from __future__ import annotations

from textwrap import dedent

import httpcore
import pytest

from troth import pytest_items, pytest_simulators
from troth.cli.init import template
from troth.contracts.compiler import compiler

LOADED_BEFORE = (compiler, httpcore, pytest_items, pytest_simulators)
"""A pytest in this process forgets the modules that it loads, and some (YAML's) cannot be loaded twice."""

HEADER = """
import httpx
import httpcore
import pytest

KEY = {"Authorization": "Bearer sk_test_1"}

def create(simulator, **fields):
    body = {"amount": 1200, "currency": "eur", "source": "tok_visa"} | fields
    return httpx.post(f"{simulator.url}/v1/charges", json=body, headers=KEY)

def unexpected(simulator):
    return httpx.delete(f"{simulator.url}/v1/charges/ch_1", headers=KEY)
"""


class Project:
    """A folder, and pytest in it."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path = pytester.path

    def contract(self, name: str = "acmepay", change: tuple[str, str] | None = None) -> None:
        """Write the first contract of ``troth init``, with one text replaced by another."""
        text = template("contract.yaml").replace("provider: acmepay", f"provider: {name}")
        if change is not None:
            assert change[0] in text
            text = text.replace(*change)
        folder = self.path / "contracts" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "contract.yaml").write_text(text)

    def tests(self, text: str) -> None:
        """Write a test file."""
        (self.path / "tests").mkdir(exist_ok=True)
        (self.path / "tests" / "test_mine.py").write_text(HEADER + dedent(text))

    def run(self, *arguments: str) -> pytest.RunResult:
        """Run pytest."""
        return self.pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)

    def run_apart(self, *arguments: str) -> pytest.RunResult:
        """Run pytest in a process of its own."""
        return self.pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


@pytest.fixture
def project(pytester, monkeypatch) -> Project:
    """Nothing in the environment opens the gate."""
    for name in ("TROTH_SANDBOX", "ACMEPAY_TEST_KEY", "ACMEPAY_URL"):
        monkeypatch.delenv(name, raising=False)
    # Other plugins only cost time here.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "troth.pytest_plugin")
    pytester.makeini("[pytest]\ntroth_contracts = contracts\n")
    made = Project(pytester)
    made.contract()
    return made
