"""The tables as they were before there were migrations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables of the first store."""
    op.create_table(
        "runs",
        sa.Column("run_id", sa.String, primary_key=True),
        sa.Column("started", sa.Float, nullable=False, index=True),
        sa.Column("finished", sa.Float, nullable=False),
        sa.Column("verdict", sa.String, nullable=False),
        sa.Column("exit_code", sa.Integer, nullable=False),
        sa.Column("seed", sa.Integer, nullable=False),
        sa.Column("gate", sa.Boolean, nullable=False),
        sa.Column("interrupted", sa.Boolean, nullable=False),
        sa.Column("troth", sa.String, nullable=False),
        sa.Column("command", sa.String, nullable=False),
    )
    op.create_table(
        "provider_runs",
        sa.Column("id", sa.Integer, primary_key=True),
        _run(),
        sa.Column("provider", sa.String, nullable=False, index=True),
        *_texts("verdict", "reason", "contract", "contract_hash", "sandbox_url"),
        sa.Column("coverage", sa.JSON, nullable=False),
    )
    op.create_table(
        "exchanges",
        sa.Column("id", sa.Integer, primary_key=True),
        _run(),
        *_texts("provider", "target", "scenario"),
        sa.Column("step", sa.Integer, nullable=False),
        *_texts("operation", "method", "url"),
        sa.Column("request_headers", sa.JSON, nullable=False),
        *_texts("request_body"),
        sa.Column("status", sa.Integer),
        sa.Column("response_headers", sa.JSON, nullable=False),
        *_texts("response_body"),
        sa.Column("response_name", sa.String),
        sa.Column("error", sa.String),
        sa.Column("started", sa.Float, nullable=False),
        sa.Column("elapsed", sa.Float, nullable=False),
        sa.Index("exchanges_of_scenario", "run_id", "provider", "target", "scenario"),
    )
    op.create_table(
        "findings",
        sa.Column("id", sa.Integer, primary_key=True),
        _run(),
        *_texts("provider", "fingerprint", "code", "kind", "severity", "blame", "operation", "scenario"),
        sa.Column("step", sa.Integer, nullable=False),
        *_texts("path", "origin", "proof"),
        sa.Column("since", sa.String),
        sa.Column("last_agreed", sa.String),
        sa.Column("caused_by", sa.String),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("said", sa.JSON, nullable=False),
        sa.Index("findings_by_fingerprint", "provider", "fingerprint"),
    )
    op.create_table(
        "agreements",
        sa.Column("id", sa.Integer, primary_key=True),
        *_texts("provider", "origin", "where", "edition", "troth", "contract_hash", "scenario", "first_run"),
        sa.Column("first_time", sa.Float, nullable=False),
        *_texts("last_run"),
        sa.Column("last_time", sa.Float, nullable=False),
        sa.Column("nights", sa.Integer, nullable=False),
        sa.UniqueConstraint("provider", "origin", "where", "edition", "troth"),
    )


def _run() -> sa.Column[str]:
    key = sa.ForeignKey("runs.run_id", ondelete="CASCADE")
    return sa.Column("run_id", sa.String, key, nullable=False, index=True)


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.String, nullable=False) for name in names]
