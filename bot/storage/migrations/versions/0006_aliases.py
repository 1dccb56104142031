"""The lexica that a server wants taken for others which are not installed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the column."""
    op.add_column("server_settings", sa.Column("aliases", sa.String(1_500)))
