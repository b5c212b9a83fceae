"""A history in a table of a PostgreSQL database. Needs the extra ``postgres``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module

from sqlalchemy import Column, Connection, Engine, LargeBinary, MetaData, String, Table, create_engine, delete, select
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from troth.errors import MissingExtra, UsageError
from troth.runners.packets import HistoryError

__all__ = ["PostgresShelf"]

SECONDS = 10
"""The longest that making a connection may take."""
_LOCK = 0x74726F7468
"""The advisory lock under which the table is made and written: two jobs do one after the other."""
_FILES = Table(
    "troth_history",
    MetaData(),
    Column("name", String, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)


class PostgresShelf:
    """Files in the table ``troth_history``, which is made when it is not there."""

    def __init__(self, engine: Engine, label: str, password: str) -> None:
        self._engine = engine
        self.label = label
        self._password = password

    @classmethod
    def connect(cls, address: str) -> PostgresShelf:
        """At ``postgresql://user:password@host/database``. MissingExtra E901 without psycopg, UsageError E423."""
        try:
            import_module("psycopg")
        except ImportError:
            raise MissingExtra("postgres", "a history in PostgreSQL", "psycopg") from None
        try:
            url = make_url(address).set(drivername="postgresql+psycopg")
        except (ArgumentError, ValueError):
            asked = "an address such as postgresql://user@host/database"
            raise UsageError(
                "E423", asked, "one that cannot be read; it is not shown, as it may hold a password"
            ) from None
        engine = create_engine(url, poolclass=NullPool, connect_args={"connect_timeout": SECONDS})
        return cls(engine, url.set(drivername="postgresql").render_as_string(), str(url.password or ""))

    def absence(self) -> str:
        """Whoever asks for the names is told what is wrong."""
        return ""

    def names(self) -> frozenset[str]:
        """The files that are there now."""
        with self._transaction() as connection:
            return frozenset(connection.scalars(select(_FILES.c.name)))

    def read(self, name: str) -> bytes | None:
        """One file; None when it is gone."""
        with self._transaction() as connection:
            content = connection.scalar(select(_FILES.c.content).where(_FILES.c.name == name))
        return None if content is None else bytes(content)

    def publish(self, add: Mapping[str, bytes], remove: Collection[str]) -> bool:
        """All of it or nothing. A night that is there stays as it is."""
        with self._transaction() as connection:
            for name, content in add.items():
                new = insert(_FILES).values(name=name, content=content)
                night = "/" in name
                connection.execute(
                    new.on_conflict_do_nothing()
                    if night
                    else new.on_conflict_do_update(index_elements=["name"], set_={"content": content})
                )
            if remove:
                connection.execute(delete(_FILES).where(_FILES.c.name.in_(remove)))
        return True

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                connection.execute(sql("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
                _FILES.create(connection, checkfirst=True)
                yield connection
        except SQLAlchemyError as error:
            found = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
            if self._password:
                found = found.replace(self._password, "***")
            raise HistoryError("E421", f"PostgreSQL to answer at {self.label}", found) from None
