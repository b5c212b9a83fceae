"""Brings the file of a store to today's tables: made when it is new, migrated when it is older."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from troth.errors import TrothError
from troth.runners.store_tables import Base, RunRow

__all__ = ["REVISIONS", "StoreError", "prepare"]

REVISIONS = ("0001", "0002", "0003")
"""Every version of the tables, oldest first, as ``migrations/versions`` names them."""
_FIRST = "schema_version"
"""The table that told the version before there were migrations; it was always version 1."""
_VERSION = "alembic_version"
_MIGRATIONS = Path(__file__).parent / "migrations"


class StoreError(TrothError):
    """The store cannot be used. Nothing of the run itself is lost."""


def prepare(path: Path, engine: Engine) -> None:
    """Make or migrate the tables. StoreError E402 for a file that is something else, E403 for a newer Troth's."""
    with engine.connect() as connection:
        found = _revision(path, connection)
        if found == REVISIONS[-1]:
            return
        if found is None:
            # Kept in the file: readers do not wait for a run that is being written.
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")
        connection.rollback()
        # Whoever comes at the same time waits here, and then finds the work done.
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        _bring(connection, _revision(path, connection))
        connection.commit()


def _revision(path: Path, connection: Connection) -> str | None:
    """The version of the tables that are there; None when there are none."""
    tables = set(inspect(connection).get_table_names())
    if _VERSION in tables and RunRow.__tablename__ in tables:
        found = str(connection.scalar(text(f"SELECT version_num FROM {_VERSION}")))
        if found in REVISIONS:
            return found
        raise StoreError(
            "E403",
            f"the store {path} must have tables of version {REVISIONS[-1]} or older",
            f"version {found}, written by a newer Troth",
            "Update Troth, or name another path for the store",
        )
    if _FIRST in tables:
        return REVISIONS[0]
    if tables:
        raise StoreError(
            "E402",
            f"{path} must be a store of Troth",
            f"a database of something else, with tables {', '.join(sorted(tables)[:3])}",
            "Name another path for the store",
        )
    return None


def _bring(connection: Connection, found: str | None) -> None:
    if found == REVISIONS[-1]:
        return
    if found is None:
        Base.metadata.create_all(connection)
        _stamp(connection, REVISIONS[-1])
        return
    # Only an old store needs it, and it takes long to load.
    from alembic import command
    from alembic.config import Config

    if not inspect(connection).has_table(_VERSION):
        _stamp(connection, found)
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _stamp(connection: Connection, revision: str) -> None:
    connection.execute(text(f"CREATE TABLE {_VERSION} (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
    connection.execute(text(f"INSERT INTO {_VERSION} VALUES (:revision)"), {"revision": revision})
