"""Alembic's way into the migrations: on the connection that it is given, inside the transaction that is open there."""

from __future__ import annotations

from alembic import context

from troth.runners.store_tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,  # SQLite changes a table by making it anew
)
context.run_migrations()
