"""Question marks under broken positions, where live games are shown, and whose turn it is."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the columns."""
    op.add_column("server_settings", sa.Column("questions", sa.Boolean))
    op.add_column("server_settings", sa.Column("live", sa.String(64)))
    op.add_column("server_settings", sa.Column("turns", sa.Boolean))
    op.add_column("user_settings", sa.Column("turns", sa.Boolean))
    op.add_column("live_games", sa.Column("board_channel_id", sa.BigInteger))
    op.add_column("live_games", sa.Column("board_id", sa.BigInteger))
