"""Nights have numbers and the places that agreed, agreements have hooks, findings the responses that show them."""

from __future__ import annotations

import json
from collections import defaultdict
from hashlib import blake2b
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Change the tables, then tell of earlier nights what can be told."""
    op.create_table(
        "agreed_sets",
        sa.Column("digest", sa.String, primary_key=True),
        sa.Column("places", sa.JSON, nullable=False),
    )
    op.add_column("provider_runs", sa.Column("night", sa.Integer, nullable=False, server_default="0"))
    op.add_column("provider_runs", sa.Column("agreed", sa.String, nullable=False, server_default=""))
    op.add_column("findings", sa.Column("responses", sa.JSON, nullable=False, server_default="[]"))
    naming = {"uq": "uq_%(table_name)s"}
    with op.batch_alter_table("agreements", naming_convention=naming) as table:
        table.add_column(sa.Column("hooks", sa.String, nullable=False, server_default=""))
        table.drop_column("nights")
        table.drop_constraint("uq_agreements", type_="unique")
        table.create_unique_constraint("agreement", ["provider", "origin", "where", "edition", "hooks", "troth"])
    _number(op.get_bind())
    _agreed(op.get_bind())
    op.execute("DROP TABLE IF EXISTS schema_version")


def _number(connection: sa.Connection) -> None:
    """Number the nights of each provider in the order in which they were."""
    found = connection.execute(
        sa.text(
            "SELECT p.id, p.provider FROM provider_runs p JOIN runs r ON r.run_id = p.run_id "
            "WHERE p.sandbox_url != '' ORDER BY r.started"
        )
    ).all()
    counts: defaultdict[str, int] = defaultdict(int)
    for row, provider in found:
        counts[provider] += 1
        connection.execute(
            sa.text("UPDATE provider_runs SET night = :night WHERE id = :id"), {"night": counts[provider], "id": row}
        )


def _agreed(connection: sa.Connection) -> None:
    """Of each night, the places that it was the first or the last to show; more is not known."""
    columns = 'origin, "where", edition, scenario FROM agreements'
    both = f"SELECT provider, last_run, {columns} UNION SELECT provider, first_run, {columns} ORDER BY 3, 4, 5"
    rows = connection.execute(sa.text(both)).all()
    sets: defaultdict[tuple[str, str], list[Any]] = defaultdict(list)
    for provider, run_id, origin, where, edition, scenario in rows:
        sets[provider, run_id].append([origin, where, edition, "", scenario])
    for (provider, run_id), places in sets.items():
        written = json.dumps(places)
        digest = blake2b(written.encode(), digest_size=16).hexdigest()
        keep = sa.text("INSERT OR IGNORE INTO agreed_sets (digest, places) VALUES (:digest, :places)")
        connection.execute(keep, {"digest": digest, "places": written})
        note = sa.text("UPDATE provider_runs SET agreed = :digest WHERE run_id = :run AND provider = :provider")
        connection.execute(note, {"digest": digest, "run": run_id, "provider": provider})
