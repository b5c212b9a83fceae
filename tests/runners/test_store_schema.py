"""The tables of the store: a new file has today's, an older one is migrated, and both are the same."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from troth.runners import store_schema
from troth.runners.store import Store
from troth.runners.store_schema import REVISIONS
from troth.runners.store_tables import Base

FIRST = Path(__file__).parents[1] / "data" / "stores" / "0001.sql"
"""Two nights of agreement and one of drift, written by the first Troth that had a store."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store is to be."""
    return tmp_path / "troth.db"


@pytest.fixture
def old(path: Path) -> Path:
    """A store of the first version."""
    with sqlite3.connect(path) as connection:
        connection.executescript(FIRST.read_text())
    connection.close()
    return path


def differences(path: Path) -> list[object]:
    """What Alembic would still have to change; SQLite keeps a number as it is, whatever its column is called."""
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        found = compare_metadata(MigrationContext.configure(connection, opts={"compare_type": False}), Base.metadata)
    engine.dispose()
    return list(found)


def revision(path: Path) -> str:
    """The version that the file says it has."""
    connection = sqlite3.connect(path)
    ((found,),) = connection.execute("select version_num from alembic_version").fetchall()
    connection.close()
    return str(found)


def test_the_versions_are_those_of_the_migrations() -> None:
    """In their order, none left out."""
    scripts = ScriptDirectory(str(Path(store_schema.__file__).parent / "migrations"))

    assert tuple(script.revision for script in scripts.walk_revisions())[::-1] == REVISIONS


def test_a_new_store_has_todays_tables(path: Path) -> None:
    """And says so."""
    with Store.open(path):
        pass

    assert differences(path) == []
    assert revision(path) == REVISIONS[-1]


def test_an_old_store_is_migrated(old: Path) -> None:
    """To the same tables, with its history."""
    assert differences(old) != []
    with Store.open(old) as store:
        history = store.history("acmepay")

    assert differences(old) == []
    assert revision(old) == REVISIONS[-1]
    assert [night.number for night in history.nights] == [1, 2, 3]
    (finding,) = history.sightings
    (agreed,) = history.agreed("Charge.amount", "create_charge.created")
    assert (history.number(agreed.run_id), agreed.nights) == (2, 2)
    assert history.first_seen(finding)


def test_an_old_store_that_two_open_at_once_is_migrated_once(old: Path) -> None:
    """The second waits, and finds the work done."""
    together = Barrier(2)

    def opened() -> int:
        together.wait(10)
        with Store.open(old) as store:
            return len(store.runs())

    with ThreadPoolExecutor(2) as pool:
        results = [each.result(30) for each in (pool.submit(opened), pool.submit(opened))]

    assert results == [3, 3]


def test_a_new_store_that_two_open_at_once_is_made_once(path: Path) -> None:
    """Neither sees half of it."""
    together = Barrier(2)

    def opened() -> int:
        together.wait(10)
        with Store.open(path) as store:
            return len(store.runs())

    with ThreadPoolExecutor(2) as pool:
        results = [each.result(30) for each in (pool.submit(opened), pool.submit(opened))]

    assert results == [0, 0]
