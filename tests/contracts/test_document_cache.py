"""A contract that was read before is taken from the cache, and only while nothing has changed."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from troth.contracts.document.folder import PACKS
from troth.contracts.loader import load
from troth.errors import ContractError

LOAD = "import sys, troth; c = troth.load(sys.argv[1]); print(len(c.operations), c.content_hash, 'yaml' in sys.modules)"


@pytest.fixture
def pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A contract of our own in several files, and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Path(shutil.copytree(PACKS / "stripe", tmp_path / "stripe"))


def loaded(pack: Path) -> tuple[int, str, bool]:
    """How many operations, the hash of the contents, and whether any YAML was read, in a new process."""
    done = subprocess.run([sys.executable, "-c", LOAD, str(pack)], capture_output=True, text=True, check=True)
    operations, content, yaml = done.stdout.split()
    return int(operations), content, yaml == "True"


def kept(pack: Path) -> Path:
    [found] = (pack.parent / "cache" / "troth" / "contracts").glob("*.pickle")
    return found


def test_the_second_time_no_yaml_is_read(pack: Path) -> None:
    operations, content, read = loaded(pack)
    assert read
    assert loaded(pack) == (operations, content, False)


def test_a_part_that_changed_is_read(pack: Path) -> None:
    before = load(pack)
    part = pack / "operations" / "refunds.yaml"
    part.write_text(part.read_text().replace("create_refund", "make_refund"))
    for scenario in (pack / "scenarios").glob("*.yaml"):
        scenario.write_text(scenario.read_text().replace("create_refund", "make_refund"))
    now = load(pack)
    assert "create_refund" in before.operations
    assert "make_refund" in now.operations
    assert "create_refund" not in now.operations


def test_a_part_that_is_new_is_read(pack: Path) -> None:
    before = load(pack)
    (pack / "operations" / "more.yaml").write_text(
        "operations: {ping: {request: {method: GET, path: /ping}, responses: {pong: {status: 200}}}}\n"
    )
    assert set(load(pack).operations) - set(before.operations) == {"ping"}


def test_a_mistake_made_since_is_told(pack: Path) -> None:
    load(pack)
    part = pack / "operations" / "refunds.yaml"
    part.write_text(part.read_text() + "\nnonsense: 1\n")
    for _ in range(2):
        with pytest.raises(ContractError, match="nonsense"):
            load(pack)


@pytest.mark.parametrize("damage", [b"", b"not a pickle", pickle.dumps("something else")])
def test_a_damaged_entry_is_as_none(pack: Path, damage: bytes) -> None:
    operations = load(pack).operations.keys()
    kept(pack).write_bytes(damage)
    assert load(pack).operations.keys() == operations
    assert len(kept(pack).read_bytes()) > len(damage)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="there are no owners and modes of files here")
def test_a_folder_into_which_others_may_write_is_not_trusted(pack: Path) -> None:
    load(pack)
    folder = kept(pack).parent
    folder.chmod(0o777)
    assert loaded(pack)[2], "it was taken from a folder that anybody could have written to"


def test_without_a_folder_contracts_are_read_all_the_same(pack: Path) -> None:
    (pack.parent / "cache").write_text("a file where the folder would be")
    assert load(pack).operations


def test_places_show_the_path_as_it_is_given(pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(pack.parent)
    absolute = load(pack).operations["create_refund"].place.file
    relative = load("stripe/contract.yaml").operations["create_refund"].place.file
    assert (absolute, relative) == (str(pack / "operations" / "refunds.yaml"), "stripe/operations/refunds.yaml")
