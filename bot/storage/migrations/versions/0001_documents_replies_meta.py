"""Documents, replies, and facts about the bot itself."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first tables."""
    op.create_table(
        "documents",
        sa.Column("digest", sa.String(32), nullable=False),
        sa.Column("format", sa.String(32), nullable=False),
        sa.Column("text", sa.LargeBinary, nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_documents"),
    )
    op.create_index("ix_documents_expires", "documents", ["expires"])
    op.create_table(
        "replies",
        sa.Column("source_id", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("channel_id", sa.BigInteger, nullable=False),
        sa.Column("guild_id", sa.BigInteger),
        sa.Column("author_id", sa.BigInteger, nullable=False),
        sa.Column("claimed", sa.DateTime(timezone=True), nullable=False),
        sa.Column("recorded", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("source_id", name="pk_replies"),
    )
    op.create_index("ix_replies_guild_id", "replies", ["guild_id"])
    op.create_index("ix_replies_author_id", "replies", ["author_id"])
    op.create_index("ix_replies_claimed", "replies", ["claimed"])
    op.create_table(
        "reply_messages",
        sa.Column("source_id", sa.BigInteger, nullable=False),
        sa.Column("place", sa.SmallInteger, autoincrement=False, nullable=False),
        sa.Column("message_id", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("source_id", "place", name="pk_reply_messages"),
        sa.ForeignKeyConstraint(
            ["source_id"], ["replies.source_id"], name="fk_reply_messages_source_id", ondelete="CASCADE"
        ),
    )
    op.create_table(
        "meta",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_meta"),
    )
