"""Nights of the store as packets, and packets as nights of the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from sqlalchemy import Float, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from troth.runners.history import Agreement
from troth.runners.packets import Packet, PacketError
from troth.runners.store_agreements import keep_agreements
from troth.runners.store_tables import AgreedRow, Base, ExchangeRow, FindingRow, HabitRow, ProviderRow, RunRow

__all__ = ["night_ids", "packet_of", "take_in", "with_exchanges"]

_Row = TypeVar("_Row", bound=Base)
_OWN = frozenset({"id", "run_id"})
"""Columns that each store fills by itself."""


def night_ids(session: Session) -> frozenset[str]:
    """The runs that called a sandbox; the others prove nothing about a provider, and do not travel."""
    return frozenset(session.scalars(select(ProviderRow.run_id).where(ProviderRow.night > 0)))


def with_exchanges(session: Session) -> frozenset[str]:
    """The runs whose exchanges with a sandbox are kept."""
    return frozenset(session.scalars(select(ExchangeRow.run_id).where(ExchangeRow.target != "simulator").distinct()))


def packet_of(session: Session, run_id: str) -> Packet:
    """One night, without what the simulator said: that can be had again."""
    run = session.get_one(RunRow, run_id)
    providers = session.scalars(select(ProviderRow).where(ProviderRow.run_id == run_id).order_by(ProviderRow.id)).all()
    findings = session.scalars(select(FindingRow).where(FindingRow.run_id == run_id).order_by(FindingRow.id)).all()
    wanted = select(ExchangeRow).where(ExchangeRow.run_id == run_id, ExchangeRow.target != "simulator")
    exchanges = session.scalars(wanted.order_by(ExchangeRow.id)).all()
    return Packet(
        run={"run_id": run_id, **_plain(run)},
        providers=tuple(
            {**_plain(row), "agreed": _places(session, row), "habits": _habits(session, row)} for row in providers
        ),
        findings=tuple(_plain(row) for row in findings),
        exchanges=tuple(_plain(row) for row in exchanges) or None,
    )


def take_in(session: Session, packet: Packet) -> None:
    """Add a night that the store does not have. Raises PacketError when its rows are not what the store keeps."""
    run_id = str(packet.run["run_id"])
    try:
        with session.begin_nested():
            run = _row(RunRow, run_id, packet.run)
            session.add(run)
            session.flush()
            for data in packet.providers:
                row = _row(ProviderRow, run_id, {**data, "agreed": ""})
                row.agreed = keep_agreements(session, row.provider, _agreements(run, row, data.get("agreed")))
                session.add(row)
                if isinstance(data.get("habits"), dict):
                    session.add(HabitRow(run_id=run_id, provider=row.provider, habits=data["habits"]))
            session.add_all(_row(FindingRow, run_id, data) for data in packet.findings)
            session.add_all(_row(ExchangeRow, run_id, data) for data in packet.exchanges or ())
            session.flush()
    except (SQLAlchemyError, KeyError, TypeError, ValueError) as error:
        raise PacketError(str(error).partition("\n")[0]) from error


def _plain(row: Base) -> dict[str, Any]:
    return {column.key: getattr(row, column.key) for column in row.__table__.columns if column.key not in _OWN}


def _places(session: Session, row: ProviderRow) -> list[Any]:
    found = session.get(AgreedRow, row.agreed)
    return found.places if found is not None else []


def _habits(session: Session, row: ProviderRow) -> dict[str, Any] | None:
    wanted = select(HabitRow.habits).where(HabitRow.run_id == row.run_id, HabitRow.provider == row.provider)
    return session.scalars(wanted).first()


def _row(kind: type[_Row], run_id: str, data: Mapping[str, Any]) -> _Row:
    """A row from plain data; what this version does not know is passed over."""
    columns = [column for column in kind.__table__.columns if column.key != "id" and column.key in data]
    values = {column.key: _number(column.type, data[column.key]) for column in columns}
    return kind(**values | {"run_id": run_id})


def _number(kind: object, value: Any) -> Any:
    """JSON may have written a whole float without its point, and a text is none."""
    return float(value) if isinstance(kind, Float) else value


def _agreements(run: RunRow, provider: ProviderRow, places: Any) -> list[Agreement]:
    if not isinstance(places, list):
        raise PacketError("no places that agreed")
    return [
        Agreement(
            str(origin),
            str(where),
            str(edition),
            run.troth,
            run.run_id,
            run.started,
            str(scenario),
            provider.contract_hash,
            str(hooks),
        )
        for origin, where, edition, hooks, scenario in places
    ]
