"""Settings, live games, who brought a document, guilds that were left, notices given."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the tables, and find an answer by one of its messages."""
    op.create_index("ix_reply_messages_message_id", "reply_messages", ["message_id"])
    op.create_table(
        "document_authors",
        sa.Column("digest", sa.String(32), nullable=False),
        sa.Column("author_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("digest", "author_id", name="pk_document_authors"),
        sa.ForeignKeyConstraint(
            ["digest"], ["documents.digest"], name="fk_document_authors_digest", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_document_authors_author_id", "document_authors", ["author_id"])
    _create_settings()
    _create_live_games()
    op.create_table(
        "left_guilds",
        sa.Column("guild_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("left", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("guild_id", name="pk_left_guilds"),
    )
    op.create_index("ix_left_guilds_left", "left_guilds", ["left"])
    op.create_table(
        "notices",
        sa.Column("key", sa.String(100), nullable=False),
        sa.Column("told", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_notices"),
    )
    op.create_index("ix_notices_told", "notices", ["told"])


def _create_settings() -> None:
    op.create_table(
        "server_settings",
        sa.Column("guild_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("mode", sa.String(64)),
        sa.Column("theme", sa.String(64)),
        sa.Column("layout", sa.String(64)),
        sa.Column("coordinates", sa.Boolean),
        sa.Column("lexicon", sa.String(64)),
        sa.Column("language", sa.String(64)),
        sa.PrimaryKeyConstraint("guild_id", name="pk_server_settings"),
    )
    op.create_table(
        "channel_modes",
        sa.Column("channel_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("guild_id", sa.BigInteger, nullable=False),
        sa.Column("mode", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("channel_id", name="pk_channel_modes"),
    )
    op.create_index("ix_channel_modes_guild_id", "channel_modes", ["guild_id"])
    op.create_table(
        "user_settings",
        sa.Column("user_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("theme", sa.String(64)),
        sa.Column("layout", sa.String(64)),
        sa.Column("coordinates", sa.Boolean),
        sa.Column("lexicon", sa.String(64)),
        sa.Column("language", sa.String(64)),
        sa.PrimaryKeyConstraint("user_id", name="pk_user_settings"),
    )


def _create_live_games() -> None:
    op.create_table(
        "live_games",
        sa.Column("channel_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("game_id", sa.LargeBinary, nullable=False),
        sa.Column("guild_id", sa.BigInteger),
        sa.Column("updated", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("channel_id", "game_id", name="pk_live_games"),
    )
    op.create_index("ix_live_games_guild_id", "live_games", ["guild_id"])
    op.create_index("ix_live_games_updated", "live_games", ["updated"])
    op.create_table(
        "live_texts",
        sa.Column("channel_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("game_id", sa.LargeBinary, nullable=False),
        sa.Column("place", sa.SmallInteger, autoincrement=False, nullable=False),
        sa.Column("author_id", sa.BigInteger, nullable=False),
        sa.Column("text", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("channel_id", "game_id", "place", name="pk_live_texts"),
        sa.ForeignKeyConstraint(
            ["channel_id", "game_id"],
            ["live_games.channel_id", "live_games.game_id"],
            name="fk_live_texts_channel_id",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_live_texts_author_id", "live_texts", ["author_id"])
