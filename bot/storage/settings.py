"""The settings of servers, channels and users. A setting that was not chosen is None, and its default applies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final, TypeVar

from sqlalchemy import Table, delete, select, union
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.bookkeeping import record_guild
from bot.storage.database import BaseStore, count, find, lock_id, reads, upsert, writes
from bot.storage.tables import channel_modes, server_settings, user_settings

MAX_CHANNEL_MODES: Final = 1_000
"""Maximum number of channels and threads per server that have their own mode, including deleted threads."""


@dataclass(frozen=True, slots=True)
class _SharedSettings:
    """The settings that both a server and a user can choose.

    The user's choices apply to private replies. For public replies, see :attr:`ServerSettings.looks`.
    """

    theme: str | None = None
    layout: str | None = None
    coordinates: bool | None = None
    lexicon: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class ServerSettings(_SharedSettings):
    """A server's settings. Features ignore stored values that this version of Kibitz does not know."""

    mode: str | None = None
    """The mode of all channels without their own mode."""
    aliases: str | None = None
    """Replacements for missing lexica, as typed by the moderator."""
    questions: bool | None = None
    """Whether Kibitz offers to explain an unreadable position or game. The default is yes."""
    live: str | None = None
    """Where live games are shown: in the channel, or in a thread for each game."""
    turns: bool | None = None
    """Whether players who want to be mentioned are mentioned in the channel on their turn. The default is yes."""
    looks: bool | None = None
    """Whether a public reply uses the requester's appearance settings instead of the server's. The default is no."""


@dataclass(frozen=True, slots=True)
class UserSettings(_SharedSettings):
    """A user's settings."""

    turns: bool | None = None
    """Whether the user wants to be mentioned on their turn in a live game. The default is no."""
    named: bool | None = None
    """Whether leaderboards and daily solutions may name the user. The default is no."""
    games: bool | None = None
    """Whether finished games that the user posts are stored for later reviews. The default is no."""


SettingsT = TypeVar("SettingsT", ServerSettings, UserSettings)


class SettingsStore(BaseStore):
    """Stores the settings of servers, channels and users."""

    @reads
    async def user_settings(self, connection: AsyncConnection, user_id: int) -> UserSettings:
        return await read(connection, user_settings, user_id, UserSettings)

    @reads
    async def server_settings(self, connection: AsyncConnection, guild_id: int) -> ServerSettings:
        return await read(connection, server_settings, guild_id, ServerSettings)

    @writes
    async def change_server_settings(
        self,
        connection: AsyncConnection,
        guild_id: int,
        change: Callable[[ServerSettings], ServerSettings],
    ) -> ServerSettings:
        await record_guild(connection, guild_id)
        return await update(connection, server_settings, guild_id, ServerSettings, change)

    @reads
    async def channel_modes(self, connection: AsyncConnection, guild_id: int) -> dict[int, str]:
        """Return the modes of the channels that have their own mode, by channel id."""
        query = select(channel_modes.c.channel_id, channel_modes.c.mode).where(
            channel_modes.c.guild_id == guild_id
        )
        return {row.channel_id: row.mode for row in await connection.execute(query)}

    @reads
    async def guilds_with_mode(self, connection: AsyncConnection, mode: str) -> list[int]:
        """Return the servers that have chosen ``mode`` for themselves or for a channel."""
        queries = (
            select(table.c.guild_id).where(table.c.mode == mode) for table in (server_settings, channel_modes)
        )
        return list(await connection.scalars(union(*queries)))

    @writes
    async def set_channel_mode(
        self, connection: AsyncConnection, guild_id: int, channel_id: int, mode: str | None
    ) -> None:
        """Set a channel's mode. With None, remove the mode, so that the server's mode applies.

        Raises:
            ValueError: :data:`MAX_CHANNEL_MODES` other channels have their own mode.

        """
        await record_guild(connection, guild_id)
        c = channel_modes.c
        if mode is None:
            await connection.execute(
                delete(channel_modes).where(c.guild_id == guild_id, c.channel_id == channel_id)
            )
            return
        if (
            await count(connection, (c.guild_id == guild_id) & (c.channel_id != channel_id))
            >= MAX_CHANNEL_MODES
        ):
            raise ValueError(f"a server can have at most {MAX_CHANNEL_MODES} channels with their own mode")
        await upsert(
            connection, channel_modes, {"channel_id": channel_id, "guild_id": guild_id, "mode": mode}
        )


async def read(connection: AsyncConnection, table: Table, id_: int, row_class: type[SettingsT]) -> SettingsT:
    (key,) = table.primary_key
    return await find(connection, table, row_class, key == id_) or row_class()


async def update(
    connection: AsyncConnection,
    table: Table,
    id_: int,
    row_class: type[SettingsT],
    change: Callable[[SettingsT], SettingsT],
) -> SettingsT:
    """Change a row of settings with ``change``, and return the new settings. If all settings are the defaults, delete the row."""
    await lock_id(connection, id_)
    new_settings = change(await read(connection, table, id_, row_class))
    (key,) = table.primary_key
    if new_settings == row_class():
        await connection.execute(delete(table).where(key == id_))
    else:
        await upsert(connection, table, {key.name: id_, **asdict(new_settings)})
    return new_settings
