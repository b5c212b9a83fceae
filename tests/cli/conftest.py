"""A small project, as ``troth init`` leaves it."""

from __future__ import annotations

from pathlib import Path

import pytest

from troth.cli.main import run


@pytest.fixture
def project(tmp_path, monkeypatch, capsys) -> Path:
    """A fresh project that the working directory lies in; nothing in the environment opens the gate."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("TROTH_SANDBOX", "ACMEPAY_TEST_KEY", "ACMEPAY_URL"):
        monkeypatch.delenv(name, raising=False)
    assert run(["init"]) == 0
    capsys.readouterr()
    return tmp_path
