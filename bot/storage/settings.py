"""The settings of servers, channels and users. None always means "not chosen"."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from typing import Final, TypeVar

from sqlalchemy import Column, Table, delete, func, select, union
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.storage.database import insert, reads, writes
from bot.storage.ids import check_ids
from bot.storage.part import StorePart, note_guild
from bot.storage.tables import channel_modes, server_settings, user_settings

MAX_WORD: Final = 64
"""Characters of a chosen value."""

MAX_ALIASES: Final = 1_500
"""Most characters of the aliases of lexica."""

MAX_CHANNEL_MODES: Final = 1_000
"""Maximum channels of one guild with a mode of their own: threads come and go without end."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of a server.

    Values are words of the program that kept them. A later version may not know them, so readers treat an
    unknown one as not chosen. Raises :exc:`ValueError` when a value cannot be kept.
    """

    mode: str | None = None
    """The mode of channels without a mode of their own."""
    theme: str | None = None
    layout: str | None = None
    coordinates: bool | None = None
    lexicon: str | None = None
    language: str | None = None
    aliases: str | None = None
    """Lexica to take for others that are not installed, as they were typed."""
    questions: bool | None = None
    """Whether what is clearly meant as a position or game and cannot be read is asked about; None: it is."""
    live: str | None = None
    """Where live games are shown: in the channel, or in a thread of each."""
    turns: bool | None = None
    """Whether players who want it are mentioned in the channel when it is their turn; None: they are."""
    looks: bool | None = None
    """Whether public answers use the look of the person they answer; None: they use the server's look."""

    def __post_init__(self) -> None:
        if self.aliases is not None and len(self.aliases) > MAX_ALIASES:
            raise ValueError(f"aliases of more than {MAX_ALIASES} characters cannot be kept")
        for word in (self.mode, self.theme, self.layout, self.lexicon, self.language, self.live):
            _check_word(word)


@dataclass(frozen=True, slots=True)
class UserSettings:
    """The settings of a person, for private answers; values as in :class:`ServerSettings`."""

    theme: str | None = None
    layout: str | None = None
    coordinates: bool | None = None
    lexicon: str | None = None
    language: str | None = None
    turns: bool | None = None
    """Whether the person wants to be mentioned on their turn in a live game; None: not."""
    named: bool | None = None
    """Whether leader boards and daily solutions may name the person; None: not."""
    games: bool | None = None
    """Whether the finished games that the person posts are kept for a look back; None: not."""

    def __post_init__(self) -> None:
        for word in (self.theme, self.layout, self.lexicon, self.language):
            _check_word(word)


Chosen = TypeVar("Chosen", ServerSettings, UserSettings)


class SettingsStore(StorePart):
    """The settings of servers, channels and people."""

    @reads
    async def user_settings(self, connection: AsyncConnection, user_id: int) -> UserSettings:
        """Return what a user has chosen."""
        return await of_user(connection, user_id)

    @reads
    async def server_settings(self, connection: AsyncConnection, guild_id: int) -> ServerSettings:
        """Return what is chosen in a guild."""
        return await _read(connection, server_settings.c.guild_id, guild_id, ServerSettings)

    @writes
    async def set_server_settings(
        self, connection: AsyncConnection, guild_id: int, chosen: ServerSettings
    ) -> None:
        """Keep what is chosen in a guild, in place of what was there."""
        await note_guild(connection, guild_id)
        await _write(connection, server_settings, server_settings.c.guild_id, guild_id, chosen)

    @reads
    async def channel_modes(self, connection: AsyncConnection, guild_id: int) -> dict[int, str]:
        """Return the modes of a guild's channels that have one of their own, by channel id."""
        check_ids(guild_id)
        query = select(channel_modes.c.channel_id, channel_modes.c.mode).where(
            channel_modes.c.guild_id == guild_id
        )
        return {row.channel_id: row.mode for row in await connection.execute(query)}

    @reads
    async def guilds_of_mode(self, connection: AsyncConnection, mode: str) -> list[int]:
        """Return the guilds that have chosen a mode, for themselves or for one of their channels."""
        _check_word(mode)
        tables = (server_settings, channel_modes)
        found = union(*(select(table.c.guild_id).where(table.c.mode == mode) for table in tables))
        return list((await connection.scalars(found)).all())

    @writes
    async def set_channel_mode(
        self, connection: AsyncConnection, guild_id: int, channel_id: int, mode: str | None
    ) -> None:
        """Keep the mode of one channel; None lets it follow its guild again.

        Raises :exc:`ValueError` when the guild has :data:`bot.storage.settings.MAX_CHANNEL_MODES` of them already.
        """
        await note_guild(connection, guild_id)
        check_ids(guild_id, channel_id)
        _check_word(mode)
        table = channel_modes
        if mode is None:
            await connection.execute(
                delete(table).where(table.c.guild_id == guild_id, table.c.channel_id == channel_id)
            )
            return
        others = select(func.count()).where(table.c.guild_id == guild_id, table.c.channel_id != channel_id)
        if (await connection.scalar(others) or 0) >= MAX_CHANNEL_MODES:
            raise ValueError(
                f"a guild can have at most {MAX_CHANNEL_MODES} channels with a mode of their own"
            )
        new = insert(connection, table).values(channel_id=channel_id, guild_id=guild_id, mode=mode)
        await connection.execute(
            new.on_conflict_do_update(
                index_elements=[table.c.channel_id],
                set_={"mode": new.excluded.mode, "guild_id": new.excluded.guild_id},
            )
        )


async def of_user(connection: AsyncConnection, user_id: int) -> UserSettings:
    """Return what a user has chosen."""
    return await _read(connection, user_settings.c.user_id, user_id, UserSettings)


async def set_of_user(connection: AsyncConnection, user_id: int, chosen: UserSettings) -> None:
    """Keep what a user has chosen, in place of what was."""
    await _write(connection, user_settings, user_settings.c.user_id, user_id, chosen)


async def forget_user(connection: AsyncConnection, user_id: int) -> None:
    """Forget what a user has chosen."""
    check_ids(user_id)
    await connection.execute(delete(user_settings).where(user_settings.c.user_id == user_id))


async def forget_guild(connection: AsyncConnection, guild_id: int) -> None:
    """Forget what is chosen in a guild and its channels."""
    check_ids(guild_id)
    for table in (server_settings, channel_modes):
        await connection.execute(delete(table).where(table.c.guild_id == guild_id))


async def _read(connection: AsyncConnection, key: Column[int], id_: int, kind: type[Chosen]) -> Chosen:
    check_ids(id_)
    names = [field.name for field in fields(kind)]
    query = select(*(key.table.c[name] for name in names)).where(key == id_)
    row = (await connection.execute(query)).first()
    return kind() if row is None else kind(*row)


async def _write(
    connection: AsyncConnection, table: Table, key: Column[int], id_: int, chosen: Chosen
) -> None:
    check_ids(id_)
    if chosen == type(chosen)():
        # Nothing chosen is nothing to remember.
        await connection.execute(delete(table).where(key == id_))
        return
    values = dict(zip((field.name for field in fields(chosen)), astuple(chosen), strict=True))
    new = insert(connection, table).values({key.name: id_, **values})
    await connection.execute(new.on_conflict_do_update(index_elements=[key], set_=values))


def _check_word(word: str | None) -> None:
    if word is not None and not (1 <= len(word) <= MAX_WORD and word.isprintable()):
        raise ValueError(f"{word!r} cannot be chosen: it needs 1 to {MAX_WORD} printable characters")
