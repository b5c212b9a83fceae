"""The history outlives the machine: on every kind of shelf, merged and never overwritten."""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes.acmepay import KEY
from fakes.nights import KEPT, ChangingPay, Nights, with_field
from fakes.shelves import git, postgres_database, repositories

from troth.errors import UsageError
from troth.runners.finding import Blame, Coverage, ProviderRun, RecordedExchange, Remembered, Run, Verdict
from troth.runners.history import Agreement
from troth.runners.history_sync import pull, pull_proof, push
from troth.runners.packets import MARKER, PROOF, HistoryError, exchanges_name, marker, run_name, runs_in
from troth.runners.proof import Proof, proof_beside, read_proof
from troth.runners.shelf import Shelf, open_shelf
from troth.runners.shelf_directory import DirectoryShelf
from troth.runners.store import Store
from troth.runners.store_bounds import Bounds

STRINGS = with_field("amount", "1200")
EXCHANGE = RecordedExchange("sandbox", "s", 1, "charge", "GET", "http://t", (), "", 200, (), "{}", "created")


@pytest.fixture(params=["directory", "git", "postgres"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a history can be kept."""
    if request.param == "directory":
        yield "shared"
    elif request.param == "git":
        repositories(tmp_path)
        yield f"git:{tmp_path / 'origin.git'}#troth-history"
    else:
        with postgres_database() as address:
            if address is None:
                pytest.skip(
                    "no PostgreSQL server answers at TROTH_TEST_POSTGRES or 127.0.0.1:5432, or psycopg is missing"
                )
            yield address


class Machine:
    """A machine that is thrown away after the night: nothing on it but what it pulls."""

    def __init__(self, folder: Path, name: str, target: str, bounds: Bounds | None = None) -> None:
        self.folder = folder / name
        self.folder.mkdir()
        git(self.folder, "init", "--quiet")
        self.path = self.folder / ".troth" / "troth.db"
        self.bounds = bounds
        self.shelf = open_shelf(target, self.folder if target.startswith("git:") else folder)

    def pull(self) -> Any:
        with Store.open(self.path, bounds=self.bounds) as store:
            return pull(store, self.shelf, proof_beside(self.path))

    def push(self, shelf: Shelf | None = None) -> Any:
        with Store.open(self.path, bounds=self.bounds) as store:
            return push(store, shelf or self.shelf, proof_beside(self.path))

    def save(self, run_id: str, at: float, *, edition: str = "e", night: int = 1) -> None:
        """Keep a night that agreed at one place."""
        provider = ProviderRun(
            "acmepay", Verdict.AGREE, Coverage(), exchanges=(EXCHANGE,), history=Remembered(night=night)
        )
        run = Run(run_id, at, at + 1, Verdict.AGREE, (provider,), troth="0.1", gate=True)
        agreed = Agreement("T.a", "charge.created", edition, "0.1", run_id, at, "s", "hash")
        with Store.open(self.path, bounds=self.bounds) as store:
            store.save(run, {"acmepay": [agreed]}, {"acmepay": "hash"})

    def agreed(self) -> tuple[Agreement, ...]:
        with Store.open(self.path) as store:
            return store.history("acmepay").agreed("T.a", "charge.created")

    def nights(self) -> list[str]:
        with Store.open(self.path) as store:
            return [night.run_id for night in store.history("acmepay").nights]


def test_three_nights_on_three_machines(tmp_path: Path, target: str) -> None:
    """Each has nothing but what it pulls; the third says: changed since night 2."""
    findings = []
    for number, change in enumerate((None, None, STRINGS), 1):
        machine = Machine(tmp_path, f"machine{number}", target)
        nights = Nights(machine.folder)
        pulled = machine.pull()
        with ChangingPay(change) as provider:
            (result,) = nights.night(provider.url, only=(KEPT,)).providers
        pushed = machine.push()
        findings.append({f"{item.kind} {item.operation}": item for item in result.findings})

        assert (pulled.nights, pushed.kept, pushed.nights) == (number - 1, 1, number)
        assert (result.history.night, result.history.nights) == (number, number - 1)
        assert bool(result.history.warning) is (number == 1)

    assert findings[:2] == [{}, {}]
    found = findings[2]["type create_charge"]
    assert (found.blame, found.standing) == (Blame.PROVIDER, "changed since night 2")
    assert "agreed in 2 nights" in found.corners[1].evidence


def test_an_edit_is_judged_with_an_answer_of_another_machine(tmp_path: Path, target: str) -> None:
    """The exchanges travel too."""
    first = Machine(tmp_path, "one", target)
    with ChangingPay() as provider:
        Nights(first.folder).night(provider.url, only=(KEPT,))
    first.push()
    second = Machine(tmp_path, "two", target)
    second.pull()
    nights = Nights(second.folder)
    nights.edit("Charge", "Payment")
    with ChangingPay(STRINGS) as provider:
        found = nights.findings(provider.url, only=(KEPT,))["type create_charge"]

    assert (found.blame, found.standing) == (Blame.PROVIDER, "changed since night 1")


def test_two_that_push_at_once_lose_nothing(tmp_path: Path, target: str) -> None:
    """Eight machines, each with a night of its own, all at the same time."""
    machines = [Machine(tmp_path, f"machine{number}", target) for number in range(8)]
    for number, machine in enumerate(machines):
        machine.save(f"n{number}", float(number), night=number + 1)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(Machine.push, machines))
    fresh = Machine(tmp_path, "fresh", target)
    fresh.pull()

    assert fresh.nights() == [f"n{number}" for number in range(8)]
    assert [(item.first_run, item.run_id, item.nights) for item in fresh.agreed()] == [("n0", "n7", 8)]
    content = fresh.shelf.read(PROOF)
    assert content is not None
    assert Proof.from_bytes(content, "it").providers["acmepay"].run == "n7"


def test_pushing_twice_changes_nothing(tmp_path: Path, target: str) -> None:
    """And counts nothing twice."""
    machine = Machine(tmp_path, "machine", target)
    machine.save("n1", 1.0)
    first, second, again = machine.push(), machine.push(), machine.pull()

    assert (first.kept, second.kept, again.fetched) == (1, 0, 0)
    assert [item.nights for item in machine.agreed()] == [1]


def test_nights_in_any_order_are_the_same_history(tmp_path: Path, target: str) -> None:
    """An older night that is pulled later does not move the last agreement back."""
    new, old = Machine(tmp_path, "new", target), Machine(tmp_path, "old", target)
    new.save("n2", 200.0, night=2)
    old.save("n1", 100.0)
    old.push()
    new.push()

    assert [(item.first_run, item.run_id, item.nights) for item in new.agreed()] == [("n1", "n2", 2)]


def test_what_a_store_drops_is_dropped_from_the_shelf(tmp_path: Path, target: str) -> None:
    """The shelf is bounded as the store is; what shows an agreement stays."""
    machine = Machine(tmp_path, "machine", target, Bounds(runs=3, exchanges=2))
    for number in range(6):
        machine.save(f"n{number}", float(number), edition="old" if number == 0 else "e", night=number + 1)
        machine.push()
    names = machine.shelf.names()

    assert runs_in(names) == {"n0", "n3", "n4", "n5"}
    assert {name for name in names if name.startswith("exchanges/")} == {
        exchanges_name("n0"),
        exchanges_name("n4"),
        exchanges_name("n5"),
    }


def test_the_proof_alone(tmp_path: Path, target: str) -> None:
    """A pull request needs no more."""
    reader = tmp_path / "reader" / ".troth" / "troth.db"
    machine = Machine(tmp_path, "machine", target)
    assert pull_proof(machine.shelf, proof_beside(reader)) is False
    with ChangingPay(STRINGS) as provider:
        Nights(machine.folder).night(provider.url, only=(KEPT,))
    machine.push()

    assert pull_proof(machine.shelf, proof_beside(reader)) is True
    proof = read_proof(proof_beside(reader))
    assert proof
    operations = proof.providers["acmepay"].operations
    assert operations["get_charge"].responses["found"].night == 1
    assert {wrong.kind for wrong in operations["create_charge"].wrong} == {"type"}
    assert not reader.exists()


# What can be in the way


@pytest.fixture
def shelf(tmp_path: Path) -> DirectoryShelf:
    """A directory with one night."""
    machine = Machine(tmp_path, "writer", "shared")
    machine.save("n1", 1.0)
    machine.push()
    return DirectoryShelf(tmp_path / "shared")


def damaged(content: bytes, how: str) -> bytes:
    data = json.loads(gzip.decompress(content))
    if how == "newer":
        data["format"] = 99
    elif how == "another run":
        data["run"]["run_id"] = "n9"
    elif how == "a text for a time":
        data["run"]["started"] = "yesterday"
    elif how == "no places":
        data["providers"][0]["agreed"] = 5
    elif how == "no run":
        del data["run"]
    return content[:40] if how == "cut" else gzip.compress(json.dumps(data).encode())


@pytest.mark.parametrize("how", ["cut", "newer", "another run", "a text for a time", "no places", "no run"])
def test_a_night_that_cannot_be_used_is_told_and_left(tmp_path: Path, shelf: DirectoryShelf, how: str) -> None:
    """The others are there, and the file stays where it is."""
    reader = Machine(tmp_path, "reader", "shared")
    reader.save("n2", 2.0, night=2)
    path = shelf.folder / run_name("n1")
    path.write_bytes(damaged(path.read_bytes(), how))
    pushed = reader.push()

    assert reader.nights() == ["n2"]
    assert [note.startswith("the night n1 cannot be used and was left out: ") for note in pushed.notes] == [True]
    assert runs_in(shelf.names()) == {"n1", "n2"}


def test_a_night_that_grows_without_end_is_refused(tmp_path: Path, shelf: DirectoryShelf) -> None:
    """A small file that is huge once it is unpacked."""
    (shelf.folder / run_name("n1")).write_bytes(gzip.compress(b" " * (256 * 1024 * 1024 + 1), 1))
    pulled = Machine(tmp_path, "reader", "shared").pull()

    assert "larger than a night can be" in pulled.notes[0]


def test_the_history_of_a_newer_troth_is_refused(tmp_path: Path, shelf: DirectoryShelf) -> None:
    """It may mean something else by the same words."""
    (shelf.folder / MARKER).write_bytes(marker().replace(b"1", b"2", 1))
    with pytest.raises(HistoryError, match="newer Troth") as raised:
        Machine(tmp_path, "reader", "shared").pull()

    assert raised.value.code == "E422"


def test_a_directory_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    """A file stands in its place."""
    (tmp_path / "shared").write_text("")
    machine = Machine(tmp_path, "machine", "shared")
    machine.save("n1", 1.0)
    with pytest.raises(HistoryError, match="a directory that can be read and written") as raised:
        machine.push()

    assert raised.value.code == "E421"


@pytest.mark.parametrize("target", ["", "s3://bucket/history", "git:", "git:--upload-pack=x#b", "git:a b"])
def test_what_names_no_shelf_is_a_usage_error(tmp_path: Path, target: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(UsageError) as raised:
        open_shelf(target, tmp_path)

    assert raised.value.code == "E423"


class Busy:
    """A shelf on which somebody else is always faster."""

    label = "busy"

    def absence(self) -> str:
        return ""

    def names(self) -> frozenset[str]:
        return frozenset()

    def read(self, name: str) -> bytes | None:
        return None

    def publish(self, add: Mapping[str, bytes], remove: Collection[str]) -> bool:
        return False


def test_a_push_that_is_always_late_gives_up(tmp_path: Path) -> None:
    """With an error, not for ever."""
    machine = Machine(tmp_path, "machine", "shared")
    machine.save("n1", 1.0)
    with pytest.raises(HistoryError) as raised:
        machine.push(Busy())

    assert raised.value.code == "E425"


def test_no_secret_travels(tmp_path: Path) -> None:
    """The key of the provider is in no file, unpacked."""
    machine = Machine(tmp_path, "machine", "shared")
    with ChangingPay() as provider:
        Nights(machine.folder).night(provider.url)
    machine.push()
    files = [path.read_bytes() for path in (tmp_path / "shared").rglob("*") if path.is_file()]
    plain = [gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content for content in files]

    assert len(plain) == 4
    assert any(b"Bearer [secret:" in content for content in plain)
    assert [content for content in plain if KEY.encode() in content] == []


# Git


def test_a_branch_with_something_else_is_not_touched(tmp_path: Path) -> None:
    """``git:main`` is a mistake that must not cost anybody's work."""
    bare = repositories(tmp_path)
    before = git(bare, "rev-parse", "main")
    machine = Machine(tmp_path, "machine", f"git:{bare}#main")
    machine.save("n1", 1.0)
    with pytest.raises(HistoryError, match="something else") as raised:
        machine.push()

    assert raised.value.code == "E420"
    assert git(bare, "rev-parse", "main") == before


def test_a_push_touches_nothing_of_the_repository_at_hand(tmp_path: Path) -> None:
    """Neither work tree, index, branches nor what is staged; ``origin`` is where it goes."""
    bare = repositories(tmp_path, "clone")
    clone = tmp_path / "clone"
    (clone / "README").write_text("changed\n")
    (clone / "new").write_text("staged\n")
    git(clone, "add", "new")
    before = (
        git(clone, "status", "--short", "--branch"),
        git(clone, "branch", "--list"),
        git(clone, "rev-parse", "HEAD"),
    )
    with Store.open(tmp_path / "troth.db") as store:
        push(store, open_shelf("git:nights", clone), tmp_path / PROOF)

    assert before == (
        git(clone, "status", "--short", "--branch"),
        git(clone, "branch", "--list"),
        git(clone, "rev-parse", "HEAD"),
    )
    assert git(bare, "rev-list", "--count", "nights") == "1"


def test_the_branch_has_one_commit_however_many_nights(tmp_path: Path) -> None:
    """It does not grow with the years."""
    bare = repositories(tmp_path)
    machine = Machine(tmp_path, "machine", f"git:{bare}#nights")
    for number in range(3):
        machine.save(f"n{number}", float(number), night=number + 1)
        machine.push()

    assert git(bare, "rev-list", "--count", "nights") == "1"
    assert runs_in(git(bare, "ls-tree", "-r", "--name-only", "nights").splitlines()) == {"n0", "n1", "n2"}


def test_a_repository_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    """With what git said, and without the credentials of the address."""
    machine = Machine(tmp_path, "machine", "git:file://me:hunter2@localhost/nowhere.git#nights")
    with pytest.raises(HistoryError) as raised:
        machine.pull()

    assert raised.value.code == "E421"
    assert "nowhere.git" in str(raised.value)
    assert "hunter2" not in str(raised.value)


# PostgreSQL


def test_a_database_that_is_not_there_is_a_clear_error(tmp_path: Path) -> None:
    """Without the password of the address."""
    pytest.importorskip("psycopg")
    machine = Machine(tmp_path, "machine", "postgresql://me:hunter2@127.0.0.1:1/none")
    with pytest.raises(HistoryError) as raised:
        machine.pull()

    assert raised.value.code == "E421"
    assert "127.0.0.1" in str(raised.value)
    assert "hunter2" not in str(raised.value)


def test_an_address_that_cannot_be_read_is_not_shown(tmp_path: Path) -> None:
    """It may hold a password."""
    pytest.importorskip("psycopg")
    with pytest.raises(UsageError) as raised:
        open_shelf("postgresql://me:hunter2@host:port/none", tmp_path)

    assert raised.value.code == "E423"
    assert "hunter2" not in str(raised.value)


# The proof


def test_a_finding_is_known_wrong_until_its_scenario_runs_without_it(tmp_path: Path) -> None:
    """A night that runs other scenarios says nothing of it."""
    nights = Nights(tmp_path)

    def wrong() -> set[str]:
        proof = read_proof(proof_beside(nights.store))
        assert proof
        return {item.kind for item in proof.providers["acmepay"].operations["create_charge"].wrong}

    with ChangingPay(STRINGS) as provider:
        nights.night(provider.url, only=(KEPT,))
    assert wrong() == {"type"}
    with ChangingPay() as provider:
        nights.night(provider.url, only=("nobody*",))
        assert wrong() == {"type"}
        nights.night(provider.url, only=(KEPT,))
        assert wrong() == set()


def test_the_proof_says_nothing_of_values(tmp_path: Path) -> None:
    """Small enough to be public."""
    nights = Nights(tmp_path)
    with ChangingPay(with_field("amount", "a value of mine")) as provider:
        nights.night(provider.url, only=(KEPT,))
    content = proof_beside(nights.store).read_bytes()

    assert b"create_charge" in content
    assert b"value of mine" not in content
    assert KEY.encode() not in content


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format": 1, "providers": {"a": {}}}', b'{"format": 1}'])
def test_a_broken_proof_is_a_clear_error(tmp_path: Path, content: bytes) -> None:
    """And takes the place of no other."""
    (tmp_path / PROOF).write_bytes(content)
    with pytest.raises(HistoryError) as raised:
        read_proof(tmp_path / PROOF)

    assert raised.value.code == "E424"


def test_a_night_without_exchanges_travels_too(tmp_path: Path) -> None:
    """What they showed is known all the same."""
    machine = Machine(tmp_path, "machine", "shared")
    provider = ProviderRun("acmepay", Verdict.AGREE, Coverage(), history=Remembered(night=1))
    run = replace(Run("n1", 1.0, 2.0, Verdict.AGREE, (provider,)), gate=True)
    with Store.open(machine.path) as store:
        store.save(run, {}, {})
    machine.push()
    reader = Machine(tmp_path, "reader", "shared")
    reader.pull()

    assert reader.nights() == ["n1"]
    assert exchanges_name("n1") not in reader.shelf.names()
