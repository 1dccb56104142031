"""The choices of servers and users, such as look, lexicon and language.

Private replies use the user's choices, then the server's (except its language). Public replies use the server's, but the
server may allow the user's look. The host's settings are the default.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Final, Generic, TypeVar

from cachetools import LRUCache

from bot.chat.card import Appearance, ReplyContext
from bot.engine.lexicon.installed import read_aliases
from bot.storage.errors import StoreError
from bot.storage.settings import ServerSettings, UserSettings
from bot.storage.store import Store
from bot.text import LANGUAGES, translator
from render.scene import Layout
from render.theme import theme_names

log = logging.getLogger(__name__)

Value = TypeVar("Value")

CACHE_SECONDS: Final = 60.0
"""Seconds for which choices are cached. A choice made in another process takes effect within this time."""

MAX_CONTEXT_SECONDS: Final = 0.7
"""Maximum seconds that a reply waits for the server's choices. The user's choices get the same time.

Discord expects an acknowledgement within three seconds.
"""

MAX_CACHED_SETTINGS: Final = 20_000
"""Maximum number of servers in memory. The same limit applies to users."""


class Mode(StrEnum):
    """The bot's behaviour when a message contains a position."""

    AUTO = "auto"
    """Reply immediately."""
    PICTURES = "pictures"
    """Reply immediately, and read pictures."""
    ON_REQUEST = "on_request"
    """Add a reaction, and reply when a user presses the reaction."""
    OFF = "off"
    """Ignore the position, unless the message mentions the bot."""


@dataclass(frozen=True, slots=True)
class ServerChoices:
    """All choices of one server."""

    settings: ServerSettings = field(default_factory=ServerSettings)
    channel_modes: Mapping[int, Mode] = field(default_factory=dict)
    """Modes by channel id. A channel without a mode has its parent's mode, or else :attr:`mode`."""
    mode: Mode = Mode.AUTO


class Cache(Generic[Value]):
    """A short-lived cache of values by id. Simultaneous requests share one load."""

    def __init__(self, load: Callable[[int], Coroutine[None, None, Value]]) -> None:
        self._load = load
        self._values: LRUCache[int, tuple[float, Value]] = LRUCache(MAX_CACHED_SETTINGS)
        self._load_tasks: dict[int, asyncio.Task[Value]] = {}

    async def get(self, key: int) -> Value:
        expiry_and_value = self._values.get(key)
        if expiry_and_value is not None and time.monotonic() < expiry_and_value[0]:
            return expiry_and_value[1]
        load_task = self._load_tasks.get(key)
        if load_task is None:
            load_task = self._load_tasks[key] = asyncio.create_task(self._load(key))
            load_task.add_done_callback(partial(self._keep_loaded_value, key))
        # Cancelling one waiting task must not cancel the load for the others.
        return await asyncio.shield(load_task)

    def _keep_loaded_value(self, key: int, load_task: asyncio.Task[Value]) -> None:
        has_failed = load_task.cancelled() or load_task.exception() is not None
        # If the value was changed during the load, ``drop`` has removed this task.
        if self._load_tasks.get(key) is load_task:
            del self._load_tasks[key]
            if not has_failed:
                self._values[key] = (time.monotonic() + CACHE_SECONDS, load_task.result())

    async def get_or_last_known(self, key: int) -> Value | None:
        """Return the value of ``key``. If the store fails or is slow, return the last known value, or None."""
        try:
            async with asyncio.timeout(MAX_CONTEXT_SECONDS):
                return await self.get(key)
        except (StoreError, TimeoutError) as error:
            log.warning("preferences could not be read: %r", error)
            return self._values.get(key, (0.0, None))[1]

    def drop(self, key: int) -> None:
        """Drop the value of ``key``, even if it is being loaded."""
        self._values.pop(key, None)
        self._load_tasks.pop(key, None)


class Preferences:
    """Reads and changes preferences. ``default_appearance`` is the look in the host's settings."""

    def __init__(self, store: Store, default_appearance: Appearance) -> None:
        self._store = store
        self._default_appearance = default_appearance
        self.servers: Cache[ServerChoices] = Cache(self._load_server)
        self.users: Cache[UserSettings] = Cache(store.user_settings)
        self.picture_servers: set[int] = set()
        """Ids of the servers that use, or recently used, :attr:`Mode.PICTURES`."""

    async def mode(self, guild_id: int, channel_ids: Sequence[int]) -> Mode:
        """Return a channel's mode. ``channel_ids`` are the channel and its parents, nearest first.

        Raises:
            StoreError: the store cannot be read.

        """
        choices = await self.servers.get(guild_id)
        return next(
            (
                choices.channel_modes[channel_id]
                for channel_id in channel_ids
                if channel_id in choices.channel_modes
            ),
            choices.mode,
        )

    async def load_picture_servers(self) -> None:
        self.picture_servers = set(await self._store.guilds_with_mode(Mode.PICTURES))

    async def wants_error_reactions(self, guild_id: int) -> bool:
        """Return whether a server wants ❓ on messages with an unreadable position or game.

        Raises:
            StoreError: the store cannot be read.

        """
        return (await self.servers.get(guild_id)).settings.questions is not False

    async def public_context(
        self, guild_id: int | None, locale: str, user_id: int | None = None, *, use_user_look: bool = True
    ) -> ReplyContext:
        """Return the context of public replies in a server. ``locale`` applies if no language is chosen.

        The look chosen by the user ``user_id`` applies if the server allows it and ``use_user_look`` is true. If the store fails or is
        slow, the last known choices apply.
        """
        if guild_id is None:
            return ReplyContext(self._default_appearance, translator(locale))
        choices = await self.servers.get_or_last_known(guild_id) or ServerChoices()
        context = _apply_choices(choices.settings, ReplyContext(self._default_appearance, translator(locale)))
        if user_id is not None:
            context = replace(context, user_id=user_id, guild_id=guild_id, public=True)
        if not choices.settings.looks or user_id is None or not use_user_look:
            return context
        # Language and lexicon remain the server's.
        return replace(
            context, appearance=_apply_choices(await self._load_user_choices(user_id), context).appearance
        )

    async def _load_user_choices(self, user_id: int) -> UserSettings:
        return await self.users.get_or_last_known(user_id) or UserSettings()

    async def private_context(self, user_id: int, guild_id: int | None, locale: str) -> ReplyContext:
        """Return the context of private replies.

        If the user has not chosen a language, ``locale`` applies. Other settings that the user has not chosen are the server's.
        """
        server_context = replace(await self.public_context(guild_id, locale), translate=translator(locale))
        context = _apply_choices(await self._load_user_choices(user_id), server_context)
        return replace(context, user_id=user_id, guild_id=guild_id)

    async def change_server_settings(
        self, guild_id: int, change: Callable[[ServerSettings], ServerSettings]
    ) -> None:
        """Change a server's choices.

        Raises:
            ValueError: a value is invalid.
            StoreError: the store cannot be written.

        """
        settings = await self._store.change_server_settings(guild_id, change)
        self._remember_picture_server(guild_id, settings.mode)
        self.servers.drop(guild_id)

    async def set_channel_mode(self, guild_id: int, channel_id: int, mode: Mode | None) -> None:
        """Set a channel's mode. None means the mode of its parent or server.

        Raises:
            ValueError: too many channels of the server have their own mode.
            StoreError: the store cannot be written.

        """
        await self._store.set_channel_mode(guild_id, channel_id, mode and mode.value)
        self._remember_picture_server(guild_id, mode)
        self.servers.drop(guild_id)

    def _remember_picture_server(self, guild_id: int, mode: str | None) -> None:
        if mode == Mode.PICTURES:
            self.picture_servers.add(guild_id)

    async def change_user_settings(
        self, user_id: int, change: Callable[[UserSettings], UserSettings]
    ) -> None:
        """Change a user's choices.

        Raises:
            ValueError: a value is invalid.
            StoreError: the store cannot be written.

        """
        await self._store.change_user_settings(user_id, change)
        self.users.drop(user_id)

    async def forget_user(self, user_id: int) -> None:
        """Delete a user's data from the store and from memory.

        Raises:
            StoreError: the store cannot be written.

        """
        await self._store.forget_user(user_id)
        self.users.drop(user_id)

    async def _load_server(self, guild_id: int) -> ServerChoices:
        settings = await self._store.server_settings(guild_id)
        modes = sorted((await self._store.channel_modes(guild_id)).items())
        valid_modes = {channel_id: Mode(word) for channel_id, word in modes if word in tuple(Mode)}
        return ServerChoices(
            settings, valid_modes, Mode(settings.mode) if settings.mode in tuple(Mode) else Mode.AUTO
        )


def _apply_choices(settings: ServerSettings | UserSettings, base_context: ReplyContext) -> ReplyContext:
    appearance = base_context.appearance
    if settings.theme in theme_names():
        appearance = replace(appearance, theme=settings.theme)
    if settings.layout in {layout.value for layout in Layout}:
        appearance = replace(appearance, layout=Layout(settings.layout))
    if settings.coordinates is not None:
        appearance = replace(appearance, coordinates=settings.coordinates)
    translate = translator(settings.language) if settings.language in LANGUAGES else base_context.translate
    aliases = base_context.aliases
    if isinstance(settings, ServerSettings) and settings.aliases:
        with suppress(ValueError):
            aliases = read_aliases(settings.aliases)
    return ReplyContext(appearance, translate, settings.lexicon or base_context.lexicon, aliases)
