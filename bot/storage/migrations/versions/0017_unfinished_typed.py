"""Whether only the user sees an unfinished message, and the text that the user typed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add the columns; processes of the version before do not know of them."""
    op.add_column("unfinished", sa.Column("sealed_typed", sa.LargeBinary))
    op.add_column("unfinished", sa.Column("private", sa.Boolean, nullable=False, server_default=sa.true()))
