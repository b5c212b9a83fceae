"""The store: runs, exchanges, findings and agreements in one SQLite file. Only the store's modules import SQLAlchemy.

A store that cannot be read or written never loses a run: it raises a ``StoreError``, the run is reported all the same,
and the report says that the history was not used or not kept.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType, TracebackType

from sqlalchemy import Engine, create_engine, delete, event, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from troth.runners.finding import RecordedExchange, Run
from troth.runners.habits import Habits
from troth.runners.history import Agreement, History, Night, Sighting
from troth.runners.known import KnownFinding
from troth.runners.lifecycle import Look
from troth.runners.order import Record
from troth.runners.packets import Packet, PacketError
from troth.runners.proof import Proof
from troth.runners.store_agreements import keep_agreements, nights_of
from troth.runners.store_bounds import Bounds, prune
from troth.runners.store_habits import habit_row, habits_before
from troth.runners.store_known import known_by
from troth.runners.store_looks import looks_of
from troth.runners.store_order import records_of
from troth.runners.store_packets import night_ids, packet_of, take_in, with_exchanges
from troth.runners.store_proof import proof_of
from troth.runners.store_rows import agreement_of, exchange_of, exchange_row, finding_row, provider_row, run_row
from troth.runners.store_schema import StoreError, prepare
from troth.runners.store_tables import AgreementRow, ExchangeRow, FindingRow, ProviderRow, RunRow

__all__ = ["Store", "StoreError"]

BUSY_SECONDS = 5.0
"""How long to wait for another process that writes."""


class Store:
    """An open store. ``with Store.open(path) as store: ...``"""

    def __init__(self, path: Path, engine: Engine, bounds: Bounds) -> None:
        self.path = path
        self._engine = engine
        self._bounds = bounds

    @classmethod
    def open(cls, path: Path, *, busy: float = BUSY_SECONDS, bounds: Bounds | None = None) -> Store:
        """Open the file, and make it and its folder when they are not there.

        Raises StoreError: E400 cannot be made or written, E401 locked, E402 not a store, E403 from a newer Troth.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(path, error) from error
        engine = create_engine(f"sqlite:///{path}", poolclass=NullPool, connect_args={"timeout": busy})
        event.listen(engine, "connect", _on_connect)
        with _translated(path):
            prepare(path, engine)
        return cls(path, engine, bounds or Bounds())

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()

    def history(self, provider: str) -> History:
        """What earlier runs say of ``provider``."""
        with self._session() as session:
            agreements = session.scalars(select(AgreementRow).where(AgreementRow.provider == provider)).all()
            seen = session.execute(
                select(FindingRow.fingerprint, RunRow.run_id, RunRow.started)
                .join(RunRow, RunRow.run_id == FindingRow.run_id)
                .where(FindingRow.provider == provider)
                .distinct()
            ).all()
            nights = session.execute(
                select(ProviderRow.run_id, ProviderRow.night, RunRow.started)
                .join(RunRow, RunRow.run_id == ProviderRow.run_id)
                .where(ProviderRow.provider == provider, ProviderRow.night > 0)
            ).all()
            counts = nights_of(session, provider)
            return History.of(
                (agreement_of(row, counts[row.origin, row.where, row.edition, row.hooks]) for row in agreements),
                (Sighting(print_, run_id, started) for print_, run_id, started in seen),
                (Night(run_id, number, started) for run_id, number, started in nights),
            )

    def looks(self, provider: str) -> tuple[Look, ...]:
        """What the newest runs saw of ``provider``, oldest first."""
        with self._session() as session:
            return looks_of(session, provider)

    def records(self, provider: str) -> dict[str, Record]:
        """When each scenario of ``provider`` was last verified, and last drifted."""
        with self._session() as session:
            return records_of(session, provider)

    def habits(self, provider: str) -> tuple[Habits, ...]:
        """What the sandbox did on the newest nights where the contract leaves something open, oldest first."""
        with self._session() as session:
            return habits_before(session, provider)

    def known(self, fingerprint: str) -> KnownFinding | None:
        """A finding as the newest run that saw it did."""
        with self._session() as session:
            return known_by(session, fingerprint)

    def exchanges(self, run_id: str, provider: str, target: str, scenario: str) -> tuple[RecordedExchange, ...]:
        """The exchanges of one scenario on one target, in the order in which they were made; empty when not kept."""
        wanted = select(ExchangeRow).where(
            ExchangeRow.run_id == run_id,
            ExchangeRow.provider == provider,
            ExchangeRow.target == target,
            ExchangeRow.scenario == scenario,
        )
        with self._session() as session:
            return tuple(exchange_of(row) for row in session.scalars(wanted.order_by(ExchangeRow.id)))

    def scenarios(self, run_id: str, provider: str, target: str) -> tuple[str, ...]:
        """The scenarios whose exchanges on one target are kept, in the order in which they ran."""
        wanted = select(ExchangeRow.scenario).where(
            ExchangeRow.run_id == run_id, ExchangeRow.provider == provider, ExchangeRow.target == target
        )
        with self._session() as session:
            return tuple(dict.fromkeys(session.scalars(wanted.order_by(ExchangeRow.id))))

    def sandbox_url(self, run_id: str, provider: str) -> str:
        """The base URL of the sandbox in that run; "" when it is not known."""
        wanted = select(ProviderRow.sandbox_url).where(ProviderRow.run_id == run_id, ProviderRow.provider == provider)
        with self._session() as session:
            return session.scalars(wanted).first() or ""

    def runs(self, limit: int = 30) -> tuple[tuple[str, float, str], ...]:
        """(run id, started, verdict) of the newest runs, newest first."""
        wanted = select(RunRow.run_id, RunRow.started, RunRow.verdict).order_by(RunRow.started.desc()).limit(limit)
        with self._session() as session:
            return tuple((run_id, started, verdict) for run_id, started, verdict in session.execute(wanted))

    def save(
        self,
        run: Run,
        agreements: Mapping[str, Iterable[Agreement]],
        hashes: Mapping[str, str],
        habits: Mapping[str, Habits] = MappingProxyType({}),
    ) -> tuple[str, ...]:
        """Keep a run, all of it or nothing; gives what was dropped to stay within bounds, in words.

        ``agreements`` by provider are those of this run; ``hashes`` gives each provider's contract hash, ``habits``
        what its sandbox did where the contract leaves something open.
        """
        with self._session() as session, session.begin():
            session.add(run_row(run))
            session.flush()
            for provider in run.providers:
                row = provider_row(run, provider, hashes.get(provider.provider, ""))
                row.agreed = keep_agreements(session, provider.provider, agreements.get(provider.provider, ()))
                session.add(row)
                session.add_all(exchange_row(run, provider.provider, item) for item in provider.exchanges)
                session.add_all(finding_row(run, item) for item in provider.findings)
            session.add_all(habit_row(run.run_id, provider, item) for provider, item in habits.items())
            session.flush()
            return prune(session, self._bounds)

    def forget(self, runs: Collection[str], providers: Collection[str]) -> None:
        """Drop those of ``runs`` that say nothing of other providers than these."""
        with self._session() as session, session.begin():
            others = select(ProviderRow.run_id).where(ProviderRow.provider.not_in(providers))
            session.execute(delete(RunRow).where(RunRow.run_id.in_(runs), RunRow.run_id.not_in(others)))

    # Nights that travel

    def night_ids(self) -> frozenset[str]:
        """The runs that are nights of some provider."""
        with self._session() as session:
            return night_ids(session)

    def ids_with_exchanges(self) -> frozenset[str]:
        """The runs whose exchanges with a sandbox are kept."""
        with self._session() as session:
            return with_exchanges(session)

    def packet(self, run_id: str) -> Packet:
        """One night, to be kept elsewhere."""
        with self._session() as session:
            return packet_of(session, run_id)

    def take_in(self, packets: Iterable[Packet]) -> tuple[Mapping[str, str], tuple[str, ...]]:
        """Add nights of other machines that are not here.

        Gives why some could not be added, by run, and what was dropped to stay within bounds, in words.
        """
        refused: dict[str, str] = {}
        with self._session() as session, session.begin():
            known = set(session.scalars(select(RunRow.run_id)))
            for packet in packets:
                run_id = str(packet.run["run_id"])
                try:
                    if run_id not in known:
                        take_in(session, packet)
                except PacketError as error:
                    refused[run_id] = str(error)
            session.flush()
            return refused, prune(session, self._bounds)

    def proof(self) -> Proof:
        """When each response was last proven, and what is known to be wrong."""
        with self._session() as session:
            return proof_of(session)

    @contextmanager
    def _session(self) -> Iterator[Session]:
        with _translated(self.path), Session(self._engine) as session:
            yield session


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Database errors as StoreErrors that say what to do."""
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, OSError, ValueError) as error:
        raise _store_error(path, error) from error


def _store_error(path: Path, error: Exception) -> StoreError:
    cause = error.__cause__ or getattr(error, "orig", None) or error
    text = str(cause).splitlines()[0] if str(cause) else type(cause).__name__
    if "locked" in text or "busy" in text:
        fix = "Wait for the other run to end, or give this one a store of its own"
        return StoreError("E401", f"the store {path} must be free", text, fix)
    if any(word in text for word in ("not a database", "malformed", "no such table", "no such column")):
        fix = "Move the file away; a new one is made, without the history that this one held"
        return StoreError("E402", f"{path} must be a store of Troth", text, fix)
    return _unwritable(path, cause)


def _unwritable(path: Path, error: object) -> StoreError:
    fix = "Make the folder writable and leave room on the disk, or name another path for the store"
    return StoreError("E400", f"the store {path} must be writable", str(error), fix)


def _on_connect(connection: sqlite3.Connection, _record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()
