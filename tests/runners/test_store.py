"""The store: what goes in comes out, bounds hold, and every way to be unusable is a clear error."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from fakes.target_runs import contract, mismatch, run, step

from troth.contracts.values import ABSENT, Unknown
from troth.runners.compare import compare
from troth.runners.finding import Coverage, Finding, ProviderRun, RecordedExchange, Remembered, Run, Verdict
from troth.runners.habits import Habits
from troth.runners.history import Agreement
from troth.runners.store import Store, StoreError
from troth.runners.store_bounds import Bounds

EXCHANGE = RecordedExchange(
    "sandbox",
    "s",
    1,
    "charge",
    "POST",
    "http://t/é",
    (("A", "1"), ("A", "2")),
    "a=1",
    200,
    (),
    "{}",
    "created",
    None,
    5.0,
)
FAILED = replace(EXCHANGE, status=None, response_name=None, error="refused", step=2)


FEW = Bounds(runs=9, offline=4, exchanges=3, editions=2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store in a folder that is not there yet."""
    return tmp_path / ".troth" / "deep" / "troth.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """An open store."""
    with Store.open(path, bounds=FEW) as opened:
        yield opened


def a_run(run_id: str = "n1", at: float = 100.0, *, gate: bool = True, **more: Any) -> Run:
    """A run of one provider."""
    provider = ProviderRun("acmepay", Verdict.DRIFT, Coverage(scenarios=2, notes=("a note",)), **more)
    return Run(run_id, at, at + 1, Verdict.DRIFT, (provider,), gate=gate)


def a_finding() -> Finding:
    """A finding as comparison makes it."""
    (found,) = compare(contract(), run(step(), target="simulator"), run(step(1, mismatch()))).findings
    return found


def agreement(run_id: str = "n1", at: float = 100.0, edition: str = "e1", origin: str = "Charge.id") -> Agreement:
    """An agreement of the night ``run_id``."""
    return Agreement(origin, "charge.created", edition, "0.1", run_id, at, "s", "hash")


def keep(store: Store, run: Run, *agreements: Agreement) -> tuple[str, ...]:
    """Save a run of acmepay."""
    return store.save(run, {"acmepay": agreements}, {"acmepay": "hash"})


def rows(path: Path, query: str) -> list[Any]:
    """What another program sees in the file."""
    with sqlite3.connect(path) as connection:
        found = connection.execute(query).fetchall()
    connection.close()
    return found


def test_exchanges_come_back_as_they_went_in(store: Store) -> None:
    """In order, with repeated headers, and those that failed."""
    keep(store, a_run(exchanges=(EXCHANGE, FAILED, replace(EXCHANGE, scenario="other"))))

    assert store.exchanges("n1", "acmepay", "sandbox", "s") == (EXCHANGE, FAILED)
    assert store.exchanges("n2", "acmepay", "sandbox", "s") == ()


def test_findings_are_sightings_of_their_runs(store: Store) -> None:
    """The first run that has a finding is where it is first seen."""
    found = a_finding()
    for run_id, at in [("n2", 200.0), ("n1", 100.0), ("n3", 300.0)]:
        keep(store, a_run(run_id, at, findings=(found,)))
    history = store.history("acmepay")

    assert (first := history.first_seen(found.fingerprint))
    assert first.run_id == "n1"
    assert (later := history.first_seen(found.fingerprint, after=100.0))
    assert later.run_id == "n2"
    assert history.first_seen(found.fingerprint, after=300.0) is None
    assert history.first_seen("v1:000000000000") is None


def test_agreements_move_on_each_night(store: Store, path: Path) -> None:
    """One row for each origin and edition; the last night is what counts."""
    keep(store, a_run("n1", 100.0), agreement("n1", 100.0))
    keep(store, a_run("n2", 200.0), agreement("n2", 200.0))

    assert store.history("acmepay").last_agreed("Charge.id", "charge.created") == replace(
        agreement("n2", 200.0), first_run="n1", nights=2
    )
    assert rows(path, "select first_run, last_run from agreements") == [("n1", "n2")]


def test_an_edited_contract_has_agreements_of_its_own(store: Store) -> None:
    """The newest counts, and its edition says of which contract it speaks."""
    keep(store, a_run("n1", 100.0), agreement("n1", 100.0, "e1"))
    keep(store, a_run("n2", 200.0), agreement("n2", 200.0, "e2"))
    history = store.history("acmepay")

    assert [item.edition for item in history.agreements["Charge.id", "charge.created"]] == ["e1", "e2"]
    assert (last := history.last_agreed("Charge.id", "charge.created"))
    assert last.edition == "e2"


def test_providers_do_not_see_each_other(store: Store) -> None:
    """History belongs to one provider."""
    keep(store, a_run(findings=(a_finding(),)), agreement())
    other = store.history("another")

    assert (other.agreements, other.sightings) == ({}, {})


def test_values_that_json_does_not_have_can_be_kept(store: Store, path: Path) -> None:
    """Exact decimals, bytes, unknowns and infinities as text; absence as a missing key."""
    odd = {"d": Decimal("1.10"), "b": b"\xff", "u": Unknown("x"), "i": float("inf"), "gone": ABSENT, "l": [1.5, None]}
    keep(store, a_run(findings=(replace(a_finding(), contract=ABSENT, sandbox=odd),)))
    ((said,),) = rows(path, "select said from findings")

    assert said == (
        '{"simulator": "x"}'.replace(
            '"simulator": "x"',
            '"sandbox": {"d": "1.10", "b": "ff", "u": "unknown(x)", "i": "inf", "l": [1.5, null]}',
        )
    )


def test_readers_do_not_wait_for_a_writer(store: Store, path: Path) -> None:
    """Write-ahead logging is kept in the file."""
    assert rows(path, "pragma journal_mode") == [("wal",)]


def test_runs_are_listed_newest_first(store: Store) -> None:
    """By when they started, not by when they were saved."""
    for run_id, at in [("n2", 200.0), ("n3", 300.0), ("n1", 100.0)]:
        keep(store, a_run(run_id, at))

    assert store.runs(limit=2) == (("n3", 300.0, "drift"), ("n2", 200.0, "drift"))


def test_a_run_is_kept_whole_or_not_at_all(store: Store, path: Path) -> None:
    """A second run with the same id changes nothing."""
    keep(store, a_run(exchanges=(EXCHANGE,)))
    with pytest.raises(StoreError):
        keep(store, a_run(exchanges=(EXCHANGE,)), agreement())

    assert rows(path, "select count(*) from exchanges") == [(1,)]
    assert rows(path, "select count(*) from agreements") == [(0,)]


def test_the_store_opens_again(store: Store, path: Path) -> None:
    """What one process kept the next one reads, also while the first has it open."""
    keep(store, a_run())
    with Store.open(path) as again:
        assert again.runs() == (("n1", 100.0, "drift"),)


def test_exchanges_of_old_runs_are_dropped_and_said_to_be(store: Store) -> None:
    """But not those that show an agreement."""
    for number in range(FEW.exchanges + 2):
        proof = (agreement("n0", 0.0),) if number == 0 else ()
        notes = keep(store, a_run(f"n{number}", float(number), exchanges=(replace(EXCHANGE, step=number),)), *proof)

    assert notes == (f"the store dropped the exchanges of 1 run, older than the newest {FEW.exchanges}",)
    kept = [bool(store.exchanges(f"n{number}", "acmepay", "sandbox", "s")) for number in range(3)]
    assert kept == [True, False, True]


def test_many_runs_without_the_sandbox_do_not_push_out_those_with_it(store: Store) -> None:
    """A busy laptop does not cost the history of the nights."""
    keep(store, a_run("night", 0.0))
    for number in range(1, FEW.offline + 3):
        notes = keep(store, a_run(f"n{number}", float(number), gate=False))

    assert notes == (f"the store dropped 1 run without the sandbox, older than the newest {FEW.offline}",)
    kept = {run_id for run_id, _, _ in store.runs(limit=1000)}
    assert "night" in kept
    assert {"n1", "n2", "n3"} & kept == {"n3"}


def test_a_run_that_shows_an_agreement_is_never_dropped(store: Store) -> None:
    """However old it is: it is the proof."""
    keep(store, a_run("proof", 0.0, gate=False, exchanges=(EXCHANGE,)), agreement("proof", 0.0))
    for number in range(1, FEW.offline + 2):
        keep(store, a_run(f"n{number}", float(number), gate=False))

    assert store.exchanges("proof", "acmepay", "sandbox", "s")


def test_old_editions_are_dropped(store: Store) -> None:
    """A contract that is edited every day does not make the store grow for ever."""
    for number in range(FEW.editions + 3):
        keep(store, a_run(f"n{number}", float(number)), agreement(f"n{number}", float(number), f"e{number}"))
    editions = [item.edition for item in store.history("acmepay").agreements["Charge.id", "charge.created"]]

    assert editions == [f"e{number}" for number in range(3, FEW.editions + 3)]


def test_a_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="must be writable") as raised:
        Store.open(tmp_path / "file" / "troth.db")

    assert raised.value.code == "E400"


def test_a_path_that_is_a_folder_is_a_clear_error(tmp_path: Path) -> None:
    """SQLite cannot open it."""
    with pytest.raises(StoreError, match="unable to open") as raised:
        Store.open(tmp_path)

    assert raised.value.code == "E400"


def test_a_file_that_cannot_be_written_is_a_clear_error(store: Store, path: Path) -> None:
    """The run does not go into a store that became read-only while it ran."""
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("create trigger no before insert on runs begin select raise(abort, 'disk full'); end")
    connection.close()
    with pytest.raises(StoreError, match="disk full") as raised:
        keep(store, a_run())

    assert raised.value.code == "E400"


def test_a_locked_store_is_a_clear_error(store: Store, path: Path) -> None:
    """Another program holds it longer than we wait."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("begin immediate")
    with Store.open(path, busy=0.01) as late, pytest.raises(StoreError, match="locked") as raised:
        keep(late, a_run())
    connection.close()

    assert raised.value.code == "E401"


@pytest.mark.parametrize(
    "content", [b"this is no database at all, only text " * 50, b"SQLite format 3\0" + b"\xff" * 4000]
)
def test_a_broken_file_is_a_clear_error(tmp_path: Path, content: bytes) -> None:
    """Text, and a damaged database; the file is left as it is."""
    broken = tmp_path / "troth.db"
    broken.write_bytes(content)
    with pytest.raises(StoreError) as raised:
        Store.open(broken)

    assert raised.value.code == "E402"
    assert broken.read_bytes() == content


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    """No tables are added to another program's database."""
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table songs (title text)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="songs") as raised:
        Store.open(path)

    assert raised.value.code == "E402"
    assert path.read_bytes() == before


def test_a_store_of_a_newer_troth_is_refused(store: Store, path: Path) -> None:
    """Its tables may mean something else."""
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("update alembic_version set version_num = '9999'")
    connection.close()
    with pytest.raises(StoreError, match="version 9999") as raised:
        Store.open(path)

    assert raised.value.code == "E403"


def test_habits_come_back_as_they_were(store: Store) -> None:
    """Also on another machine, with what a night that tells nothing of them has: none."""
    habits = Habits(
        "n1",
        1,
        "hash",
        {
            "s": (
                {"get.found": {"field $.a": ("yes",), "value $.a": ('"x"', "1")}},
                {"get.found": {"field $.a": ("yes",)}},
            ),
            "t": ({"get.found": {"field $.a": ("yes",)}, "get": {"response": ("found",)}},),
        },
        {"get.found": (0.25, 3)},
    )
    run = a_run(history=Remembered(night=1))
    store.save(run, {}, {"acmepay": "hash"}, {"acmepay": habits})
    store.save(a_run("n2", 200.0, history=Remembered(night=2)), {}, {"acmepay": "hash"})

    assert store.habits("acmepay") == (habits,)
    packet = store.packet("n1")
    with Store.open(store.path.with_name("other.db")) as other:
        other.take_in([packet])
        assert other.habits("acmepay") == (habits,)


def test_habits_are_kept_as_long_as_exchanges(store: Store) -> None:
    """Of the newest three runs, here."""
    for number in range(5):
        run = a_run(f"n{number}", number, history=Remembered(night=number + 1))
        store.save(run, {}, {"acmepay": "hash"}, {"acmepay": Habits(f"n{number}", number + 1, "hash")})

    assert [night.run_id for night in store.habits("acmepay")] == ["n2", "n3", "n4"]
