"""Whether public answers use the look of the person they answer."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column."""
    op.add_column("server_settings", sa.Column("looks", sa.Boolean))
