"""The claims and tries of unsent answers, and the guilds with stored data."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add what is new, and fill it from what is kept."""
    op.add_column("replies", sa.Column("held_until", sa.DateTime(timezone=True)))
    op.add_column("replies", sa.Column("tries", sa.SmallInteger, nullable=False, server_default="1"))
    unsent = sa.text("held_until IS NOT NULL")
    op.create_index(
        "ix_replies_held_until", "replies", ["held_until"], sqlite_where=unsent, postgresql_where=unsent
    )
    # The processes that claimed these have ended.
    op.execute("UPDATE replies SET held_until = claimed WHERE recorded IS NULL")
    op.create_table(
        "guilds",
        sa.Column("guild_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("guild_id", name="pk_guilds"),
    )
    op.execute(
        "INSERT INTO guilds (guild_id)"
        " SELECT guild_id FROM replies WHERE guild_id IS NOT NULL"
        " UNION SELECT guild_id FROM server_settings"
        " UNION SELECT guild_id FROM channel_modes"
        " UNION SELECT guild_id FROM live_games WHERE guild_id IS NOT NULL"
    )
