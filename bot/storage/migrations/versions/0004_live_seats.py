"""The first posters of live games, the channel of the games of each seed, and the seats.

The seats of stored games are unknown: a post is no proof, and the first posters are lost. Their channels remain the homes of the
games, so that no other user can claim them. A moderator can confirm the players there.
"""

import re
from urllib.parse import parse_qsl

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_PARAMS = re.compile("gid=")


def upgrade() -> None:
    """Add the tables, and find the seeds of the games that are kept."""
    op.add_column("live_games", sa.Column("owner_id", sa.BigInteger))
    op.create_index("ix_live_games_owner_id", "live_games", ["owner_id"])
    op.execute(
        "UPDATE live_games SET owner_id = (SELECT author_id FROM live_texts"
        " WHERE live_texts.channel_id = live_games.channel_id AND live_texts.game_id = live_games.game_id"
        " ORDER BY place LIMIT 1)"
    )
    op.create_table(
        "live_draws",
        sa.Column("draws", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("channel_id", sa.BigInteger),
        sa.Column("game_id", sa.LargeBinary),
        sa.Column("guild_id", sa.BigInteger),
        sa.Column("bringer_id", sa.BigInteger),
        sa.Column("settled", sa.Integer, nullable=False),
        sa.Column("disputed", sa.Integer, nullable=False),
        sa.Column("opened", sa.String(32)),
        sa.Column("updated", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("draws", name="pk_live_draws"),
    )
    for column in ("guild_id", "bringer_id", "updated"):
        op.create_index(f"ix_live_draws_{column}", "live_draws", [column])
    op.create_table(
        "live_seats",
        sa.Column("draws", sa.BigInteger, autoincrement=False, nullable=False),
        sa.Column("seat", sa.SmallInteger, autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger),
        sa.Column("held", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("draws", "seat", name="pk_live_seats"),
        sa.ForeignKeyConstraint(
            ["draws"], ["live_draws.draws"], name="fk_live_seats_draws", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_live_seats_user_id", "live_seats", ["user_id"])
    _find_homes()


def _find_homes() -> None:
    connection = op.get_bind()
    kept = connection.execute(
        sa.text(
            "SELECT g.channel_id, g.game_id, g.guild_id, t.text FROM live_games g JOIN live_texts t"
            " ON t.channel_id = g.channel_id AND t.game_id = g.game_id"
            " WHERE g.guild_id IS NOT NULL ORDER BY g.channel_id, g.game_id, t.place"
        )
    ).all()
    homes: dict[int, tuple[int, bytes]] = {}
    for channel_id, game_id, _, text in kept:
        draws = _draws(bytes(text))
        if draws is not None:
            homes.setdefault(draws, (channel_id, bytes(game_id)))
    add = sa.text(
        "INSERT INTO live_draws (draws, channel_id, game_id, guild_id, settled, disputed, updated, version)"
        " SELECT :draws, channel_id, game_id, guild_id, 0, 0, updated, 1 FROM live_games"
        " WHERE channel_id = :channel AND game_id = :game"
    )
    for draws, (channel_id, game_id) in homes.items():
        connection.execute(add, {"draws": draws, "channel": channel_id, "game": game_id})


def _draws(text: bytes) -> int | None:
    """Return the seed of the draws of a link; None for a link that lacks the start of the game."""
    url = text.decode("utf-8", "surrogatepass")
    start = _PARAMS.search(url)
    if start is None:
        return None
    params = dict(reversed(parse_qsl(url[start.start() :], keep_blank_values=True, errors="surrogatepass")))
    if params.get("tn", "1") != "1":
        return None
    value = 5381
    units = params.get("seed", params["gid"]).encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2], strict=True):
        value = ((value * 33) ^ (low | high << 8)) & 0xFFFFFFFF
    return value
