"""Whether answers for everybody look as whoever is answered chose."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column."""
    op.add_column("server_settings", sa.Column("looks", sa.Boolean))
