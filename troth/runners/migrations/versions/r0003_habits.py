"""What the sandbox did each night where its contract leaves something open; how steadily a finding was seen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Earlier nights have none of it."""
    op.create_table(
        "habits",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("run_id", sa.String, sa.ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
        sa.Column("provider", sa.String, nullable=False),
        sa.Column("habits", sa.JSON, nullable=False),
    )
    op.create_index("ix_habits_run_id", "habits", ["run_id"])
    op.add_column("findings", sa.Column("steadiness", sa.String, nullable=False, server_default=""))
    op.add_column("findings", sa.Column("accepted", sa.String, nullable=False, server_default=""))
